import { weighCuts } from "../certificate/cuts.js";
import { reduceCosts } from "../certificate/reduced-costs.js";
import { incidenceOf } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
import type { Stage } from "./check-proof.js";
import { ascendWithCuts } from "./cut-ascent.js";
import { EXAMINED_TRIPLETS } from "./examine.js";
import type { OpenLinearProgram } from "./linear-program.js";
import { searchRegions } from "./region-search.js";
import { type ExactOptions, type ExactOutcome, solveExactly } from "./solve-exactly.js";
import { goalOf, meets, narrow } from "./stages.js";

export interface BeyondOptions extends Omit<ExactOptions, "open"> {
  /** null where there is no solver of linear programs. */
  readonly open: OpenLinearProgram | null;
  /** Of the bundle with cuts at most. */
  readonly iterations: number;
}

/** How what an ascent left open was closed, or as far as it went. */
export interface BeyondOutcome extends ExactOutcome {
  /** Whose multipliers were certified last. */
  readonly by: "linear programs" | "bundle";
}

/** Share of the time that the search for better tracks may take. */
const SEARCH_SHARE = 0.25;

/**
 * Goes on where an ascent stalled (docs/exact.md §5): linear programs with cuts, and the tree, where what is left is small enough for them. Else better tracks by
 * regions, and the same again. Then the bundle with cuts on the whole instance, and the linear programs on what that leaves, or on as much of it
 * as they can take; where that takes too long, because the instance is large, the latter from the start.
 * @returns null where the tracks are not allowed
 */
export async function goBeyond(
  graph: Graph,
  stage: Stage,
  startTracks: Int32Array,
  options: BeyondOptions,
): Promise<BeyondOutcome | null> {
  const { open, now, gap } = options;
  const end = now() + options.time;
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
    const better = await searchRegions(graph, stage, tracks, { ...options, open, time: SEARCH_SHARE * (end - now()) });
    const improved = better !== tracks;
    tracks = better;
    if (!examined) {
      const restricted = await exactly(stage, true);
      // Without a second stage nothing was cut.
      if (restricted !== null && restricted.proof.stages.length > 1) return restricted;
    }
    const second = examined && improved ? await exactly(stage, false) : null;
    if (second !== null && second.outcome !== "large") return second;
  }
  const goal = goalOf(graph, tracks);
  if (goal === null) return null;

  const met = (bound: number): boolean => meets(bound, goal, gap);
  const { edges } = graph;
  const { count: triplets } = graph.triplets;
  const weighed = await ascendWithCuts(graph, stage, {
    upperBound: goal.cost,
    met,
    iterations: options.iterations,
    time: end - now(),
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
  const again = met(reduced.constant) || !examined ? null : await exactly(weighed, true);
  if (again !== null && !(again.outcome === "large" && again.lowerBound <= reduced.constant)) return again;
  // Elimination may prove what the bound alone does not.
  const eliminated = examined && narrow(reduced, incidence, tracks, goal, 0)?.core === null;
  return {
    lowerBound: eliminated ? goal.least : Math.min(reduced.constant, goal.least),
    upperBound: goal.cost,
    tracks,
    proof: { stages: [weighed], leaves: [] },
    cuts: weighed.cuts.length,
    leaves: 0,
    outcome: eliminated || met(reduced.constant) ? "closed" : now() >= end ? "time" : "still",
    by: "bundle",
  };
}
