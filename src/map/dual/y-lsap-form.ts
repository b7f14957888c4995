import type { Graph, ImplicitTriplets } from "../instance/instance.js";
import type { AscentState } from "./state.js";

/**
 * The two minimisations over triplets that all ascents use, for one frame pair p. There is an implementation per storage
 * (docs/explanation/mathematics.md §2.2); each visits the edges of its pair only.
 */
export interface YLsap {
  /**
   * Δ_e = min_f (D_ef − v_f) and the f that attains it, for links and births e of pair p into detections whose Δ is stale; Δ = 0 and −1
   * where e has no triplets.
   */
  price(pair: number): void;
  /** v_f = min_e (D_ef + base_e) over the edges e of pair p, for links and deaths f of pair p + 1. */
  raise(pair: number, base: (e: number) => number): void;
}

export type ImplicitYLsap = (graph: Graph, triplets: ImplicitTriplets, state: AscentState) => YLsap;
