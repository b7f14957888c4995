import { basename, join } from "node:path";
import { InputError } from "../../core/errors.js";
import type { Frame } from "../../core/frame.js";
import { type RawOptions, readFrame, readFrameFiles, readFrames } from "../../files/images/frames.js";
import { ensureFolder, writeWhole } from "../../files/whole-file.js";
import { formatFlo, readFlo } from "../../formats/flo.js";
import { computeFlow, type FlowResult, type FlowSteps } from "../../pixels/flow/flow.js";
import type { FlowOptions } from "../../pixels/flow/options.js";
import { toPlane } from "../../pixels/image.js";
import type { ranOn } from "../../run/device.js";
import { flowOfSequence } from "../../run/flow.js";
import { flowPicture } from "../../run/flow-picture.js";
import { type FlowScores, scoreFlow } from "../../scores/flow.js";
import { now } from "../clock.js";
import { type Outcome, refuseUsage } from "../declaration/declaration.js";
import type { FlowFlags } from "../options/flow.js";
import { andWhy, type Line, many, notesOnce, textOf, withProvenance } from "../print.js";
import type { Progress } from "../progress.js";

export async function flowOfPair(paths: readonly string[], run: FlowRun): Promise<Outcome> {
  const { flags, options, steps } = run;
  const begun = now();
  const [first, second] = await pairOf(paths, flags);
  const truth = flags.truth === undefined ? null : readFlo(flags.truth);
  const computing = now();
  const flow = await computeFlow(toPlane(first), toPlane(second), options, steps);
  const computed = now();
  const scores = truth && scoreFlow(flow, truth, flags.border);
  const { output, picture } = flags;
  if (output !== undefined) writeWhole(output, formatFlo(flow));
  if (picture !== undefined)
    writeWhole(picture, flowPicture(picture, flow, `Flow from ${basename(paths[0])} to ${basename(paths[1])}`));
  const written = [output, picture].filter((file) => file !== undefined);
  const seconds = { total: now() - begun, decode: computing - begun, flow: computed - computing };
  const row = { images: paths, options, ...summary(flow, run), scores, times: { ...seconds, ...flow.times } };
  const text = textOf([
    `${paths[0]} → ${paths[1]}: ${flow.width} × ${flow.height}`,
    ...(scores === null ? [] : scoreLines(scores)),
    ...ranLines(flow, run, seconds.flow),
    ...(flags.profile ? [timesLine(flow)] : []),
    ...(written.length === 0 ? [] : [["wrote", written.join(", ")] as const]),
  ]);
  return { text, json: withProvenance(row) };
}

async function pairOf(paths: readonly string[], raw: RawOptions): Promise<readonly [Frame, Frame]> {
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

export function framesOf(paths: readonly string[], raw: RawOptions): AsyncGenerator<Frame> {
  const note = notesOnce();
  return paths.length === 1 ? readFrames(paths[0], { ...raw, note }) : readFrameFiles(paths, { ...raw, note });
}

/** Writes one .flo file per pair: 000000.flo is the flow of frame 0 to frame 1. */
export async function flowOfFrames(paths: readonly string[], run: FlowRun): Promise<Outcome | undefined> {
  const { flags, options, steps, progress } = run;
  const { output } = flags;
  if (output === undefined) refuseUsage("flow: a sequence has no folder to write to", "give -o FOLDER");
  for (const name of ["truth", "picture"] as const)
    if (flags[name] !== undefined) refuseUsage(`flow: --${name} is for a pair`, "name two images, or leave it out");
  ensureFolder(output);
  let last: FlowResult | null = null;
  let count = 0;
  for await (const { from, flow } of flowOfSequence(framesOf(paths, flags), options, steps)) {
    writeWhole(join(output, `${String(from).padStart(6, "0")}.flo`), formatFlo(flow));
    count++;
    last = flow;
    progress.show("flow of frame", from);
  }
  if (last === null) return undefined;
  const first = join(output, "000000.flo");
  const text = textOf([
    `${paths.join(" ")}: ${many(count, "pair")} of ${last.width} × ${last.height}`,
    ...ranLines(last, run, null),
    ["wrote", count === 1 ? first : `${count} files, ${first} …`],
  ]);
  return { text, json: withProvenance({ images: paths, pairs: count, options, ...summary(last, run), output }) };
}

/** Options and tools of a mode of `rmap flow`. */
export interface FlowRun {
  readonly flags: FlowFlags;
  readonly options: FlowOptions;
  readonly steps: FlowSteps;
  readonly device: ReturnType<typeof ranOn>;
  readonly progress: Progress;
}

/** The part of a result that goes into its row. */
export function summary(
  { width, height, levels, iterations, precision, schemes }: FlowResult,
  { device }: Pick<FlowRun, "device">,
) {
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

export function scoreLines({ epe, aae, valid, r1, quantiles }: FlowScores): Line[] {
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

function ranLines(flow: FlowResult, { options, device }: FlowRun, seconds: number | null): Line[] {
  const fewer = flow.levels.length < options.levels ? ` of ${options.levels} asked for, as the images are small` : "";
  const sizes = flow.levels.map(({ width, height }) => `${width} × ${height}`).join(", ");
  const time = `${seconds === null ? "" : `, ${seconds.toFixed(3)} s`}${andWhy(device.why)}`;
  const total = flow.iterations.flat().reduce((sum, count) => sum + count, 0);
  return [
    ["levels", `${flow.levels.length}${fewer}: ${sizes}`],
    ["ran", `${[...new Set(flow.schemes)].join(", ")}, ${total} iterations, ${device.actual} ${flow.precision}${time}`],
  ];
}

function timesLine({ times }: FlowResult): Line {
  const parts = Object.entries(times).map(([part, seconds]) => `${part} ${(1000 * seconds).toFixed(3)} ms`);
  return ["times", parts.join(", ")];
}
