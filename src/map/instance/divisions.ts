import { bisectRight } from "d3-array";
import { byRow } from "../../core/rows.js";
import { sharedFloat64, sharedInt32, sharedUint32, sharedUint32Of } from "../../core/shared-arrays.js";
import { type Graph, linkBetween } from "./instance.js";
import { payingTwins } from "./twins.js";

/**
 * What the divisions of an instance demand, with multipliers, in shared memory (docs/explanation/mathematics.md §1.3). Mother i, twin i′ and each daughter j are of one X-LAP:
 * Σ_j x_i′j + x_death(i) ≤ 1 with λ ≥ 0, and x_ij + x_i′j + x_death(i) ≤ 1 with μ ≥ 0.
 */
export interface WeighedDivisions {
  /** By frame pair, one more than there are: where its twins begin. */
  readonly pairStart: Uint32Array;
  readonly twin: Uint32Array;
  readonly mother: Uint32Array;
  /** The links of twin n, each a row of a daughter: daughterStart[n] … daughterStart[n + 1] − 1. */
  readonly daughterStart: Uint32Array;
  /** The mother's link to the daughter; −1 where there is none, and λ says all. */
  readonly first: Int32Array;
  /** λ by twin and then μ by daughter: at present, and that which an ascent can return to. */
  readonly multiplier: Float64Array;
  readonly kept: Float64Array;
  /** G by the same rows: their left side in the last assignment, or in the bundle's combination. */
  readonly sum: Float64Array;
  /** By edge, what the rows add to its cost. */
  readonly charge: Float64Array;
  /** By frame pair, Σ λ + Σ μ, and the same of each times G − 1. */
  readonly constant: Float64Array;
  readonly value: Float64Array;
}

/** null where no orphan may pay, so that the rows bind no cheapest tracks, nor those of the relaxation. */
export function weighDivisions(graph: Graph): WeighedDivisions | null {
  const { frames, frameStart, edges, linkStart, linkEnd, head } = graph;
  const motherOf = graph.motherOf ?? new Int32Array(0);
  const twins = payingTwins(graph);
  if (twins.length === 0) return null;
  const { rowStart } = byRow(
    Array.from(twins, (d) => bisectRight(frameStart, d) - 1),
    frames - 1,
  );
  const daughterStart = sharedUint32(twins.length + 1);
  for (const [n, d] of twins.entries()) daughterStart[n + 1] = daughterStart[n] + linkEnd[d] - linkStart[d];
  const first = sharedInt32(daughterStart[twins.length]);
  for (const [n, d] of twins.entries()) {
    for (let e = linkStart[d], k = daughterStart[n]; e < linkEnd[d]; e++, k++)
      first[k] = linkBetween(graph, motherOf[d], head[e]);
  }
  const rows = twins.length + first.length;
  return {
    pairStart: sharedUint32Of(rowStart),
    twin: sharedUint32Of(twins),
    mother: sharedUint32Of(twins.map((d) => motherOf[d])),
    daughterStart,
    first,
    multiplier: sharedFloat64(rows),
    kept: sharedFloat64(rows),
    sum: sharedFloat64(rows),
    charge: sharedFloat64(edges),
    constant: sharedFloat64(frames - 1),
    value: sharedFloat64(frames - 1),
  };
}
