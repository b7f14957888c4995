import { InputError, invariant } from "../core/errors.js";
import { brokenLink, type FixedLinks } from "../core/fixed-links.js";
import { areCounted, type FrameNumbers, frameNumber } from "../core/frame-numbers.js";
import type { CostChoice } from "../costs/choice.js";
import { type MotionPass, motionNumbers } from "../costs/motion/passes.js";
import type { Multipliers } from "../costs/motion/reduced-costs.js";
import type { ProofOptions } from "../formats/proof.js";
import { WARNING } from "../formats/row-warnings.js";
import type { Pricing } from "../formats/scenario.js";
import type { TrackMargins } from "../formats/tracks.js";
import { UNASSIGNED } from "../lap/lap.js";
import type { Shortage } from "../map/certificate/shortage.js";
import { type AscentName, DEFAULT_ASCENT } from "../map/dual/ascents.js";
import type { ExactProgress } from "../map/exact/solve-exactly.js";
import { buildGraph } from "../map/instance/build.js";
import type { Graph } from "../map/instance/instance.js";
import { numberTracks } from "../map/primal/tracks.js";
import type { HistoryRow, Solution, SolveOptions } from "../map/solution.js";
import { solve } from "../map/solve.js";
import { finiteOrNull, type ResultRow, WEAK_MARGIN } from "../rows/results.js";
import { compareLabels } from "../scores/comparison.js";
import { type Scores, scoreTracks } from "../scores/metrics.js";
import { type TrackCounts, TrackLengths } from "../scores/track-lengths.js";
import type { Backend } from "./device.js";
import { loadHighs } from "./highs.js";
import { requireMemory, sizesOf } from "./memory.js";
import { PassSeconds } from "./pass-seconds.js";
import type { Problem, ProblemOverrides } from "./problem.js";

/** Share of detections that are tracks of one from which a warning is given. */
const MOST_SINGLES = 0.9;

/** Limits that hold where neither the command line nor the scenario states others. */
export const SOLVE_DEFAULTS = { iterations: 2000, gapPercent: 0.01 } as const;

/** The limits of the passes whose tracks serve only to estimate how targets move. */
const ROUGH = { iterations: 12, gap: 5e-3 };

