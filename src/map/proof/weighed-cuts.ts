import { PairMap } from "../../core/pair-map.js";
import { type Cut, rightOf } from "../certificate/cuts.js";
import type { Numbers, Value } from "./numbers.js";

/** Σ μ of the cuts at most, by the edge and the triplet whose cost they raise. */
export class WeighedCuts {
  /** μ right of each cut, at least. */
  readonly right: Value[] = [];
  readonly #edge = new Map<number, Value>();
  readonly #triplet = new PairMap<Value>();
  readonly #zero: Value;
  readonly #down: Numbers["down"];

  constructor({ of, down, times }: Numbers, cuts: readonly Cut[], multipliers: Float64Array) {
    this.#zero = of(0);
    this.#down = down;
    for (const [k, cut] of cuts.entries()) {
      const mu = of(multipliers[k]);
      this.right.push(times(mu, rightOf(cut)));
      for (const [e, f] of cut.items) {
        if (f < 0) this.#charge(e, mu);
        else this.#triplet.set(e, f, down(this.ofTriplet(e, f) ?? this.#zero, mu));
      }
    }
  }

  /** A further cut of right side 1, of edges. */
  charge(edges: readonly number[], mu: Value): void {
    this.right.push(mu);
    for (const e of edges) this.#charge(e, mu);
  }

  #charge(e: number, mu: Value): void {
    this.#edge.set(e, this.#down(this.ofEdge(e), mu));
  }

  ofEdge(e: number): Value {
    return this.#edge.get(e) ?? this.#zero;
  }

  /** undefined where no cut has the triplet. */
  ofTriplet(e: number, f: number): Value | undefined {
    return this.#triplet.get(e, f);
  }
}
