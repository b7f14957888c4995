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

/** Two sweeps, one over the frames back to front and one front to back, each over all triplets at worst. */
export function chainsOf(
  { graph, incidence, trackEdges }: Core,
  reduced: ReducedCosts,
  within: Within | null = null,
): Chains {
  const { edge: r } = reduced;
  const { frames, frameStart, edges, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const active = within?.active ?? new Uint8Array(edges).fill(1);
  const after = new Float64Array(edges);
  const before = new Float64Array(edges);
  const isInside = (d: number): boolean => within === null || within.componentOf[d] >= 0;
  const isFixed = (edgeOfTracks: number): boolean => active[edgeOfTracks] === 0;

  const leastAfter = (e: number, start: Uint32Array, successor: Uint32Array): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let t = start[e]; t < start[e + 1]; t++) {
      const f = successor[t];
      const rest = r[f] + after[f];
      if (rest < least && active[f] === 1) least = Math.min(least, rest + reduced.triplet(e, f, t));
    }
    return least;
  };
  /** Lowers B of the edges that may follow e to the sum through e. */
  const lowerBefore = (e: number, start: Uint32Array, successor: Uint32Array): void => {
    const rest = r[e] + before[e];
    for (let t = start[e]; t < start[e + 1]; t++) {
      const f = successor[t];
      if (rest < before[f] && active[f] === 1) before[f] = Math.min(before[f], rest + reduced.triplet(e, f, t));
    }
  };
  /** The active edges of a list in order of their cost beyond the triplet: few of them must be examined, since s ≥ 0. */
  const sorted = (list: Uint32Array, from: number, to: number, chain: Float64Array): readonly number[] => {
    const order: number[] = [];
    for (let k = from; k < to; k++) if (active[list[k]] === 1) order.push(list[k]);
    return order.length < 2 ? order : order.sort((a, b) => r[a] + chain[a] - (r[b] + chain[b]));
  };
  const leastOf = (order: readonly number[], chain: Float64Array, triplet: (edge: number) => number): number => {
    let least = Number.POSITIVE_INFINITY;
    for (const edge of order) {
      const rest = r[edge] + chain[edge];
      if (!(rest < least)) break;
      least = Math.min(least, rest + triplet(edge));
    }
    return least;
  };

  for (let d = frameStart[frames - 1] - 1; d >= frameStart[1]; d--) {
    if (!isInside(d)) continue;
    const last = trackEdges.out[d];
    const fixed = isFixed(last);
    const following = fixed || triplets.kind === "csr" ? [] : sorted(outEdge, outFrom[d], outFrom[d + 1], after);
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 0) continue;
      if (fixed) after[e] = reduced.between(e, last);
      else if (triplets.kind === "csr") after[e] = leastAfter(e, triplets.start, triplets.successor);
      else after[e] = leastOf(following, after, (f) => reduced.triplet(e, f, -1));
    }
  }
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
    if (!isInside(d)) continue;
    const first = trackEdges.into[d];
    const fixed = isFixed(first);
    const leading = fixed || triplets.kind === "csr" ? [] : sorted(inEdge, inFrom[d], inFrom[d + 1], before);
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
      const f = outEdge[q];
      if (active[f] === 0) continue;
      before[f] = fixed ? reduced.between(first, f) : leastOf(leading, before, (e) => reduced.triplet(e, f, -1));
    }
    if (fixed || triplets.kind !== "csr") continue;
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++)
      if (active[inEdge[k]] === 1) lowerBefore(inEdge[k], triplets.start, triplets.successor);
  }

  const through = new Float64Array(edges).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; e < edges; e++) if (active[e] === 1) through[e] = before[e] + r[e] + after[e];
  return { before, after, through };
}
