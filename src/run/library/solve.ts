/** `track` and `solve` of the library: from detections, costs or a file to tracks with a proof. */
import { z } from "zod";
import { InputError } from "../../core/errors.js";
import type { NumberRange } from "../../core/range.js";
import { refuse } from "../../files/refusal.js";
import {
  type CostEntries,
  type EndEntries,
  type Entries,
  maxCost,
  maxIndex,
  type SetEntries,
} from "../../formats/cost-entries.js";
import { maxFrames } from "../../formats/frame-order.js";
import { type Input, readInput } from "../../formats/input.js";
import { instanceProblem } from "../../formats/instance-folder.js";
import { formatProof } from "../../formats/proof.js";
import type { TrackMargins } from "../../formats/tracks.js";
import { openBackend } from "../device.js";
import { proofOf } from "../proof-of.js";
import type { RunResult } from "../run.js";
import { solveInput } from "../solve-input.js";
import { type Numbers, numbersIn, requireOneLength } from "./numbers.js";
import {
  checkOptions,
  checkSolveOptions,
  checkTrackOptions,
  type SolveOptions,
  type TrackOptions,
  threadsOf,
} from "./options.js";
import { type DetectionArrays, recordingFrom } from "./recording.js";

/** Tracks, and what is proved of them. */
export interface Tracked {
  /** Track of each detection, numbered from 0; null where no tracks were found in the time given. */
  readonly tracks: Int32Array | null;
  /** The mother's track of each daughter's. */
  readonly parents: ReadonlyMap<number, number>;
  /**
   * The cost that another choice would add at least, in the unit of the costs: of each detection's link to the next one of its track, and of its track's
   * start or end there; NaN where nothing was decided. null where no tracks were found, or the problem is too large for margins.
   */
  readonly margins: TrackMargins | null;
  /** optimal: proved. gap: the gap asked for is certified. stopped, stalled: a larger one is. unsolved: no tracks were found. */
  readonly status: RunResult["status"];
  /** Certified: no tracks cost less. */
  readonly lowerBound: number;
  /** Cost of the tracks; Infinity where there are none. */
  readonly upperBound: number;
  /** Of the two, in percent of the upper bound. */
  readonly gap: number;
  /** The text of proof.json, which `rmap check` checks with the same input; null where nothing was proved, or the problem is too large. */
  readonly proof: string | null;
  /** Assumptions, estimates and omissions, a sentence each. */
  readonly notes: readonly string[];
  /** All that result.json says of a run. */
  readonly result: RunResult;
}

/** Links with their costs: from detection i of frame `frame` to detection j of the next one. A link that is absent is forbidden. */
export interface CostArrays {
  readonly pairs: { readonly frame: Numbers; readonly i: Numbers; readonly j: Numbers; readonly cost: Numbers };
  /** Costs on top of the pairs (frame, i, j) and (frame + 1, j, k), which must be there. */
  readonly triplets?:
    | { readonly frame: Numbers; readonly i: Numbers; readonly j: Numbers; readonly k: Numbers; readonly cost: Numbers }
    | undefined;
  /** Detections of each frame [as many as the pairs name]. */
  readonly counts?: readonly number[] | undefined;
  /** Cost of a track's start, and of its end, inside the recording. Without them, and without `ends`, every detection is linked in every frame pair. */
  readonly birth?: number | undefined;
  readonly death?: number | undefined;
  /** The same at detection i of frame `frame`, where it is another. */
  readonly ends?:
    | { readonly frame: Numbers; readonly i: Numbers; readonly birth: Numbers; readonly death: Numbers }
    | undefined;
  /** Cost of a detection without links, in the place of its start and its end: of all, or of detection i of frame `frame`. */
  readonly unused?: number | { readonly frame: Numbers; readonly i: Numbers; readonly cost: Numbers } | undefined;
  /** Detection i of frame `frame` may have two links out of it, at that cost beside theirs. */
  readonly divisions?: { readonly frame: Numbers; readonly i: Numbers; readonly cost: Numbers } | undefined;
  /** At most one detection of a set, all of which are of one frame, has links. */
  readonly exclusions?: { readonly frame: Numbers; readonly i: Numbers; readonly set: Numbers } | undefined;
  /** Whether triplets that are not listed are forbidden or free ["forbidden" where there are any]. */
  readonly absentTriplets?: "forbidden" | "free" | undefined;
}

/**
 * Links detections into tracks, as `rmap solve` does: how targets move, start, end and are missed is estimated from the detections.
 * `tracks` and `margins` have the order of the arrays.
 * @throws InputError for arrays and options that do not fit, with place, value and remedy
 */
export async function track(detections: DetectionArrays, options: TrackOptions = {}): Promise<Tracked> {
  checkTrackOptions(options);
  const { dt, ...settings } = options;
  const { recording, rowOf } = recordingFrom("track", detections, dt);
  return inOrder(await solved({ kind: "detections", recording }, settings), rowOf);
}

/**
 * Solves a problem of given costs, or what a file or folder holds: a scenario, detections or an instance. `tracks` and `margins` are by frame and, within a
 * frame, in the order of the input.
 * @throws InputError for costs, files and options that do not fit, with place, value and remedy
 */
export async function solve(input: string | CostArrays, options: SolveOptions = {}): Promise<Tracked> {
  checkSolveOptions(options);
  return await solved(typeof input === "string" ? await readInput(input) : instanceFrom(input), options);
}

