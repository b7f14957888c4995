import { PairMap } from "../../core/pair-map.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { Numbers, Value, Values } from "./numbers.js";

/** Σ μ of the cuts at most, by the edge and the triplet whose cost they raise. */
export class WeighedCuts {
  /** μ right of each cut, at least. */
  readonly right: Value[] = [];
  readonly #edge: Values;
  readonly #triplet = new PairMap<Value>();
  readonly #down: Numbers["down"];

  constructor({ of, down, times, list }: Numbers, edges: number, cuts: readonly Cut[], multipliers: Float64Array) {
    this.#edge = list(edges, of(0));
    this.#down = down;
    for (const [k, cut] of cuts.entries()) {
      const mu = of(multipliers[k]);
      this.right.push(times(mu, rightOf(cut)));
      for (const [e, f] of cut.items) {
        if (f < 0) this.#charge(e, mu);
        else this.#triplet.set(e, f, down(this.ofTriplet(e, f) ?? of(0), mu));
      }
    }
  }

  /** A further cut of right side 1, of edges. */
  charge(edges: readonly number[], mu: Value): void {
    this.right.push(mu);
    for (const e of edges) this.#charge(e, mu);
  }

  #charge(e: number, mu: Value): void {
    this.#edge[e] = this.#down(this.#edge[e], mu);
  }

  ofEdge(e: number): Value {
    return this.#edge[e];
  }

  /** undefined where no cut has the triplet. */
  ofTriplet(e: number, f: number): Value | undefined {
    return this.#triplet.get(e, f);
  }
}
