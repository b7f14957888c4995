import type { ImplicitTriplets, Instance, PairRuns, StoredTriplets } from "./instance.js";
import type { AscentState } from "./state.js";
import { absoluteYLsap, squareYLsap } from "./y-lsap-implicit.js";

/**
 * The two minimisations over triplets that all ascents are made of, for one frame pair p. An implementation per storage
 * (docs/algorithm.md §2.2); each visits the edges of its pair only.
 */
export interface YLsap {
  /** Δ_e = min_f (D_ef − v_f) and the f that attains it, for links and births e of pair p; Δ = 0 and −1 where e has no triplets. */
  price(pair: number): void;
  /** v_f = min_e (D_ef + base_e) over the edges e of pair p, for links and deaths f of pair p + 1. */
  raise(pair: number, base: (e: number) => number): void;
}

export function createYLsap(instance: Instance, state: AscentState, runs: readonly PairRuns[]): YLsap {
  const { triplets } = instance;
  if (triplets.kind === "csr") return storedYLsap(instance, triplets, state, runs);
  return (triplets.rule === "absolute" ? absoluteYLsap : squareYLsap)(instance, triplets, state, runs);
}

/** Triplets in CSR-COO: one pass over the rows of the pair. */
function storedYLsap(
  _instance: Instance,
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

export type ImplicitYLsap = (
  instance: Instance,
  triplets: ImplicitTriplets,
  state: AscentState,
  runs: readonly PairRuns[],
) => YLsap;
