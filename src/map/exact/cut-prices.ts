import { PairMap } from "../../core/pair-map.js";
import { chargeOf } from "../dual/exclusions.js";
import type { AscentState } from "../dual/state.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { CutCoordinate } from "./plane-cuts.js";

/** The weighed cuts of one frame pair as additions to its costs, around the pair's Y-LSAP. */
export class CutPrices {
  /** C_e as the X-LAPs see it; length edges. */
  readonly cost: Float64Array;
  /** What the cuts add to the triplets of the pair that was charged last. */
  readonly #extra = new PairMap<number>();
  /** The edges that begin such triplets. */
  readonly #edges = new Set<number>();

  constructor(
    private readonly graph: Graph,
    private readonly state: AscentState,
  ) {
    this.cost = graph.cost.slice();
  }

  /** Adds the cuts to the costs of a pair, to be called before they are priced. */
  charge(p: number, cuts: readonly CutCoordinate[]): void {
    const { cost, edgeStart } = this.graph;
    this.cost.set(cost.subarray(edgeStart[p], edgeStart[p + 1]), edgeStart[p]);
    this.#edges.clear();
    this.#extra.clear();
    for (const { cut, mu } of cuts) {
      if (mu === 0) continue;
      for (const [e, f] of cut.items) {
        if (f < 0) this.cost[e] += mu;
        else {
          this.#extra.set(e, f, (this.#extra.get(e, f) ?? 0) + mu);
          this.#edges.add(e);
        }
      }
    }
  }

  /** Mends Δ and its triplet where the cuts make another one the least, to be called after they are priced. */
  mend(): void {
    for (const e of this.#edges) this.#mendEdge(e);
  }

  #mendEdge(e: number): void {
    const { v, delta, bestSuccessor, reduced, exclusions } = this.state;
    const extra = this.#extra.row(e);
    // The others became dearer, if anything: where the least triplet did not, it is the least still.
    if (bestSuccessor[e] < 0 || !extra.get(bestSuccessor[e])) return;
    let least = Number.POSITIVE_INFINITY;
    let best = -1;
    const offer = (f: number, price: number): void => {
      const charged = exclusions === null ? 0 : chargeOf(this.graph, exclusions, e, f);
      const value = price + (extra.get(f) ?? 0) + charged - v[f];
      if (value < least) [least, best] = [value, f];
    };
    const { triplets, head, linkStart, linkEnd, deathOf } = this.graph;
    if (triplets.kind === "csr") {
      for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++)
        offer(triplets.successor[t], triplets.cost[t]);
    } else {
      const j = head[e];
      for (let f = linkStart[j]; f < linkEnd[j]; f++) offer(f, tripletCost(this.graph, e, f));
      if (deathOf[j] >= 0) offer(deathOf[j], 0);
    }
    reduced[e] += least - delta[e];
    delta[e] = least;
    bestSuccessor[e] = best;
  }
}
