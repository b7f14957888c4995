import { type Detections, frameOfDetections } from "../core/detections.js";
import { COUNTED, type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import type { NumberRule, TableRow } from "../files/csv-table.js";
import { type NumberColumns, readNumbers } from "../files/number-columns.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import { AttributeColumns, type CarriedColumn } from "./attribute-columns.js";
import { readMetadata } from "./detections-metadata.js";
import { numbersOf, repeatInFrame, sortByFrame } from "./frame-order.js";
import { RowWarnings } from "./row-warnings.js";
import { type TargetColumn, TargetLabels } from "./target-labels.js";

/** Positions and velocities are below this in size. */
export const maxCoordinate = 1e15;

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
  /** Further columns of the file, to be handed on with the tracks; absent where it has none. */
  readonly carried?: readonly CarriedColumn[];
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

/**
 * Use of vx and vy. "if-complete": rows without them have NaN, with a note. "required": every row must have them. "ignored": they are not used,
 * but checked all the same.
 */
export type VelocityUse = "if-complete" | "required" | "ignored";

const columns = { required: ["frame", "x", "y"], optional: ["vx", "vy", "target"] };

/**
 * Reads a detections CSV with the columns frame, x, y and perhaps vx, vy, target, in any order; other columns of numbers become
 * attributes (AttributeColumns), and the rest is left out with a note. Frames are integers; those without rows are empty. A comment `# dt=0.5 frames=20 …` before the header gives
 * the time step (1 with a note when absent) and, where frames at either end are empty, their number; without `frames=` the
 * first frame with a row becomes frame 0. `step=10` says that a frame's number is 10 above that of the one before; so is, with a note, whatever number all
 * differ by multiples of where neither `step=` nor `frames=` is stated: no frame would follow another. Rows may come in any order and keep it within their frame. An empty target or −1
 * is a false detection. Every defect is an InputError naming file, line, column and value.
 */
export function readDetections(file: string, velocities: VelocityUse = "if-complete"): DetectionsFile {
  return parseDetections(file, readBytes(file), velocities);
}

/** Lines between two calls of `heard`. */
const HEARD_EVERY = 2 ** 14;

/**
 * readDetections on the bytes of a file, whose columns are `names` where it has no header. `heard` is called now and then, and ends the
 * reading by throwing.
 */
export function parseDetections(
  file: string,
  bytes: Uint8Array,
  use: VelocityUse = "if-complete",
  names?: readonly string[],
  heard?: () => void,
): DetectionsFile {
  const target = new TargetLabels();
  const attributeColumns = new AttributeColumns();
  const warnings = new RowWarnings();
  const table = names === undefined ? columns : { ...columns, names };
  const rows = readNumbers(file, bytes, table, cells, (row) => {
    target.add(row);
    attributeColumns.add(row);
    warnings.addRow(row);
    if (row.line % HEARD_EVERY === 0) heard?.();
  });
  const notes: string[] = [];
  const meta = readMetadata(file, rows.header.comments);
  if (meta.timeStep === null) notes.push("No dt in the first comment line: time step 1 assumed.");
  if (rows.line.length === 0) refuse(file, "has no detections", "give a row for each detection below the header");

  const numbers = numbersOf(rows.frame, meta);
  if (numbers.step > 1)
    notes.push(
      `Frame numbers go up in steps of ${numbers.step}: frame ${numbers.first + numbers.step} follows ${numbers.first}.`,
    );
  if (numbers.first > 0) notes.push(`Frames start at ${numbers.first}: frame ${numbers.first} is taken as the first.`);
  const { order, frameStart } = sortByFrame(file, rows, numbers, meta.frames);
  const frames = frameStart.length - 1;
  noteEmptyFrames(frameStart, notes);
  for (let p = 0; p < frames; p++) {
    for (const row of order.subarray(frameStart[p], frameStart[p + 1])) {
      warnings.addPlace(p, rows.x[row], rows.y[row], rows.line[row]);
    }
  }
  notes.push(...warnings.notes());

  const { attributes, carried } = attributeColumns.finish(rows.header.ignored, order, notes);
  const pick = (values: Float64Array) => picked(values, order);
  const velocities = useVelocities(file, rows, use, notes);
  const labels = target.finish(rows.header.has.has("target"));
  notes.push(...labels.notes);
  const detections: Detections = {
    frames,
    frameStart,
    x: pick(rows.x),
    y: pick(rows.y),
    vx: velocities ? pick(rows.vx) : null,
    vy: velocities ? pick(rows.vy) : null,
    target: labels.target && picked(labels.target, order),
    ...(attributes.length > 0 && { attributes: new Map(attributes) }),
    timeStep: meta.timeStep ?? 1,
  };
  const line = picked(rows.line, order);
  refuseRepeats(file, detections, line, numbers, labels);
  return {
    file,
    detections,
    line,
    numbers,
    targetLabels: labels.labels,
    metadata: meta.metadata,
    unit: meta.unit,
    notes,
    ...(carried.length > 0 && { carried }),
  };
}

export const frameRule: NumberRule = {
  integer: true,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  remedy: "number the frames 0, 1, 2, …",
};
export const positionRule: NumberRule = {
  below: maxCoordinate,
  remedy: "give a finite position in a unit that keeps it below 1e15, or leave the row out",
};
export const velocityRule: NumberRule = {
  below: maxCoordinate,
  remedy: "give a finite velocity below 1e15, or leave vx and vy both empty",
};
const velocityRemedy = "give vx and vy in every row, or have the velocities estimated or left out";

/** A velocity is left out where both of its cells are empty. */
const velocity = (column: "vx" | "vy", other: "vx" | "vy") => (row: TableRow) =>
  row.text(column) === "" && row.text(other) === "" ? Number.NaN : row.number(column, velocityRule);

const cells = {
  frame: (row: TableRow) => row.number("frame", frameRule),
  x: (row: TableRow) => row.number("x", positionRule),
  y: (row: TableRow) => row.number("y", positionRule),
  vx: velocity("vx", "vy"),
  vy: velocity("vy", "vx"),
};

/** Whether the rows' velocities are used; refuses a file that lacks required ones. */
function useVelocities(
  file: string,
  { header, line, vx }: NumberColumns<"vx">,
  wanted: VelocityUse,
  notes: string[],
): boolean {
  if (wanted === "ignored") return false;
  for (const [one, other] of [
    ["vx", "vy"],
    ["vy", "vx"],
  ]) {
    if (header.has.has(one) && !header.has.has(other)) {
      refuse(file, `has a column ${one} but no ${other}`, `add ${other} or remove ${one}`);
    }
  }
  const total = line.length;
  const without = vx.reduce((sum, value) => sum + (Number.isNaN(value) ? 1 : 0), 0);
  const firstWithout = line[vx.findIndex(Number.isNaN)];
  if (without === 0) return true;
  if (wanted === "required") {
    if (!header.has.has("vx")) refuse(file, "has no columns vx and vy", velocityRemedy);
    refuse(`${file}:${firstWithout}, column vx`, "is empty", velocityRemedy);
  }
  if (without < total) {
    const first = `the first on line ${firstWithout}`;
    notes.push(`Velocities are estimated in ${without} of ${total} rows, where vx and vy are empty, ${first}.`);
    return true;
  }
  if (header.has.has("vx")) {
    notes.push("Columns vx and vy are empty: no velocities.");
  }
  return false;
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
): void {
  if (target === null) return;
  const frameOf = frameOfDetections(frameStart);
  const repeat = repeatInFrame(frameOf, target);
  if (repeat === null) return;
  const { first, second } = repeat;
  const label = labels ? JSON.stringify(labels[target[second]]) : target[second];
  refuse(
    `${file}:${line[second]}, column target`,
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
  const { frames, frameStart, x, y, vx, vy, target, timeStep } = detections;
  const attributes = [...(detections.attributes ?? [])];
  const extra = [...metadata]
    .filter(([key]) => key !== "dt" && key !== "frames")
    .map(([key, value]) => ` ${key}=${value.replace(/\s+/g, " ")}`)
    .join("");
  yield `# dt=${exact(timeStep)} frames=${frames}${extra}\n`;
  yield `frame,x,y${vx ? ",vx,vy" : ""}${target ? ",target" : ""}${attributes.map(([name]) => `,${name}`).join("")}\n`;
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const velocity = vx && vy ? `,${exact(vx[d])},${exact(vy[d])}` : "";
      const others = attributes.map(([, values]) => `,${exact(values[d])}`).join("");
      yield `${p},${exact(x[d])},${exact(y[d])}${velocity}${target ? `,${target[d]}` : ""}${others}\n`;
    }
  }
}

/** Shortest decimal that reads back as the same double, −0 included; empty for a velocity that is not there. */
function exact(value: number): string {
  if (Number.isNaN(value)) return "";
  return Object.is(value, -0) ? "-0" : String(value);
}
