import { axesOf, type Detections, frameOfDetections, velocityAxesOf } from "../core/detections.js";
import { COUNTED, type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import { leadingComments, readRows } from "../files/csv-table.js";
import { decodeText } from "../files/encoding.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import type { CarriedColumn } from "./attribute-columns.js";
import { isLongitude } from "./column-names.js";
import { depthOf } from "./depth.js";
import { DetectionColumns, labelOf, useVelocities, type VelocityUse } from "./detection-columns.js";
import { OF_COLUMN, timeStepOf, timingOf } from "./detection-times.js";
import { readMetadata } from "./detections-metadata.js";
import { repeatInFrame, sortByFrame } from "./frame-order.js";
import { notesOfReading, type Reading, readingOf } from "./reading.js";
import type { ReadingOptions } from "./reading-options.js";
import { WARNING } from "./row-warnings.js";
import { type DetectionsForm, findForm, formOfNames } from "./table-form.js";
import type { TargetColumn } from "./target-labels.js";

/** The nodes of a graph (GEFF) behind detections. */
export interface GraphNodes {
  readonly idOf: (detection: number) => number | string;
  /** Of the positions and of time; null where the graph says none. */
  readonly unit: string | null;
  readonly timeUnit: string | null;
}

/** The content of a detections file, with line numbers. */
export interface DetectionsFile {
  readonly file: string;
  readonly detections: Detections;
  /** Line of the file of each detection; length detections. */
  readonly line: Uint32Array;
  /** The numbers that the frames of `detections` have in the file. */
  readonly numbers: FrameNumbers;
  /** Label in the file of each number in detections.target, where they are not the same; else null. */
  readonly targetLabels: readonly string[] | null;
  /** The `key=value` pairs of the comments before the header: dt, units, source, license, … */
  readonly metadata: ReadonlyMap<string, string>;
  /** Length unit of the positions (`units=m,m/s` says m), or null where not given. */
  readonly unit: string | null;
  /** What was understood of a table; absent where the detections are from elsewhere. */
  readonly reading?: Reading;
  /** The mother's target of targets that begin where she divides; absent where the format has none. */
  readonly parents?: ReadonlyMap<number, number>;
  /** Further columns of the file, to be handed on with the tracks; absent where it has none. */
  readonly carried?: readonly CarriedColumn[];
  /** The nodes of a graph that these are; absent where the file has none. */
  readonly nodes?: GraphNodes;
  /** Assumptions and omissions, a sentence each, for the user to see. */
  readonly notes: readonly string[];
}

/** Detections that were drawn, or are a part of a file, as a recording that `file` names in messages. */
export function recordingOf(file: string, detections: Detections): DetectionsFile {
  return {
    file,
    detections,
    line: new Uint32Array(detections.x.length),
    numbers: COUNTED,
    targetLabels: null,
    metadata: new Map(),
    unit: null,
    notes: [],
  };
}

/** Said of positions on the globe. */
const IN_DEGREES = `${WARNING}positions are degrees, and a degree of longitude is shorter than one of latitude away from the equator: distances are as long as they should be only where x and y are projected to a unit of length.`;

/**
 * Reads a table of detections: a frame or time, x and y, and perhaps z, vx, vy, vz and target, under their usual names (column-names.ts) in any order, with
 * the separator, decimal mark and encoding that the file has. Other columns of numbers become attributes (AttributeColumns), and the rest is handed on.
 * Frames are integers; those without rows are empty; times become frames (times.ts). A comment `# dt=0.5 frames=20 …` before the header gives
 * the time step (1 with a note when absent) and, where frames at either end are empty, their number; without `frames=` the
 * first frame with a row becomes frame 0. `step=10` says that a frame's number is 10 above that of the one before; so is, with a note, whatever number all
 * differ by multiples of where neither `step=` nor `frames=` is stated: no frame would follow another. Rows may come in any order and keep it within their frame. An empty target or −1
 * is a false detection, and a row without a position is dropped and counted. Every defect is an InputError naming file, line, column and value.
 */
export function readDetections(
  file: string,
  velocities: VelocityUse = "if-complete",
  asked: ReadingOptions = {},
): DetectionsFile {
  return parseDetections(file, readBytes(file), velocities, asked);
}

/** Lines between two calls of `heard`. */
const HEARD_EVERY = 2 ** 14;

/** How a file is read: what the user says of it, and what its format says. */
export interface ReadingSource extends ReadingOptions {
  /** The columns of a table in commas without a header, as another format's reader makes it. */
  readonly names?: readonly string[];
  /** The name of that format. */
  readonly format?: string;
  /** Whether the file has tracks, of which all points may be in one frame. */
  readonly isTracks?: boolean | undefined;
  /** Called now and then; it ends the reading by throwing. */
  readonly heard?: (() => void) | undefined;
}

/** readDetections on the bytes of a file. */
export function parseDetections(
  file: string,
  given: Uint8Array,
  use: VelocityUse = "if-complete",
  source: ReadingSource = {},
): DetectionsFile {
  const { names, heard, dt = null } = source;
  const { bytes, encoding } = decodeText(file, given);
  const form = names
    ? formOfNames(file, names, leadingComments(bytes), source)
    : (findForm(file, bytes, source) as DetectionsForm);
  const columns = new DetectionColumns(form, source);
  readRows(file, bytes, form, (row) => {
    columns.add(row);
    if (row.line % HEARD_EVERY === 0) heard?.();
  });
  const { rows, warnings, dropped } = columns;
  if (rows.line.length === 0) refuse(file, "has no detections", "give a row for each detection below the header");
  const notes: string[] = [];
  const meta = readMetadata(file, form.comments);
  const timing = timingOf(file, form, rows, meta, dt, notes);
  const { numbers } = timing;
  const label = labelOf(form, form.isTimed ? "time" : "frame");
  const place = (row: number) => `${file}:${rows.line[row]}, column ${label}`;
  const remedy = `correct the row, solve the parts before and after the gap as two files, or, where these are times, give --columns time=${label} and, if the times are uneven, --dt STEP`;
  const fewest = source.isTracks ? 1 : 2;
  const { order, frameStart } = sortByFrame({ frame: timing.frame, place, remedy }, numbers, meta.frames, fewest);
  const step = timeStepOf(form, rows, meta, source, timing, order, notes);
  const deepNotes: string[] = [];
  const depth = depthOf(file, form, rows, source, deepNotes);
  const reading = {
    ...readingOf(form, encoding, step, dropped, source, depth !== null),
    ...(source.format && { format: source.format }),
    ...(timing.isCounted && { framesCounted: true }),
  };
  notes.unshift(...notesOfReading(reading, source.isTracks));
  notes.push(...deepNotes);
  noteNumbers(numbers, notes);
  noteEmptyFrames(frameStart, notes);
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (const row of order.subarray(frameStart[p], frameStart[p + 1])) {
      warnings.addPlace(p, rows.x[row], rows.y[row], depth?.z[row] ?? 0, rows.line[row]);
    }
  }
  notes.push(...warnings.notes());
  if (isLongitude(labelOf(form, "x"))) notes.push(IN_DEGREES);

  const { attributes, carried } = columns.attributeColumns.finish(order, notes, depth === null ? [] : ["z", "vz"]);
  const pick = (values: Float64Array) => picked(values, order);
  const velocities = useVelocities(
    file,
    form,
    rows,
    use,
    form.isTimed || step.timeStepFrom.startsWith(OF_COLUMN),
    depth !== null,
    notes,
  );
  const labels = columns.target.finish(form.columnOf.has("target"));
  notes.push(...labels.notes);
  const detections: Detections = {
    frames: frameStart.length - 1,
    frameStart,
    x: pick(rows.x),
    y: pick(rows.y),
    ...(depth && { z: pick(depth.z) }),
    vx: velocities ? pick(rows.vx) : null,
    vy: velocities ? pick(rows.vy) : null,
    ...(velocities && depth?.vz && { vz: pick(depth.vz) }),
    target: labels.target && picked(labels.target, order),
    ...(attributes.length > 0 && { attributes: new Map(attributes) }),
    timeStep: step.timeStep,
  };
  const line = picked(rows.line, order);
  refuseRepeats(file, detections, line, numbers, labels, labelOf(form, "target"));
  return {
    file,
    detections,
    line,
    numbers,
    targetLabels: labels.labels,
    metadata: meta.metadata,
    unit: meta.unit ?? form.unitOf.get("x") ?? null,
    notes,
    reading,
    ...(carried.length > 0 && { carried }),
  };
}

