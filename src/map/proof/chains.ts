import type { Components } from "../instance/components.js";
import type { Core } from "./core.js";
import type { Numbers, Value, Values } from "./numbers.js";
import type { Reduced } from "./reduced.js";

/**
 * The least that whole tracks cost beyond the bound (docs/explanation/proofs.md). Different tracks share no edge and no triplet, so what
 * they cost beyond the bound adds up.
 */
export interface Chains<L extends Values = Values> {
  /** Of a track up to an edge, with it. */
  readonly upTo: L;
  /** Of a track from an edge on, with it. */
  readonly onward: L;
  /** Of a track through an edge; Infinity for an edge on no track. */
  readonly through: L;
}

/** The edges that tracks may use, and their components. Where the edge of T* at a detection is not active, a track ends there with it. */
export interface Within extends Pick<Components, "componentOf"> {
  readonly active: Uint8Array;
}

/** Two sweeps, one over the frames back to front and one front to back, each over all triplets at worst. Most triplets need no look, since s ≥ 0. */
export function chainsOf(
  { of, down, list }: Numbers,
  { graph, incidence, trackEdges }: Core,
  reduced: Reduced,
  within: Within | null = null,
): Chains {
  const { frames, frameStart, edges, triplets } = graph;
  const { outFrom, outEdge, inFrom, inEdge } = incidence;
  const { edge: r } = reduced;
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const active = within?.active ?? new Uint8Array(edges).fill(1);
  const isOutside = (d: number): boolean => within !== null && within.componentOf[d] < 0;
  const fixed = (edge: number): number => (active[edge] === 1 ? -1 : edge);
  const stored = triplets.kind === "csr";
  const successor = stored ? triplets.successor : outEdge;
  const firstOf = (e: number, d: number): number => (stored ? triplets.rowStart[e] : outFrom[d]);
  const endOf = (e: number, d: number): number => (stored ? triplets.rowStart[e + 1] : outFrom[d + 1]);

  const onward = list(edges, of(0));
  for (let e = 0; e < edges; e++) onward[e] = r[e];
  for (let d = last - 1; d >= first; d--) {
    if (isOutside(d)) continue;
    const end = fixed(trackEdges.out[d]);
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 0) continue;
      let least: Value = end >= 0 ? reduced.between(e, end) : Number.POSITIVE_INFINITY;
      for (let t = firstOf(e, d), to = end >= 0 ? t : endOf(e, d); t < to; t++) {
        const f = successor[t];
        if (!(onward[f] < least && active[f] === 1)) continue;
        const rest = down(reduced.triplet(e, f, t), onward[f]);
        if (rest < least) least = rest;
      }
      onward[e] = down(r[e], least);
    }
  }

  const before = list(edges, of(0));
  const upTo = list(edges, of(0));
  for (let e = 0; e < edges; e++) upTo[e] = r[e];
  for (let d = first; d < last; d++) {
    if (isOutside(d)) continue;
    const begin = fixed(trackEdges.into[d]);
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++)
      before[outEdge[q]] = begin >= 0 ? reduced.between(begin, outEdge[q]) : Number.POSITIVE_INFINITY;
    for (let k = inFrom[d]; begin < 0 && k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 0) continue;
      for (let t = firstOf(e, d), to = endOf(e, d); t < to; t++) {
        const f = successor[t];
        if (!(upTo[e] < before[f] && active[f] === 1)) continue;
        const rest = down(upTo[e], reduced.triplet(e, f, t));
        if (rest < before[f]) before[f] = rest;
      }
    }
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) upTo[outEdge[q]] = down(before[outEdge[q]], r[outEdge[q]]);
  }
  const through = list(edges, Number.POSITIVE_INFINITY);
  for (let e = 0; e < edges; e++) if (active[e] === 1) through[e] = down(before[e], onward[e]);
  return { upTo, onward, through };
}

/** The least that a track through a triplet costs beyond the bound, with the chains of all tracks. */
export function throughTriplet(
  { down }: Numbers,
  { upTo, onward }: Chains,
  reduced: Reduced,
  [e, f, t]: readonly [e: number, f: number, t: number],
): Value {
  return down(down(upTo[e], reduced.triplet(e, f, t)), onward[f]);
}
