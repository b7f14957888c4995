import { certifyBound, priceTracks, refuteTracks, stateBound } from "../certificate/certificate.js";
import { type Cut, refuteCut, weighCuts } from "../certificate/cuts.js";
import { relativeGap } from "../certificate/gap.js";
import { type ReducedCosts, reduceCosts } from "../certificate/reduced-costs.js";
import type { Graph } from "../instance/instance.js";
import type { Core } from "./core.js";
import { decide, leafCover } from "./decisions.js";
import { goalOf, narrow, narrowBelow, provedOfPart, wholeOf } from "./stages.js";

/** Multipliers at one stage: v and β by edge and detection of the stage's instance, cuts by its edges. */
export interface Stage {
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
  readonly cuts: readonly Cut[];
  /** μ ≥ 0 of each cut. */
  readonly cutMultipliers: Float64Array;
  /**
   * The core that follows has all that may cost less than this, and not all that may be cheaper than the tracks; what follows proves no
   * more than this [the cost of the tracks].
   */
  readonly below?: number;
}

/** A decision of the tree: an edge is not used (0) or used (1). */
export type Decision = readonly [edge: number, value: 0 | 1];

/** A part of what the stages leave: the decisions that lead there, and the multipliers that prove something about it. */
export interface Leaf extends Stage {
  readonly decisions: readonly Decision[];
}

/** What it takes to check a bound: stages, each of which narrows the instance to the next one, and the leaves of what is left. */
export interface Proof {
  readonly stages: readonly Stage[];
  readonly leaves: readonly Leaf[];
}

export type CheckedProof =
  | {
      readonly valid: true;
      /** No set of tracks costs less, births and deaths as stated; proved in f64 with rounding counted. */
      readonly lowerBound: number;
      /** Cost of the given tracks as stated, rounded up. */
      readonly upperBound: number;
      /** Relative, the larger of that between these and that in the costs that are computed with (docs/algorithm.md §1.1). */
      readonly gap: number;
      /** Nothing is cheaper than the tracks but by rounding (settled.ts). */
      readonly optimal: boolean;
      /** What of the proof it took: what follows stages that prove the tracks optimal is not looked at. */
      readonly stages: number;
      readonly cuts: number;
      readonly leaves: number;
      /** Triplets that were left for the leaves; 0 where the stages alone prove the tracks optimal. */
      readonly triplets: number;
    }
  | { readonly valid: false; readonly why: string };

/** Triplets of a core at most: what one made with the solver's own limit has. */
const MOST_TRIPLETS = Number.POSITIVE_INFINITY;

/**
 * Checks a proof about an instance and a set of tracks: stage by stage its multipliers bound what is left, and narrow it; the leaves cover all
 * that the last stage leaves, and each has a bound of its own. Uses certificates, chains and elimination, and nothing that searches.
 */