function noteNumbers({ first, step }: FrameNumbers, notes: string[]): void {
  if (step > 1) notes.push(`Frame numbers go up in steps of ${step}: frame ${first + step} follows ${first}.`);
  if (first > 0) notes.push(`Frames start at ${first}: frame ${first} is taken as the first.`);
}

function noteEmptyFrames(frameStart: Uint32Array, notes: string[]): void {
  const frames = frameStart.length - 1;
  const empty = frameStart.reduce((sum, start, p) => sum + (p > 0 && start === frameStart[p - 1] ? 1 : 0), 0);
  if (empty === 0) return;
  const hint = 2 * empty > frames ? " If frames are counted in steps, divide their numbers by the step." : "";
  notes.push(`${empty} of ${frames} frames are empty.${hint}`);
}

/** No target twice in a frame. Two detections in one place are two. */
function refuseRepeats(
  file: string,
  { frameStart, target }: Detections,
  line: Uint32Array,
  numbers: FrameNumbers,
  { labels }: TargetColumn,
  column: string,
): void {
  if (target === null) return;
  const frameOf = frameOfDetections(frameStart);
  const repeat = repeatInFrame(frameOf, target);
  if (repeat === null) return;
  const { first, second } = repeat;
  const label = labels ? JSON.stringify(labels[target[second]]) : target[second];
  refuse(
    `${file}:${line[second]}, column ${column}`,
    `${label} is in frame ${frameNumber(numbers, frameOf[second])} already, on line ${line[first]}`,
    "a target has one detection in a frame: correct one, or leave its target empty",
  );
}

