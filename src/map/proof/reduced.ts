import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { rightOf } from "../certificate/cuts.js";
import { type Graph, tripletIndex } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import type { Core } from "./core.js";
import type { Numbers, Value } from "./numbers.js";
import type { Multipliers } from "./proof.js";

/**
 * The identity of docs/explanation/mathematics.md §2.1: every allowed set of tracks T costs at least
 *
 *     constant + Σ_{e ∈ T} r_e + Σ_{(e, f) ∈ T} s_ef ,    r, s ≥ 0.
 */
export interface Reduced {
  /** −Infinity where the multipliers prove nothing, Infinity where a detection can take no edge. */
  readonly constant: Value;
  /** At most r_e and at least 0; Infinity for an edge that cannot be used. */
  readonly edge: readonly Value[];
  /** At most s_ef and at least 0, Infinity where it cannot be used; t is the index of a stored triplet. */
  triplet(e: number, f: number, t: number): Value;
  /** The same for any two edges. */
  between(e: number, f: number): Value;
  /** At least r_e and s_ef, of edges that can be used and triplets that are there. */
  edgeAtMost(e: number): Value;
  betweenAtMost(e: number, f: number): Value;
  /** At least what the right sides of all cuts, weighed, exceed the items that are in a set of tracks. */
  slackOfCuts(edges: Iterable<number>, triplets: Iterable<readonly [e: number, f: number]>): Value;
}

/** @param removed 1 for an edge that is left out */
export function reduce(
  numbers: Numbers,
  { graph, incidence, removed: left }: Core,
  { v, columnDual, cuts, cutMultipliers }: Multipliers,
  removed = left,
): Reduced {
  const { of, down, up, times, total } = numbers;
  const { frames, frameStart, edges, tail, head, cost, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const zero = of(0);

  // At most what the cuts add to the cost of an edge and of a triplet.
  const edgeInCuts = new Map<number, Value>();
  const tripletInCuts = new PairMap<Value>();
  const right: Value[] = [];
  for (const [k, cut] of cuts.entries()) {
    const mu = of(cutMultipliers[k]);
    right.push(times(mu, rightOf(cut)));
    for (const [e, f] of cut.items) {
      if (f < 0) edgeInCuts.set(e, down(edgeInCuts.get(e) ?? zero, mu));
      else tripletInCuts.set(e, f, down(tripletInCuts.get(e, f) ?? zero, mu));
    }
  }

  const price = priceOf(graph);
  const multiplier = Array.from(v, of);
  /** D_ef with what the cuts add, less v_f: rounded to the side of `plus`. */
  const gap = (e: number, f: number, t: number, plus: Numbers["down"]): Value => {
    const inCuts = cuts.length === 0 ? undefined : tripletInCuts.get(e, f);
    const own = of(price(e, f, t));
    return plus(inCuts === undefined ? own : plus(own, inCuts), -multiplier[f]);
  };

  // Δ_e, and from it Ĉ_e = C_e + v_e + Δ_e.
  const delta = new Array<Value>(edges).fill(zero);
  for (let d = first; d < last; d++) {
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      let least: Value = Number.POSITIVE_INFINITY;
      const stored = triplets.kind === "csr";
      const [from, to] = stored ? [triplets.start[e], triplets.start[e + 1]] : [outFrom[d], outFrom[d + 1]];
      for (let at = from; removed[e] === 0 && at < to; at++) {
        const f = stored ? triplets.successor[at] : outEdge[at];
        if (removed[f] === 1) continue;
        const value = gap(e, f, at, down);
        if (value < least) least = value;
      }
      delta[e] = least;
    }
  }
  const priced = (e: number, plus: Numbers["down"]): Value => {
    const own = plus(of(cost[e]), edgeInCuts.get(e) ?? zero);
    return plus(tail[e] < first ? own : plus(own, multiplier[e]), delta[e]);
  };
  const slack = Array.from(
    delta,
    (least, e): Value =>
      removed[e] === 1 || least === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : priced(e, down),
  );

  // From here on Δ, β and α are numbers like any others, for which the identity holds.
  const beta = Array.from(columnDual, of);
  const alpha = new Array<Value>(last).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; e < edges; e++) if (tail[e] === UNASSIGNED && slack[e] < beta[head[e]]) beta[head[e]] = slack[e];
  for (let e = 0; e < edges; e++) {
    if (tail[e] === UNASSIGNED) continue;
    if (head[e] !== UNASSIGNED) slack[e] = down(slack[e], -beta[head[e]]);
    if (slack[e] < alpha[tail[e]]) alpha[tail[e]] = slack[e];
  }
  const dualOf = (e: number): Value => (tail[e] === UNASSIGNED ? beta[head[e]] : alpha[tail[e]]);
  const edge = slack.map((value, e) =>
    value === Number.POSITIVE_INFINITY ? value : atLeastZero(down(value, -dualOf(e))),
  );
  const stuck = alpha.some((value) => value === Number.POSITIVE_INFINITY);
  const terms = alpha.concat(
    beta.slice(first),
    right.map((value) => -value),
  );
  const constant = stuck ? Number.POSITIVE_INFINITY : total(terms).least;

  const triplet = (e: number, f: number, t: number): Value =>
    removed[e] === 1 || removed[f] === 1 || delta[e] === Number.POSITIVE_INFINITY
      ? Number.POSITIVE_INFINITY
      : atLeastZero(down(gap(e, f, t, down), -delta[e]));
  /** The index of a triplet, −1 for an implicit one; null where f may not follow e. */
  const indexOf = (e: number, f: number): number | null => {
    if (head[e] === UNASSIGNED || head[e] !== tail[f]) return null;
    if (triplets.kind === "implicit") return -1;
    const t = tripletIndex(triplets, e, f);
    return t < 0 ? null : t;
  };
  return {
    constant,
    edge,
    triplet,
    between(e, f) {
      const t = indexOf(e, f);
      return t === null ? Number.POSITIVE_INFINITY : triplet(e, f, t);
    },
    edgeAtMost(e) {
      const own = priced(e, up);
      return up(tail[e] === UNASSIGNED || head[e] === UNASSIGNED ? own : up(own, -beta[head[e]]), -dualOf(e));
    },
    betweenAtMost: (e, f) => up(gap(e, f, indexOf(e, f) as number, up), -delta[e]),
    slackOfCuts(ofTracks, tripletsOfTracks) {
      const taken: Value[] = [];
      for (const e of ofTracks) taken.push(-(edgeInCuts.get(e) ?? zero));
      for (const [e, f] of tripletsOfTracks) taken.push(-(tripletInCuts.get(e, f) ?? zero));
      return total([...right, ...taken]).most;
    },
  };
}

/** What is computed for a number that is at least 0; NaN, by an overflow, counts as 0. */
function atLeastZero(value: Value): Value {
  return value >= 0 ? value : typeof value === "bigint" ? 0n : 0;
}

/** D_ef, by the index of a stored triplet. */
function priceOf({ tail, head, triplets }: Graph): (e: number, f: number, t: number) => number {
  if (triplets.kind === "csr") {
    const { cost } = triplets;
    return (_e, _f, t) => cost[t];
  }
  const { width, cost } = tripletRule(triplets.rule);
  const m = triplets.perEdge;
  return (e, f) => (tail[e] === UNASSIGNED || head[f] === UNASSIGNED ? 0 : cost(m, width * e, width * f));
}