async function solved(input: Input, options: SolveOptions): Promise<Tracked> {
  const { device = "auto", signal, progress, ...settings } = options;
  const threads = threadsOf(options);
  const now = () => performance.now() / 1000;
  const began = now();
  const backend = await openBackend(device, { threads, now });
  const watch = { now, began, interrupted: () => signal?.aborted === true, ...(progress && { iterated: progress }) };
  const { run } = await solveInput(() => backend, input, { ...settings, threads }, watch).finally(() =>
    backend.close(),
  );
  const { solution, result, margins } = run;
  const { status, lowerBound, upperBound, gap } = solution;
  const proof = proofOf(run);
  return {
    tracks: run.track,
    parents: run.parents,
    margins,
    ...{ status, lowerBound, upperBound, gap: 100 * gap },
    proof: proof && [...formatProof(proof)].join(""),
    notes: result.notes,
    result,
  };
}

/** The answer by the rows of the input. */
function inOrder(answer: Tracked, rowOf: Uint32Array): Tracked {
  const byRow = <Values extends Int32Array | Float64Array>(values: Values): Values => {
    const out = values.slice() as Values;
    rowOf.forEach((row, d) => {
      out[row] = values[d];
    });
    return out;
  };
  const { tracks, margins } = answer;
  return {
    ...answer,
    tracks: tracks && byRow(tracks),
    margins: margins && {
      link: byRow(margins.link),
      birth: margins.birth && byRow(margins.birth),
      death: margins.death && byRow(margins.death),
    },
  };
}

const INDEX: NumberRange = { least: 0, most: maxIndex, whole: true };
const FRAME: NumberRange = { least: 0, most: maxFrames - 1, whole: true };
const SET: NumberRange = { least: 0, most: Number.MAX_SAFE_INTEGER, whole: true };
const COST: NumberRange = { least: -maxCost, most: maxCost, above: true, below: true };

/** Its names and its one word; the numbers are checked entry by entry. */
const given = z.any().optional();
const costArrays = z.strictObject({
  ...{ pairs: given, triplets: given, counts: given, birth: given, death: given, ends: given },
  ...{ unused: given, divisions: given, exclusions: given },
  absentTriplets: z.enum(["forbidden", "free"]).optional(),
});

function instanceFrom(given: CostArrays): Input {
  if (typeof given !== "object" || given === null || given.pairs === undefined) {
    throw new InputError("solve: has no pairs; give a path, or an object { pairs: { frame, i, j, cost } }");
  }
  checkOptions("solve", given, costArrays);
  const pairs: CostEntries = entriesFrom("solve, pairs", given.pairs, ["i", "j"], ["cost"]);
  if (pairs.length === 0) refuse("solve, pairs", "is empty", "give an entry for each allowed link");
  const triplets: CostEntries | null =
    given.triplets === undefined ? null : entriesFrom("solve, triplets", given.triplets, ["i", "j", "k"], ["cost"]);
  const ends: EndEntries | null =
    given.ends === undefined ? null : entriesFrom("solve, ends", given.ends, ["i"], ["birth", "death"]);
  const unused: CostEntries | null =
    typeof given.unused === "object" ? entriesFrom("solve, unused", given.unused, ["i"], ["cost"]) : null;
  const divisions: CostEntries | null =
    given.divisions === undefined ? null : entriesFrom("solve, divisions", given.divisions, ["i"], ["cost"]);
  const exclusions: SetEntries | null =
    given.exclusions === undefined ? null : entriesFrom("solve, exclusions", given.exclusions, ["i"], ["set"]);
  const [birth, death, each] = (["birth", "death", "unused"] as const).map((name) => {
    const cost = given[name];
    return cost === undefined || typeof cost === "object" ? null : numbersIn(`solve, ${name}`, [cost], COST)[0];
  });
  const counts = given.counts && Array.from(numbersIn("solve, counts", given.counts, { ...INDEX, most: maxIndex + 1 }));
  const settings = { counts, birth, death, unused: each, absentTriplets: given.absentTriplets };
  const problem = instanceProblem(
    { folder: "solve", settings: "solve" },
    { pairs, triplets, ends, unused, divisions, exclusions },
    settings,
  );
  return { kind: "instance", instance: { name: "instance", folder: ".", problem, recording: null, notes: [] } };
}

function entriesFrom<Value extends string>(
  place: string,
  given: object,
  indices: readonly string[],
  values: readonly Value[],
): Entries<Value> {
  const arrays = given as Readonly<Record<string, unknown>>;
  const column = (name: string, range: NumberRange) =>
    [name, numbersIn(`${place}.${name}`, arrays[name], range)] as const;
  const frame = column("frame", FRAME);
  const index = indices.map((name) => column(name, INDEX));
  const numbers = Object.fromEntries(values.map((name) => column(name, name === "set" ? SET : COST))) as Record<
    Value,
    Float64Array
  >;
  requireOneLength(place, Object.fromEntries([frame, ...index, ...Object.entries<Float64Array>(numbers)]));
  return {
    ...numbers,
    length: frame[1].length,
    frame: Int32Array.from(frame[1]),
    index: index.map(([, values]) => Int32Array.from(values)),
    place: (entry) => `${place}[${entry}]`,
  };
}
