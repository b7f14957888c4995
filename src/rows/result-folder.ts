import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../core/errors.js";
import { type FrameNumbers, frameOfNumber } from "../core/frame-numbers.js";
import { rowStarts } from "../core/rows.js";
import type { TableRow } from "../files/csv-table.js";
import { readJson } from "../files/json-file.js";
import { readNumbers } from "../files/number-columns.js";
import { refuse } from "../files/refusal.js";
import { isThere, readBytes } from "../files/text-file.js";
import { maxCoordinate } from "../formats/detection-columns.js";
import { frameRule } from "../formats/frame-cells.js";
import { maxFrames } from "../formats/frame-order.js";
import { readRecording } from "../formats/input.js";
import { simulate } from "../simulation/trajectories.js";
import { readHistory } from "./history.js";
import { type RunRow, runRow } from "./results.js";

/** The files that `rmap solve -o` wrote, and the true targets where they can be read or simulated again. */
export interface ResultFolder {
  readonly folder: string;
  readonly row: RunRow;
  readonly history: ReturnType<typeof readHistory> | null;
  readonly tracks: FoundTracks | null;
}

/** The tracks of a run, by its detections numbered from 0 over all frames. */
export interface FoundTracks {
  readonly frameStart: Uint32Array;
  readonly numbers: FrameNumbers;
  /** Length unit of the positions, where it is known. */
  readonly unit?: string | undefined;
  /** null where the costs came without positions. */
  readonly x: Float64Array | null;
  readonly y: Float64Array | null;
  /** In space. */
  readonly z?: Float64Array | undefined;
  /** −1 for none. */
  readonly track: Int32Array;
  /** Margin of the link out of each detection, NaN where there is none; null where the file has no margins. */
  readonly margin: Float64Array | null;
  /** Of its track's birth and death there; null where the file has none. */
  readonly birthMargin: Float64Array | null;
  readonly deathMargin: Float64Array | null;
  /** The mother's track of tracks that begin where she divides. */
  readonly parents: ReadonlyMap<number, number>;
  /** True identity of each detection, or why it is not known. */
  readonly target: Int32Array | string;
}

/**
 * Reads a folder that `rmap solve -o` wrote: result.json, and history.csv and tracks.csv where they are there. True targets are
 * drawn again from the seed of a simulation, or read again from the recording.
 * @throws InputError for a folder without result.json and for files that are not as rmap writes them
 */
export function readResultFolder(folder: string): ResultFolder {
  const [result, history, tracks] = ["result.json", "history.csv", "tracks.csv"].map((name) => join(folder, name));
  if (!isThere(result)) refuse(folder, "holds no result.json", "name a folder that rmap solve -o wrote to its end");
  const row = readJson(result, runRow);
  return {
    folder,
    row,
    history: isThere(history) ? readHistory(history) : null,
    tracks: isThere(tracks) ? foundTracks(tracks, row) : null,
  };
}

const columns = {
  required: ["frame", "detection", "track"],
  optional: ["x", "y", "z", "margin", "start_margin", "end_margin", "parent"],
};
const remedy = "write the folder again with rmap solve -o";

