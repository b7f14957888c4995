/** The modes of `rmap flow`: a pair, a sequence, detections, scoring, and making pairs. */
import { join } from "node:path";
import { InputError } from "../core/errors.js";
import type { FlowField } from "../core/flow-field.js";
import type { Frame } from "../core/frame.js";
import { withColumns } from "../files/csv-columns.js";
import { countFrames, readFrame, readFrameFiles, readFrames } from "../files/images/frames.js";
import { encodePng } from "../files/images/png.js";
import { plainText, readBytes } from "../files/text-file.js";
import { ensureFolder, writeWhole } from "../files/whole-file.js";
import { parseDetections } from "../formats/detections.js";
import { formatFlo, readFlo } from "../formats/flo.js";
import { computeFlow, type FlowResult } from "../pixels/flow/flow.js";
import type { FlowOptions } from "../pixels/flow/options.js";
import type { FlowSteps } from "../pixels/flow/steps.js";
import { toPlane } from "../pixels/image.js";
import { flowColours } from "../report/flow-colours.js";
import { provenance } from "../rows/provenance.js";
import { flowOfSequence, requireImages, velocitiesAtDetections } from "../run/flow.js";
import { type FlowScores, scoreFlow } from "../scores/flow.js";
import { type FlowCase, makeFlowPair } from "../simulation/flow-pairs.js";
import type { FlowFlags } from "./flow-flags.js";
import { many, notesOnce, printText, printWarnings } from "./print.js";

export function refuseUsage(problem: string, remedy: string): never {
  throw new InputError(`flow: ${problem}; ${remedy}`);
}

/** Writes 0.png, 1.png and truth.flo to the folder. */
export function makePair(flowCase: FlowCase, { seed, output }: FlowFlags, paths: readonly string[]): void {
  if (output === undefined) refuseUsage("--make has no folder to write to", "give -o FOLDER");
  if (paths.length > 0) refuseUsage("--make takes no images", "leave them out");
  const { width, height, first, second, truth } = makeFlowPair(flowCase, seed);
  ensureFolder(output);
  const written = [
    ["0.png", encodePng(width, height, first)],
    ["1.png", encodePng(width, height, second)],
    ["truth.flo", formatFlo(truth)],
  ] as const;
  for (const [name, bytes] of written) writeWhole(join(output, name), bytes);
  print([
    `${flowCase}, seed ${seed}: ${width} × ${height}`,
    ["wrote", written.map(([name]) => join(output, name)).join(", ")],
  ]);
}

export function scoreFields(paths: readonly string[], { border, json }: FlowFlags): void {
  if (paths.length !== 2) refuseUsage(`--score got ${paths.length} files`, "give the flow and the truth");
  const [flow, truth] = paths.map(readFlo);
  const scores = scoreFlow(flow, truth, border);
  if (json) printText(`${JSON.stringify({ flow: paths[0], truth: paths[1], border, scores })}\n`);
  else print([`${paths[0]} against ${paths[1]}`, ...scoreLines(scores)]);
}

export async function flowPair(
  paths: readonly string[],
  flags: FlowFlags,
  options: FlowOptions,
  steps: FlowSteps,
  now: () => number,
): Promise<void> {
  const begun = now();
  const [first, second] = await pairOf(paths, flags);
  const truth = flags.truth === undefined ? null : readFlo(flags.truth);
  const computing = now();
  const flow = await computeFlow(toPlane(first), toPlane(second), options, steps);
  const computed = now();
  const scores = truth && scoreFlow(flow, truth, flags.border);
  const written: string[] = [];
  const write = (file: string | undefined, content: (field: FlowField) => Uint8Array) => {
    if (file === undefined) return;
    writeWhole(file, content(flow));
    written.push(file);
  };
  write(flags.output, formatFlo);
  write(flags.png, (field) => encodePng(field.width, field.height, flowColours(field)));
  const seconds = { total: now() - begun, decode: computing - begun, flow: computed - computing };
  if (flags.json) {
    const row = { images: paths, options, ...summary(flow), scores, times: { ...seconds, ...flow.times } };
    printText(`${JSON.stringify({ ...row, ...provenance(new Date()) })}\n`);
    return;
  }
  print([
    `${paths[0]} → ${paths[1]}: ${flow.width} × ${flow.height}`,
    ...(scores === null ? [] : scoreLines(scores)),
    ...ranLines(flow, options, seconds.flow),
    ...(flags.profile ? [timesLine(flow)] : []),
    ...(written.length === 0 ? [] : [["wrote", written.join(", ")] as const]),
  ]);
}

