import { type Detections, frameOfDetections } from "../core/detections.js";
import { COUNTED, type FrameNumbers, frameNumber, frameOfNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import { quoted } from "../files/csv-cell.js";
import { type NumberRule, readTable, type TableRow } from "../files/csv-table.js";
import { readNumbers } from "../files/number-columns.js";
import { refuse } from "../files/refusal.js";
import { readBytes } from "../files/text-file.js";
import type { CarriedColumn } from "./attribute-columns.js";
import { maxCoordinate } from "./detection-columns.js";
import { readMetadata } from "./detections-metadata.js";
import { frameRule } from "./frame-cells.js";
import { repeatInFrame } from "./frame-order.js";

/** The detections of tracks.csv; x and y are null where an instance has no positions. */
export interface TrackedDetections {
  readonly frameStart: Uint32Array;
  readonly x: Float64Array | null;
  readonly y: Float64Array | null;
  readonly z?: Float64Array | undefined;
}

/** Proved margin of each decision, in units of cost (docs/explanation/proofs.md §3); by detection, NaN where there is none. */
export interface TrackMargins {
  /** Of the link to the track's next detection. */
  readonly link: Float64Array;
  /** Of the track's birth or death at the detection; null where tracks may not begin and end. */
  readonly birth: Float64Array | null;
  readonly death: Float64Array | null;
}

/**
 * tracks.csv: frame,detection,track,x,y, and z in space, with a row per detection. `track` has the track of each detection (−1: none, an empty
 * cell), in pieces; detection counts from 0 within its frame, in the input's order; frames have the input's numbers. With margins the columns
 * margin and, where tracks may start and end, start_margin and end_margin follow, empty where nothing was decided. Where tracks divide, the column
 * parent has the mother's track in every row of a daughter's. Columns of the input come last; those with
 * the name of another one carry the prefix input_. Before the header stands the step of frame numbers that go up in steps.
 */
export function* formatTracks(
  { frameStart, x, y, z }: TrackedDetections,
  track: Int32Array,
  numbers = COUNTED,
  margins: TrackMargins | null = null,
  carried: readonly CarriedColumn[] = [],
  parents: ReadonlyMap<number, number> = new Map(),
): Generator<string, void> {
  const proved: [string, Float64Array][] = [];
  if (margins !== null) proved.push(["margin", margins.link]);
  if (margins?.birth) proved.push(["start_margin", margins.birth]);
  if (margins?.death) proved.push(["end_margin", margins.death]);
  const names = proved.map(([name]) => name);
  if (parents.size > 0) names.push(PARENT);
  yield `${tracksHeader(
    names,
    carried.map(({ name }) => name),
    z !== undefined,
    numbers,
  )}\n`;
  for (let p = 0; p + 1 < frameStart.length; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const name = track[d] < 0 ? "" : track[d];
      const cells = proved.map(([, values]) => (Number.isNaN(values[d]) ? "" : values[d]));
      if (parents.size > 0) cells.push(parents.get(track[d]) ?? "");
      yield `${[frameNumber(numbers, p), d - frameStart[p], name, x ? x[d] : "", y ? y[d] : "", ...(z ? [z[d]] : []), ...cells, ...carried.map(({ at }) => quoted(at(d)))].join(",")}\n`;
    }
  }
}

/** The column of mothers; one of the input with this name would be taken for it. */
export const PARENT = "parent";

/** The header of tracks.csv, with rmap's columns and then those of the input; before it a comment with the step of the frame numbers, where it is not 1. */
export function tracksHeader(
  written: readonly string[],
  carried: readonly string[],
  hasDepths: boolean,
  { step }: FrameNumbers,
): string {
  const columns = ["frame", "detection", "track", "x", "y", ...(hasDepths ? ["z"] : []), ...written];
  // A z that is no part of the positions would be taken for one.
  const isTaken = (name: string) => columns.includes(name) || name === PARENT || name === "z";
  const header = [...columns, ...carried.map((name) => quoted(isTaken(name) ? `input_${name}` : name))].join(",");
  return step === 1 ? header : `# step=${step}\n${header}`;
}

const columns = { required: ["frame", "detection", "track"], optional: ["x", "y", "z"] };
const remedy = "give tracks of the same detections";
const trackRule: NumberRule = { integer: true, min: -1, max: 2 ** 31 - 1, remedy: "number the tracks 0, 1, 2, …" };
const trackOf = (row: TableRow) => (row.text("track") === "" ? -1 : row.number("track", trackRule));
const positionRule: NumberRule = { below: maxCoordinate, remedy: "give the detection's position or leave it empty" };

/**
 * Reads the track of each detection (−1: none) from a tracks.csv, rows in any order; detections it leaves out are in no
 * track. Rows that name no detection, name one twice, put it elsewhere than it is, or give a track two detections of one
 * frame are InputErrors.
 */
export function readTracks(file: string, detections: Detections, numbers = COUNTED): Int32Array {
  return parseTracks(file, readBytes(file), detections, numbers);
}

