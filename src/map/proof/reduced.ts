import { UNASSIGNED } from "../../lap/lap.js";
import { eachDivisionRow } from "../certificate/divisions.js";
import type { Incidence } from "../instance/incidence.js";
import { type Graph, tripletIndex } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";
import type { Core } from "./core.js";
import type { Numbers, Value, Values } from "./numbers.js";
import type { Multipliers } from "./proof.js";
import { WeighedCuts } from "./weighed-cuts.js";

/**
 * The identity of docs/explanation/mathematics.md §2.1: every allowed set of tracks T costs at least
 *
 *     constant + Σ_{e ∈ T} r_e + Σ_{(e, f) ∈ T} s_ef ,    r, s ≥ 0.
 */
export interface Reduced<V extends Value = Value, L extends Values = Values> {
  readonly graph: Graph;
  /** The multipliers given and the lowered β, to which the reduced costs refer. */
  readonly v: Float64Array;
  readonly columnDual: L;
  /** −Infinity where the multipliers prove nothing, Infinity where a detection can take no edge. */
  readonly constant: V;
  /** At most r_e and at least 0; Infinity for an edge that cannot be used. */
  readonly edge: L;
  /** Δ_e, the least gap of the triplets of each edge; 0 for edges that end a track, Infinity where nothing may follow. */
  readonly delta: L;
  /** At most s_ef and at least 0, Infinity where it cannot be used; t is the index of a stored triplet. */
  triplet(e: number, f: number, t: number): V;
  /** The same for any two edges. */
  between(e: number, f: number): V;
  /** At least r_e, of an edge that can be used. */
  edgeAtMost(e: number): V;
  /** At least s_ef, of a triplet that is there. */
  betweenAtMost(e: number, f: number): V;
  /** At least what the right sides of all cuts, weighed, exceed the items that are in a set of tracks. */
  slackOfCuts(edges: Iterable<number>, triplets: Iterable<readonly [e: number, f: number]>): V;
}

/**
 * Reduced costs from multipliers, which any solver may have found. Δ_e is the least gap of its triplets, β_j is lowered to Ĉ of the birth, and α_i is
 * the least Ĉ_e − β_j of its row; from there on Δ, α and β are numbers like any others, for which the identity holds.
 * @param removed 1 for an edge that is left out
 * @param joins whether mothers and twins take what both may take together, by multipliers of their rows that follow from Ĉ and β
 */
export function reduce(
  numbers: Numbers,
  { graph, incidence }: Pick<Core, "graph" | "incidence">,
  { v, columnDual, cuts, cutMultipliers }: Multipliers,
  removed: Uint8Array,
  joins = true,
): Reduced {
  const { of, down, up, total, list, listOf } = numbers;
  const { frames, frameStart, edges, tail, head, cost } = graph;
  const weighed = new WeighedCuts(numbers, graph.edges, cuts, cutMultipliers);
  const gaps = new Gaps(numbers, graph, v, weighed);
  const delta = leastAfter(numbers, graph, incidence, gaps, removed);
  const priced = (e: number, plus: Numbers["down"]): Value => {
    const withCuts = plus(of(cost[e]), weighed.ofEdge(e));
    return plus(tail[e] < frameStart[1] ? withCuts : plus(withCuts, gaps.multiplier[e]), delta[e]);
  };

  // Ĉ_e = C_e + v_e + Δ_e, of which β and α are taken.
  const edge = list(edges, Number.POSITIVE_INFINITY);
  const beta = listOf(columnDual);
  // Detections of the first frame have no column.
  for (let j = 0; j < frameStart[1]; j++) beta[j] = of(0);
  const alpha = list(frameStart[frames - 1], Number.POSITIVE_INFINITY);
  for (let e = 0; e < edges; e++) {
    if (removed[e] === 1 || delta[e] === Number.POSITIVE_INFINITY) continue;
    edge[e] = priced(e, down);
    if (tail[e] === UNASSIGNED && edge[e] < beta[head[e]]) beta[head[e]] = edge[e];
  }
  for (let e = 0; e < edges; e++)
    if (tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED) edge[e] = down(edge[e], -beta[head[e]]);
  if (joins) chargeDivisions(numbers, graph, edge, weighed);
  for (let e = 0; e < edges; e++) if (tail[e] !== UNASSIGNED && edge[e] < alpha[tail[e]]) alpha[tail[e]] = edge[e];
  /** The dual of the row that an edge is in, or of the column of a birth. */
  const dualOf = (e: number): Value => (tail[e] === UNASSIGNED ? beta[head[e]] : alpha[tail[e]]);
  for (let e = 0; e < edges; e++)
    if (edge[e] !== Number.POSITIVE_INFINITY) edge[e] = atLeastZero(down(edge[e], -dualOf(e)));
  let isStuck = false;
  for (let i = 0; i < alpha.length; i++) isStuck ||= alpha[i] === Number.POSITIVE_INFINITY;
  const constant = isStuck
    ? Number.POSITIVE_INFINITY
    : total(
        alpha,
        beta,
        weighed.right.map((value) => -value),
      ).least;

  return {
    graph,
    v,
    columnDual: beta,
    constant,
    edge,
    delta,
    ...tripletsOf(numbers, graph, gaps, { delta, removed }),
    edgeAtMost(e) {
      const most = priced(e, up);
      const slack = tail[e] === UNASSIGNED || head[e] === UNASSIGNED ? most : up(most, -beta[head[e]]);
      return up(slack, -dualOf(e));
    },
    betweenAtMost: (e, f) => up(gaps.most(e, f, indexOf(graph, e, f) as number), -delta[e]),
    slackOfCuts(ofTracks, tripletsOfTracks) {
      const taken: Value[] = [];
      for (const e of ofTracks) taken.push(-weighed.ofEdge(e));
      for (const [e, f] of tripletsOfTracks) taken.push(-(weighed.ofTriplet(e, f) ?? of(0)));
      return total(weighed.right, taken).most;
    },
  };
}

