import { UNASSIGNED } from "../../lap/lap.js";
import type { Incidence } from "../instance/incidence.js";
import { type Graph, tripletIndex } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import { CompensatedSum, ROUNDOFF } from "./compensated-sum.js";
import type { CutCosts } from "./cuts.js";

/**
 * The identity of docs/explanation/mathematics.md §2.1 with rounding counted: every allowed set of tracks T costs at least
 *
 *     constant + Σ_{e ∈ T} r_e + Σ_{(e, f) ∈ T} s_ef ,    r, s ≥ 0,
 *
 * in exact arithmetic, where r and s are the f64 numbers that this file computes.
 */
export interface ReducedCosts {
  readonly graph: Graph;
  /** −Infinity where the multipliers prove nothing, Infinity where a detection can take no edge. */
  readonly constant: number;
  /** The multipliers given and the lowered β, to which the reduced costs refer. */
  readonly v: Float64Array;
  readonly columnDual: Float64Array;
  /** At most the exact r_e and at least 0; Infinity for an edge that cannot be used. Length edges. */
  readonly edge: Float64Array;
  /** At most the exact s_ef and at least 0, for the t-th stored triplet of e into f (t is ignored for implicit triplets). */
  triplet(e: number, f: number, t: number): number;
  /** The same for any two edges, Infinity where f may not follow e. */
  between(e: number, f: number): number;
  /** At least the exact r_e, of an edge that can be used. */
  edgeAtMost(e: number): number;
  /** At least the exact s_ef, where f may follow e. */
  betweenAtMost(e: number, f: number): number;
  /** At least what the right sides of all cuts, weighed, exceed the items that are in a set of tracks; 0 without cuts. */
  slackOfCuts(edges: Iterable<number>, triplets: Iterable<readonly [e: number, f: number]>): number;
}

/** A restriction of an instance: edges that are known not to be used, and inequalities with their multipliers. */
export interface Restriction {
  /** 1 for an edge that is left out; length edges. */
  readonly removed?: Uint8Array | undefined;
  readonly cuts?: CutCosts | undefined;
}

/** Allowance for a few roundings of numbers whose magnitudes sum to `size`, itself computed in f64. */
const rounded = (size: number): number => 3 * ROUNDOFF * size;

/** At most an exact number that is 0 or more, from what was computed for it and the magnitudes of its terms; 0 where these overflow. */
const atLeast = (computed: number, size: number): number => {
  const least = computed - rounded(size);
  return least > 0 ? least : 0;
};

/**
 * Reduced costs from multipliers v (length edges; ignored on the first frame pair and for births) and column duals β (length
 * detections), found by any solver. Δ_e is lowered until no s_ef is negative, β_j to the lowered Ĉ of the birth, α_i to the
 * least lowered Ĉ_e − β_j of its row; from there on Δ, α and β are exact numbers and r, s differences of known ones.
 *
 * Whatever is no finite number on the way, given or by overflow, ends as NaN in α or β, since Math.min keeps NaN: the constant is then
 * −Infinity.
 */
