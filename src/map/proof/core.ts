import { bitAt } from "../../core/bits.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { inheritGrain } from "../certificate/grain.js";
import { indexEdges } from "../instance/edges.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import { type Graph, isLink, tripletCost } from "../instance/instance.js";
import type { CoreChoice } from "./proof.js";
import { type TrackEdges, trackEdgesOf } from "./track-edges.js";

/**
 * A part of an instance with stored triplets. Its costs are those of the instance, so that nothing is rounded. All births and deaths
 * have a number in it, also those that are left out.
 */
export interface Core {
  readonly graph: Graph;
  readonly incidence: Incidence;
  /** 1 for an edge that is left out; length edges. */
  readonly removed: Uint8Array;
  /** Edge of the instance it was cut from, by edge of the core. */
  readonly edgeOf: Uint32Array;
  /** The present tracks, by links of the core. */
  readonly tracks: Int32Array;
  readonly trackEdges: TrackEdges;
}

/** A core that is a whole instance, with which the stages begin. */
export function wholeOf(graph: Graph, tracks: Int32Array): Core {
  const edgeOf = new Uint32Array(graph.edges);
  for (let e = 0; e < edgeOf.length; e++) edgeOf[e] = e;
  return {
    graph,
    incidence: incidenceOf(graph),
    removed: new Uint8Array(graph.edges),
    edgeOf,
    tracks,
    trackEdges: trackEdgesOf(graph, tracks),
  };
}

/**
 * Visits the triplets of every two edges that are kept: by the detection where they meet, then by the edge into it, then by the edge out of
 * it. The order does not depend on how edges are numbered over all frames.
 * @param kept 1 for an edge that is kept
 * @param visit gets the index t of a stored triplet (−1 for an implicit one) and the number n of the visit; `false` ends it
 * @returns how many were visited
 */
export function eachTriplet(
  { graph, incidence }: Pick<Core, "graph" | "incidence">,
  kept: Uint8Array,
  // biome-ignore lint/suspicious/noConfusingVoidType: most visits go on
  visit: (e: number, f: number, t: number, n: number) => boolean | void,
): number {
  const { frames, frameStart, triplets } = graph;
  const { inFrom, inEdge, outFrom, outEdge } = incidence;
  let n = 0;
  for (let d = frameStart[1]; d < frameStart[frames - 1]; d++) {
    for (let k = inFrom[d]; k < inFrom[d + 1]; k++) {
      const e = inEdge[k];
      if (kept[e] === 0) continue;
      const stored = triplets.kind === "csr";
      const [from, to] = stored ? [triplets.rowStart[e], triplets.rowStart[e + 1]] : [outFrom[d], outFrom[d + 1]];
      for (let at = from; at < to; at++) {
        const f = stored ? triplets.successor[at] : outEdge[at];
        if (kept[f] === 1 && visit(e, f, stored ? at : -1, n++) === false) return n;
      }
    }
  }
  return n;
}

/** Whether the present tracks lie in a part of an instance or a core: none of their edges is left out. */
export function hasTracks({ removed, trackEdges }: Pick<Core, "removed" | "trackEdges">): boolean {
  return !trackEdges.edges.some((e) => removed[e] === 1);
}

/** Whether a triplet is one of the present tracks that its part has. */
export function isOfTracks({ removed, trackEdges }: Core, e: number, f: number, d: number): boolean {
  return trackEdges.into[d] === e && trackEdges.out[d] === f && removed[e] === 0 && removed[f] === 0;
}

/** The part of an instance or a core that a choice names; its lengths must be right. */
export function coreOf(whole: Core, choice: CoreChoice): Core {
  const { graph, tracks } = whole;
  const { frames, frameStart, edges, head, tail, cost, triplets } = graph;
  const kept = Uint8Array.from({ length: edges }, (_, e) => Number(bitAt(choice.edges, e)));
  const edgeOf = Uint32Array.from({ length: edges }, (_, e) => e).filter((e) => !isLink(graph, e) || kept[e] === 1);
  const renumbered = new Int32Array(edges).fill(UNASSIGNED);
  edgeOf.forEach((e, n) => {
    renumbered[e] = n;
  });

  const rowStart = new Uint32Array(edgeOf.length + 1);
  eachTriplet(whole, kept, (e, _f, _t, n) => {
    if (bitAt(choice.triplets, n)) rowStart[renumbered[e] + 1]++;
  });
  for (let e = 0; e < edgeOf.length; e++) rowStart[e + 1] += rowStart[e];
  const count = rowStart[edgeOf.length];
  const [successor, price, next] = [new Uint32Array(count), new Float64Array(count), rowStart.slice()];
  eachTriplet(whole, kept, (e, f, t, n) => {
    if (!bitAt(choice.triplets, n)) return;
    const at = next[renumbered[e]]++;
    successor[at] = renumbered[f];
    price[at] = triplets.kind === "csr" ? triplets.cost[t] : tripletCost(graph, e, f);
  });

  const [tails, heads] = [tail, head].map((end) => Int32Array.from(edgeOf, (e) => end[e]));
  const core: Graph = {
    frames,
    frameStart,
    ...indexEdges(frameStart, tails, heads),
    tail: tails,
    head: heads,
    cost: Float64Array.from(edgeOf, (e) => cost[e]),
    surcharge: null,
    exclusions: graph.exclusions,
    motherOf: graph.motherOf,
    triplets: { kind: "csr", count, rowStart, successor, cost: price },
  };
  inheritGrain(core, graph);
  const inCore = tracks.map((e) => (e === UNASSIGNED ? e : renumbered[e]));
  return {
    graph: core,
    incidence: incidenceOf(core),
    removed: Uint8Array.from(edgeOf, (e) => (kept[e] === 1 ? whole.removed[e] : 1)),
    edgeOf,
    tracks: inCore,
    trackEdges: trackEdgesOf(core, inCore),
  };
}
