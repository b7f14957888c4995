import { invariant } from "../../core/errors.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { indexEdges } from "../instance/edges.js";
import type { Graph, ImplicitTriplets, StoredTriplets } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";

/**
 * Frames `from` … `to` of a graph, as a graph: the edges between them and the triplets of these. Frame 0 of the stretch is frame `from`. Edges are numbered by frame
 * pair, so edge e of the stretch is edge edgeStart[from] + e, where none is left out.
 * @param cost of each edge of the stretch [that of the graph]; edges of infinite cost are left out, which is for stored triplets alone
 */
export function stretchOf(graph: Graph, from: number, to: number, cost = edgeCosts(graph, from, to)): Graph {
  invariant(graph.exclusions === null, () => "a stretch of frames knows no exclusions");
  const { edgeStart, tail, head } = graph;
  const [first, firstDetection] = [edgeStart[from], graph.frameStart[from]];
  const frameStart = sharedUint32(to - from + 2);
  for (let p = 0; p < frameStart.length; p++) frameStart[p] = graph.frameStart[from + p] - firstDetection;
  const kept = Uint32Array.from(cost.keys()).filter((e) => cost[e] < Number.POSITIVE_INFINITY);
  const detections = (ofEdge: Int32Array): Int32Array => {
    const moved = sharedInt32(kept.length).fill(UNASSIGNED);
    kept.forEach((e, k) => {
      if (ofEdge[first + e] !== UNASSIGNED) moved[k] = ofEdge[first + e] - firstDetection;
    });
    return moved;
  };
  const ends = { tail: detections(tail), head: detections(head) };
  const index = indexEdges(frameStart, ends.tail, ends.head);
  const prices = sharedFloat64(kept.length);
  prices.set(kept.length === cost.length ? cost : Float64Array.from(kept, (e) => cost[e]));
  const triplets =
    graph.triplets.kind === "csr"
      ? storedOf(graph.triplets, first, edgeStart[to - 1], kept)
      : implicitOf(graph, graph.triplets, from, to);
  return {
    frames: to - from + 1,
    frameStart,
    ...index,
    ...ends,
    cost: prices,
    triplets,
    surcharge: null,
    exclusions: null,
    motherOf: graph.motherOf && mothersOf(graph.motherOf, firstDetection, graph.frameStart[to + 1]),
  };
}

/** The mother of each twin of detections `from` … `to` − 1, which is in her frame. */
function mothersOf(motherOf: Int32Array, from: number, to: number): Int32Array {
  const moved = sharedInt32(to - from);
  for (let d = from; d < to; d++) moved[d - from] = motherOf[d] === UNASSIGNED ? UNASSIGNED : motherOf[d] - from;
  return moved;
}

/** Costs of the edges between frames `from` and `to`: a view. */
export function edgeCosts({ edgeStart, cost }: Graph, from: number, to: number): Float64Array {
  return cost.subarray(edgeStart[from], edgeStart[to]);
}

/** The triplets of the edges `first` + kept[k], by k; edges from `open` on enter the last frame and have none. */
function storedOf(triplets: StoredTriplets, first: number, open: number, kept: Uint32Array): StoredTriplets {
  const number = new Int32Array((kept.at(-1) ?? -1) + 1).fill(UNASSIGNED);
  kept.forEach((e, k) => {
    number[e] = k;
  });
  const rowStart = sharedUint32(kept.length + 1);
  const room = triplets.rowStart[open] - triplets.rowStart[first];
  const [successor, cost] = [sharedUint32(room), sharedFloat64(room)];
  let count = 0;
  for (let k = 0; k < kept.length; k++) {
    const e = first + kept[k];
    for (let t = triplets.rowStart[e]; e < open && t < triplets.rowStart[e + 1]; t++) {
      const f = number[triplets.successor[t] - first] ?? UNASSIGNED;
      if (f === UNASSIGNED) continue;
      successor[count] = f;
      cost[count++] = triplets.cost[t];
    }
    rowStart[k + 1] = count;
  }
  return { kind: "csr", count, rowStart, successor: successor.subarray(0, count), cost: cost.subarray(0, count) };
}

/** The triplets of the edges of frame pairs `from` … `to` − 1. */
function implicitOf(graph: Graph, triplets: ImplicitTriplets, from: number, to: number): ImplicitTriplets {
  const { frameStart, edgeStart, inStart, linkStart, linkEnd, deathOf } = graph;
  const { rule, perEdge, inByM, outByM } = triplets;
  const [first, end] = [edgeStart[from], edgeStart[to]];
  const { width } = tripletRule(rule);
  const renumbered = (edges: Uint32Array): Uint32Array => {
    const moved = sharedUint32(edges.length);
    for (let k = 0; k < edges.length; k++) moved[k] = edges[k] - first;
    return moved;
  };
  const perEdgeOfStretch = sharedFloat64(width * (end - first));
  perEdgeOfStretch.set(perEdge.subarray(width * first, width * end));
  let count = 0;
  for (let d = frameStart[from + 1]; d < frameStart[to]; d++) {
    const leaving = linkEnd[d] - linkStart[d] + (deathOf[d] === UNASSIGNED ? 0 : 1);
    count += (inStart[d + 1] - inStart[d]) * leaving;
  }
  return {
    kind: "implicit",
    rule,
    count,
    perEdge: perEdgeOfStretch,
    inByM: renumbered(inByM.subarray(inStart[frameStart[from + 1]], inStart[frameStart[to + 1]])),
    outByM: renumbered(outByM.subarray(first, end)),
  };
}