export function reduceCosts(
  graph: Graph,
  incidence: Incidence,
  v: Float64Array,
  columnDual: Float64Array,
  { removed, cuts }: Restriction = {},
): ReducedCosts {
  const { edges } = graph;
  const isUsable = (e: number): boolean => removed === undefined || removed[e] === 0;
  const triplets = tripletSlacks(graph, v, cuts);
  const delta = lowerDelta(graph, incidence, triplets, isUsable);
  const pairs = lowerDuals(graph, v, columnDual, delta, cuts, isUsable);
  const edge = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  const { constant, beta } = pairs;
  if (!Number.isFinite(constant)) return { ...NOTHING, graph, constant, v, columnDual, edge };

  /** The number of the stored triplet of e and f, −1 for an implicit one; null where f may not follow e. */
  const placeOf = (e: number, f: number): number | null => {
    if (graph.head[e] === UNASSIGNED || graph.head[e] !== graph.tail[f]) return null;
    if (graph.triplets.kind === "implicit") return -1;
    const t = tripletIndex(graph.triplets, e, f);
    return t < 0 ? null : t;
  };
  for (let e = 0; e < edges; e++) {
    if (pairs.slack[e] === Number.POSITIVE_INFINITY) continue;
    const r = pairs.reduced(e);
    edge[e] = atLeast(r, pairs.size[e] + Math.abs(r));
  }
  /** s_ef as computed, and the sum of magnitudes that it was rounded in. */
  const ofTriplet = (e: number, f: number, t: number): readonly [s: number, size: number] => {
    const slack = triplets.slack(e, f, t);
    const s = slack - delta[e];
    return [s, Math.abs(slack) + Math.abs(s) + triplets.rounding(e, f, t)];
  };
  const triplet = (e: number, f: number, t: number): number => {
    const [s, size] = ofTriplet(e, f, t);
    return atLeast(s, size);
  };
  return {
    graph,
    constant,
    v,
    columnDual: beta,
    edge,
    triplet,
    between(e, f) {
      const t = placeOf(e, f);
      return t === null ? Number.POSITIVE_INFINITY : triplet(e, f, t);
    },
    edgeAtMost(e) {
      const r = pairs.reduced(e);
      return r + rounded(pairs.size[e] + Math.abs(r));
    },
    betweenAtMost(e, f) {
      const t = placeOf(e, f);
      if (t === null) return Number.POSITIVE_INFINITY;
      const [s, size] = ofTriplet(e, f, t);
      return Math.max(0, s + rounded(size));
    },
    slackOfCuts(ofTracks, tripletsOfTracks) {
      if (cuts === undefined) return 0;
      const sum = new CompensatedSum();
      sum.add(cuts.constant);
      for (const e of ofTracks) sum.add(-cuts.edge[e]);
      for (const [e, f] of tripletsOfTracks) sum.add(-cuts.triplet(e, f, placeOf(e, f) ?? -1));
      return sum.upper;
    },
  };
}

/** Reduced costs of multipliers that prove nothing, or that prove that there are no tracks. */
const NOTHING = {
  triplet: () => 0,
  between: () => 0,
  edgeAtMost: () => Number.POSITIVE_INFINITY,
  betweenAtMost: () => Number.POSITIVE_INFINITY,
  slackOfCuts: () => Number.POSITIVE_INFINITY,
};

/** D_ef − v_f, where D has the cuts' part, rounded once more where there is one. */
interface TripletSlacks {
  slack(e: number, f: number, t: number): number;
  /** The magnitude in which D was rounded; 0 without cuts. */
  rounding(e: number, f: number, t: number): number;
}

function tripletSlacks({ tail, head, triplets }: Graph, v: Float64Array, cuts: CutCosts | undefined): TripletSlacks {
  const stated = ((): ((e: number, f: number, t: number) => number) => {
    if (triplets.kind === "csr") {
      const { cost } = triplets;
      return (_e, _f, t) => cost[t];
    }
    const m = triplets.perEdge;
    const { width, cost } = tripletRule(triplets.rule);
    return (e, f) => (tail[e] === UNASSIGNED || head[f] === UNASSIGNED ? 0 : cost(m, width * e, width * f));
  })();
  if (cuts === undefined) {
    return { slack: (e, f, t) => stated(e, f, t) - v[f], rounding: () => 0 };
  }
  const priced = (e: number, f: number, t: number): number => stated(e, f, t) + cuts.triplet(e, f, t);
  return {
    slack: (e, f, t) => priced(e, f, t) - v[f],
    rounding: (e, f, t) => Math.abs(priced(e, f, t)),
  };
}