async function pairOf(paths: readonly string[], raw: FlowFlags): Promise<readonly [Frame, Frame]> {
  const note = notesOnce();
  const [first, second] = [await readFrame(paths[0], { ...raw, note }), await readFrame(paths[1], { ...raw, note })];
  if (first.width !== second.width || first.height !== second.height)
    throw new InputError(
      `${second.place}: is ${second.width} × ${second.height} pixels, but ${first.place} ${first.width} × ${first.height}; give images of one size`,
    );
  const [bits, others] = [first, second].map(({ samples }) => 8 * samples.BYTES_PER_ELEMENT);
  if (bits !== others)
    throw new InputError(
      `${second.place}: has ${others} bits a sample, but ${first.place} ${bits}; give images of one type`,
    );
  return [first, second];
}

function framesOf(paths: readonly string[], raw: FlowFlags): AsyncGenerator<Frame> {
  const note = notesOnce();
  return paths.length === 1 ? readFrames(paths[0], { ...raw, note }) : readFrameFiles(paths, note);
}

/** One .flo file per pair: 000000.flo is the flow of frame 0 to frame 1. */
export async function flowSequence(
  paths: readonly string[],
  flags: FlowFlags,
  options: FlowOptions,
  steps: FlowSteps,
): Promise<void> {
  const { output } = flags;
  if (output === undefined) refuseUsage("a sequence has no folder to write to", "give -o FOLDER");
  for (const name of ["truth", "png"] as const) {
    if (flags[name] !== undefined) refuseUsage(`--${name} is for a pair`, "name two images, or leave it out");
  }
  ensureFolder(output);
  let last: FlowResult | null = null;
  let count = 0;
  for await (const { from, flow } of flowOfSequence(framesOf(paths, flags), options, steps)) {
    writeWhole(join(output, `${String(from).padStart(6, "0")}.flo`), formatFlo(flow));
    count++;
    last = flow;
    progress(flags, `flow of frame ${from}`);
  }
  progress(flags, "");
  if (last === null) return;
  if (flags.json) {
    const row = { images: paths, pairs: count, options, ...summary(last), output };
    printText(`${JSON.stringify({ ...row, ...provenance(new Date()) })}\n`);
    return;
  }
  const wrote = count === 1 ? join(output, "000000.flo") : `${count} files, ${join(output, "000000.flo")} …`;
  print([
    `${paths.join(" ")}: ${many(count, "pair")} of ${last.width} × ${last.height}`,
    ...ranLines(last, options, null),
    ["wrote", wrote],
  ]);
}

