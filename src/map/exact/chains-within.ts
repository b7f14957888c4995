import type { ReducedCosts } from "../certificate/reduced-costs.js";
import type { Incidence } from "../instance/incidence.js";
import type { OwnEdges } from "../proof/own-edges.js";

/** F and B of chains.ts within components of active edges: a track leaves one where the edge of T* at a detection is not active. */
export interface ChainsWithin {
  /** Of the active edges, as of the last update; length edges. */
  readonly before: Float64Array;
  readonly after: Float64Array;
  /** Makes them anew. */
  update(): void;
}

/**
 * @param active 1 for active edges, length edges; read at each update, as `componentOf` is
 * @param componentOf the component of a detection that an active edge touches, −1 elsewhere
 */
export function chainsWithin(
  reduced: ReducedCosts,
  { outFrom, outEdge, inFrom, inEdge }: Incidence,
  { out, into }: OwnEdges,
  active: Uint8Array,
  componentOf: Int32Array,
): ChainsWithin {
  const { graph, edge: r } = reduced;
  const { frames, frameStart, edges, head, triplets } = graph;
  const first = frameStart[1];
  const last = frameStart[frames - 1];
  const after = new Float64Array(edges);
  const before = new Float64Array(edges);

  /** F(e) from those of the edges after it. */
  const leastAfter = (e: number): number => {
    let least = Number.POSITIVE_INFINITY;
    if (triplets.kind === "csr") {
      const { start, successor } = triplets;
      for (let t = start[e], end = start[e + 1]; t < end; t++) {
        const f = successor[t];
        if (active[f] === 0) continue;
        const rest = r[f] + after[f];
        if (rest < least) least = Math.min(least, rest + reduced.triplet(e, f, t));
      }
    } else {
      for (let q = outFrom[head[e]], end = outFrom[head[e] + 1]; q < end; q++) {
        const f = outEdge[q];
        if (active[f] === 0) continue;
        const rest = r[f] + after[f];
        if (rest < least) least = Math.min(least, rest + reduced.triplet(e, f, -1));
      }
    }
    return least;
  };

  /** Lowers B of the edges after e to what it makes them. */
  const lowerBefore = (e: number): void => {
    const rest = r[e] + before[e];
    if (triplets.kind === "csr") {
      const { start, successor } = triplets;
      for (let t = start[e], end = start[e + 1]; t < end; t++) {
        const f = successor[t];
        if (active[f] === 1 && rest < before[f]) before[f] = Math.min(before[f], rest + reduced.triplet(e, f, t));
      }
    } else {
      for (let q = outFrom[head[e]], end = outFrom[head[e] + 1]; q < end; q++) {
        const f = outEdge[q];
        if (active[f] === 1 && rest < before[f]) before[f] = Math.min(before[f], rest + reduced.triplet(e, f, -1));
      }
    }
  };

  const comeBack = (d: number): void => {
    const fixed = active[out[d]] === 0;
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 1) after[e] = fixed ? reduced.between(e, out[d]) : leastAfter(e);
    }
  };

  const goOn = (d: number): void => {
    const fixed = active[into[d]] === 0;
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
      const f = outEdge[q];
      if (active[f] === 1) before[f] = fixed ? reduced.between(into[d], f) : Number.POSITIVE_INFINITY;
    }
    if (fixed) return;
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) if (active[inEdge[k]] === 1) lowerBefore(inEdge[k]);
  };

  return {
    before,
    after,
    update() {
      for (let d = last - 1; d >= first; d--) if (componentOf[d] >= 0) comeBack(d);
      for (let d = first; d < last; d++) if (componentOf[d] >= 0) goOn(d);
    },
  };
}