function foundTracks(file: string, row: RunRow): FoundTracks {
  const position = (column: "x" | "y" | "z") => (line: TableRow) =>
    line.text(column) === "" ? Number.NaN : line.number(column, { below: maxCoordinate, remedy });
  let min = 0;
  const trackIn = (column: "track" | "parent") => (line: TableRow) =>
    line.text(column) === "" ? -1 : line.number(column, { integer: true, min: -1, max: 2 ** 31 - 1, remedy });
  const marginIn = (column: "margin" | "start_margin" | "end_margin") => (line: TableRow) =>
    line.text(column) === "" ? Number.NaN : Number(line.text(column));
  const known = (margins: Float64Array) => (margins.some((one) => !Number.isNaN(one)) ? margins : null);
  const { frame, track, x, y, z, margin, start, end, parent } = readNumbers(file, readBytes(file), columns, {
    frame: (line) => {
      min = line.number("frame", { ...frameRule, min, remedy });
      return min;
    },
    track: trackIn("track"),
    parent: trackIn("parent"),
    x: position("x"),
    y: position("y"),
    z: position("z"),
    margin: marginIn("margin"),
    start: marginIn("start_margin"),
    end: marginIn("end_margin"),
  });
  if (frame.length !== row.detections) {
    refuse(file, `has ${frame.length} detections where result.json has ${row.detections}`, remedy);
  }
  if (row.frames > maxFrames) refuse(file, `belongs to ${row.frames} frames, more than ${maxFrames}`, remedy);
  const last = frame.at(-1) ?? 0;
  // A row that says nothing: frames count from 0 unless the recording's first frame is a later one.
  const numbers = row.frameNumbers ?? { first: last < row.frames ? 0 : (frame[0] ?? 0), step: 1 };
  const frameOf = frame.map((number) => frameOfNumber(numbers, number));
  const outside = frameOf.findIndex((p) => !(Number.isInteger(p) && p >= 0 && p < row.frames));
  if (outside >= 0) {
    refuse(file, `has frame ${frame[outside]}, which is none of the ${row.frames} of result.json`, remedy);
  }
  const frameStart = rowStarts(frameOf, row.frames);
  const placed = frame.length > 0 && x.every(Number.isFinite) && y.every(Number.isFinite);
  const found = {
    frameStart,
    numbers,
    unit: row.unit,
    x: placed ? x : null,
    y: placed ? y : null,
    z: placed && z.every(Number.isFinite) ? z : undefined,
    track: Int32Array.from(track),
    parents: new Map([...track.entries()].flatMap(([d, one]) => (parent[d] < 0 ? [] : [[one, parent[d]] as const]))),
    ...{ margin: known(margin), birthMargin: known(start), deathMargin: known(end) },
  };
  let target: FoundTracks["target"] | null = null;
  return {
    ...found,
    // Few look at the truth, which is simulated or read again for it.
    get target() {
      target ??= targetsOf(row, found);
      return target;
    },
  };
}

const source = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("simulation"),
    targets: z.int().min(1).max(100_000),
    frames: z.int().min(2).max(maxFrames),
    path: z.enum(["polynomial", "spline"]),
    dimensions: z.union([z.literal(2), z.literal(3)]).optional(),
    degree: z.union([z.literal(3), z.literal(4)]).optional(),
    amplitude: z.number(),
    speed: z.tuple([z.number(), z.number()]),
    timeStep: z.number(),
    spread: z.number(),
    noise: z.object({ position: z.number(), velocity: z.number() }),
    velocities: z.enum(["measured", "none"]).optional(),
    faults: z.record(z.string(), z.number()).optional(),
  }),
  z.object({ kind: z.literal("detections"), file: z.string() }),
  z.object({ kind: z.literal("instance"), folder: z.string() }),
]);

const otherDetections = "its detections are not those of the tracks any more";

/** The true targets of the same detections, or why they are not known. */
function targetsOf(row: RunRow, found: Omit<FoundTracks, "target">): Int32Array | string {
  const scenario = z.looseObject({ source }).safeParse(row.scenario);
  if (!scenario.success) return "the result does not say where its detections came from";
  const from = scenario.data.source;
  if (from.kind === "simulation") {
    const { degree, kind: _, ...parameters } = from;
    if (from.faults === undefined && from.targets * from.frames !== row.detections) return otherDetections;
    return sameDetections(simulate(degree ? { ...parameters, degree } : parameters, row.seed ?? 1), found);
  }
  const file = from.kind === "detections" ? from.file : join(from.folder, "detections.csv");
  if (!existsSync(file)) return `${file} is not there`;
  try {
    return sameDetections(readRecording(file, "ignored", row.reading?.options).detections, found);
  } catch (error) {
    // The author of result.json chose the file, so messages about its content, which may quote it, do not go on the page.
    if (error instanceof InputError) return `${file} holds no detections that can be read`;
    throw error;
  }
}

/** Whether a file holds the detections that the tracks of a folder are of. The author of result.json names it, and may name any file of this machine. */
export function holdsDetectionsOf(file: string, { row, tracks }: ResultFolder): boolean {
  if (tracks?.x == null) return false;
  try {
    const { detections } = readRecording(file, "ignored", row.reading?.options);
    return sameDetections(detections, tracks) !== otherDetections;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

interface Identified {
  readonly frameStart: Uint32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly z?: Float64Array | undefined;
  readonly target: Int32Array | null;
}

function sameDetections(given: Identified, found: Omit<FoundTracks, "target">): Int32Array | string {
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));
  const same =
    given.frameStart.length === found.frameStart.length &&
    given.frameStart.every((start, p) => start === found.frameStart[p]) &&
    (found.x?.every((x, d) => near(x, given.x[d])) ?? true) &&
    (found.y?.every((y, d) => near(y, given.y[d])) ?? true) &&
    (found.z?.every((z, d) => near(z, given.z?.[d] ?? z)) ?? true);
  if (!same) return otherDetections;
  return given.target ?? "the detections have no targets";
}