/** The detections with vx,vy from the flow at their positions, empty where there is none. */
export async function atDetections(
  paths: readonly string[],
  file: string,
  flags: FlowFlags,
  options: FlowOptions,
  steps: FlowSteps,
): Promise<void> {
  const { output } = flags;
  if (output === undefined) refuseUsage("--detections has no file to write to", "give -o FILE.csv");
  const bytes = plainText(file, readBytes(file));
  const { detections, numbers, line, notes: read } = parseDetections(file, bytes, "ignored");
  printWarnings(file, read);
  const { first, step } = numbers;
  if (step !== 1) refuseUsage(`${file} has frames of every ${step}th image only`, "give detections of all images");
  const images = paths.length === 1 ? await countFrames(paths[0], flags) : paths.length;
  if (images !== null) requireImages(file, first + detections.frames - 1, images);
  const frames = framesOf(paths, flags);
  const shown = async function* () {
    for await (const one of flowOfSequence(frames, options, steps, true)) {
      progress(flags, `flow of frame ${one.from}`);
      yield one;
    }
  };
  const sampling = { radius: flags.window, fillDrift: flags.fill === "drift" };
  const { vx, vy, missing } = await velocitiesAtDetections(file, detections, first, shown(), sampling);
  progress(flags, "");
  const complete = vx.every((value) => !Number.isNaN(value));
  const ofLine = new Map(Array.from(line, (number, detection) => [number, detection]));
  const cell = (values: Float64Array) => (number: number) => {
    const value = values[ofLine.get(number) as number];
    return Number.isNaN(value) ? "" : String(Number(value.toPrecision(7)));
  };
  writeWhole(output, withColumns(bytes, { vx: cell(vx), vy: cell(vy) }));
  const notes: string[] = [];
  if (missing > 0) {
    const rest = complete
      ? "they have the median flow"
      : "their vx and vy are empty; --fill drift gives them the median flow";
    notes.push(`${missing} of ${vx.length} detections lie outside the images or where there is no texture: ${rest}.`);
  }
  if (flags.json) {
    const row = {
      images: paths,
      detections: file,
      output,
      rows: vx.length,
      missing,
      velocities: complete,
      notes,
      options,
    };
    printText(
      `${JSON.stringify({ ...row, device: steps.device, precision: steps.precision, ...provenance(new Date()) })}\n`,
    );
    return;
  }
  print([`${file}: ${vx.length} detections`, ...notes.map((note) => ["note", note] as const), ["wrote", output]]);
}

/** The part of a result that goes into its row. */
function summary({ width, height, levels, iterations, device, precision, schemes }: FlowResult) {
  return {
    width,
    height,
    levels: levels.map((level) => [level.width, level.height]),
    iterations,
    device,
    precision,
    schemes,
  };
}

type Line = string | readonly [label: string, text: string];

function scoreLines({ epe, aae, valid, r1, quantiles }: FlowScores): Line[] {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const { p50, p90, p99 } = quantiles;
  return [
    ["error", `EPE ${epe.toFixed(4)} px, AAE ${aae.toFixed(3)}°, over 1 px ${percent(r1)}`],
    [
      "",
      `half below ${p50.toFixed(3)} px, 90 % ${p90.toFixed(3)}, 99 % ${p99.toFixed(3)}; scored ${percent(valid)} of pixels`,
    ],
  ];
}

function ranLines(flow: FlowResult, options: FlowOptions, seconds: number | null): Line[] {
  const fewer = flow.levels.length < options.levels ? ` of ${options.levels} asked for, as the images are small` : "";
  const sizes = flow.levels.map(({ width, height }) => `${width} × ${height}`).join(", ");
  const time = seconds === null ? "" : `, ${seconds.toFixed(3)} s`;
  const total = flow.iterations.flat().reduce((sum, count) => sum + count, 0);
  const lines: Line[] = [
    ["levels", `${flow.levels.length}${fewer}: ${sizes}`],
    ["ran", `${[...new Set(flow.schemes)].join(", ")}, ${total} iterations, ${flow.device} ${flow.precision}${time}`],
  ];
  return lines;
}

function timesLine({ times }: FlowResult): Line {
  const parts = Object.entries(times).map(([part, seconds]) => `${part} ${(1000 * seconds).toFixed(3)} ms`);
  return ["times", parts.join(", ")];
}

function print(lines: readonly Line[]): void {
  const text = lines.map((line) => (typeof line === "string" ? line : `  ${line[0].padEnd(12)}${line[1]}`));
  printText(`${text.join("\n")}\n`);
}

function progress({ quiet }: FlowFlags, text: string): void {
  if (quiet !== true && process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