/** The reduced costs of triplets where Δ is known, as to another thread. */
export function tripletCosts(
  numbers: Numbers,
  graph: Graph,
  { v, cuts, cutMultipliers }: Multipliers,
  known: { readonly delta: Values; readonly removed: Uint8Array },
): Pick<Reduced, "triplet" | "between"> {
  const gaps = new Gaps(numbers, graph, v, new WeighedCuts(numbers, graph.edges, cuts, cutMultipliers));
  return tripletsOf(numbers, graph, gaps, known);
}

function tripletsOf(
  { down }: Numbers,
  graph: Graph,
  gaps: Gaps,
  { delta, removed }: { readonly delta: Values; readonly removed: Uint8Array },
): Pick<Reduced, "triplet" | "between"> {
  const triplet = (e: number, f: number, t: number): Value =>
    removed[e] === 1 || removed[f] === 1 || delta[e] === Number.POSITIVE_INFINITY
      ? Number.POSITIVE_INFINITY
      : atLeastZero(down(gaps.least(e, f, t), -delta[e]));
  return {
    triplet,
    between(e, f) {
      const t = indexOf(graph, e, f);
      return t === null ? Number.POSITIVE_INFINITY : triplet(e, f, t);
    },
  };
}

/** Charges the edges of mothers and twins, Ĉ − β in `edge`, with the multipliers of their rows; any numbers would be valid. */
function chargeDivisions({ of, f64, down }: Numbers, graph: Graph, edge: Values, weighed: WeighedCuts): void {
  const slack = (e: number): number => f64(edge[e]);
  eachDivisionRow(graph, slack, (edges, multiplier) => {
    weighed.charge(edges, of(multiplier));
    for (const e of edges) edge[e] = down(edge[e], of(multiplier));
  });
}

/** Δ_e: the least gap of the triplets of each edge; 0 for edges that end a track, Infinity where nothing may follow. */
function leastAfter(
  { of, list }: Numbers,
  { frames, frameStart, edges, triplets }: Graph,
  { outFrom, outEdge, inFrom, inEdge }: Incidence,
  gaps: Gaps,
  removed: Uint8Array,
): Values {
  const delta = list(edges, of(0));
  const stored = triplets.kind === "csr";
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      let least: Value = Number.POSITIVE_INFINITY;
      const [from, to] = stored ? [triplets.rowStart[e], triplets.rowStart[e + 1]] : [outFrom[d], outFrom[d + 1]];
      for (let at = from; removed[e] === 0 && at < to; at++) {
        const f = stored ? triplets.successor[at] : outEdge[at];
        if (removed[f] === 1) continue;
        const value = gaps.least(e, f, at);
        if (value < least) least = value;
      }
      delta[e] = least;
    }
  }
  return delta;
}

/** D_ef with the cuts' part, less v_f. */
class Gaps {
  readonly multiplier: Values;
  readonly #price: (e: number, f: number, t: number) => number;
  readonly #hasCuts: boolean;

  constructor(
    private readonly numbers: Numbers,
    graph: Graph,
    v: Float64Array,
    private readonly weighed: WeighedCuts,
  ) {
    this.multiplier = numbers.listOf(v);
    this.#price = priceOf(graph);
    this.#hasCuts = weighed.right.length > 0;
  }

  least(e: number, f: number, t: number): Value {
    return this.#gap(e, f, t, this.numbers.down);
  }

  most(e: number, f: number, t: number): Value {
    return this.#gap(e, f, t, this.numbers.up);
  }

  #gap(e: number, f: number, t: number, plus: Numbers["down"]): Value {
    const inCuts = this.#hasCuts ? this.weighed.ofTriplet(e, f) : undefined;
    const cost = this.numbers.of(this.#price(e, f, t));
    return plus(inCuts === undefined ? cost : plus(cost, inCuts), -this.multiplier[f]);
  }
}

/** The index of a triplet, −1 for an implicit one; null where f may not follow e. */
function indexOf({ head, tail, triplets }: Graph, e: number, f: number): number | null {
  if (head[e] === UNASSIGNED || head[e] !== tail[f]) return null;
  if (triplets.kind === "implicit") return -1;
  const t = tripletIndex(triplets, e, f);
  return t < 0 ? null : t;
}

/** A number that is at least 0, from one that rounding may have made negative; NaN, by an overflow, counts as 0. */
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
