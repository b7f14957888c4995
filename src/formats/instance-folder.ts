import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import type { FixedLinks } from "../core/fixed-links.js";
import { frameNumber } from "../core/frame-numbers.js";
import { readJson } from "../files/json-file.js";
import { nearest } from "../files/nearest.js";
import { refuse, withFile } from "../files/refusal.js";
import { isThere } from "../files/text-file.js";
import type { PricedProblem } from "../map/instance/priced.js";
import { frameStartOfInput, likeTheirMothers, withTwins } from "../map/instance/twins.js";
import type { Pins } from "./candidate-graph.js";
import {
  type CostEntries,
  type EndEntries,
  type Entries,
  maxCost,
  maxIndex,
  readEntries,
  type SetEntries,
} from "./cost-entries.js";
import { type DetectionsFile, readDetections } from "./detections.js";
import { maxFrames } from "./frame-order.js";
import { linksOf, tripletsOf } from "./instance-arrays.js";
import { birthsAndDeaths, divisionCosts, exclusionsOf, unusedCosts } from "./instance-ends.js";
import { INSTANCE_FILES } from "./instance-files.js";

export interface InstanceFolder {
  /** Name of the folder. */
  readonly name: string;
  readonly folder: string;
  readonly problem: PricedProblem;
  /** Positions and true identities, where the folder has a detections.csv. */
  readonly recording: DetectionsFile | null;
  /** Notes on files that are not read, a sentence each. */
  readonly notes: readonly string[];
  /** What a graph requires and forbids, and the problem with links that the user fixes beside it. */
  readonly graph?: {
    readonly pins: Pins;
    readonly fix: (links: FixedLinks) => { readonly pins: Pins; readonly problem: PricedProblem };
  };
}

const price = z.number().gt(-maxCost).lt(maxCost);

const settings = z.strictObject({
  /** Detections of each frame. */
  counts: z
    .array(
      z
        .int()
        .min(0)
        .max(maxIndex + 1),
    )
    .min(2)
    .max(maxFrames)
    .optional(),
  birth: price.nullable().default(null),
  death: price.nullable().default(null),
  unused: price.nullable().default(null),
  absentTriplets: z.enum(["forbidden", "free"]).optional(),
});

/** Most detections of an instance. */
const maxDetections = 100_000_000;

/**
 * Reads an instance with arbitrary costs from a folder:
 *
 *     pairs.csv      frame,i,j,cost      link from detection i of `frame` to j of the next; a link that is absent is forbidden
 *     triplets.csv   frame,i,j,k,cost    optional; on top of the pairs (frame, i, j) and (frame + 1, j, k), which must be there
 *     ends.csv       frame,i,birth,death  optional: costs of a track's start at a detection and of its end there
 *     unused.csv     frame,i,cost         optional: cost of a detection without links, in the place of its start and its end
 *     divisions.csv  frame,i,cost         optional: a detection that may have two links out of it, at that cost beside theirs
 *     exclusions.csv frame,i,set          optional: at most one detection of a set, all of which are of one frame, has links
 *     instance.json  { counts, birth, death, unused, absentTriplets }, each optional
 *     detections.csv optional: positions and true identities
 *
 * Files ending in .npy may stand for the CSV files: arrays of as many columns in the same order. Frames and
 * detections within them count from 0. `counts` (detections per frame) defaults to those of detections.csv, or else to the largest index + 1; `birth` and
 * `death` are the costs of a track's start and end inside the recording where ends.csv states no others; without either every detection must be linked; `unused` is the cost of a detection without links where
 * unused.csv states no other;
 * absent triplets are "forbidden" where there is a triplets file (or free at no cost, on demand) and free where there is none.
 */
export function readInstanceFolder(folder: string): InstanceFolder {
  const notes = noteOtherFiles(folder);
  const pairs = readEntries(folder, "pairs");
  if (pairs === null) refuse(folder, "holds neither pairs.csv nor pairs.npy", "add one (frame,i,j,cost)");
  if (pairs.length === 0) refuse(folder, "has no pairs", "give a row for each allowed link");
  const triplets = readEntries(folder, "triplets");
  const [ends, unused, divisions, exclusions] = (["ends", "unused", "divisions", "exclusions"] as const).map((name) =>
    readEntries(folder, name),
  );
  const settingsFile = join(folder, "instance.json");
  const given = isThere(settingsFile) ? readJson(settingsFile, settings) : settings.parse({});
  const recording = readRecording(folder);
  const counts = given.counts ?? (recording ? countsOf(recording) : undefined);
  const problem = instanceProblem(
    { folder, settings: settingsFile },
    { pairs, triplets, ends, unused, divisions, exclusions },
    { ...given, counts },
  );
  const { links, motherOf } = problem;
  const { frameStart } = links;
  if (recording) refuseOtherCounts(recording, motherOf ? frameStartOfInput(frameStart, motherOf) : frameStart);
  return { name: basename(resolve(folder)), folder, problem, recording, notes };
}

