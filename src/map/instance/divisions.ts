import { bisectRight } from "d3-array";
import { byRow } from "../../core/rows.js";
import { sharedFloat64, sharedInt32, sharedUint8, sharedUint32, sharedUint32Of } from "../../core/shared-arrays.js";
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
  /** The daughter's row that each link of a mother or a twin is in; −1 for other edges. */
  readonly rowOfEdge: Int32Array;
  /** λ by twin and then μ by daughter: at present, and that which an ascent can return to. */
  readonly multiplier: Float64Array;
  readonly kept: Float64Array;
  /** By twin, of the last assignment or of the bundle's combination: the left side of λ's row, and the share in which the mother ends. */
  readonly sum: Float64Array;
  readonly ends: Float64Array;
  /** By daughter, the share of both links to her: with `ends` it is the left side of her row. */
  readonly links: Float64Array;
  /**
   * The daughters of twin n that have a share, or a multiplier: active[daughterStart[n]] and so on, activeSize[n] of them, and 1 in isActive. The multipliers of all others are 0 and stay so,
   * since a mother ends at most once.
   */
  readonly active: Uint32Array;
  readonly activeSize: Uint32Array;
  readonly isActive: Uint8Array;
  /** By twin, λ and Σ μ. */
  readonly total: Float64Array;
  /** By edge, what the rows added to its cost when the X-LAPs were priced last. */
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
  const rowOfEdge = sharedInt32(edges).fill(-1);
  for (const [n, d] of twins.entries()) {
    for (let k = daughterStart[n], e = linkStart[d]; k < daughterStart[n + 1]; k++, e++) {
      // Without a link of the mother λ says all.
      if (first[k] >= 0) rowOfEdge[e] = rowOfEdge[first[k]] = k;
    }
  }
  return {
    pairStart: sharedUint32Of(rowStart),
    twin: sharedUint32Of(twins),
    mother: sharedUint32Of(twins.map((d) => motherOf[d])),
    daughterStart,
    first,
    rowOfEdge,
    multiplier: sharedFloat64(rows),
    kept: sharedFloat64(rows),
    sum: sharedFloat64(twins.length),
    ends: sharedFloat64(twins.length),
    links: sharedFloat64(first.length),
    active: sharedUint32(first.length),
    activeSize: sharedUint32(twins.length),
    isActive: sharedUint8(first.length),
    total: sharedFloat64(twins.length),
    charge: sharedFloat64(edges),
    constant: sharedFloat64(frames - 1),
    value: sharedFloat64(frames - 1),
  };
}