/**
 * The CSV of `detections` that readDetections reads back bit for bit, in pieces: the whole may be longer than a string can be.
 * `metadata` (dt and frames in it do not count) follows in the first line as key=value.
 */
export function* formatDetections(
  detections: Detections,
  metadata: Iterable<readonly [string, string]> = [],
): Generator<string, void> {
  const { frames, frameStart, target, timeStep } = detections;
  const columns = [...axesOf(detections), ...(velocityAxesOf(detections) ?? [])];
  const names = [...(detections.z ? ["x", "y", "z"] : ["x", "y"])];
  if (detections.vx) names.push(...names.map((name) => `v${name}`));
  const attributes = [...(detections.attributes ?? [])];
  const extra = [...metadata]
    .filter(([key]) => key !== "dt" && key !== "frames")
    .map(([key, value]) => ` ${key}=${value.replace(/\s+/g, " ")}`)
    .join("");
  yield `# dt=${exact(timeStep)} frames=${frames}${extra}\n`;
  yield `frame,${names.join(",")}${target ? ",target" : ""}${attributes.map(([name]) => `,${name}`).join("")}\n`;
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const measured = columns.map((values) => exact(values[d])).join(",");
      const others = attributes.map(([, values]) => `,${exact(values[d])}`).join("");
      yield `${p},${measured}${target ? `,${target[d]}` : ""}${others}\n`;
    }
  }
}

/** Shortest decimal that reads back as the same double, −0 included; empty for a velocity that is not there. */
function exact(value: number): string {
  if (Number.isNaN(value)) return "";
  return Object.is(value, -0) ? "-0" : String(value);
}