/** readTracks on the bytes of a file. */
export function parseTracks(file: string, bytes: Uint8Array, detections: Detections, given = COUNTED): Int32Array {
  const { frames, frameStart, x, y, z } = detections;
  const numbers = numbersIn(file, bytes, given, frames);
  const track = new Int32Array(x.length).fill(-1);
  const line = new Uint32Array(x.length);
  readTable(file, bytes, columns, (row) => {
    const p = readFrame(row, "frame", numbers, frames, remedy);
    const size = frameStart[p + 1] - frameStart[p];
    if (size === 0) row.refuse("frame", `${frameNumber(numbers, p)} has no detections`, remedy);
    const d = frameStart[p] + row.number("detection", { integer: true, min: 0, max: size - 1, remedy });
    if (line[d] > 0) row.refuse("detection", `${d - frameStart[p]} is on line ${line[d]} already`, "keep one of them");
    line[d] = row.line;
    track[d] = trackOf(row);
    refuseElsewhere(row, "x", x[d]);
    refuseElsewhere(row, "y", y[d]);
    if (z !== undefined) refuseElsewhere(row, "z", z[d]);
  });
  refuseRepeats(file, { frame: frameOfDetections(frameStart), track, line }, numbers);
  return track;
}

/** Refuses two detections of a track in one frame. */
function refuseRepeats(
  file: string,
  { frame, track, line }: { frame: ArrayLike<number>; track: Int32Array; line: ArrayLike<number> },
  numbers: FrameNumbers,
): void {
  const repeat = repeatInFrame(frame, track);
  if (repeat === null) return;
  const [first, second] = [line[repeat.first], line[repeat.second]].sort((a, b) => a - b);
  const problem = `${track[repeat.second]} is in frame ${frameNumber(numbers, frame[repeat.second])} already, on line ${first}`;
  refuse(`${file}:${second}, column track`, problem, "a track has one detection in a frame: correct one");
}

/** The mother's track of each track that has one, in the rows of its detections. */
export function mothersIn(file: string, bytes: Uint8Array): Map<number, number> {
  const mothers = new Map<number, number>();
  readTable(file, bytes, { required: ["track"], optional: [PARENT] }, (row) => addMother(row, mothers));
  return mothers;
}

function addMother(row: TableRow, mothers: Map<number, number>): void {
  if (row.text(PARENT) === "") return;
  const [track, mother] = [trackOf(row), row.number(PARENT, trackRule)];
  const other = mothers.get(track) ?? mother;
  if (other !== mother) row.refuse(PARENT, `${mother} is not ${other}, as in a row before`, "name one mother");
  mothers.set(track, mother);
}

/** A column's frame number, as the frame of the recording that has it. */
export function readFrame(
  row: TableRow,
  column: string,
  numbers: FrameNumbers,
  frames: number,
  remedy: string,
): number {
  const number = row.number(column, {
    integer: true,
    min: numbers.first,
    max: frameNumber(numbers, frames - 1),
    remedy,
  });
  const frame = frameOfNumber(numbers, number);
  if (Number.isInteger(frame)) return frame;
  row.refuse(column, `${number} is no frame of the recording, whose frames are every ${numbers.step}`, remedy);
}

/**
 * The numbers that frames have in a tracks.csv: those of the input, or, where it was written before rmap kept those that go up in steps, the same
 * divided by the step.
 */
function numbersIn(file: string, bytes: Uint8Array, numbers: FrameNumbers, frames: number): FrameNumbers {
  if (numbers.step === 1) return numbers;
  const divided = { first: Math.floor(numbers.first / numbers.step), step: 1 };
  const fits = [numbers, divided].map(() => true);
  readTable(file, bytes, columns, (row) => {
    const number = row.number("frame", frameRule);
    for (const [n, one] of [numbers, divided].entries()) {
      const frame = frameOfNumber(one, number);
      fits[n] &&= Number.isInteger(frame) && frame >= 0 && frame < frames;
    }
  });
  return fits[1] && !fits[0] ? divided : numbers;
}

const placedColumns = {
  required: ["frame", "track", "x", "y"],
  optional: ["z", "parent", "left", "top", "width", "height", "confidence"],
};

/** A number of a box, or a depth; other programs may have columns of these names, with anything in them. */
const ofOthers = (column: string) => (row: TableRow) => Number(row.text(column) || Number.NaN);

/** Whether a file of tracks names detections; otherwise it has positions of its own. */
export function namesDetections(file: string, bytes: Uint8Array): boolean {
  const columns = { required: ["frame", "track"], optional: ["detection"] };
  return readTable(file, bytes, columns, () => {}).has.has("detection");
}

/**
 * Rows of a table of tracks with positions by frame, in the order of the lines within one.
 * @throws InputError also for two points of a track in one frame
 * @param leavesOut whether rows without a track are left out, whatever their other cells hold
 */
