import { InputError, invariant, OutOfTime } from "../core/errors.js";
import { UNASSIGNED } from "../lap/lap.js";
import { type CertifiedBound, certifyBound, priceTracks, stateBound } from "./certificate/certificate.js";
import { EQUAL, relativeGap } from "./certificate/gap.js";
import { findShortage } from "./certificate/shortage.js";
import { certifySurcharge } from "./certificate/surcharge.js";
import { type Clock, startClock } from "./clock.js";
import type { AscentControl } from "./dual/ascent.js";
import { ASCENTS } from "./dual/ascents.js";
import type { AscentSteps } from "./dual/steps.js";
import { startWarm, WARM_ITERATIONS } from "./dual/warm-start.js";
import { type BeyondOutcome, goBeyond } from "./exact/beyond-ascent.js";
import type { Proof, Stage } from "./exact/check-proof.js";
import { EXAMINED_TRIPLETS, examine } from "./exact/examine.js";
import type { Margins } from "./exact/margins.js";
import type { Graph } from "./instance/instance.js";
import { BestTracks } from "./primal/best-tracks.js";
import { completeTracks } from "./primal/complete.js";
import { createTracksSearch, type Tracks } from "./primal/feasible.js";
import { createStarts, type Starts } from "./primal/starts.js";
import type { HistoryRow, Solution, SolveOptions } from "./solution.js";

/** The ascent aims at a little less than the gap or difference asked for: rounding may widen it again. */
const CLOSER = 1 - 1e-6;

/** An ascent ends where the bounds differ by no more than this share of the magnitudes of the tracks' own terms: rounding leaves nothing more to gain. */
const ROUNDING_OF_TERMS = 2 ** -46;

/** Iterations between two searches for better tracks: at least these, and this share of the iterations so far. */
const SEARCH_EVERY = 10;
const SEARCH_SHARE = 0.1;

/** Relative gap from which elimination is tried inside the ascent, and again each time that so much of it is left. */
const ELIMINATE_FROM = 1e-3;
const ELIMINATE_AGAIN = 0.5;

/** Edges from which it is not tried while more than this share of them fits between the bounds. */
const CROWDED_FROM = 100_000;
const CROWDED = 0.95;

/** Rough time of an examination. */
const SECONDS_A_TRIPLET = 1e-6;

/** Iterations over which SolveOptions.rise looks back. */
const RISE_OVER = 5;

/**
 * Where an exact solve follows whatever the ascent leaves, and the instance has at most so many triplets, it follows once so many iterations have closed
 * less than this share of the gap: its linear programs close the rest sooner.
 */
const SMALL_TRIPLETS = 500_000;
const CLOSED_OVER = 75;
const CLOSED_SHARE = 0.1;

/** Edges below which a start is done before a worker thread has begun, and seconds of starts after which one is worth it. */
const THREADS_FROM = 200_000;
const THREADS_AFTER = 1;

/** Edges and triplets that iterations may still go through once the ascent has come as close as was asked for: an iteration takes some 30 ns for each. */
const CLOSING_WORK = 3e7;

/** Sweeps over even and odd pairs with which a device repairs tracks: nearly all improvement is in the first few. */
const REPAIR_SWEEPS = 6;

/**
 * Solves an instance: moves the multipliers with the ascent's steps, turns its assignments into tracks now and then, and
 * certifies the result with code that shares nothing with either.
 */
export async function solve(graph: Graph, steps: AscentSteps, options: SolveOptions): Promise<Solution> {
  const { threads = 1, threadsFrom = THREADS_FROM } = options;
  const clock = startClock(options);
  const starts = createStarts(graph, {
    threads: graph.edges >= threadsFrom ? threads : 1,
    threadsAfter: options.threadsFrom === undefined ? THREADS_AFTER : 0,
    now: options.now,
    late: () => clock.late(),
  });
  try {
    return await solveFrom(starts, graph, steps, clock, options);
  } finally {
    clock.stop();
    await starts.close();
  }
}

