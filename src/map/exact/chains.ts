import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Incidence } from "../instance/incidence.js";

/**
 * The least that whole tracks cost beyond the bound (docs/explanation/proofs.md §1): F(e) behind edge e, B(e) before it, and G(e) = B + r + F of a
 * track through it. Different tracks share no edge and no triplet, so what they cost beyond the bound adds up.
 */
export interface Chains {
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** Infinity for an edge on no track. Length edges. */
  readonly through: Float64Array;
}

/** Sums of non-negative numbers along one track, as computed, are at most `1 / shrink` times the exact ones. */
export function shrinkOf(frames: number): number {
  return 1 - (8 * frames + 32) * ROUNDOFF;
}

/** Two sweeps, one over the frames back to front and one front to back, each over all triplets at worst. */
export function chainsOf(reduced: ReducedCosts, incidence: Incidence): Chains {
  const { graph, edge: r } = reduced;
  const { frames, frameStart, edges, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const after = new Float64Array(edges);
  const before = new Float64Array(edges);
  const first = frameStart[1];
  const last = frameStart[frames - 1];

  if (triplets.kind === "csr") {
    const { start, successor } = triplets;
    for (let d = last - 1; d >= first; d--) {
      for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
        const e = inEdge[k];
        let least = Number.POSITIVE_INFINITY;
        for (let t = start[e]; t < start[e + 1]; t++) {
          const f = successor[t];
          const rest = r[f] + after[f];
          if (rest < least) least = Math.min(least, rest + reduced.triplet(e, f, t));
        }
        after[e] = least;
      }
    }
    for (let d = first; d < last; d++) {
      for (let q = outFrom[d]; q < outFrom[d + 1]; q++) before[outEdge[q]] = Number.POSITIVE_INFINITY;
      for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
        const e = inEdge[k];
        const rest = r[e] + before[e];
        if (rest === Number.POSITIVE_INFINITY) continue;
        for (let t = start[e]; t < start[e + 1]; t++) {
          const f = successor[t];
          if (rest < before[f]) before[f] = Math.min(before[f], rest + reduced.triplet(e, f, t));
        }
      }
    }
  } else {
    // In order of what they cost beyond the triplet, few candidates must be examined, since s ≥ 0.
    const order: { edge: number; rest: number }[] = [];
    const sorted = (edgesOf: Uint32Array, from: number, to: number, sum: Float64Array): typeof order => {
      order.length = 0;
      for (let k = from; k < to; k++) {
        const rest = r[edgesOf[k]] + sum[edgesOf[k]];
        if (rest < Number.POSITIVE_INFINITY) order.push({ edge: edgesOf[k], rest });
      }
      return order.sort((a, b) => a.rest - b.rest);
    };
    for (let d = last - 1; d >= first; d--) {
      const candidates = sorted(outEdge, outFrom[d], outFrom[d + 1], after);
      for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
        const e = inEdge[k];
        let least = Number.POSITIVE_INFINITY;
        for (const { edge: f, rest } of candidates) {
          if (rest >= least) break;
          least = Math.min(least, rest + reduced.triplet(e, f, -1));
        }
        after[e] = least;
      }
    }
    for (let d = first; d < last; d++) {
      const candidates = sorted(inEdge, inFrom[d], inFrom[d + 1], before);
      for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
        const f = outEdge[q];
        let least = Number.POSITIVE_INFINITY;
        for (const { edge: e, rest } of candidates) {
          if (rest >= least) break;
          least = Math.min(least, rest + reduced.triplet(e, f, -1));
        }
        before[f] = least;
      }
    }
  }
  const through = new Float64Array(edges);
  for (let e = 0; e < edges; e++) through[e] = before[e] + r[e] + after[e];
  return { before, after, through };
}