/** Where an instance comes from, and what it states beside its tables; both the same where it is no folder. */
interface Place {
  readonly folder: string;
  readonly settings: string;
}

const inFiles = ({ folder, settings }: Place, names: string) => (settings === folder ? "" : names);

/** The tables of an instance. */
export interface InstanceTables {
  readonly pairs: CostEntries;
  readonly triplets: CostEntries | null;
  readonly ends: EndEntries | null;
  /** Costs of detections without links. */
  readonly unused: CostEntries | null;
  /** Costs of a second link out of a detection. */
  readonly divisions: CostEntries | null;
  readonly exclusions: SetEntries | null;
}

/** What an instance states beside its tables. */
export interface InstanceSettings {
  /** Detections of each frame [as many as the pairs name]. */
  readonly counts?: readonly number[] | undefined;
  /** Costs of a track's start and of its end inside the recording where the table of ends has no others; null for none. */
  readonly birth: number | null;
  readonly death: number | null;
  /** Cost of a detection without links where the table has no other; null where it costs a start and an end. */
  readonly unused: number | null;
  readonly absentTriplets?: "forbidden" | "free" | undefined;
}

/**
 * The problem of the tables.
 * @param place of the instance and of its settings, for messages
 */
export function instanceProblem(
  place: Place,
  { pairs, triplets, ends, unused, divisions, exclusions }: InstanceTables,
  { counts, birth, death, absentTriplets, ...settings }: InstanceSettings,
): PricedProblem {
  if ((birth === null) !== (death === null)) {
    const [present, absent] = birth === null ? ["death", "birth"] : ["birth", "death"];
    refuse(place.settings, `gives ${present} but no ${absent}`, `give ${absent} too, or neither`);
  }
  if (triplets === null && absentTriplets === "forbidden") {
    const where = `${place.settings}, absentTriplets`;
    refuse(where, 'is "forbidden" but there are no triplets', "add triplets or remove it");
  }
  const tables = [pairs, triplets, ends, unused, divisions, exclusions].filter((table) => table !== null);
  const frameStart = frameStarts(place, tables, counts);
  const frames = frameStart.length - 1;
  const links = linksOf(pairs, frameStart);
  const each = birth === null || death === null ? null : { birth, death };
  const birthDeath = birthsAndDeaths(place, ends, each, frameStart);
  if (birthDeath === null) {
    if (unused !== null || settings.unused !== null || divisions !== null || exclusions !== null) {
      const problem = "has unused detections, divisions or exclusions, but no births and deaths";
      refuse(place.folder, problem, "give birth and death too");
    }
    refuseUnlinkable(place, frameStart, pairs);
  }
  const lone = unusedCosts(unused, settings.unused, frameStart);
  const problem = {
    links,
    triplets: triplets && tripletsOf(triplets, links, frames, absentTriplets ?? "forbidden", place.folder),
    birthDeath: birthDeath && { ...birthDeath, ...(lone && { unused: lone }) },
    ...(exclusions && { exclusions: exclusionsOf(exclusions, frameStart) }),
  };
  if (divisions === null) return problem;
  return withTwins(problem, likeTheirMothers(problem, divisionCosts(divisions, frameStart))).problem;
}

/** rmap solve -o and rmap link write them, and fit-links reads truth.csv; the folder of an instance may hold its result too. */
const outputs = ["result.json", "history.csv", "tracks.csv", "proof.json", "candidates.csv", "truth.csv"];

/** Refuses a file whose name is a misspelling of one that is read, and notes the tables that are not read. */
function noteOtherFiles(folder: string): string[] {
  const names = withFile(folder, () => readdirSync(folder));
  const others = names
    .filter((name) => /\.(csv|npy|json)$/i.test(name) && ![...INSTANCE_FILES, ...outputs].includes(name))
    .sort();
  for (const name of others) {
    const meant = name.startsWith(".") ? null : nearest(name, INSTANCE_FILES, 2);
    if (meant !== null) refuse(join(folder, name), "is not read", `call it ${meant} if that is meant, or move it away`);
  }
  return others.length === 0 ? [] : [`Files not read: ${others.join(", ")}.`];
}

