import { UNASSIGNED } from "../../lap/lap.js";
import { priceTracks } from "../certificate/price-tracks.js";
import type { Graph } from "../instance/instance.js";
import type { TrackEdges } from "../proof/track-edges.js";
import type { ReducedCosts } from "./stages.js";

/** The cost of a set of tracks; Infinity where it is not allowed. */
export function costOf(graph: Graph, tracks: Int32Array): number {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
}

/** The amount that a set of tracks pays beyond the bound, and where. */
export interface Paid {
  /** In all: the room. */
  readonly sum: number;
  /** At each detection: for its birth, the edge out of it, and the triplet through it. */
  readonly at: Float64Array;
  /** How many detections pay, effectively: (Σ paid)² / Σ paid². */
  readonly payers: number;
}

export function paidBy({ graph, edge: r, between }: ReducedCosts, trackEdges: TrackEdges): Paid {
  const { frames, frameStart, tail } = graph;
  const at = new Float64Array(frameStart[frames]);
  let [sum, squares] = [0, 0];
  for (let d = 0; d < at.length; d++) {
    const [into, out] = [trackEdges.into[d], trackEdges.out[d]];
    const ends = (out === UNASSIGNED ? 0 : r[out]) + (into === UNASSIGNED || tail[into] !== UNASSIGNED ? 0 : r[into]);
    const inside = into === UNASSIGNED || out === UNASSIGNED ? 0 : between(into, out);
    at[d] = ends + inside;
    sum += at[d];
    squares += at[d] ** 2;
  }
  return { sum, at, payers: sum ** 2 / squares };
}
