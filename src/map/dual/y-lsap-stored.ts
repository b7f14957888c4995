import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph, StoredTriplets } from "../instance/instance.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";

/** Triplets in CSR-COO: one pass over the rows of the pair, of which those of deaths are empty. */
export function storedYLsap(
  { edgeStart, birthStart, tail, head }: Graph,
  { rowStart, successor, cost }: StoredTriplets,
  { v, delta, bestSuccessor, staleDelta, exclusions }: AscentState,
): YLsap {
  /** Where the triplets of a birth with links are charged. */
  const priceCharged = (e: number, ofLinks: number): void => {
    let least = Number.POSITIVE_INFINITY;
    let best = -1;
    for (let t = rowStart[e]; t < rowStart[e + 1]; t++) {
      const value = cost[t] + (head[successor[t]] === UNASSIGNED ? 0 : ofLinks) - v[successor[t]];
      if (value < least) [least, best] = [value, successor[t]];
    }
    bestSuccessor[e] = best;
    delta[e] = best < 0 ? 0 : least;
  };
  const charge = exclusions?.charge ?? null;
  return {
    price(p) {
      for (let e = edgeStart[p]; e < edgeStart[p + 1]; e++) {
        if (head[e] !== UNASSIGNED && staleDelta[head[e]] === 0) continue;
        if (charge !== null && tail[e] === UNASSIGNED && charge[head[e]] > 0) {
          priceCharged(e, charge[head[e]]);
          continue;
        }
        let least = Number.POSITIVE_INFINITY;
        let best = -1;
        for (let t = rowStart[e]; t < rowStart[e + 1]; t++) {
          const value = cost[t] - v[successor[t]];
          if (value < least) {
            least = value;
            best = successor[t];
          }
        }
        bestSuccessor[e] = best;
        delta[e] = best < 0 ? 0 : least;
      }
    },
    raise(p, base) {
      v.fill(Number.POSITIVE_INFINITY, edgeStart[p + 1], birthStart[p + 1]);
      for (let e = edgeStart[p]; e < edgeStart[p + 1]; e++) {
        const first = rowStart[e];
        const end = rowStart[e + 1];
        const baseOfEdge = first < end ? base(e) : 0;
        for (let t = first; t < end; t++) {
          const value = cost[t] + baseOfEdge;
          if (value < v[successor[t]]) v[successor[t]] = value;
        }
      }
    },
  };
}
