import { certifyBound } from "../certificate/certificate.js";
import { weighCuts } from "../certificate/cuts.js";
import { reduceCosts } from "../certificate/reduced-costs.js";
import { incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import { wholeOf } from "../proof/core.js";
import type { Stage } from "../proof/proof.js";
import { ascendWithCuts } from "./cut-ascent.js";
import { EXAMINED_TRIPLETS } from "./examine.js";
import type { OpenLinearProgram } from "./linear-program.js";
import { searchWithNoise } from "./noise-search.js";
import { searchRegions } from "./region-search.js";
import { type ExactOptions, type ExactOutcome, solveExactly } from "./solve-exactly.js";
import { goalOf, meets, narrow } from "./stages.js";

export interface BeyondOptions extends Omit<ExactOptions, "open"> {
  /** null where there is no solver of linear programs. */
  readonly open: OpenLinearProgram | null;
  /** Of the bundle with cuts at most. */
  readonly iterations: number;
  /** Seconds that the ascent took: the search with noise takes no longer, also where there is no limit of time [no limit]. */
  readonly spent?: number;
}

/** How what an ascent left open was closed, or as far as it went. */
export interface BeyondOutcome extends ExactOutcome {
  /** Whose multipliers were certified last. */
  readonly by: "linear programs" | "bundle";
}

/** Shares of the time that the searches for better tracks may take: with noise, then by regions. */
const NOISE_SHARE = 0.2;
const REGIONS_SHARE = 0.1;
/**
 * Share of the time after which the bundle with cuts makes way for linear programs, on large instances. Where the tracks alone have more triplets than this it does not: on
 * n300-t300 linear programs raise the bound by half as much.
 */
const BUNDLE_SHARE = 0.25;
const MOST_OF_TRACKS = 20_000;

/**
 * Goes on where an ascent stalled (docs/explanation/proofs.md §5): linear programs with cuts, and the tree, where what is left is small enough for them. Else better tracks by
 * regions, and the same again. Then the bundle with cuts on the whole instance, and the linear programs on what that leaves, or on as much of it
 * as they can take.
 * @returns null where the tracks are not allowed
 */
export async function goBeyond(
  graph: Graph,
  given: Stage,
  startTracks: Int32Array,
  options: BeyondOptions,
): Promise<BeyondOutcome | null> {
  const { open, now, gap } = options;
  const end = now() + options.time;
  const { edges, frames, frameStart } = graph;
  // Multipliers that prove less than none do, as those of an overflow, are no place to begin.
  const none: Stage = { ...given, v: new Float64Array(edges), columnDual: new Float64Array(frameStart[frames]) };
  const boundOf = ({ v, columnDual }: Stage): number => certifyBound(graph, v, columnDual).computed;
  const stage = boundOf(given) >= boundOf(none) ? given : none;
  const examined = graph.triplets.count <= EXAMINED_TRIPLETS;
  let tracks = startTracks;
  const exactly = async (from: Stage, restrict: boolean): Promise<BeyondOutcome | null> => {
    if (open === null) return null;
    const outcome = await solveExactly(graph, from, tracks, { ...options, open, restrict, time: end - now() });
    return outcome && { ...outcome, by: "linear programs" };
  };
  if (open !== null) {
    const first = examined ? await exactly(stage, false) : null;
    if (first !== null && first.outcome !== "large") return first;
    tracks = first?.tracks ?? tracks;
    const left = end - now();
    const reduced = reduceCosts(graph, incidenceOf(graph), stage.v, stage.columnDual);
    const better = await searchWithNoise(reduced, tracks, {
      ...options,
      time: Math.min(NOISE_SHARE * left, options.spent ?? Number.POSITIVE_INFINITY),
      progress(upperBound) {
        const { edges, triplets } = graph;
        const lowerBound = reduced.constant;
        options.progress?.({ lowerBound, upperBound, edges, triplets: triplets.count, cuts: 0, leaves: 0 });
      },
    });
    const best = await searchRegions(graph, stage, better, { ...options, open, time: REGIONS_SHARE * left });
    const improved = best !== tracks;
    tracks = best;
    const second = examined && improved ? await exactly(stage, false) : null;
    if (second !== null && second.outcome !== "large") return second;
    tracks = second?.tracks ?? tracks;
  }
  const goal = goalOf(graph, tracks);
  if (goal === null) return null;

  const met = (bound: number): boolean => bound >= goal.near || meets(bound, goal, gap);
  const { count: triplets } = graph.triplets;
  const programs = examined || frameStart[frames - 1] - frameStart[1] <= MOST_OF_TRACKS;
  const share = open === null || examined || !programs ? 1 : BUNDLE_SHARE;
  const weighed = await ascendWithCuts(graph, stage, {
    upperBound: goal.cost,
    met,
    iterations: options.iterations,
    time: share * (end - now()),
    now,
    ...(options.interrupted && { interrupted: options.interrupted }),
    ...(options.pause && { pause: options.pause }),
    progress(bound, cuts) {
      const lowerBound = Math.min(bound, goal.least);
      options.progress?.({ lowerBound, upperBound: goal.cost, edges, triplets, cuts, leaves: 0 });
    },
  });
  const incidence = incidenceOf(graph);
  const costs = weighCuts(graph, weighed.cuts, weighed.cutMultipliers);
  const reduced = reduceCosts(graph, incidence, weighed.v, weighed.columnDual, { cuts: costs });
  const again = met(reduced.constant) || !programs ? null : await exactly(weighed, true);
  if (again !== null && !(again.outcome === "large" && again.lowerBound <= reduced.constant)) return again;
  // Elimination may prove what the bound alone does not.
  const left = examined || reduced.constant >= goal.near ? narrow(wholeOf(graph, tracks), reduced, goal, 0) : null;
  const optimal = left?.core === null;
  return {
    lowerBound: Math.min(optimal ? left.bound : reduced.constant, goal.least),
    upperBound: goal.cost,
    tracks,
    proof: { stages: [weighed], leaves: [] },
    optimal,
    cuts: weighed.cuts.length,
    leaves: 0,
    outcome: optimal || met(reduced.constant) ? "closed" : now() >= end ? "time" : "still",
    by: "bundle",
  };
}
