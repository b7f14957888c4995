import { InputError } from "../core/errors.js";
import { areCounted } from "../core/frame-numbers.js";
import { missing } from "../core/optional-package.js";
import type { ProofOptions } from "../formats/proof.js";
import { WARNING } from "../formats/row-warnings.js";
import type { Pricing } from "../formats/scenario.js";
import type { TrackMargins } from "../formats/tracks.js";
import { grainOf } from "../map/certificate/grain.js";
import { type AscentName, DEFAULT_ASCENT } from "../map/dual/ascents.js";
import type { ExactProgress } from "../map/exact/exact-run.js";
import type { Graph } from "../map/instance/instance.js";
import type { PricedProblem } from "../map/instance/priced.js";
import { numberTracks } from "../map/primal/tracks.js";
import type { Solution, SolveOptions } from "../map/solution.js";
import type { Provenance } from "../rows/provenance.js";
import { finiteOrNull, type ResultRow } from "../rows/results.js";
import { TrackLengths } from "../scores/track-lengths.js";
import { ranOn } from "./device.js";
import { beginOf, estimateCosts, roughSolves, tracksOfInput } from "./estimate-costs.js";
import { hasHighs, loadHighs } from "./highs.js";
import { requireFixed } from "./kept-links.js";
import { lineageOf, noteUnpriced, noteUnweighed, type Parents } from "./lineage.js";
import { countLinks, trackMargins } from "./margins.js";
import { type MotionPass, motionFields, noteLeftOut, unpricedDivisions } from "./motion-passes.js";
import type { SolveOverrides } from "./overrides.js";
import type { Problem } from "./problem.js";
import { proofOptions } from "./proof-options.js";
import { regionThreads } from "./region-threads.js";
import { earlyScores, scoresOf } from "./scores.js";
import { type Solving, solveOnce } from "./solve-once.js";

/** Least share of detections that are tracks of one at which a warning is given. */
const MOST_SINGLES = 0.9;

/** Limits that hold where neither the command line nor the scenario states others. */
export const SOLVE_DEFAULTS = { iterations: 2000, gapPercent: 0.01 } as const;

/** Limits of an exact solve that was asked for by name, of one that a gap of 0 tries, and of cuts where the ascent stalls: without effect these end, unless a gap or a time is stated. */
export const EXACT_LIMITS = {
  asked: { mostTriplets: 300_000, mostLeaves: Number.POSITIVE_INFINITY, always: true },
  tried: { mostTriplets: 40_000, mostLeaves: 30, always: false },
  cuts: { mostTriplets: 40_000, mostLeaves: 0, always: false },
} as const;

/** Where no gap is asked for, a solve by probabilities may stop at this gap in percent, or at this one a detection. */
export const PROBABILITIES_GAP_PERCENT = 0.05;
export const NATS_PER_DETECTION = 5e-4;

/** The gap in percent that is asked for where none is stated. */
export function usualGapPercent(isByProbabilities: boolean): number {
  return isByProbabilities ? PROBABILITIES_GAP_PERCENT : SOLVE_DEFAULTS.gapPercent;
}

export interface RunOptions extends Solving {
  readonly ascent?: AscentName | undefined;
  readonly iterations?: number | undefined;
  /** In percent. */
  readonly gapPercent?: number | undefined;
  /** Seconds for all of it, from `began` to the certificate. */
  readonly time?: number | undefined;
  /** When the work began, on `now`'s clock; its time counts from there [from the call]. */
  readonly began?: number | undefined;
  /** Go on exactly until the tracks are proved optimal or the time is over; a gap of 0 tries it within limits. */
  readonly exact?: boolean | undefined;
  /** auto: cut off fractional points where the ascent stalls above the gap asked for ["none"]. */
  readonly cuts?: "auto" | "none" | undefined;
  /** The settings that the problem was read and made with, for the proof. */
  readonly overrides?: SolveOverrides | undefined;
  readonly exactProgress?: (progress: ExactProgress) => void;
}

/** The output of a run: the result without its provenance, and the data of the other files. */
export interface Run {
  readonly result: RunResult;
  readonly solution: Solution;
  /** Track of each detection, null when no tracks were found. */
  readonly track: Int32Array | null;
  readonly frameStart: Uint32Array;
  readonly graph: Graph;
  /** The problem that was solved, and the pass of estimates that priced it; null for other costs than motion. */
  readonly priced: PricedProblem;
  readonly motion: MotionPass | null;
  /** The options of the command line that concern the costs, for the proof. */
  readonly overrides: ProofOptions;
  /** null when no tracks were found, or there are too many triplets for margins. */
  readonly margins: TrackMargins | null;
  readonly parents: Parents;
}

export type RunResult = Omit<ResultRow, keyof Provenance>;

