import { UNASSIGNED } from "../../lap/lap.js";
import type { Incidence } from "../instance/incidence.js";
import type { Graph } from "../instance/instance.js";
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

/** Of reduced costs those of edges and triplets. */
export type PricedItems = Pick<Reduced, "edge" | "triplet" | "between">;

/** The chains of all tracks. */
export function chainsOf(numbers: Numbers, core: Core, reduced: Reduced): Chains {
  return createChains(numbers, core, reduced, new Uint8Array(core.graph.edges).fill(1))();
}

/**
 * The chains of tracks over the active edges, made by two sweeps: one over the frames back to front and one front to back. Where the edge of T* at a detection is not active,
 * a track ends there with it. Each call makes them again for edges that have become inactive since the last one, in place, and looks only where that changes a
 * number. Most triplets need no look, since s ≥ 0 and the cheapest chains are tried first.
 */
export function createChains(
  { of, down, list }: Numbers,
  { graph, incidence, trackEdges }: Core,
  reduced: PricedItems,
  active: Uint8Array,
): () => Chains {
  const { frames, frameStart, edges, tail, head, triplets } = graph;
  const { edge: r } = reduced;
  const [first, last] = [frameStart[1], frameStart[frames - 1]];
  const fixed = (edge: number): number => (active[edge] === 1 ? -1 : edge);
  const [onward, before, upTo] = [list(edges, of(0)), list(edges, of(0)), list(edges, of(0))];
  const through = list(edges, Number.POSITIVE_INFINITY);
  const member = listActive(active);
  let members = member.length;
  const { outFrom, outEdge, inFrom, inEdge } = members === edges ? incidence : among(incidence, active);
  const stored = triplets.kind === "csr";
  const { rowStart, successor } = stored ? triplets : { rowStart: outFrom, successor: outEdge };
  const nearest: number[] = [];
  const collect = (edge: Uint32Array, from: number, to: number, rest: Values): number =>
    collectByRest(nearest, active, edge, [from, to], rest);
  /** 1 for a detection whose edges in have others to go on with, or whose edges out have others to come from. */
  const isOutOther = endsOf(graph, member);
  const isIntoOther = isOutOther.slice();
  for (let n = 0; n < members; n++) onward[member[n]] = upTo[member[n]] = r[member[n]];

  const goOnward = (d: number): void => {
    const end = fixed(trackEdges.out[d]);
    const followers = end >= 0 || stored ? 0 : collect(outEdge, outFrom[d], outFrom[d + 1], onward);
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (active[e] === 0) continue;
      let least: Value = end >= 0 ? reduced.between(e, end) : Number.POSITIVE_INFINITY;
      const row = stored && end < 0 ? rowStart[e] : 0;
      const length = stored && end < 0 ? rowStart[e + 1] - row : followers;
      for (let n = 0; n < length; n++) {
        const f = stored ? successor[row + n] : nearest[n];
        if (onward[f] < least && active[f] === 1) {
          const rest = down(reduced.triplet(e, f, row + n), onward[f]);
          if (rest < least) least = rest;
        } else if (!stored) break;
      }
      const next = down(r[e], least);
      if (next === onward[e]) continue;
      onward[e] = next;
      if (tail[e] !== UNASSIGNED) isOutOther[tail[e]] = 1;
    }
  };
  const comeUpTo = (d: number): void => {
    const begin = fixed(trackEdges.into[d]);
    const leaders = begin >= 0 ? 0 : collect(inEdge, inFrom[d], inFrom[d + 1], upTo);
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
      const f = outEdge[q];
      if (active[f] === 0) continue;
      let least: Value = begin >= 0 ? reduced.between(begin, f) : Number.POSITIVE_INFINITY;
      for (let n = 0; !stored && n < leaders && upTo[nearest[n]] < least; n++) {
        const rest = down(upTo[nearest[n]], reduced.triplet(nearest[n], f, -1));
        if (rest < least) least = rest;
      }
      before[f] = least;
    }
    for (let n = 0; stored && n < leaders; n++) {
      const e = nearest[n];
      for (let t = rowStart[e]; t < rowStart[e + 1]; t++) {
        const f = successor[t];
        if (!(upTo[e] < before[f] && active[f] === 1)) continue;
        const rest = down(upTo[e], reduced.triplet(e, f, t));
        if (rest < before[f]) before[f] = rest;
      }
    }
    for (let q = outFrom[d]; q < outFrom[d + 1]; q++) {
      const f = outEdge[q];
      if (active[f] === 0 || upTo[f] === down(before[f], r[f])) continue;
      upTo[f] = down(before[f], r[f]);
      if (head[f] !== UNASSIGNED) isIntoOther[head[f]] = 1;
    }
  };

  return () => {
    let kept = 0;
    for (let n = 0; n < members; n++) {
      const e = member[n];
      member[kept] = e;
      kept += active[e];
      if (active[e] === 1) continue;
      through[e] = Number.POSITIVE_INFINITY;
      if (tail[e] !== UNASSIGNED) isOutOther[tail[e]] = 1;
      if (head[e] !== UNASSIGNED) isIntoOther[head[e]] = 1;
    }
    members = kept;
    for (let d = last - 1; d >= first; d--) if (isOutOther[d] === 1) goOnward(d);
    for (let d = first; d < last; d++) if (isIntoOther[d] === 1) comeUpTo(d);
    isOutOther.fill(0);
    isIntoOther.fill(0);
    for (let n = 0; n < members; n++) through[member[n]] = down(before[member[n]], onward[member[n]]);
    return { upTo, onward, through };
  };
}