function readPlaced(
  file: string,
  bytes: Uint8Array,
  frameOf: (row: TableRow) => number,
  leavesOut: boolean,
  numbers = COUNTED,
) {
  const cell = (read: (row: TableRow) => number) => (row: TableRow) =>
    leavesOut && row.text("track") === "" ? Number.NaN : read(row);
  const cells = {
    frame: cell(frameOf),
    track: trackOf,
    x: cell((row) => row.number("x", positionRule)),
    y: cell((row) => row.number("y", positionRule)),
    z: cell(ofOthers("z")),
    ...{ left: ofOthers("left"), top: ofOthers("top"), width: ofOthers("width"), height: ofOthers("height") },
    confidence: ofOthers("confidence"),
  };
  const parent = new Map<number, number>();
  const rows = readNumbers(file, bytes, placedColumns, cells, (row) => addMother(row, parent));
  const { frame, track, x, y, line } = rows;
  const kept = Uint32Array.from(frame.keys()).filter((row) => !Number.isNaN(frame[row]));
  const order = kept.sort((a, b) => frame[a] - frame[b] || a - b);
  const pick = (values: Float64Array) => picked(values, order);
  const numbered = Int32Array.from(pick(track));
  const [left, top, width, height] = BOX.map((name) => pick(rows[name]));
  const boxes = { left, top, width, height, confidence: pick(rows.confidence) };
  const hasBoxes = BOX.every((name) => rows.header.has.has(name));
  const lines = picked(line, order);
  const z = depthsOf(file, pick(rows.z), lines);
  const places = { frame: pick(frame), track: numbered, x: pick(x), y: pick(y) };
  refuseRepeats(file, { ...places, line: lines }, numbers);
  const { metadata, step } = readMetadata(file, rows.header.comments);
  return {
    ...places,
    ...(z && { z }),
    parent,
    ...(hasBoxes && { boxes }),
    ...(metadata.has("step") && { step }),
  };
}

/** The depths of tracks; none where there are no numbers, or all are 0. */
function depthsOf(file: string, z: Float64Array, line: Uint32Array): Float64Array | null {
  if (z.every((value) => Number.isNaN(value) || value === 0)) return null;
  const missing = z.findIndex(Number.isNaN);
  if (missing >= 0)
    refuse(
      `${file}:${line[missing]}, column z`,
      "has no number, and other rows have",
      "give z in every row, or remove it",
    );
  return z;
}

/**
 * Tracks with positions of their own, as other trackers write them: frame,track,x,y, rows in any order, other columns ignored. A row
 * without a track is left out. Frames outside the recording, and two points of a track in one frame, are InputErrors.
 */
export function parsePlacedTracks(
  file: string,
  bytes: Uint8Array,
  frames: number,
  numbers: FrameNumbers,
): Omit<PlacedTracks, "frame" | "track"> & { readonly frame: Uint32Array; readonly identity: Int32Array } {
  const frameOf = (row: TableRow) => readFrame(row, "frame", numbers, frames, "use the recording's frames");
  const { frame, track, x, y, z, parent } = readPlaced(file, bytes, frameOf, true, numbers);
  return { frame: new Uint32Array(frame), x, y, ...(z && { z }), identity: track, parent };
}

/** The columns of a box, which tracks of such detections keep and `export --as mot` writes again. */
export const BOX = ["left", "top", "width", "height"] as const;

/** Tracks with positions, a row for each detection, by frame. */
export interface PlacedTracks {
  /** Number of the frame. */
  readonly frame: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Absent in the plane z = 0. */
  readonly z?: Float64Array;
  /** −1 for none. */
  readonly track: Int32Array;
  /** The mother's track of tracks that begin where she divides. */
  readonly parent: ReadonlyMap<number, number>;
  /** Difference of the numbers of consecutive frames, where the file states it. */
  readonly step?: number;
  /** The boxes around the detections, NaN where one has none; absent where none has. */
  readonly boxes?: Readonly<Record<(typeof BOX)[number] | "confidence", Float64Array>>;
}

/** Tracks with what is to be said of how they were read. */
export type ReadTracks = PlacedTracks & {
  readonly notes: readonly string[];
  /** By how much the file numbers frames later. */
  readonly shift?: number;
};

/**
 * The tracks of a tracks.csv with the positions that it has itself: frame, track, x, y, perhaps z, and any other columns. An empty track is none (−1).
 * @throws InputError naming line, column and value
 */
export function readPlacedTracks(file: string): PlacedTracks {
  const frameOf = (row: TableRow) => row.number("frame", frameRule);
  const tracks = readPlaced(file, readBytes(file), frameOf, false);
  if (tracks.frame.length === 0) refuse(file, "has no rows", "give a row for each detection");
  return tracks;
}

/** Guards against the tracks of other detections; other programs may have rounded the position. */
function refuseElsewhere(row: TableRow, column: "x" | "y" | "z", expected: number): void {
  if (row.text(column) === "") return;
  const given = row.number(column, positionRule);
  if (Math.abs(given - expected) <= 1e-2 * Math.max(1, Math.abs(expected))) return;
  row.refuse(column, `${given} is not where this detection is (${expected})`, remedy);
}
