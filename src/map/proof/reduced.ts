import { PairMap } from "../../core/pair-map.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
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
export class Reduced {
  /** −Infinity where the multipliers prove nothing, Infinity where a detection can take no edge. */
  readonly constant: Value;
  /** At most r_e and at least 0; Infinity for an edge that cannot be used. */
  readonly edge: readonly Value[];
  readonly #graph: Graph;
  readonly #price: (e: number, f: number, t: number) => number;
  readonly #multiplier: readonly Value[];
  readonly #cuts: WeighedCuts;
  /** Δ_e, Infinity for an edge that nothing may follow; and β, α. */
  readonly #delta: readonly Value[];
  readonly #beta: readonly Value[];
  readonly #alpha: readonly Value[];

  /** @param removed 1 for an edge that is left out */
  constructor(
    private readonly numbers: Numbers,
    core: Core,
    { v, columnDual, cuts, cutMultipliers }: Multipliers,
    private readonly removed = core.removed,
  ) {
    const { of, down, total } = numbers;
    const { graph } = core;
    const { frames, frameStart, edges, tail, head } = graph;
    this.#graph = graph;
    this.#price = priceOf(graph);
    this.#multiplier = Array.from(v, of);
    this.#cuts = new WeighedCuts(numbers, cuts, cutMultipliers);
    const delta = this.#leastAfter(core);
    this.#delta = delta;
    // Ĉ_e = C_e + v_e + Δ_e, of which β and α are taken.
    const slack = delta.map(
      (least, e): Value =>
        removed[e] === 1 || least === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : this.#priced(e, down),
    );

    // From here on Δ, β and α are numbers like any others, for which the identity holds.
    const beta = Array.from(columnDual, of);
    const alpha = new Array<Value>(frameStart[frames - 1]).fill(Number.POSITIVE_INFINITY);
    for (let e = 0; e < edges; e++) if (tail[e] === UNASSIGNED && slack[e] < beta[head[e]]) beta[head[e]] = slack[e];
    for (let e = 0; e < edges; e++) {
      if (tail[e] === UNASSIGNED) continue;
      if (head[e] !== UNASSIGNED) slack[e] = down(slack[e], -beta[head[e]]);
      if (slack[e] < alpha[tail[e]]) alpha[tail[e]] = slack[e];
    }
    this.#beta = beta;
    this.#alpha = alpha;
    this.edge = slack.map((value, e) =>
      value === Number.POSITIVE_INFINITY ? value : atLeastZero(down(value, -this.#dualOf(e))),
    );
    const terms = alpha.concat(
      beta.slice(frameStart[1]),
      this.#cuts.right.map((value) => -value),
    );
    const isStuck = alpha.some((value) => value === Number.POSITIVE_INFINITY);
    this.constant = isStuck ? Number.POSITIVE_INFINITY : total(terms).least;
  }

  /** Δ_e: the least gap of the triplets of each edge; 0 for edges that end a track. */
  #leastAfter({ graph, incidence }: Core): Value[] {
    const { of, down } = this.numbers;
    const { frames, frameStart, edges, triplets } = graph;
    const { outFrom, outEdge, inFrom, inEdge } = incidence;
    const delta = new Array<Value>(edges).fill(of(0));
    for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
      for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
        const e = inEdge[k];
        let least: Value = Number.POSITIVE_INFINITY;
        const stored = triplets.kind === "csr";
        const [from, to] = stored ? [triplets.rowStart[e], triplets.rowStart[e + 1]] : [outFrom[d], outFrom[d + 1]];
        for (let at = from; this.removed[e] === 0 && at < to; at++) {
          const f = stored ? triplets.successor[at] : outEdge[at];
          if (this.removed[f] === 1) continue;
          const value = this.#gap(e, f, at, down);
          if (value < least) least = value;
        }
        delta[e] = least;
      }
    }
    return delta;
  }

  /** D_ef with the cuts' part, less v_f: rounded to the side of `plus`. */
  #gap(e: number, f: number, t: number, plus: Numbers["down"]): Value {
    const inCuts = this.#cuts.ofTriplet(e, f);
    const cost = this.numbers.of(this.#price(e, f, t));
    return plus(inCuts === undefined ? cost : plus(cost, inCuts), -this.#multiplier[f]);
  }

  #priced(e: number, plus: Numbers["down"]): Value {
    const { tail, cost, frameStart } = this.#graph;
    const withCuts = plus(this.numbers.of(cost[e]), this.#cuts.ofEdge(e));
    return plus(tail[e] < frameStart[1] ? withCuts : plus(withCuts, this.#multiplier[e]), this.#delta[e]);
  }

  /** The dual of the row that an edge is in, or of the column of a birth. */
  #dualOf(e: number): Value {
    const { tail, head } = this.#graph;
    return tail[e] === UNASSIGNED ? this.#beta[head[e]] : this.#alpha[tail[e]];
  }

  /** At most s_ef and at least 0, Infinity where it cannot be used; t is the index of a stored triplet. */
  triplet(e: number, f: number, t: number): Value {
    const { removed, numbers } = this;
    if (removed[e] === 1 || removed[f] === 1 || this.#delta[e] === Number.POSITIVE_INFINITY)
      return Number.POSITIVE_INFINITY;
    return atLeastZero(numbers.down(this.#gap(e, f, t, numbers.down), -this.#delta[e]));
  }

  /** The same for any two edges. */
  between(e: number, f: number): Value {
    const t = this.#indexOf(e, f);
    return t === null ? Number.POSITIVE_INFINITY : this.triplet(e, f, t);
  }

  /** At least r_e, of an edge that can be used. */
  edgeAtMost(e: number): Value {
    const { tail, head } = this.#graph;
    const { up } = this.numbers;
    const priced = this.#priced(e, up);
    const slack = tail[e] === UNASSIGNED || head[e] === UNASSIGNED ? priced : up(priced, -this.#beta[head[e]]);
    return up(slack, -this.#dualOf(e));
  }

  /** At least s_ef, of a triplet that is there. */
  betweenAtMost(e: number, f: number): Value {
    const { up } = this.numbers;
    return up(this.#gap(e, f, this.#indexOf(e, f) as number, up), -this.#delta[e]);
  }

  /** At least what the right sides of all cuts, weighed, exceed the items that are in a set of tracks. */
  slackOfCuts(edges: Iterable<number>, triplets: Iterable<readonly [e: number, f: number]>): Value {
    const zero = this.numbers.of(0);
    const taken: Value[] = [];
    for (const e of edges) taken.push(-this.#cuts.ofEdge(e));
    for (const [e, f] of triplets) taken.push(-(this.#cuts.ofTriplet(e, f) ?? zero));
    return this.numbers.total([...this.#cuts.right, ...taken]).most;
  }

  /** The index of a triplet, −1 for an implicit one; null where f may not follow e. */
  #indexOf(e: number, f: number): number | null {
    const { head, tail, triplets } = this.#graph;
    if (head[e] === UNASSIGNED || head[e] !== tail[f]) return null;
    if (triplets.kind === "implicit") return -1;
    const t = tripletIndex(triplets, e, f);
    return t < 0 ? null : t;
  }
}

/** Σ μ of the cuts at most, by the edge and the triplet whose cost they raise. */
class WeighedCuts {
  /** μ right of each cut, at least. */
  readonly right: Value[] = [];
  readonly #edge = new Map<number, Value>();
  readonly #triplet = new PairMap<Value>();
  readonly #zero: Value;

  constructor({ of, down, times }: Numbers, cuts: readonly Cut[], multipliers: Float64Array) {
    this.#zero = of(0);
    for (const [k, cut] of cuts.entries()) {
      const mu = of(multipliers[k]);
      this.right.push(times(mu, rightOf(cut)));
      for (const [e, f] of cut.items) {
        if (f < 0) this.#edge.set(e, down(this.ofEdge(e), mu));
        else this.#triplet.set(e, f, down(this.ofTriplet(e, f) ?? this.#zero, mu));
      }
    }
  }

  ofEdge(e: number): Value {
    return this.#edge.get(e) ?? this.#zero;
  }

  /** undefined where no cut has the triplet. */
  ofTriplet(e: number, f: number): Value | undefined {
    return this.#triplet.get(e, f);
  }
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