/**
 * Solves a problem, certifies and scores the answer. Where the costs are estimated from tracks, rough solves come first, and the last of
 * them determines the problem that is solved.
 * @throws InputError when no complete assignment exists
 */
export async function runProblem(given: Problem, options: RunOptions): Promise<Run> {
  const { now } = options;
  const begin = now();
  const { ascent, stop, nats, isStated } = stopOf(given, options);
  const left = () =>
    stop.seconds === null ? Number.POSITIVE_INFINITY : Math.max(0, stop.seconds - (now() - (options.began ?? begin)));
  const kind =
    options.exact === true ? "asked" : options.cuts !== "auto" ? null : stop.gapPercent === 0 ? "tried" : "cuts";
  const highs = await findHighs(kind === "asked");
  const rough = roughSolves(given.motion?.parameters.passes ?? null, ascent, stop);
  const { problem, motion, solves } = await estimateCosts(given, options, rough, left);
  const passesSeconds = now() - begin;
  const early = earlyScores(problem, motion);
  const { graph, stats, solution, steps, build, upload, seconds } = await solveOnce(problem, options, {
    ascent,
    iterations: stop.iterations,
    gap: stop.gapPercent / 100,
    time: left(),
    ...(stop.risePercent !== undefined && { rise: stop.risePercent / 100 }),
    difference: nats,
    closing: nats > 0,
    initialMultipliers: beginOf(motion, ascent),
    ...{ margins: true, integer: highs.loadInteger },
    ...(early && { likely: (graph, tracks) => early.begin(numberTracks(graph, tracks)) }),
    ...(kind !== null && { exact: await exactSolve(kind, options, { load: highs.load, patient: !isStated }) }),
  });
  const lineage = lineageOf(graph, solution, motion?.priced.origin ?? null);
  const frameStart = problem.detections?.frameStart ?? lineage?.frameStart ?? graph.frameStart;
  const numbered = lineage === null ? solution.tracks && numberTracks(graph, solution.tracks) : lineage.track;
  const track = numbered && lineage === null && motion !== null ? tracksOfInput(motion, numbered) : numbered;
  const parents = lineage?.parents ?? new Map();
  if (track) requireFixed(motion?.parameters.fixed ?? null, { track, parent: parents }, problem, solution.status);
  const counts = track && countTracks(track, parents.size / 2);
  const margins = trackMargins(graph, lineage?.solution ?? solution, (lineage ?? motion?.priced)?.origin ?? null);
  const times = {
    ...problem.times,
    ...(motion !== null && { passes: passesSeconds }),
    ...{ build, upload },
    ...steps.times,
    ...solution.times,
    solve: seconds,
    total: problem.times.generate + problem.times.price + now() - begin,
  };
  const result: RunResult = {
    name: problem.name,
    status: solution.status,
    lowerBound: finiteOrNull(solution.lowerBound),
    upperBound: finiteOrNull(solution.upperBound),
    gapPercent: finiteOrNull(100 * solution.gap),
    ...grainField(graph),
    iterations: solution.iterations,
    ascent,
    device: ranOn(options.backend),
    ...(steps.xLaps && { xLaps: steps.xLaps }),
    precision: steps.precision,
    threads: options.threads,
    frames: graph.frames,
    ...(!areCounted(given.numbers) && { frameNumbers: given.numbers }),
    ...(given.reading && { reading: given.reading }),
    ...(problem.unit !== null && { unit: problem.unit }),
    detections: frameStart[graph.frames],
    edges: graph.edges,
    triplets: graph.triplets.count,
    storage: graph.triplets.kind,
    ...{ links: countLinks(margins), tracks: counts },
    exact: exactFields(solution, highs.solver()),
    ...scoresOf(problem, frameStart, track, parents, early),
    ...(motion !== null && motionFields(motion)),
    times,
    seed: problem.seed,
    scenario: { source: problem.source, pricing: problem.pricing && plainPricing(problem.pricing) },
    stop: nats > 0 ? { ...stop, nats } : stop,
    notes: [
      ...[...problem.notes, ...(steps.notes ?? [])],
      ...notesOf(counts, track?.length ?? 0, highs.notes(), stats.deadLinks, solution.loss),
      ...(motion === null ? [] : noteLeftOut(motion)),
      ...noteUnpriced(motion === null ? 0 : unpricedDivisions(motion)),
      ...noteUnweighed(graph, solution, options.backend.weighsDivisions),
    ],
  };
  const estimated = motion === null ? {} : { estimated: { ...rough, solves } };
  const overrides = { ...proofOptions(options.overrides ?? {}, problem.pricing, graph), ...estimated };
  return { result, solution, track, frameStart, graph, priced: problem.priced, motion, overrides, margins, parents };
}