async function solveFrom(
  starts: Starts,
  graph: Graph,
  steps: AscentSteps,
  clock: Clock,
  options: SolveOptions,
): Promise<Solution> {
  const { now } = options;
  const { begin } = clock;
  const search = createTracksSearch(graph, clock.late);
  const best = new BestTracks(graph, search);
  const times = { feasibleTracks: 0, certificate: 0, elimination: 0, exact: 0 };
  const history: HistoryRow[] = [];
  // All bounds here are in the costs that are computed with; what was stated beyond them is added to what leaves (docs/algorithm.md §1.1).
  const { least: surcharge } = certifySurcharge(graph);
  let lowerBound = Number.NEGATIVE_INFINITY;
  /** The best of all certificates so far. */
  let certified: CertifiedBound | null = null;
  let iterations = 0;
  let searched = Number.NEGATIVE_INFINITY;
  let searchedAll = 0;
  let inDepth = false;
  let stopped = false;
  let hurried = false;
  /** Of the multipliers that the ascent keeps, where an iteration can be cut short. */
  let keptDuals: Float64Array | null = null;
  /** Those, once one was. */
  let duals: Float64Array | null = null;

  /** Adds the host's seconds to a phase; the time it waits for the device counts with the device's steps. */
  const timed = async <T>(phase: keyof typeof times, work: () => Promise<T>): Promise<T> => {
    const ofHost = () => now() - Object.values(steps.times).reduce((sum, seconds) => sum + seconds, 0);
    const from = ofHost();
    const result = await work();
    times[phase] += ofHost() - from;
    return result;
  };

  /** Offers tracks built from the present assignment, and from the multipliers front to back and back to front. */
  const searchAll = async (): Promise<void> => {
    const from = now();
    const candidates = await starts.from(await steps.read());
    for (const candidate of candidates) best.offer(candidate);
    searchedAll = iterations;
    clock.reserve = 1.5 * (now() - from);
    clock.onLate(cutShort);
    if (best.tracks !== null || inDepth) return;
    // Each of them uses a forbidden triplet.
    inDepth = true;
    const tracks = completeTracks(graph, candidates[0]);
    if (tracks === null) return;
    best.offer(tracks);
    const improved = Int32Array.from(tracks);
    search.improve(improved);
    best.offer(improved);
  };

  /** The search of every so many iterations. A device that repairs tracks by itself does so, and the rest comes seldom. */
  const searchTracks = async (): Promise<void> => {
    if (steps.repairTracks === undefined || iterations >= 2 * searchedAll) await searchAll();
    else best.offer(await steps.repairTracks(REPAIR_SWEEPS));
    searched = iterations;
  };

  const { difference = 0, closing = false } = options;
  /** How far the device's bounds may lie above what is certified; f64 is exact enough to need none. */
  let deviceError = 0;
  /** The highest bound that elimination has proved, next to the best tracks of the time. */
  let lifted = null as { readonly bound: number; readonly tracks: Tracks; readonly stage: Stage } | null;
  const bound = (): number => Math.max(lowerBound, lifted?.bound ?? lowerBound);
  const isBest = (tracks: Tracks): boolean => tracks.every((e, d) => best.tracks?.[d] === e);
  /** The best tracks when they were proved optimal, and the multipliers that did so. */
  let proved = null as { readonly bound: number; readonly tracks: Tracks; readonly stage: Stage } | null;
  const isProved = (): boolean => proved !== null && isBest(proved.tracks);
  const exhausted = (): boolean => isProved() || best.upperBound - bound() <= ROUNDING_OF_TERMS * best.magnitude;
  // The certificate may lie below the ascent's bound by rounding, so the ascent aims a little higher.
  const closed = (): boolean =>
    exhausted() ||
    relativeGap(bound(), best.upperBound) <= CLOSER * options.gap ||
    best.upperBound - bound() <= CLOSER * difference;
  /** Iterations when the bounds were close enough for the first time. */
  let closedAt = Number.POSITIVE_INFINITY;
  /** Whether the ascent may end: not yet where it is close enough, not optimal, and to go on for a while. */
  const done = (): boolean => {
    if (!closed()) return false;
    closedAt = Math.min(closedAt, iterations);
    return exhausted() || !closing || (iterations - closedAt) * (graph.edges + graph.triplets.count) >= CLOSING_WORK;
  };
  const record = (): void => {
    const stated = bound() + surcharge;
    const gap = relativeGap(stated, best.cost);
    const row = { iteration: iterations, lowerBound: stated, upperBound: best.cost, gap, seconds: now() - begin };
    history.push(row);
    options.progress?.(row);
  };

  const multipliers = async () => {
    const { v, columnDual } = await steps.read();
    return { v, columnDual: duals ?? columnDual };
  };

  /** The multipliers of the best certificate. */
  let certifiedBy: Stage | null = null;
  /** Certifies the present multipliers; every certificate holds, so the best one of the solve is kept. */
  const certify = async (): Promise<CertifiedBound> => {
    const stage = stageAt(graph, await multipliers());
    const bound = certifyBound(graph, stage.v, stage.columnDual);
    if (certified === null || bound.computed > certified.computed) [certified, certifiedBy] = [bound, stage];
    return bound;
  };

  const watched: AscentSteps = {
    ...steps,
    async keep() {
      await steps.keep();
      if (steps.limit !== undefined) keptDuals = (await steps.read()).columnDual.slice();
    },
  };

  let eliminatedAt = Number.POSITIVE_INFINITY;
  const examineTracks = async (by: Stage | null = null) => {
    if (options.eliminate === false || best.tracks === null) return null;
    const large = graph.triplets.count > EXAMINED_TRIPLETS;
    if (large && relativeGap(bound(), best.upperBound) > EQUAL) return null;
    if (now() - begin + SECONDS_A_TRIPLET * graph.triplets.count > options.time + 1) return null;
    const stage = by ?? stageAt(graph, await multipliers());
    const found = examine(graph, stage.v, stage.columnDual, best.tracks, stage);
    if (found === null) return null;
    const tracks = best.tracks.slice();
    if (lifted === null || found.lowerBound > lifted.bound) lifted = { bound: found.lowerBound, tracks, stage };
    if (found.optimal && !isProved()) proved = { bound: found.lowerBound, tracks, stage };
    return { ...found, stage };
  };

  /** Whether nearly every edge by itself fits between the bounds, so that elimination is not worth its time yet. */
  const roomForAll = async (): Promise<boolean> => {
    if (graph.edges < CROWDED_FROM) return false;
    const { reduced, rowDual, columnDual } = await steps.read();
    const room = best.upperBound - lowerBound;
    let inside = 0;
    const fits = (e: number): boolean => {
      const [i, j] = [graph.tail[e], graph.head[e]];
      return reduced[e] - (i === UNASSIGNED ? 0 : rowDual[i]) - (j === UNASSIGNED ? 0 : columnDual[j]) < room;
    };
    for (let e = 0; e < graph.edges; e++) if (fits(e)) inside++;
    return inside > CROWDED * graph.edges;
  };

  /** The best bound after each iteration. */
  const bounds: number[] = [];
  const risesTooLittle = (): boolean => {
    bounds.push(lowerBound);
    const before = bounds[bounds.length - 1 - RISE_OVER];
    if (options.rise === undefined || before === undefined) return false;
    return lowerBound - before < options.rise * Math.abs(lowerBound);
  };

  const exactFollows =
    options.exact?.always === true && graph.surcharge === null && graph.triplets.count <= SMALL_TRIPLETS;
  const closesTooLittle = (): boolean => {
    const before = bounds[bounds.length - 1 - CLOSED_OVER];
    return exactFollows && before !== undefined && lowerBound - before < CLOSED_SHARE * (best.upperBound - lowerBound);
  };

  const control: AscentControl = {
    upperBound: () => best.upperBound,
    async iterated() {
      iterations++;
      await options.pause?.();
      hurried ||= now() - begin + clock.reserve >= options.time || options.interrupted?.() === true;
      if (risesTooLittle() || iterations >= options.iterations || hurried) {
        stopped = true;
        return true;
      }
      return closesTooLittle();
    },
    async bounded(bound) {
      const rose = bound - deviceError > lowerBound;
      // A bound that is no number is none.
      if (rose) lowerBound = bound - deviceError;
      if (bound === Number.POSITIVE_INFINITY) return true;
      const since = iterations - searched;
      // The last search is made in any case.
      const isLastNear = history.length > 0 && iterations + SEARCH_EVERY > options.iterations;
      if (rose && !isLastNear && since >= Math.max(SEARCH_EVERY, SEARCH_SHARE * iterations)) {
        await timed("feasibleTracks", searchTracks);
      }
      if (rose && closed() && steps.precision === "f32") {
        const { computed } = await timed("certificate", certify);
        // Multipliers that prove nothing tell nothing of the device's rounding.
        if (Number.isFinite(computed)) deviceError = Math.max(deviceError, bound - computed);
        lowerBound = certified?.computed ?? computed;
      }
      const gap = relativeGap(lowerBound, best.upperBound);
      if (rose && !done() && gap <= Math.min(ELIMINATE_FROM, ELIMINATE_AGAIN * eliminatedAt)) {
        eliminatedAt = gap;
        if (!(await roomForAll())) await timed("elimination", () => examineTracks());
      }
      record();
      return done();
    },
  };

  const cutSteps = steps.limit?.(clock.late);
  const cutShort = () => {
    cutSteps?.();
    starts.cut();
  };
  clock.onLate(cutShort);
  const outOfTime = await cutsShort(async () => {
    if (options.start && options.iterations > WARM_ITERATIONS) {
      const { length } = options.start;
      invariant(length === graph.edges, () => `start: ${length} multipliers for ${graph.edges} edges`);
      const wrong = options.start.findIndex((value) => !Number.isFinite(value));
      if (wrong >= 0)
        throw new InputError(`start: multiplier ${wrong} is ${options.start[wrong]}; give finite numbers`);
      await startWarm(steps, options.start, control);
    }
    await ASCENTS[options.ascent](watched, control);
  });
  hurried ||= clock.late();
  clock.stop();
  steps.limit?.(null);
  if (outOfTime) {
    stopped = true;
    duals = keptDuals;
    // Without any, the present ones are certified: any are valid.
    if (keptDuals !== null) await steps.restore();
  }
  if (lowerBound === Number.POSITIVE_INFINITY) {
    // Either an X-LAP has no solution, or there was an overflow; only a proof of its own tells which.
    const shortage = findShortage(graph);
    if (shortage !== null) {
      return {
        status: "infeasible",
        shortage,
        lowerBound,
        upperBound: best.upperBound,
        gap: Number.POSITIVE_INFINITY,
        iterations,
        hurried,
        tracks: null,
        history,
        times,
        margins: null,
        proof: null,
        exact: null,
      };
    }
    lowerBound = Number.NEGATIVE_INFINITY;
  }
  if (!closed() && !outOfTime) await timed("feasibleTracks", searchAll);
  await timed("certificate", certify);
  // What is stated is what one proof proves next to the best tracks; next to other tracks the same multipliers prove another bound.
  let known: { readonly bound: number; readonly proof: Proof | null } = {
    bound: (certified as CertifiedBound | null)?.computed ?? Number.NEGATIVE_INFINITY,
    proof: certifiedBy && proofBy(certifiedBy),
  };
  const offer = (bound: number, proof: Proof): void => {
    if (bound > known.bound) known = { bound, proof };
  };
  const examineBest = async (stage: Stage | null = null, proof: Proof | null = null) => {
    const found = await timed("elimination", () => examineTracks(stage));
    if (found !== null) offer(found.lowerBound, proof ?? proofBy(found.stage));
    return found;
  };
  /** Takes up what elimination has proved, once more where the tracks have become others since. */
  const takeUp = async (before: typeof lifted): Promise<void> => {
    if (before === null || before.bound <= known.bound) return;
    if (isBest(before.tracks)) offer(before.bound, proofBy(before.stage));
    else await examineBest(before.stage);
  };
  const { bound: certificate, proof: certificateProof } = known;
  let before = lifted;
  let examined = await examineBest();
  await takeUp(before);
  let exact: BeyondOutcome | null = null;
  if (best.tracks !== null) {
    lifted = null;
    lowerBound = known.bound;
    // Where births and deaths are not computed with as stated, the cheapest tracks are those of other costs.
    const wanted = options.exact !== undefined && (options.exact.always || !stopped) && !closed();
    const stage = isProved() && proved !== null ? proved.stage : known.proof?.stages[0];
    if (wanted && graph.surcharge === null && stage !== undefined) {
      before = { bound: known.bound, tracks: best.tracks, stage };
      exact = await timed("exact", () => goOn(stage, best.tracks as Tracks));
      if (exact !== null) {
        const priced = priceTracks(graph, exact.tracks);
        if (priced.status === "feasible") best.take(exact.tracks, priced);
        if (exact.outcome === "time") stopped = true;
        known = { bound: certificate, proof: certificateProof };
        offer(exact.lowerBound, exact.proof);
        const { below, ...whole } = exact.proof.stages[0];
        // A core of what costs less than a bound is not cut by elimination.
        examined = await examineBest(whole, below === undefined ? exact.proof : null);
        await takeUp(before);
      }
    }
  }
  const wanted = options.margins === true && graph.surcharge === null;
  return conclude(wanted ? (examined?.margins() ?? null) : null);

  async function goOn(stage: Stage, tracks: Tracks): Promise<BeyondOutcome | null> {
    const { progress, load, mostTriplets, mostLeaves } = options.exact as NonNullable<SolveOptions["exact"]>;
    const certifiedBefore = lowerBound;
    const outcome = await goBeyond(graph, stage, tracks, {
      open: await load(),
      mostTriplets,
      mostLeaves,
      iterations: options.iterations,
      gap: options.gap,
      now,
      time: options.time - (now() - begin),
      spent: now() - begin,
      ...(options.interrupted && { interrupted: options.interrupted }),
      ...(options.pause && { pause: options.pause }),
      progress(state) {
        progress?.(state);
        lowerBound = Math.max(lowerBound, state.lowerBound);
        record();
      },
    });
    // Bounds reported on the way are cut to the bound that was certified.
    lowerBound = certifiedBefore;
    return outcome;
  }

  /** What follows from the best tracks and the best certificate. */
  function conclude(margins: Margins | null): Solution {
    // A proof that the tracks are optimal goes before another one of a higher bound, which may differ from it by rounding.
    if (exact?.optimal === true) known = { bound: exact.lowerBound, proof: exact.proof };
    else if (isProved() && proved !== null) known = { bound: proved.bound, proof: proofBy(proved.stage) };
    const bound = stateBound(graph, known.bound);
    const priced = best.tracks === null ? null : priceTracks(graph, best.tracks);
    [lowerBound, lifted] = [bound.computed, null];
    record();
    const gap = relativeGap(bound.lowerBound, best.cost);
    const rows = history.map((row) => notAbove(bound.lowerBound, row));
    const { lowerBound: stated } = bound;
    const solution = {
      lowerBound: stated,
      upperBound: best.cost,
      gap,
      iterations,
      hurried,
      tracks: best.tracks,
      margins,
      proof: best.tracks && known.proof,
      exact,
      history: rows,
      times,
    };
    if (priced?.status !== "feasible") return { ...solution, status: "unsolved" };
    const optimal = isProved() || exact?.optimal === true || bound.computed >= best.upperBound;
    // Tracks that are the cheapest as computed with are so as stated, where they leave out no more than any must (docs/algorithm.md §1.1).
    if (optimal && priced.beyond === 0) return { ...solution, status: "optimal" };
    // The gap is taken in both costs: where all tracks pay a large surcharge, a gap relative to that alone would be close to 0.
    const equal = Math.max(gap, relativeGap(bound.computed, best.upperBound)) <= EQUAL;
    if (equal || gap <= options.gap || best.cost - stated <= difference) return { ...solution, status: "gap" };
    return { ...solution, status: stopped ? "stopped" : "stalled" };
  }
}

/** A stage of a proof, by a copy of the multipliers; 0 where none is read: on the first frame pair, for births, and in the first frame. */
function stageAt({ frames, frameStart, outStart, links, edges }: Graph, given: Pick<Stage, "v" | "columnDual">): Stage {
  const [v, columnDual] = [given.v.slice(), given.columnDual.slice()];
  v.fill(0, 0, outStart[frameStart[1]]);
  if (edges > links) {
    v.fill(0, links, links + frameStart[1]);
    v.fill(0, links + frameStart[frames - 1]);
  }
  columnDual.fill(0, 0, frameStart[1]);
  return { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
}

function proofBy(stage: Stage): Proof {
  return { stages: [stage], leaves: [] };
}

/** Does some work; whether it was cut short. */
async function cutsShort(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return false;
  } catch (error) {
    if (error instanceof OutOfTime) return true;
    throw error;
  }
}

/** A row of the history with a valid bound; the ascent's own bounds are sums in floating point. */
function notAbove(certified: number, row: HistoryRow): HistoryRow {
  if (row.lowerBound <= certified) return row;
  return { ...row, lowerBound: certified, gap: relativeGap(certified, row.upperBound) };
}
