import { UNASSIGNED } from "../../lap/lap.js";
import type { EdgeIndex } from "./edges.js";
import type { Exclusions } from "./priced.js";
import { type TripletRuleSource, tripletRule } from "./triplet-rules.js";

/**
 * The graph of a multidimensional assignment problem: detections, edges, and the costs of edges and triplets (docs/explanation/mathematics.md §1).
 *
 * Detections are numbered from 0 over all frames: detection d of frame p has frameStart[p] ≤ d < frameStart[p + 1], and its
 * local index is d − frameStart[p]. Frame pair p joins frames p and p + 1, 0 ≤ p < frames − 1; an edge belongs to one pair.
 *
 * A track is a path of links; where it starts after the first frame it has a birth edge, where it ends before the last a
 * death edge. Births and deaths come together or not at all.
 */
export interface Graph extends EdgeIndex {
  /** Number of frames T ≥ 2. */
  readonly frames: number;
  /** Length T + 1. */
  readonly frameStart: Uint32Array;
  /** Detection an edge leaves, or UNASSIGNED for a birth; length edges. */
  readonly tail: Int32Array;
  /** Detection an edge enters, or UNASSIGNED for a death; length edges. */
  readonly head: Int32Array;
  /** C_e, finite; length edges. For births and deaths these are the costs computed with, which may be less than the stated ones: see `surcharge`. */
  readonly cost: Float64Array;
  readonly triplets: Triplets;
  /** null where the stated costs of births and deaths are used unchanged. */
  readonly surcharge: Surcharge | null;
  /** null where any detections may be used together. */
  readonly exclusions: Exclusions | null;
  /** By detection, the one whose twin it is (twins.ts), UNASSIGNED for those that are no twins; null where there are none. */
  readonly motherOf: Int32Array | null;
}

/** The stated births and deaths, where computing with them would round away all other costs (docs/explanation/mathematics.md §1.1). */
export interface Surcharge {
  /** Stated costs; length edges. */
  readonly stated: Float64Array;
  /** κ: `cost` of a birth is its stated cost less κ or less, that of a death its stated cost plus κ or less. */
  readonly shift: number;
}

/** Triplet costs D_ef of consecutive edges e, f. A pair of edges that has none is forbidden. */
export type Triplets = StoredTriplets | ImplicitTriplets;

/**
 * CSR-COO: row e holds every edge f that may follow e. Births have rows like any edge that enters a detection; the rows of
 * deaths are empty, and so are those of edges into the last frame.
 */
export interface StoredTriplets {
  readonly kind: "csr";
  /** Number of triplets. */
  readonly count: number;
  /** Length edges + 1. */
  readonly rowStart: Uint32Array;
  /** f of each triplet, strictly increasing within a row; length triplets. */
  readonly successor: Uint32Array;
  /** D_ef, finite; length triplets. */
  readonly cost: Float64Array;
  /** Whether all edges into a detection may be followed by all out of it, and only its birth and its death may cost anything together. */
  readonly areFree?: boolean;
}

/**
 * Every edge into a detection may be followed by every edge out of it. Between links the cost is the rule's function of their numbers m; it is 0
 * where one of them is a birth or a death. Costs are computed where they are needed.
 */
export interface ImplicitTriplets {
  readonly kind: "implicit";
  readonly rule: TripletRuleSource;
  /** Number of triplets, births and deaths included. */
  readonly count: number;
  /** m by edge, as many numbers as the rule takes; 0 for births and deaths. */
  readonly perEdge: Float64Array;
  /**
   * As `inEdge`, and the links out of detection d from linkStart[d] on: where the rule's minimum is a sweep, the links of a detection come in
   * order of m.
   */
  readonly inByM: Uint32Array;
  readonly outByM: Uint32Array;
}

/** Whether an edge is a link, and no birth or death. */
export function isLink({ tail, head }: Pick<Graph, "tail" | "head">, e: number): boolean {
  return tail[e] >= 0 && head[e] >= 0;
}

/** D_ef, Infinity when f may not follow e. */
export function tripletCost(graph: Omit<Graph, "surcharge" | "exclusions" | "motherOf">, e: number, f: number): number {
  const { triplets, head, tail } = graph;
  if (triplets.kind === "implicit") {
    if (head[e] !== tail[f] || head[e] < 0) return Number.POSITIVE_INFINITY;
    if (tail[e] === UNASSIGNED || head[f] === UNASSIGNED) return 0;
    const rule = tripletRule(triplets.rule);
    return rule.cost(triplets.perEdge, rule.width * e, rule.width * f);
  }
  const isFree = triplets.areFree === true && head[e] === tail[f] && (tail[e] >= 0 || head[f] >= 0);
  if (isFree && head[e] >= 0) return 0;
  const t = tripletIndex(triplets, e, f);
  return t < 0 ? Number.POSITIVE_INFINITY : triplets.cost[t];
}

/** The link from i to j, −1 where there is none. */
export function linkBetween(
  { linkStart, linkEnd, head }: Pick<Graph, "linkStart" | "linkEnd" | "head">,
  i: number,
  j: number,
): number {
  let low = linkStart[i];
  let high = linkEnd[i] - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (head[middle] === j) return middle;
    if (head[middle] < j) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The index of the stored triplet (e, f), −1 when f may not follow e. */
export function tripletIndex({ rowStart, successor }: StoredTriplets, e: number, f: number): number {
  let low = rowStart[e];
  let high = rowStart[e + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = successor[middle];
    if (found === f) return middle;
    if (found < f) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