/** The ascent and the limits of a run, as they are stated or by default. */
function stopOf({ settings, motion, detections }: Problem, options: RunOptions) {
  const isStated = (options.gapPercent ?? settings.gap) !== undefined || options.exact === true;
  return {
    isStated: isStated || (options.time ?? settings.time) !== undefined,
    ascent: options.ascent ?? settings.ascent ?? DEFAULT_ASCENT,
    stop: {
      gapPercent: options.gapPercent ?? (options.exact ? 0 : settings.gap) ?? usualGapPercent(motion !== null),
      iterations: options.iterations ?? settings.iterations ?? SOLVE_DEFAULTS.iterations,
      seconds: options.time ?? settings.time ?? null,
      ...(settings.rise !== undefined && { risePercent: settings.rise }),
    },
    // The costs of tracks may have either sign and nearly cancel; then a gap in nats means more than a relative one.
    nats: motion === null || isStated ? 0 : NATS_PER_DETECTION * (detections?.x.length ?? 0),
  };
}

const WITHOUT_HIGHS =
  "The optional package highs is not installed: cuts are the bundle's alone, without odd holes and a tree, and tracks of segmentations are not laid anew (npm install highs).";

/**
 * The optional solver of programs, loaded where an exact solve first asks for it.
 * @throws InputError where it is required, and not installed
 */
async function findHighs(isRequired: boolean) {
  if (isRequired && !(await hasHighs())) throw new InputError(missing("--exact", ["highs"]));
  let highs: Awaited<ReturnType<typeof loadHighs>> = null;
  let isMissing = false;
  let laysAnew = false;
  const load = async () => {
    highs ??= await loadHighs();
    isMissing = highs === null;
    return highs;
  };
  return {
    load: async () => (await load())?.open ?? null,
    loadInteger: async () => {
      const solve = (await load())?.solveInteger ?? null;
      laysAnew = solve !== null;
      return solve;
    },
    notes: () => (isMissing ? [WITHOUT_HIGHS] : laysAnew ? [`Blocks of tracks were laid anew by ${highs?.name}.`] : []),
    solver: () => highs?.name,
  };
}

function grainField(graph: Graph) {
  const grain = grainOf(graph);
  return grain && { grain: grain.size };
}

function exactFields({ exact }: Solution, solver: string | undefined) {
  return (
    exact && {
      solver: exact.by === "linear programs" ? (solver as string) : `the ${exact.by}`,
      outcome: exact.outcome,
      cuts: exact.cuts,
      leaves: exact.leaves,
    }
  );
}

function notesOf(
  counts: Counts | null,
  detections: number,
  ofHighs: readonly string[],
  deadLinks: number,
  loss: Solution["loss"],
): string[] {
  return [
    ...(loss === null ? [] : [`${WARNING}${loss}. That ended the ascent, and the answer is what was known before.`]),
    ...(counts === null ? [] : warnOfSingles(counts, detections)),
    ...ofHighs,
    ...(deadLinks > 0 ? [`${deadLinks} links that lie on no complete track were left out.`] : []),
  ];
}

type Counts = NonNullable<ResultRow["tracks"]>;

function countTracks(track: Int32Array, divisions: number): Counts {
  const lengths = new TrackLengths();
  lengths.add(track);
  return { ...lengths.counts(), ...(divisions > 0 && { divisions }) };
}

/**
 * A warning where nearly all detections are tracks of one. False detections alone do not reach this share where tracks are of use: with nine of ten detections
 * false, a frame has ten times as many detections as targets. Where targets divide, mothers and daughters that are tracks of one are linked.
 */
export function warnOfSingles({ singles, divisions = 0 }: Counts, detections: number): string[] {
  if (divisions > 0 || singles < MOST_SINGLES * detections) return [];
  return [
    `${WARNING}${singles} of ${detections} detections are linked to none. The frames may be numbered so that none follows another (as time stamps are), the gate too narrow (--gate), or dt, the units of x and y, or the velocities of the input others than stated.`,
  ];
}

/** The pricing as JSON holds it. */
export function plainPricing({ cost, gate, births }: Pricing): ResultRow["scenario"] {
  return JSON.parse(JSON.stringify({ cost, gate, births }));
}

/** Regions where there are linear programs: an ascent that leaves the rest to them ends sooner. */
async function exactSolve(
  kind: keyof typeof EXACT_LIMITS,
  { threads, exactProgress }: RunOptions,
  how: Pick<NonNullable<SolveOptions["exact"]>, "load" | "patient">,
): Promise<NonNullable<SolveOptions["exact"]>> {
  const progress = exactProgress && { progress: exactProgress };
  const regions = (await hasHighs()) && { regions: regionThreads(threads) };
  return { ...how, ...regions, ...EXACT_LIMITS[kind], ...progress };
}
