import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Components } from "../instance/components.js";
import type { Core } from "../proof/core.js";

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

/** The active edges and their components. A track leaves them where the edge of T* at a detection is not active. */
export interface Within extends Pick<Components, "componentOf"> {
  readonly active: Uint8Array;
}

/** Sums of non-negative numbers along one track, as computed, are at most `1 / shrink` times the exact ones. */
export function shrinkOf(frames: number): number {
  return 1 - (8 * frames + 32) * ROUNDOFF;
}

/**
 * Two sweeps, one over the frames back to front and one front to back, each over all triplets at worst. Most triplets need no look, since s ≥ 0: their
 * edges alone cost more than another way.
 */
export function chainsOf(
  { graph, incidence, trackEdges }: Core,
  reduced: ReducedCosts,
  within: Within | null = null,
): Chains {
  const { edge: r } = reduced;
  const { frames, frameStart, edges, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const active = within?.active ?? new Uint8Array(edges).fill(1);
  const isInside = (d: number): boolean => within === null || within.componentOf[d] >= 0;
  const stored = triplets.kind === "csr";
  const successor = stored ? triplets.successor : outEdge;
  const firstOf = (e: number, d: number): number => (stored ? triplets.rowStart[e] : outFrom[d]);
  const endOf = (e: number, d: number): number => (stored ? triplets.rowStart[e + 1] : outFrom[d + 1]);

  const after = new Float64Array(edges);
  const leastAfter = (e: number, d: number): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let t = firstOf(e, d), end = endOf(e, d); t < end; t++) {
      const f = successor[t];
      const rest = r[f] + after[f];
      if (rest < least && active[f] === 1) least = Math.min(least, rest + reduced.triplet(e, f, t));
    }
    return least;
  };
  for (let d = frameStart[frames - 1] - 1; d >= frameStart[1]; d--) {
    if (!isInside(d)) continue;
    const last = trackEdges.out[d];
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 1) after[e] = active[last] === 0 ? reduced.between(e, last) : leastAfter(e, d);
    }
  }

  const before = new Float64Array(edges);
  /** Lowers B of the edges that may follow e to the sum through e. */
  const lowerBefore = (e: number, d: number): void => {
    const rest = r[e] + before[e];
    for (let t = firstOf(e, d), end = endOf(e, d); t < end; t++) {
      const f = successor[t];
      if (rest < before[f] && active[f] === 1) before[f] = Math.min(before[f], rest + reduced.triplet(e, f, t));
    }
  };
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
    if (!isInside(d)) continue;
    const first = trackEdges.into[d];
    const isFixed = active[first] === 0;
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++)
      before[outEdge[q]] = isFixed ? reduced.between(first, outEdge[q]) : Number.POSITIVE_INFINITY;
    for (let k = inFrom[d]; !isFixed && k < inFrom[d + 1]; k++) if (active[inEdge[k]] === 1) lowerBefore(inEdge[k], d);
  }

  const through = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; e < edges; e++) if (active[e] === 1) through[e] = before[e] + r[e] + after[e];
  return { before, after, through };
}
