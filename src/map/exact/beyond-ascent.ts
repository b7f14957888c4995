import { incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import { payingTwins } from "../instance/twins.js";
import { wholeOf } from "../proof/core.js";
import { isExhaustible } from "../proof/exhaustion.js";
import type { Stage } from "../proof/proof.js";
import type { Ending } from "./attempt.js";
import type { BeyondOptions, BeyondOutcome } from "./beyond-options.js";
import { boundInRegions } from "./beyond-regions.js";
import { tripletsOfTracks } from "./core.js";
import { ascendWithCuts } from "./cut-ascent.js";
import { type ExactOptions, progressOf } from "./exact-run.js";
import { EXAMINED_TRIPLETS } from "./examine.js";
import { searchWithNoise } from "./noise-search.js";
import { EFFECT, Patience, withPatience } from "./patience.js";
import { searchRegions } from "./region-search.js";
import { SearchByMultipliers } from "./search-by-multipliers.js";
import { searchAll } from "./small-search.js";
import { solveExactly } from "./solve-exactly.js";
import { boundBy, type Goal, goalOf, meets, narrow, type ReducedCosts, reduceCore, reduceCosts } from "./stages.js";

/** Shares of the time, or of the work that may have no effect, that the searches for better tracks may take: with noise, then by regions. */
const NOISE_SHARE = 0.2;
const REGIONS_SHARE = 0.1;
/** Share of the time for the last search and regions after a bundle that weighs exclusions; and for regions, of what is left then. */
const AFTER_SHARE = 0.3;
const AFTER_REGIONS = 0.5;
/**
 * Share of the time after which the bundle with cuts makes way for linear programs, on large instances (chosen on the odd seeds of lab/notes/exact.md's [300, 5] and [150, 5]). Where the tracks alone have more triplets than this it does not: on
 * n300-t300 linear programs raise the bound by half as much.
 */
const BUNDLE_SHARE = 0.5;
/** Share of the work without effect, that of the searches before it included, after which the bundle makes way. */
const BUNDLE_PATIENCE = 0.8;
const MOST_OF_TRACKS = 20_000;

/**
 * Goes on where an ascent stalled (docs/explanation/proofs.md §5): linear programs with cuts, and the tree, where the core is small enough for them. Else it searches
 * for better tracks by regions, and tries the same again. Then comes the bundle with cuts on the whole instance, and after it the linear programs, on the core or
 * on as large a part of it as they can solve.
 * @returns null where the tracks are not allowed
 */
export async function goBeyond(
  graph: Graph,
  given: Stage,
  tracks: Int32Array,
  options: BeyondOptions,
): Promise<BeyondOutcome | null> {
  const end = options.now() + options.time;
  const inRegions = await boundInRegions(graph, given, tracks, options);
  // A tree of the whole is the product of those of its regions, and blocks have searched for tracks.
  if (inRegions !== null && (inRegions.outcome === "closed" || inRegions.isMade)) return inRegions;
  const found = await goOn(graph, given, tracks, { ...options, time: end - options.now() });
  if (found === null || found.optimal || inRegions === null || inRegions.lowerBound <= found.lowerBound) return found;
  return { ...found, lowerBound: inRegions.lowerBound, proof: inRegions.proof, cuts: inRegions.cuts };
}

async function goOn(
  graph: Graph,
  given: Stage,
  initialTracks: Int32Array,
  options: BeyondOptions,
): Promise<BeyondOutcome | null> {
  const { now, gap } = options;
  const end = now() + options.time;
  const patience = options.vain === undefined ? null : new Patience(options.vain);
  const stage = notWorseThanNone(graph, given);
  const searched = searchBeyond(graph, stage, initialTracks);
  if (searched?.optimal === true) return searched;
  const solver = await options.load();
  const open = solver && (patience?.counting(solver) ?? solver);
  const examined = options.isSmall === true || graph.triplets.count <= EXAMINED_TRIPLETS;
  let tracks = searched?.tracks ?? initialTracks;
  const endedBy = (outcome: Ending) =>
    endingOf(outcome, patience !== null && now() < end && options.interrupted?.() !== true);
  const exactly = async (from: Stage, restrict: boolean): Promise<BeyondOutcome | null> => {
    if (open === null) return null;
    const found = await solveExactly(graph, from, tracks, {
      ...withPatience(options, patience, 1),
      ...(patience && { leastShare: EFFECT }),
      open,
      restrict,
      time: end - now(),
    });
    return found && { ...found, outcome: endedBy(found.outcome), by: "linear programs" };
  };
  // Multipliers that know no exclusions prove too little, and the searches for better tracks know none.
  const isFree = graph.exclusions === null && payingTwins(graph).length === 0;
  const exclusive = isFree ? null : new SearchByMultipliers(graph, tracks, () => now() >= end);
  const first = examined ? await exactly(stage, false) : null;
  if (first?.outcome === "closed" || (first !== null && isFree && first.outcome !== "large")) return first;
  tracks = first?.tracks ?? tracks;
  if (open !== null && isFree) {
    const best = await searchTracks(graph, stage, tracks, { ...options, open, time: end - now() }, patience);
    const improved = best !== tracks;
    tracks = best;
    const second = examined && improved ? await exactly(stage, false) : null;
    if (second !== null && second.outcome !== "large") return second;
    tracks = second?.tracks ?? tracks;
  }
  const firstGoal = goalOf(graph, tracks);
  if (firstGoal === null) return null;
  let goal = firstGoal;
  const adopt = (found: Int32Array): number => {
    tracks = found;
    goal = goalOf(graph, tracks) ?? goal;
    return goal.cost;
  };
  const search = (by: Stage): number => (exclusive === null ? goal.cost : adopt(exclusive.search(by)));
  const met = (bound: number): boolean => bound >= goal.near || meets(bound, goal, gap);
  const programs = examined || tripletsOfTracks(graph) <= MOST_OF_TRACKS;
  const share = open === null || examined || !programs ? (exclusive === null ? 1 : 1 - AFTER_SHARE) : BUNDLE_SHARE;
  const bundleEnd = now() + share * (end - now());
  const bundleOptions = withPatience(options, patience, programs && open !== null ? BUNDLE_PATIENCE : 1);
  const weighed = await ascendWithCuts(graph, stage, {
    ...bundleOptions,
    upperBound: goal.cost,
    ...(exclusive && { search }),
    met,
    time: bundleEnd - now(),
    progress: (bound, cuts) =>
      bundleOptions.progress?.(progressOf(graph, Math.min(bound, goal.least), goal.cost, { cuts })),
  });
  search(weighed);
  const inRegions = { ...withPatience(options, patience, 1), time: AFTER_REGIONS * (end - now()) };
  if (exclusive && open) adopt(await searchRegions(graph, weighed, tracks, { ...inRegions, open }));
  const reduced = reduceCore(wholeOf(graph, tracks), weighed);
  const again = meets(reduced.constant, goal, gap) || !programs ? null : await exactly(weighed, true);
  if (again !== null && !(again.outcome === "large" && again.lowerBound <= reduced.constant)) return again;
  const proved = provedBy(weighed, reduced, tracks, goal, examined || reduced.constant >= goal.near);
  const [isClosed, isCut] = [proved.optimal || met(reduced.constant), bundleOptions.interrupted?.() === true];
  const isLate = now() >= (exclusive === null ? end : bundleEnd);
  return {
    ...proved,
    outcome: isClosed ? "closed" : isLate ? "time" : endedBy(isCut ? "time" : "still"),
    by: "bundle",
  };
}

/** What multipliers prove next to tracks, where it is worth the time with elimination: that may prove what the bound alone does not. */
function provedBy(
  stage: Stage,
  reduced: ReducedCosts,
  tracks: Int32Array,
  goal: Goal,
  eliminates = true,
): Omit<BeyondOutcome, "outcome" | "by"> {
  const left = eliminates ? narrow(wholeOf(reduced.graph, tracks), reduced, goal, 0) : null;
  const optimal = left?.core === null;
  return {
    lowerBound: Math.min(optimal ? left.bound : reduced.constant, goal.least),
    ...{ upperBound: goal.cost, tracks, optimal, cuts: stage.cuts.length, leaves: 0 },
    proof: { stages: [stage], leaves: [] },
  };
}

/** Where neither the time nor the user ended it, the patience did. */
function endingOf(outcome: Ending, byPatience: boolean): BeyondOutcome["outcome"] {
  return outcome === "time" && byPatience ? "fruitless" : outcome;
}

/** Where what is left is so little that all of it can be gone through; null where it is more, or the tracks are not allowed. */
function searchBeyond(graph: Graph, stage: Stage, initialTracks: Int32Array): BeyondOutcome | null {
  if (!isExhaustible(graph)) return null;
  const first = goalOf(graph, initialTracks);
  if (first === null) return null;
  const whole = wholeOf(graph, initialTracks);
  const reduced = reduceCore(whole, stage);
  const tracks = searchAll(whole, reduced, first) ?? initialTracks;
  const goal = goalOf(graph, tracks) ?? first;
  const proved = provedBy(stage, reduced, tracks, goal);
  return { ...proved, cuts: 0, outcome: proved.optimal ? "closed" : "still", by: "search" };
}

/** Multipliers that prove less than none do, as those of an overflow, are no place to begin. */
function notWorseThanNone(graph: Graph, given: Stage): Stage {
  const { edges, frames, frameStart } = graph;
  const none: Stage = {
    v: new Float64Array(edges),
    columnDual: new Float64Array(frameStart[frames]),
    cuts: [],
    cutMultipliers: new Float64Array(0),
  };
  return boundBy(graph, given) >= boundBy(graph, none) ? given : none;
}

/** Better tracks, found with noise and then by regions; the given ones where there are none. */
async function searchTracks(
  graph: Graph,
  stage: Stage,
  tracks: Int32Array,
  { spent = Number.POSITIVE_INFINITY, ...options }: Omit<BeyondOptions, "open"> & Pick<ExactOptions, "open">,
  patience: Patience | null,
): Promise<Int32Array> {
  const reduced = reduceCosts(graph, incidenceOf(graph), stage.v, stage.columnDual);
  const withNoise = withPatience(options, patience, NOISE_SHARE);
  const better = await searchWithNoise(reduced, tracks, {
    ...withNoise,
    time: Math.min(NOISE_SHARE * options.time, patience === null ? spent : Number.POSITIVE_INFINITY),
    progress: (upperBound) => withNoise.progress?.(progressOf(graph, reduced.constant, upperBound)),
  });
  const byRegions = withPatience(options, patience, NOISE_SHARE + REGIONS_SHARE);
  return searchRegions(graph, stage, better, { ...byRegions, time: REGIONS_SHARE * options.time });
}