export function checkProof(graph: Graph, tracks: Int32Array, { stages, leaves }: Proof): CheckedProof {
  const noTracks = refuteTracks(graph, tracks);
  if (noTracks !== null) return { valid: false, why: `the tracks are none: ${noTracks}` };
  const goal = goalOf(graph, tracks);
  const priced = priceTracks(graph, tracks);
  if (goal === null || priced.status === "forbidden") return { valid: false, why: "the tracks are not allowed" };
  let here = wholeOf(graph, tracks);
  /** In the costs that are computed with. */
  let lowerBound = Number.NEGATIVE_INFINITY;
  const used = { stages: 0, cuts: 0, leaves: 0 };
  /** Nothing that costs less than the tracks is left. */
  let closed = false;
  const proved = (computed: number, triplets: number, cheapest: boolean): CheckedProof => {
    const { lowerBound } = stateBound(graph, computed);
    const gap = Math.max(relativeGap(lowerBound, priced.cost), relativeGap(computed, priced.computed));
    // Tracks that are the cheapest as computed with are so as stated, where they leave out no more than any must (docs/algorithm.md §1.1).
    const optimal = cheapest && priced.beyond === 0;
    return { valid: true, lowerBound, upperBound: priced.cost, gap, optimal, ...used, triplets };
  };
  /** What costs less than this is in the present core; Infinity where all is that may be cheaper than the tracks. */
  let below = Number.POSITIVE_INFINITY;
  const raise = (bound: number): void => {
    lowerBound = Math.max(lowerBound, Math.min(bound, below, goal.least));
  };

  for (const [n, stage] of stages.entries()) {
    const why = refuteStage(here.graph, stage);
    if (why !== null) return { valid: false, why: `stage ${n} ${why}` };
    used.stages++;
    used.cuts += stage.cuts.length;
    const reduced = reducedIn(here, stage);
    raise(reduced.constant);
    // Of the whole instance, the certificate gives up less for rounding than reduced costs do.
    if (n === 0 && stage.cuts.length === 0) {
      const { computed } = certifyBound(graph, stage.v, stage.columnDual);
      raise(computed);
      closed = computed >= goal.cost;
    }
    if (!Number.isFinite(reduced.constant)) return { valid: false, why: `the multipliers of stage ${n} prove nothing` };
    // What is here is all that costs less than `below`; without it, what follows asks the same of the whole.
    closed ||=
      below >= goal.cost && below < Number.POSITIVE_INFINITY && provedOfPart(reduced, here, here.removed, goal).closed;
    if (stage.below !== undefined) {
      if (!(stage.below <= goal.cost)) return { valid: false, why: `stage ${n} looks below ${stage.below}` };
      below = Math.min(below, stage.below);
    }
    if (below < Number.POSITIVE_INFINITY) {
      const core = narrowBelow(reduced, here.incidence, here.tracks, below, MOST_TRIPLETS);
      if (core === null) return { valid: false, why: `stage ${n} leaves too much` };
      here = core;
      continue;
    }
    const next = narrow(reduced, here.incidence, here.tracks, goal, MOST_TRIPLETS);
    if (next?.core === null) {
      raise(next.bound);
      return proved(lowerBound, 0, true);
    }
    if (next === null) return { valid: false, why: `stage ${n} leaves too much` };
    raise(next.bound);
    here = next.core;
  }
  if (leaves.length === 0) return proved(lowerBound, 0, closed);

  const uncovered = leafCover(leaves.map(({ decisions }) => decisions));
  if (uncovered !== null) return { valid: false, why: uncovered };
  let least = Number.POSITIVE_INFINITY;
  let closes = true;
  for (const [n, leaf] of leaves.entries()) {
    const why = refuteStage(here.graph, leaf, leaf.decisions);
    if (why !== null) return { valid: false, why: `leaf ${n} ${why}` };
    used.leaves++;
    used.cuts += leaf.cuts.length;
    const removed = here.removed.slice();
    for (const decision of leaf.decisions) decide(here, decision, removed);
    const part = provedOfPart(reducedIn(here, leaf, removed), here, removed, goal);
    closes &&= part.closed;
    least = Math.min(least, part.bound);
  }
  raise(least);
  // What the core holds is what costs less than `below`.
  return proved(lowerBound, here.graph.triplets.count, closed || (closes && below >= goal.cost));
}

/** What a stage, or a leaf with its decisions, has that it cannot have about an instance or a core; null where there is nothing. */
export function refuteStage(
  graph: Graph,
  { v, columnDual, cuts, cutMultipliers, below = 0 }: Stage,
  decisions: readonly Decision[] = [],
): string | null {
  const { edges, frameStart, frames } = graph;
  if (v.length !== edges) return `has ${v.length} multipliers for ${edges} edges`;
  if (columnDual.length !== frameStart[frames]) return `has duals of ${columnDual.length} detections`;
  if (cutMultipliers.length !== cuts.length) return "has no multiplier for each cut";
  for (const [name, values] of [
    ["multiplier", v],
    ["dual", columnDual],
    ["multiplier of a cut", cutMultipliers],
    ["limit", [below]],
  ] as const) {
    const wrong = values.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) return `has the ${name} ${values[wrong]}`;
  }
  for (const [k, cut] of cuts.entries()) {
    const why = refuteCut(graph, cut);
    if (why !== null) return `has a cut ${k} that does not hold: ${why}`;
    if (cutMultipliers[k] < 0) return `has the multiplier ${cutMultipliers[k]} of cut ${k}`;
  }
  for (const [e] of decisions)
    if (!(Number.isInteger(e) && e >= 0 && e < edges)) return `decides an edge ${e} that is not there`;
  return null;
}

/** The reduced costs of an instance or a core by the multipliers of a stage. */
export function reducedIn(
  { graph, incidence, removed: left }: Core,
  { v, columnDual, cuts, cutMultipliers }: Stage,
  removed = left,
): ReducedCosts {
  return reduceCosts(graph, incidence, v, columnDual, { removed, cuts: weighCuts(graph, cuts, cutMultipliers) });
}
