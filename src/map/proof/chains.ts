import type { Core } from "./core.js";
import type { Numbers, Value } from "./numbers.js";
import type { Reduced } from "./reduced.js";

/**
 * The least that whole tracks cost beyond the bound (docs/explanation/proofs.md). Different tracks share no edge and no triplet, so what
 * they cost beyond the bound adds up.
 */
export interface Chains {
  /** Of a track up to an edge, with it. */
  readonly upTo: readonly Value[];
  /** Of a track from an edge on, with it. */
  readonly onward: readonly Value[];
  /** Of a track through an edge; Infinity for an edge on no track. */
  readonly through: readonly Value[];
}

/** @param active 1 for the edges that tracks may use [all]; where the edge of T* at a detection is not active, a track ends there with it */
export function chainsOf(
  { of, down }: Numbers,
  { graph, incidence, trackEdges }: Core,
  reduced: Reduced,
  active: Uint8Array | null = null,
): Chains {
  const { frames, frameStart, edges, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { edge: r } = reduced;
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const isActive = (e: number): boolean => active === null || active[e] === 1;
  const fixed = (side: "into" | "out", d: number): number => (isActive(trackEdges[side][d]) ? -1 : trackEdges[side][d]);
  const successors = (e: number, d: number): readonly [from: number, to: number] =>
    triplets.kind === "csr" ? [triplets.rowStart[e], triplets.rowStart[e + 1]] : [outFrom[d], outFrom[d + 1]];
  const successor = triplets.kind === "csr" ? triplets.successor : outEdge;

  const onward = r.slice();
  for (let d = last - 1; d >= first; d--) {
    const end = fixed("out", d);
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (!isActive(e)) continue;
      let least: Value = end >= 0 ? reduced.between(e, end) : Number.POSITIVE_INFINITY;
      const [from, to] = end >= 0 ? [0, 0] : successors(e, d);
      for (let t = from; t < to; t++) {
        const f = successor[t];
        if (!(onward[f] < least && isActive(f))) continue;
        const rest = down(reduced.triplet(e, f, t), onward[f]);
        if (rest < least) least = rest;
      }
      onward[e] = down(r[e], least);
    }
  }

  const before = new Array<Value>(edges).fill(of(0));
  const upTo = r.slice();
  for (let d = first; d < last; d++) {
    const begin = fixed("into", d);
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++)
      before[outEdge[q]] = begin >= 0 ? reduced.between(begin, outEdge[q]) : Number.POSITIVE_INFINITY;
    for (let k = inFrom[d]; begin < 0 && k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (!isActive(e)) continue;
      const [from, to] = successors(e, d);
      for (let t = from; t < to; t++) {
        const f = successor[t];
        if (!(upTo[e] < before[f] && isActive(f))) continue;
        const rest = down(upTo[e], reduced.triplet(e, f, t));
        if (rest < before[f]) before[f] = rest;
      }
    }
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) upTo[outEdge[q]] = down(before[outEdge[q]], r[outEdge[q]]);
  }
  const through = before.map((value, e) => (isActive(e) ? down(value, onward[e]) : Number.POSITIVE_INFINITY));
  return { upTo, onward, through };
}