/** At most Δ_e; 0 where e has no triplets by its place, Infinity where all of them are forbidden. */
function lowerDelta(
  { frames, frameStart, edges, head, triplets }: Graph,
  incidence: Incidence,
  { slack, rounding }: TripletSlacks,
  isUsable: (e: number) => boolean,
): Float64Array {
  const lastFrame = frameStart[frames - 1];
  const delta = new Float64Array(edges);
  const lower = (e: number, f: number, t: number): void => {
    if (!isUsable(f)) return;
    const value = slack(e, f, t);
    delta[e] = Math.min(delta[e], value - rounded(Math.abs(value) + rounding(e, f, t)));
  };
  for (let e = 0; e < edges; e++) {
    const j = head[e];
    if (j === UNASSIGNED || j >= lastFrame || !isUsable(e)) continue;
    delta[e] = Number.POSITIVE_INFINITY;
    if (triplets.kind === "csr") {
      for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) lower(e, triplets.successor[t], t);
    } else {
      for (let q = incidence.outFrom[j]; q < incidence.outFrom[j + 1]; q++) lower(e, incidence.outEdge[q], -1);
    }
  }
  return delta;
}

/** Duals of the X-LAPs and what they leave of Ĉ. */
interface PairSlacks {
  /** Σ α + Σ β less the cuts' part, rounded down: −Infinity and Infinity as ReducedCosts.constant. */
  readonly constant: number;
  readonly beta: Float64Array;
  /** Ĉ_e − β_j, of births and deaths Ĉ_e; Infinity where e cannot be used. */
  readonly slack: Float64Array;
  /** The sum of magnitudes that each slack was rounded in. */
  readonly size: Float64Array;
  /** r_e as computed. */
  reduced(e: number): number;
}

function lowerDuals(
  { frames, frameStart, edges, edgeStart, deathStart, birthStart, tail, head, cost }: Graph,
  v: Float64Array,
  columnDual: Float64Array,
  delta: Float64Array,
  cuts: CutCosts | undefined,
  isUsable: (e: number) => boolean,
): PairSlacks {
  const alpha = new Float64Array(frameStart[frames - 1]).fill(Number.POSITIVE_INFINITY);
  const beta = columnDual.slice();
  const slack = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  const size = new Float64Array(edges);
  const reduced = (e: number): number => slack[e] - (tail[e] === UNASSIGNED ? beta[head[e]] : alpha[tail[e]]);
  const ended = (constant: number): PairSlacks => ({ constant, beta, slack, size, reduced });
  if (!beta.subarray(frameStart[1]).every(Number.isFinite)) return ended(Number.NEGATIVE_INFINITY);

  /** Whether e can be used. A slack that overflows is Infinity too, and makes the constant NaN. */
  const prepare = (e: number, unmultiplied: boolean): boolean => {
    if (!isUsable(e) || delta[e] === Number.POSITIVE_INFINITY) return false;
    const inCuts = cuts === undefined ? 0 : cuts.edge[e];
    const price = cost[e] + inCuts + (unmultiplied ? 0 : v[e]);
    slack[e] = price + delta[e];
    size[e] = Math.abs(cost[e]) + Math.abs(inCuts) + Math.abs(price) + Math.abs(slack[e]);
    return true;
  };
  const total = new CompensatedSum();
  for (let p = 0; p + 1 < frames; p++) {
    for (let e = birthStart[p]; e < edgeStart[p + 1]; e++) {
      prepare(e, true);
      beta[head[e]] = Math.min(beta[head[e]], slack[e] - rounded(size[e]));
    }
    for (let e = edgeStart[p]; e < birthStart[p]; e++) {
      if (!prepare(e, p === 0)) continue;
      if (e < deathStart[p]) {
        slack[e] -= beta[head[e]];
        size[e] += Math.abs(slack[e]);
      }
      alpha[tail[e]] = Math.min(alpha[tail[e]], slack[e] - rounded(size[e]));
    }
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      if (alpha[i] === Number.POSITIVE_INFINITY) return ended(Number.POSITIVE_INFINITY);
      total.add(alpha[i]);
    }
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) total.add(beta[j]);
  }
  if (cuts !== undefined) total.add(-cuts.constant);
  return ended(Number.isFinite(total.lower) ? total.lower : Number.NEGATIVE_INFINITY);
}