function listActive(active: Uint8Array): Uint32Array {
  const list = new Uint32Array(active.length);
  let count = 0;
  for (let e = 0; e < active.length; e++) if (active[e] === 1) list[count++] = e;
  return list.slice(0, count);
}

/** 1 for the detections that some edges touch. */
function endsOf({ frames, frameStart, tail, head }: Graph, edges: Uint32Array): Uint8Array {
  const isEnd = new Uint8Array(frameStart[frames]);
  for (let n = 0; n < edges.length; n++) {
    if (tail[edges[n]] !== UNASSIGNED) isEnd[tail[edges[n]]] = 1;
    if (head[edges[n]] !== UNASSIGNED) isEnd[head[edges[n]]] = 1;
  }
  return isEnd;
}

/** Lists the active edges of a row, those from which the rest of a track costs least first: the others then seldom need a look. Returns their number. */
function collectByRest(
  nearest: number[],
  active: Uint8Array,
  edge: Uint32Array,
  [from, to]: readonly [number, number],
  rest: Values,
): number {
  let count = 0;
  for (let k = from; k < to; k++) {
    const e = edge[k];
    if (active[e] === 0) continue;
    let at = count++;
    for (; at > 0 && rest[e] < rest[nearest[at - 1]]; at--) nearest[at] = nearest[at - 1];
    nearest[at] = e;
  }
  return count;
}

/** The edges at every detection that are active, in their order. */
function among({ outFrom, outEdge, inFrom, inEdge }: Incidence, active: Uint8Array): Incidence {
  const [out, into] = [activeRows(outFrom, outEdge, active), activeRows(inFrom, inEdge, active)];
  return { outFrom: out.from, outEdge: out.edge, inFrom: into.from, inEdge: into.edge };
}

function activeRows(from: Uint32Array, edge: Uint32Array, active: Uint8Array) {
  const kept = { from: new Uint32Array(from.length), edge: new Uint32Array(edge.length) };
  let count = 0;
  for (let d = 0; d + 1 < from.length; d++) {
    for (let k = from[d]; k < from[d + 1]; k++) if (active[edge[k]] === 1) kept.edge[count++] = edge[k];
    kept.from[d + 1] = count;
  }
  return kept;
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
