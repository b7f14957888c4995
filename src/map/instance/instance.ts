import { type TripletRuleName, tripletRule } from "./triplet-rules.js";

/**
 * The graph of a multidimensional assignment problem: detections, edges, and the costs of edges and triplets (docs/explanation/mathematics.md §1).
 *
 * Detections are numbered from 0 over all frames: detection d of frame p has frameStart[p] ≤ d < frameStart[p + 1], and its
 * local index is d − frameStart[p]. An edge joins a detection to one of the next frame. Edges are numbered in three blocks:
 *
 *     links   0 … links−1                  sorted by (tail, head); those of detection d are outStart[d] … outStart[d + 1]−1
 *     deaths  links … links+deaths−1       one per detection of frames 0…T−2, in order (empty when deaths are not allowed)
 *     births  links+deaths … edges−1       one per detection of frames 1…T−1, in order (empty when births are not allowed)
 *
 * A track is a path of links; where it starts after the first frame it has a birth edge, where it ends before the last a
 * death edge. Births and deaths come together or not at all.
 */
export interface Graph {
  /** Number of frames T ≥ 2. */
  readonly frames: number;
  /** Length T + 1. */
  readonly frameStart: Uint32Array;
  readonly links: number;
  /** All edges: links, then deaths, then births. */
  readonly edges: number;
  /** Length detections + 1. */
  readonly outStart: Uint32Array;
  /** Detection an edge leaves, or UNASSIGNED for a birth; length edges. */
  readonly tail: Int32Array;
  /** Detection an edge enters, or UNASSIGNED for a death; length edges. */
  readonly head: Int32Array;
  /** C_e, finite; length edges. For births and deaths these are the costs computed with, which may be less than the stated ones: see `surcharge`. */
  readonly cost: Float64Array;
  readonly triplets: Triplets;
  /** null where the stated costs of births and deaths are used unchanged. */
  readonly surcharge: Surcharge | null;
}

/** The stated births and deaths, where computing with them would round away all other costs (docs/explanation/mathematics.md §1.1). */
export interface Surcharge {
  /** Stated costs of the deaths, then of the births; length edges − links. */
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
  readonly start: Uint32Array;
  /** f of each triplet, strictly increasing within a row; length triplets. */
  readonly successor: Uint32Array;
  /** D_ef, finite; length triplets. */
  readonly cost: Float64Array;
}

/**
 * Every edge into a detection may be followed by every edge out of it. Between links the cost is the rule's function of their numbers m; it is 0
 * where one of them is a birth or a death. Costs are computed where they are needed.
 */
export interface ImplicitTriplets {
  readonly kind: "implicit";
  readonly rule: TripletRuleName;
  /** Number of triplets, births and deaths included. */
  readonly count: number;
  /** m of each link, as many numbers as the rule takes. */
  readonly perLink: Float64Array;
  /** Links into detection d: inLink[inStart[d]] …; length detections + 1, and links. */
  readonly inStart: Uint32Array;
  readonly inLink: Uint32Array;
  /** Links out of detection d in order of m (where the rule's minimum is a sweep, else in order): outLink[outStart[d]] …; length links. */
  readonly outLink: Uint32Array;
}

/** Frame pair p joins frames p and p + 1, 0 ≤ p < frames − 1. Edges of one pair lie in three runs, one per block. */
export interface PairRuns {
  readonly linkStart: number;
  readonly linkEnd: number;
  readonly deathStart: number;
  readonly deathEnd: number;
  readonly birthStart: number;
  readonly birthEnd: number;
}

/** Of two empty frames, of which a recording may have a million. */
const NO_RUNS: PairRuns = { linkStart: 0, linkEnd: 0, deathStart: 0, deathEnd: 0, birthStart: 0, birthEnd: 0 };

/** The edges of frame pair p. */
export function pairRuns(graph: Graph, pair: number): PairRuns {
  const { frameStart, outStart, links, edges } = graph;
  const from = frameStart[pair];
  const to = frameStart[pair + 1];
  if (from === frameStart[pair + 2]) return NO_RUNS;
  const hasBirths = edges > links;
  const deaths = hasBirths ? frameStart[graph.frames - 1] : 0;
  const births = links + deaths - frameStart[1];
  return {
    linkStart: outStart[from],
    linkEnd: outStart[to],
    deathStart: hasBirths ? links + from : links,
    deathEnd: hasBirths ? links + to : links,
    birthStart: hasBirths ? births + to : links,
    birthEnd: hasBirths ? births + frameStart[pair + 2] : links,
  };
}

/** D_ef, Infinity when f may not follow e. */
export function tripletCost(graph: Omit<Graph, "surcharge">, e: number, f: number): number {
  const { triplets, head, tail, links } = graph;
  if (triplets.kind === "implicit") {
    if (head[e] !== tail[f] || head[e] < 0) return Number.POSITIVE_INFINITY;
    if (e >= links || f >= links) return 0;
    const rule = tripletRule(triplets.rule);
    return rule.cost(triplets.perLink, rule.width * e, rule.width * f);
  }
  const t = tripletIndex(triplets, e, f);
  return t < 0 ? Number.POSITIVE_INFINITY : triplets.cost[t];
}

/** The link from i to j, −1 where there is none. */
export function linkBetween({ outStart, head }: Pick<Graph, "outStart" | "head">, i: number, j: number): number {
  let low = outStart[i];
  let high = outStart[i + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    if (head[middle] === j) return middle;
    if (head[middle] < j) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The index of the stored triplet (e, f), −1 when f may not follow e. */
export function tripletIndex({ start, successor }: StoredTriplets, e: number, f: number): number {
  let low = start[e];
  let high = start[e + 1] - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = successor[middle];
    if (found === f) return middle;
    if (found < f) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
