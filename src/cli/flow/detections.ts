import { withColumns } from "../../files/csv-columns.js";
import { countFrames } from "../../files/images/frames.js";
import { refuse } from "../../files/refusal.js";
import { plainText, readBytes } from "../../files/text-file.js";
import { writeWhole } from "../../files/whole-file.js";
import { parseDetections } from "../../formats/detections.js";
import type { Reading } from "../../formats/reading.js";
import { flowOfSequence, requireImages, velocitiesAtDetections } from "../../run/flow.js";
import { type Outcome, refuseUsage } from "../declaration/declaration.js";
import { andWhy, printWarnings, textOf, withProvenance } from "../print.js";
import { type FlowRun, framesOf } from "./of-images.js";

/** Writes the detections with vx,vy from the flow at their positions, empty where there is none. */
export async function velocitiesOf(
  paths: readonly string[],
  file: string,
  { flags, options, steps, device, progress }: FlowRun,
): Promise<Outcome> {
  const { output } = flags;
  if (output === undefined) refuseUsage("flow: --detections has no file to write to", "give -o FILE.csv");
  const bytes = plainText(file, readBytes(file));
  const { detections, numbers, line, notes: read, reading } = parseDetections(file, bytes, "ignored");
  if (reading !== undefined && !isTableOfCommas(reading))
    refuse(file, "is no table of commas below one header, to which columns could be added", "save it as one");
  const { first, step } = numbers;
  if (step !== 1)
    refuseUsage(`flow: ${file} has frames of every ${step}th image only`, "give detections of all images");
  const images = paths.length === 1 ? await countFrames(paths[0], flags) : paths.length;
  if (images !== null) requireImages(file, first + detections.frames - 1, images);
  printWarnings(file, read);
  const frames = framesOf(paths, flags);
  const shown = async function* () {
    for await (const one of flowOfSequence(frames, options, steps, true)) {
      progress.show("flow of frame", one.from);
      yield one;
    }
  };
  const sampling = { radius: flags.around, fillDrift: flags.fill === "drift" };
  const { vx, vy, missing } = await velocitiesAtDetections(file, detections, first, shown(), sampling);
  const detectionOfLine = new Map(Array.from(line, (number, detection) => [number, detection]));
  const cell = (values: Float64Array) => (number: number) => {
    const detection = detectionOfLine.get(number);
    const value = detection === undefined ? Number.NaN : values[detection];
    return Number.isNaN(value) ? "" : String(Number(value.toPrecision(7)));
  };
  writeWhole(output, withColumns(bytes, { vx: cell(vx), vy: cell(vy) }));
  const complete = vx.every((value) => !Number.isNaN(value));
  const notes = missing === 0 ? [] : [noteOfMissing(missing, vx.length, complete)];
  const { precision } = steps;
  const row = { images: paths, detections: file, output, rows: vx.length, missing, velocities: complete, notes };
  return {
    text: textOf([
      `${file}: ${vx.length} detections`,
      ...notes.map((note) => ["note", note] as const),
      ["ran", `${device.actual} ${precision}${andWhy(device.why)}`],
      ["wrote", output],
    ]),
    json: withProvenance({ ...row, options, device, precision }),
  };
}

const isTableOfCommas = ({ separator, skippedLines, repeatedHeaders, points }: Reading) =>
  separator === "," && skippedLines + repeatedHeaders === 0 && points === undefined;

function noteOfMissing(missing: number, all: number, complete: boolean): string {
  const rest = complete
    ? "they have the median flow"
    : "their vx and vy are empty; --fill drift gives them the median flow";
  return `${missing} of ${all} detections lie outside the images or where there is no texture: ${rest}.`;
}