/** Limits of an exact solve that was asked for by name, of one that a gap of 0 tries, and of cuts where the ascent stalls. */
const EXACT_LIMITS = {
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

export interface RunOptions {
  readonly ascent?: AscentName | undefined;
  readonly iterations?: number | undefined;
  /** In percent. */
  readonly gapPercent?: number | undefined;
  /** Seconds for all of it, from `began` to the certificate. */
  readonly time?: number | undefined;
  /** When the work began, on `now`'s clock; its time counts from there [from the call]. */
  readonly began?: number | undefined;
  /** Bytes the run may take [those of the machine]. */
  readonly memory?: number | undefined;
  /** Go on exactly until the tracks are proved optimal or the time is over; a gap of 0 tries it within limits. */
  readonly exact?: boolean | undefined;
  /** auto: cut off fractional points where the ascent stalls above the gap asked for ["none"]. */
  readonly cuts?: "auto" | "none" | undefined;
  /** The settings that the problem was made with, for the proof. */
  readonly overrides?: ProblemOverrides | undefined;
  readonly threads: number;
  readonly backend: Backend;
  readonly now: () => number;
  readonly progress?: (row: HistoryRow) => void;
  readonly exactProgress?: (progress: ExactProgress) => void;
  readonly interrupted?: () => boolean;
  readonly pause?: () => Promise<void>;
}

/** The output of a run: the result without its provenance, and the data of the other files. */
export interface Run {
  readonly result: RunResult;
  readonly solution: Solution;
  /** Track of each detection, null when no tracks were found. */
  readonly track: Int32Array | null;
  readonly scores: Scores | null;
  readonly frameStart: Uint32Array;
  readonly graph: Graph;
  /** The options of the command line that concern the costs, for the proof. */
  readonly overrides: ProofOptions;
  /** null when no tracks were found, or there are too many triplets for margins. */
  readonly margins: TrackMargins | null;
}

export type RunResult = Omit<
  ResultRow,
  "version" | "revision" | "node" | "cpu" | "cores" | "memory" | "platform" | "date"
>;

/**
 * Solves a problem, certifies and scores the answer. Where the costs are estimated from tracks, rough solves come first, and the last of
 * them determines the problem that is solved.
 * @throws InputError when no complete assignment exists
 */
export async function runProblem(given: Problem, options: RunOptions): Promise<Run> {
  const { now } = options;
  const begin = now();
  const settings = given.settings;
  const ascent = options.ascent ?? settings.ascent ?? DEFAULT_ASCENT;
  const usualGap = usualGapPercent(given.motion !== null);
  const stop = {
    gapPercent: options.gapPercent ?? (options.exact ? 0 : settings.gap) ?? usualGap,
    iterations: options.iterations ?? settings.iterations ?? SOLVE_DEFAULTS.iterations,
    seconds: options.time ?? settings.time ?? null,
    ...(settings.rise !== undefined && { risePercent: settings.rise }),
  };
  // The costs of tracks may have either sign and nearly cancel; then a gap in nats means more than a relative one.
  const stated = options.gapPercent ?? settings.gap;
  const exact = stated !== undefined || options.exact === true;
  const nats = given.motion === null || exact ? 0 : NATS_PER_DETECTION * (given.detections?.x.length ?? 0);
  const left = () =>
    stop.seconds === null ? Number.POSITIVE_INFINITY : Math.max(0, stop.seconds - (now() - (options.began ?? begin)));

  const kind =
    options.exact === true ? "asked" : options.cuts !== "auto" ? null : stop.gapPercent === 0 ? "tried" : "cuts";
  let highs: Awaited<ReturnType<typeof loadHighs>> = null;
  if (kind === "asked") {
    highs = await loadHighs();
    if (highs === null)
      throw new InputError("--exact: needs the optional package highs; install it with npm install highs");
  }
  let missing = false;
  const load = async () => {
    highs ??= await loadHighs();
    missing = highs === null;
    return highs?.open ?? null;
  };
  const rough = roughSolves(given.motion?.passes ?? null, ascent, stop);
  const { problem, motion, solves } = await estimateCosts(given, options, rough, left);
  const passesSeconds = now() - begin;
  const { graph, stats, solution, steps, build, upload, seconds } = await solveOnce(problem, options, {
    ascent,
    iterations: stop.iterations,
    gap: stop.gapPercent / 100,
    time: left(),
    ...(settings.rise !== undefined && { rise: settings.rise / 100 }),
    difference: nats,
    closing: nats > 0,
    start: startOf(motion, ascent),
    margins: true,
    ...(kind !== null && {
      exact: {
        load,
        ...EXACT_LIMITS[kind],
        ...(options.exactProgress && { progress: options.exactProgress }),
      },
    }),
  });
  const frameStart = problem.detections?.frameStart ?? graph.frameStart;
  const numbered = solution.tracks && numberTracks(graph, solution.tracks);
  const track = numbered && motion !== null ? tracksOfInput(motion, numbered) : numbered;
  if (motion?.fixed && track) requireFixed(motion.fixed, track, problem);
  const scores = track && problem.target && scoreTracks(compareLabels(frameStart, problem.target, track));
  const margins = marginsOfInput(motion, trackMargins(graph, solution));
  const notes = [...problem.notes];
  const counts = track && countTracks(track);
  if (counts !== null) notes.push(...warnOfSingles(counts, track?.length ?? 0));
  if (missing)
    notes.push(
      "The optional package highs is not installed: cuts are the bundle's alone, without odd holes and a tree.",
    );
  if (stats.deadLinks > 0) notes.push(`${stats.deadLinks} links that lie on no complete track were left out.`);
  const result: RunResult = {
    name: problem.name,
    status: solution.status,
    lowerBound: finiteOrNull(solution.lowerBound),
    upperBound: finiteOrNull(solution.upperBound),
    gapPercent: finiteOrNull(100 * solution.gap),
    iterations: solution.iterations,
    ascent,
    device: { requested: options.backend.requested, actual: options.backend.actual },
    precision: steps.precision,
    threads: options.threads,
    frames: graph.frames,
    ...(!areCounted(given.numbers) && { frameNumbers: given.numbers }),
    detections: frameStart[graph.frames],
    edges: graph.edges,
    triplets: graph.triplets.count,
    storage: graph.triplets.kind,
    links: linksOf(margins),
    tracks: counts,
    exact: solution.exact && {
      solver: solution.exact.by === "bundle" ? "the bundle" : (highs as unknown as { readonly name: string }).name,
      outcome: solution.exact.outcome,
      cuts: solution.exact.cuts,
      leaves: solution.exact.leaves,
    },
    scores,
    ...(motion !== null && motionFields(motion)),
    times: {
      ...problem.times,
      ...(motion !== null && { passes: passesSeconds }),
      build,
      upload,
      ...steps.times,
      ...solution.times,
      solve: seconds,
      total: problem.times.generate + problem.times.price + now() - begin,
    },
    seed: problem.seed,
    scenario: { source: problem.source, pricing: problem.pricing && plainPricing(problem.pricing) },
    stop: nats > 0 ? { ...stop, nats } : stop,
    notes,
  };
  const { seed, costParameter, gate, births, estimateVelocities, maxGap, divisions, links, triplets } =
    options.overrides ?? {};
  const cost = statedCost(options.overrides?.cost, problem.pricing);
  const pricing = { seed, cost, costParameter, gate, births, estimateVelocities, maxGap, divisions, links, triplets };
  const overrides = Object.fromEntries(Object.entries(pricing).filter(([, value]) => value !== undefined));
  const estimated = motion === null ? {} : { estimated: { ...rough, solves } };
  return { result, solution, track, scores, frameStart, graph, overrides: { ...overrides, ...estimated }, margins };
}

/** The cost that was asked for, with the digest of the file that was used. */
function statedCost(asked: ProblemOverrides["cost"], pricing: Pricing | null): ProofOptions["cost"] {
  if (typeof asked !== "object") return asked;
  const used = pricing?.cost;
  invariant(typeof used === "object" && "file" in used, () => `a cost of ${asked.file} priced as ${used}`);
  return { file: used.file, sha256: used.sha256 };
}

function countTracks(track: Int32Array): TrackCounts {
  const lengths = new TrackLengths();
  lengths.add(track);
  return lengths.counts();
}

/**
 * A warning where nearly all detections are tracks of one. The share is one that false detections do not come to where tracks are of use: with nine of ten of them
 * false, those of a frame are ten times as many as its targets.
 */
export function warnOfSingles({ singles }: TrackCounts, detections: number): string[] {
  if (singles < MOST_SINGLES * detections) return [];
  return [
    `${WARNING}${singles} of ${detections} detections are linked to none. The frames may be numbered so that none follows another (as time stamps are), the gate too narrow (--gate), or dt, the units of x and y, or the velocities of the input others than stated.`,
  ];
}

/** The tracks of a solve that had to stop early may break what the user insists on: then they are no answer. */
function requireFixed(fixed: FixedLinks, track: Int32Array, { detections, numbers }: Problem): void {
  const broken = brokenLink(fixed, track);
  if (broken === null) return;
  const frameStart = detections?.frameStart ?? new Uint32Array(1);
  const names = broken.map((d) => {
    let p = 0;
    while (frameStart[p + 1] <= d) p++;
    return `detection ${d - frameStart[p]} of frame ${frameNumber(numbers, p)}`;
  });
  throw new InputError(
    `--links: no tracks were found that keep to what it says of the link from ${names.join(" to ")}; give more time, or leave the line out`,
  );
}

/** Tracks by the detections of the input, numbered anew in the order of their first ones; detections inserted for missed ones are left out. */
function tracksOfInput({ origin }: MotionPass, track: Int32Array): Int32Array {
  const renumbered = new Map<number, number>();
  const detections = origin.reduce((count, d) => Math.max(count, d + 1), 0);
  const ofInput = new Int32Array(detections);
  origin.forEach((d, at) => {
    if (d < 0) return;
    const number = renumbered.get(track[at]) ?? renumbered.size;
    renumbered.set(track[at], number);
    ofInput[d] = number;
  });
  return ofInput;
}

function marginsOfInput(motion: MotionPass | null, margins: TrackMargins | null): TrackMargins | null {
  if (motion === null || margins === null) return margins;
  const { origin } = motion;
  const real = Uint32Array.from(origin.keys()).filter((at) => origin[at] >= 0);
  const pick = (values: Float64Array) => Float64Array.from(real, (at) => values[at]);
  const { link, start, end } = margins;
  return { link: pick(link), start: start && pick(start), end: end && pick(end) };
}

/** The margins of links, starts and ends by detection, as the columns of tracks.csv have them. */
function trackMargins({ frames, frameStart, links, edges, head }: Graph, { tracks, margins }: Solution) {
  if (tracks === null || margins === null) return null;
  const none = () => new Float64Array(frameStart[frames]).fill(Number.NaN);
  const hasBirths = edges > links;
  const [link, start, end] = [none(), hasBirths ? none() : null, hasBirths ? none() : null];
  const entered = new Uint8Array(frameStart[frames]);
  tracks.forEach((e, d) => {
    if (e !== UNASSIGNED) {
      link[d] = margins.out[d];
      entered[head[e]] = 1;
    } else if (end !== null) end[d] = margins.out[d];
  });
  for (let d = 0; start !== null && d < start.length; d++) if (entered[d] === 0) start[d] = margins.into[d];
  return { link, start, end };
}

/** How many links the tracks have, how many are proved to be in every optimal set of tracks, and how many have a small margin. */
function linksOf(margins: TrackMargins | null): ResultRow["links"] {
  if (margins === null) return null;
  const link = margins.link.filter((margin) => !Number.isNaN(margin));
  const least = (wanted: (margin: number) => boolean) => link.filter(wanted).length;
  return { total: link.length, sure: least((m) => m > 0), weak: least((m) => m < WEAK_MARGIN) };
}

interface Limits {
  readonly ascent: AscentName;
  readonly iterations: number;
  /** Relative. */
  readonly gap: number;
  /** Seconds. */
  readonly time: number;
  /** In nats. */
  readonly difference?: number;
  readonly closing?: boolean;
  readonly margins?: boolean;
  readonly eliminate?: boolean;
  readonly start: Float64Array | null;
  readonly exact?: NonNullable<SolveOptions["exact"]>;
}

/** The settings of the rough solves by which costs are estimated from tracks. */
export interface RoughSolves {
  /** null: as many as the cost asks for. */
  readonly passes: number | null;
  /** Solves after which the costs are taken as they are, where a run had no time for more [as many as the passes take]. */
  readonly solves?: number | undefined;
  readonly ascent: AscentName;
  readonly iterations: number;
  readonly gap: number;
}

/** The rough solves before a solve with such limits. */
export function roughSolves(
  passes: number | null,
  ascent: AscentName,
  { iterations, gapPercent }: { readonly iterations: number; readonly gapPercent: number },
): RoughSolves {
  return {
    passes,
    ascent,
    iterations: Math.min(iterations, ROUGH.iterations),
    gap: Math.max(gapPercent / 100, ROUGH.gap),
  };
}

/** What a result says of costs that were estimated from tracks. */
export function motionFields({ pass, model, choices, estimates }: MotionPass) {
  return {
    motion: { passes: pass, ...motionNumbers(model) },
    choices: { ...choices },
    estimates: [...estimates],
  };
}

/**
 * The problem that is solved in the end: where its costs are estimated from tracks, those of rough solves, else the problem itself; and how many rough solves there
 * were. Where time is limited, there are as many as leave enough of it for the last solve.
 * @param left seconds that are left for all of it, the last solve included
 */
export async function estimateCosts(
  given: Problem,
  options: Pick<RunOptions, "now" | "threads" | "backend" | "progress" | "interrupted" | "pause" | "memory">,
  { ascent, iterations, gap, solves: most = Number.POSITIVE_INFINITY }: Omit<RoughSolves, "passes">,
  left: () => number,
): Promise<{ problem: Problem; motion: MotionPass | null; solves: number }> {
  const { now, interrupted } = options;
  let problem = given;
  let { motion } = given;
  let solves = 0;
  const goOn = (next: MotionPass): void => {
    motion = next;
    problem = {
      ...given,
      priced: next,
      numbers: { ...given.numbers, first: frameNumber(given.numbers, next.firstFrame) },
    };
  };
  if (motion !== null) goOn(motion);
  const foresight = new PassSeconds();
  while (motion !== null && solves < most && interrupted?.() !== true) {
    if (motion.closeGaps === null && motion.last) break;
    const size = motion.origin.length;
    const next = motion.whole === null ? size : (given.detections?.x.length ?? size);
    if (left() <= foresight.untilSolved(size, next)) break;
    const began = now();
    const { graph, solution, multipliers } = await solveOnce(problem, options, {
      ascent,
      iterations,
      gap,
      time: left() / 2,
      start: startOf(motion, ascent),
      eliminate: false,
    });
    const { tracks } = solution;
    // Costs that came of a hurried solve's tracks could not be made again.
    if (tracks === null || solution.hurried) break;
    const solved = now();
    goOn(
      motion.closeGaps?.(multipliers) ?? motion.refine(tracksOfInput(motion, numberTracks(graph, tracks)), multipliers),
    );
    solves++;
    foresight.took(solved - began, size, now() - solved, motion.origin.length);
  }
  // Stopped before it came to the whole recording.
  if (motion?.whole) goOn(motion.whole());
  return { problem, motion, solves };
}

/** The multipliers to begin with: ascents that are there to compare with begin at 0, as they are published. */
function startOf(motion: MotionPass | null, ascent: AscentName): Float64Array | null {
  return ascent === DEFAULT_ASCENT ? (motion?.start ?? null) : null;
}

/** One solve on the run's device, with the seconds of its parts. */
async function solveOnce(
  problem: Problem,
  options: Pick<RunOptions, "now" | "threads" | "backend" | "progress" | "interrupted" | "pause" | "memory">,
  limits: Limits,
) {
  const { now, threads, progress, interrupted, pause } = options;
  const begin = now();
  requireMemory(sizesOf(problem.priced), options.memory);
  const { graph, stats } = buildGraph(problem.priced, problem.numbers);
  const build = now() - begin;
  const opened = now();
  const steps = await options.backend.createSteps(graph, problem.linkPricing);
  const upload = now() - opened;
  const started = now();
  let solution: Solution;
  let multipliers: Multipliers;
  try {
    solution = await solve(graph, steps, {
      ...limits,
      threads,
      now,
      alarm: (seconds, ring) => {
        const timer = setTimeout(ring, Math.min(1000 * seconds, 2 ** 31 - 1));
        return () => clearTimeout(timer);
      },
      ...(progress && { progress }),
      ...(interrupted && { interrupted }),
      ...(pause && { pause }),
    });
    const { v, delta, rowDual, columnDual } = await steps.read();
    multipliers = { v: v.slice(), delta: delta.slice(), rowDual: rowDual.slice(), columnDual: columnDual.slice() };
  } finally {
    await steps.close();
  }
  if (solution.status === "infeasible") {
    throw new InputError(tooFewEnds(solution.shortage, graph, problem.numbers));
  }
  return { graph, stats, solution, steps, multipliers, build, upload, seconds: now() - started };
}

/** A choice of cost as JSON holds it. */
function plainCost(cost: CostChoice) {
  if (typeof cost === "string") return cost;
  return JSON.parse(JSON.stringify(cost));
}

/** The pricing as JSON holds it. */
export function plainPricing({ cost, gate, births }: Pricing) {
  return {
    cost: plainCost(cost),
    gate: typeof gate === "string" ? gate : { ...gate },
    births: typeof births === "string" ? births : { ...births },
  };
}

/** The frame pair, its detections that cannot all be linked, and what can be done. */
function tooFewEnds({ pair, tails, heads }: Shortage, { frameStart }: Graph, numbers: FrameNumbers): string {
  const [frame, next] = [pair, pair + 1].map((p) => frameNumber(numbers, p));
  const named = (detections: readonly number[], from: number) => {
    const [more, numbers] = [detections.length > 5, detections.slice(0, 5).map((d) => d - from)];
    return `${detections.length === 1 ? "detection" : "detections"} ${numbers.join(", ")}${more ? ", …" : ""} of frame`;
  };
  return (
    `frame pair ${frame}–${next}: its edges admit no complete assignment: all edges of the ${tails.length} ` +
    `${named(tails, frameStart[pair])} ${frame} lead to the ${heads.length} ` +
    `${named(heads, frameStart[pair + 1])} ${next}; widen the gate or give birth and death costs`
  );
}
