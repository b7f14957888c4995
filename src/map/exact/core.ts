import { ROUNDOFF } from "../certificate/compensated-sum.js";
import type { ReducedCosts } from "../certificate/reduced-costs.js";
import { type Incidence, incidenceOf } from "../instance/incidence.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { type Chains, shrinkOf } from "./chains.js";
import type { OwnEdges } from "./own-edges.js";

/**
 * An instance with stored triplets that holds what sets of tracks cheaper than the present ones may use, and the present ones. Its
 * costs are those of the instance it was cut from, so that nothing is rounded.
 */
export interface Core {
  readonly graph: Graph;
  readonly incidence: Incidence;
  /** 1 for an edge that is left out: links are not there any more, but every detection keeps its birth and death. */
  readonly removed: Uint8Array;
  /** Edge of the instance it was cut from, by edge of the core. */
  readonly edgeOf: Uint32Array;
  /** The present tracks, by links of the core. */
  readonly tracks: Int32Array;
}

/**
 * Keeps the edges and triplets that lie on a track which costs less than `room` beyond the bound, and the present tracks.
 * @param candidate 1 for the edges that elimination has left
 * @returns null where more than `most` triplets are left
 */
export function cutCore(
  reduced: ReducedCosts,
  incidence: Incidence,
  chains: Chains,
  own: OwnEdges,
  room: number,
  most: number,
  candidate: Uint8Array,
): Core | null {
  const { graph, edge: r } = reduced;
  const { frames, frameStart, links, edges, tail, head, cost } = graph;
  const { outFrom, outEdge } = incidence;
  const detections = frameStart[frames];
  const last = frameStart[frames - 1];
  const limit = (room * (1 + 8 * ROUNDOFF)) / shrinkOf(frames);
  const kept = (e: number): boolean => own.isOwn[e] === 1 || (chains.through[e] < limit && candidate[e] === 1);

  const renumbered = new Int32Array(edges).fill(-1);
  const edgeOf: number[] = [];
  for (let e = 0; e < edges; e++) {
    if (e < links && !kept(e)) continue;
    renumbered[e] = edgeOf.length;
    edgeOf.push(e);
  }
  const coreLinks = edgeOf.length - (edges - links);
  const removed = Uint8Array.from(edgeOf, (e) => (kept(e) ? 0 : 1));

  const start = new Uint32Array(edgeOf.length + 1);
  const successor: number[] = [];
  const price: number[] = [];
  const triplets = graph.triplets;
  for (let n = 0; n < edgeOf.length; n++) {
    const e = edgeOf[n];
    start[n] = successor.length;
    const d = head[e];
    if (d < 0 || d >= last || removed[n] === 1) continue;
    const before = chains.before[e] + r[e];
    const take = (f: number, t: number, cost: () => number): void => {
      const at = renumbered[f];
      if (at < 0 || removed[at] === 1) return;
      const rest = before + r[f] + chains.after[f];
      const both = own.into[d] === e && own.out[d] === f;
      if (!both && !(rest < limit && rest + reduced.triplet(e, f, t) < limit)) return;
      successor.push(at);
      price.push(cost());
    };
    if (triplets.kind === "csr") {
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++)
        take(triplets.successor[t], t, () => triplets.cost[t]);
    } else {
      for (let q = outFrom[d]; q < outFrom[d + 1]; q++) take(outEdge[q], -1, () => tripletCost(graph, e, outEdge[q]));
    }
    if (successor.length > most) return null;
  }
  start[edgeOf.length] = successor.length;

  const outStart = new Uint32Array(detections + 1);
  for (let n = 0; n < coreLinks; n++) outStart[tail[edgeOf[n]] + 1]++;
  for (let d = 0; d < detections; d++) outStart[d + 1] += outStart[d];
  const core: Graph = {
    frames,
    frameStart,
    links: coreLinks,
    edges: edgeOf.length,
    outStart,
    tail: Int32Array.from(edgeOf, (e) => tail[e]),
    head: Int32Array.from(edgeOf, (e) => head[e]),
    cost: Float64Array.from(edgeOf, (e) => cost[e]),
    surcharge: null,
    triplets: {
      kind: "csr",
      count: successor.length,
      start,
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(price),
    },
  };
  const tracks = own.out.map((e) => (e >= 0 && e < links ? renumbered[e] : -1));
  return { graph: core, incidence: incidenceOf(core), removed, edgeOf: Uint32Array.from(edgeOf), tracks };
}
