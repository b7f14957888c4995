import type { Graph, PairRuns, StoredTriplets } from "../instance/instance.js";
import type { AscentState } from "./state.js";
import type { YLsap } from "./y-lsap-form.js";

/** Triplets in CSR-COO: one pass over the rows of the pair. */
export function storedYLsap(
  _instance: Graph,
  { start, successor, cost }: StoredTriplets,
  { v, delta, bestSuccessor }: AscentState,
  runs: readonly PairRuns[],
): YLsap {
  const priceRun = (from: number, to: number): void => {
    for (let e = from; e < to; e++) {
      let least = Number.POSITIVE_INFINITY;
      let best = -1;
      for (let t = start[e]; t < start[e + 1]; t++) {
        const value = cost[t] - v[successor[t]];
        if (value < least) {
          least = value;
          best = successor[t];
        }
      }
      bestSuccessor[e] = best;
      delta[e] = best < 0 ? 0 : least;
    }
  };
  const raiseRun = (from: number, to: number, base: (e: number) => number): void => {
    for (let e = from; e < to; e++) {
      const own = base(e);
      for (let t = start[e]; t < start[e + 1]; t++) {
        const value = cost[t] + own;
        if (value < v[successor[t]]) v[successor[t]] = value;
      }
    }
  };
  return {
    price(p) {
      priceRun(runs[p].linkStart, runs[p].linkEnd);
      priceRun(runs[p].birthStart, runs[p].birthEnd);
    },
    raise(p, base) {
      const next = runs[p + 1];
      v.fill(Number.POSITIVE_INFINITY, next.linkStart, next.linkEnd);
      v.fill(Number.POSITIVE_INFINITY, next.deathStart, next.deathEnd);
      raiseRun(runs[p].linkStart, runs[p].linkEnd, base);
      raiseRun(runs[p].birthStart, runs[p].birthEnd, base);
    },
  };
}
