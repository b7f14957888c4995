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
  const { frames, frameStart, edges, edgeStart, deathStart, birthStart, tail, head, cost, triplets } = graph;
  const lastFrame = frameStart[frames - 1];
  const usable = (e: number): boolean => removed === undefined || removed[e] === 0;

  /** D_ef with the cuts' part, rounded once more where there is one. */
  const priced = tripletPrice(graph, cuts);

  const delta = new Float64Array(edges);
  const gap = (e: number, f: number, t: number): number => priced(e, f, t) - v[f];
  const take = (e: number, f: number, t: number): void => {
    if (!usable(f)) return;
    const value = gap(e, f, t);
    // At most the exact D − v, the rounding of the cuts' part with it.
    const least = value - rounded(Math.abs(value) + (cuts === undefined ? 0 : Math.abs(priced(e, f, t))));
    delta[e] = Math.min(delta[e], least);
  };
  if (triplets.kind === "csr") {
    for (let e = 0; e < edges; e++) {
      if (head[e] === UNASSIGNED || head[e] >= lastFrame || !usable(e)) continue;
      delta[e] = Number.POSITIVE_INFINITY;
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) take(e, triplets.successor[t], t);
    }
  } else {
    for (let d = frameStart[1]; d < lastFrame; d++) {
      for (let k = incidence.inFrom[d]; k < incidence.inFrom[d + 1]; k++) {
        const e = incidence.inEdge[k];
        if (!usable(e)) continue;
        delta[e] = Number.POSITIVE_INFINITY;
        for (let q = incidence.outFrom[d]; q < incidence.outFrom[d + 1]; q++) take(e, incidence.outEdge[q], -1);
      }
    }
  }

  const edge = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  const nothing = (constant: number): ReducedCosts => ({
    graph,
    constant,
    v,
    columnDual,
    edge,
    triplet: () => 0,
    between: () => 0,
    edgeAtMost: () => Number.POSITIVE_INFINITY,
    betweenAtMost: () => Number.POSITIVE_INFINITY,
    slackOfCuts: () => Number.POSITIVE_INFINITY,
  });
  const alpha = new Float64Array(lastFrame).fill(Number.POSITIVE_INFINITY);
  const beta = columnDual.slice();
  for (let j = frameStart[1]; j < beta.length; j++) if (!Number.isFinite(beta[j])) return nothing(-Infinity);

  // Ĉ − β, and a bound on all its roundings together.
  const slack = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  const error = new Float64Array(edges);
  const prepare = (e: number, firstPair: boolean): void => {
    if (!usable(e) || delta[e] === Number.POSITIVE_INFINITY) return;
    const inCuts = cuts === undefined ? 0 : cuts.edge[e];
    const own = cost[e] + inCuts + (firstPair || tail[e] === UNASSIGNED ? 0 : v[e]);
    const reduced = own + delta[e];
    const size = Math.abs(cost[e]) + Math.abs(inCuts) + Math.abs(own) + Math.abs(reduced);
    slack[e] = reduced;
    error[e] = size;
  };
  const total = new CompensatedSum();
  for (let p = 0; p + 1 < frames; p++) {
    for (let e = birthStart[p]; e < edgeStart[p + 1]; e++) {
      prepare(e, p === 0);
      const least = slack[e] - rounded(error[e]);
      beta[head[e]] = Math.min(beta[head[e]], least);
    }
    for (let e = edgeStart[p]; e < deathStart[p]; e++) {
      prepare(e, p === 0);
      if (slack[e] === Number.POSITIVE_INFINITY) continue;
      slack[e] -= beta[head[e]];
      error[e] += Math.abs(slack[e]);
    }
    for (let e = deathStart[p]; e < birthStart[p]; e++) prepare(e, p === 0);
    for (let e = edgeStart[p]; e < birthStart[p]; e++) {
      const least = slack[e] - rounded(error[e]);
      alpha[tail[e]] = Math.min(alpha[tail[e]], least);
    }
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      if (alpha[i] === Number.POSITIVE_INFINITY) return nothing(Infinity);
      total.add(alpha[i]);
    }
    for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) total.add(beta[j]);
  }
  if (cuts !== undefined) total.add(-cuts.constant);
  const constant = total.lower;
  if (!Number.isFinite(constant)) return nothing(-Infinity);

  /** r_e as computed, and the sum of magnitudes that it was rounded in. */
  const ofEdge = (e: number): readonly [r: number, size: number] => {
    const r = slack[e] - (tail[e] === UNASSIGNED ? beta[head[e]] : alpha[tail[e]]);
    return [r, error[e] + Math.abs(r)];
  };
  for (let e = 0; e < edges; e++) {
    if (slack[e] === Number.POSITIVE_INFINITY) continue;
    const [r, size] = ofEdge(e);
    edge[e] = atLeast(r, size);
  }
  const edgeAtMost = (e: number): number => {
    const [r, size] = ofEdge(e);
    return r + rounded(size);
  };
  /** s_ef as computed, and the sum of magnitudes that it was rounded in. */
  const ofTriplet = (e: number, f: number, t: number): readonly [s: number, size: number] => {
    const value = gap(e, f, t);
    const s = value - delta[e];
    return [s, Math.abs(value) + Math.abs(s) + (cuts === undefined ? 0 : Math.abs(priced(e, f, t)))];
  };
  const triplet = (e: number, f: number, t: number): number => {
    const [s, size] = ofTriplet(e, f, t);
    return atLeast(s, size);
  };
  /** The number of the stored triplet of e and f, −1 for an implicit one; null where f may not follow e. */
  const placeOf = (e: number, f: number): number | null => {
    if (head[e] === UNASSIGNED || head[e] !== tail[f]) return null;
    if (triplets.kind === "implicit") return -1;
    const t = tripletIndex(triplets, e, f);
    return t < 0 ? null : t;
  };
  const between = (e: number, f: number): number => {
    const t = placeOf(e, f);
    return t === null ? Number.POSITIVE_INFINITY : triplet(e, f, t);
  };
  const betweenAtMost = (e: number, f: number): number => {
    const t = placeOf(e, f);
    if (t === null) return Number.POSITIVE_INFINITY;
    const [s, size] = ofTriplet(e, f, t);
    return Math.max(0, s + rounded(size));
  };
  const slackOfCuts: ReducedCosts["slackOfCuts"] = (ofTracks, tripletsOfTracks) => {
    if (cuts === undefined) return 0;
    const sum = new CompensatedSum();
    sum.add(cuts.constant);
    for (const e of ofTracks) sum.add(-cuts.edge[e]);
    for (const [e, f] of tripletsOfTracks) sum.add(-cuts.triplet(e, f, placeOf(e, f) ?? -1));
    return sum.upper;
  };
  return { graph, constant, v, columnDual: beta, edge, triplet, between, edgeAtMost, betweenAtMost, slackOfCuts };

  function tripletPrice(
    { tail, head, triplets }: Graph,
    cuts: CutCosts | undefined,
  ): (e: number, f: number, t: number) => number {
    const own = ((): ((e: number, f: number, t: number) => number) => {
      if (triplets.kind === "csr") {
        const { cost } = triplets;
        return (_e, _f, t) => cost[t];
      }
      const m = triplets.perEdge;
      const { width, cost } = tripletRule(triplets.rule);
      return (e, f) => (tail[e] === UNASSIGNED || head[f] === UNASSIGNED ? 0 : cost(m, width * e, width * f));
    })();
    if (cuts === undefined) return own;
    return (e, f, t) => own(e, f, t) + cuts.triplet(e, f, t);
  }
}