/** Where the detections of each frame begin, from the counts given or else from the indices seen. */
function frameStarts(
  place: Place,
  tables: readonly Entries<never>[],
  given: readonly number[] | undefined,
): Uint32Array {
  const counts = given ?? countsSeen(tables[0]);
  for (const entries of tables) {
    for (let e = 0; e < entries.length; e++) {
      entries.index.forEach((values, n) => {
        const frame = entries.frame[e] + n;
        const count = counts[frame] ?? 0;
        if (values[e] < count) return;
        const has = frame < counts.length ? `has ${count} detections` : `is past the last, ${counts.length - 1}`;
        refuse(
          `${entries.place(e)}, column ${"ijk"[n]}`,
          `${values[e]} in frame ${frame}, which ${has}`,
          given
            ? `correct it or the counts${inFiles(place, " (instance.json, detections.csv)")}`
            : "correct it or add the pairs it needs",
        );
      });
    }
  }
  const frameStart = new Uint32Array(counts.length + 1);
  let total = 0;
  counts.forEach((count, p) => {
    total += count;
    if (total > maxDetections) {
      refuse(place.folder, `has more than ${maxDetections} detections up to frame ${p}`, "check the largest i and j");
    }
    frameStart[p + 1] = total;
  });
  return frameStart;
}

function countsSeen(pairs: Entries<never>): number[] {
  const last = pairs.frame.reduce((most, frame) => Math.max(most, frame), 0);
  const counts = new Array<number>(last + 2).fill(0);
  pairs.index.forEach((values, n) => {
    for (let e = 0; e < pairs.length; e++) {
      const frame = pairs.frame[e] + n;
      counts[frame] = Math.max(counts[frame], values[e] + 1);
    }
  });
  return counts;
}

/** Without births and deaths, frames of different sizes or not joined by any pair cannot be assigned. */
function refuseUnlinkable(place: Place, frameStart: Uint32Array, pairs: CostEntries): void {
  const { folder } = place;
  const remedy = `give birth and death${inFiles(place, " in instance.json")}, or correct the pairs`;
  const joined = new Set(pairs.frame);
  for (let p = 0; p + 2 < frameStart.length; p++) {
    if (!joined.has(p)) refuse(folder, `has no pairs from frame ${p} to ${p + 1}`, remedy);
    const [here, next] = [frameStart[p + 1] - frameStart[p], frameStart[p + 2] - frameStart[p + 1]];
    if (here !== next) refuse(folder, `has ${here} detections in frame ${p} and ${next} in frame ${p + 1}`, remedy);
  }
}

function readRecording(folder: string): DetectionsFile | null {
  const file = join(folder, "detections.csv");
  if (!isThere(file)) return null;
  const recording = readDetections(file);
  const { first, step } = recording.numbers;
  // The costs count frames from 0, and so must the detections, if perhaps in steps.
  if (first >= step) {
    refuse(
      file,
      `begins with frame ${first}, the costs with 0`,
      "add frames= to its first comment line, or correct it",
    );
  }
  return recording;
}

function countsOf({ detections }: DetectionsFile): number[] {
  const { frames, frameStart } = detections;
  return Array.from({ length: frames }, (_, p) => frameStart[p + 1] - frameStart[p]);
}

function refuseOtherCounts(recording: DetectionsFile, frameStart: Uint32Array): void {
  const counts = countsOf(recording);
  const frames = frameStart.length - 1;
  const { numbers } = recording;
  if (counts.length !== frames) {
    const remedy = `add frames=${frames} to its first comment line, or correct it`;
    const [first, last] = [0, counts.length - 1].map((p) => frameNumber(numbers, p));
    refuse(recording.file, `has frames ${first} to ${last}, the costs 0 to ${frames - 1}`, remedy);
  }
  counts.forEach((count, p) => {
    const expected = frameStart[p + 1] - frameStart[p];
    if (count === expected) return;
    refuse(
      recording.file,
      `has ${count} detections in frame ${frameNumber(numbers, p)} where the costs have ${expected}`,
      "correct one of them",
    );
  });
}
