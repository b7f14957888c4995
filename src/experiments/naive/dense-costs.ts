import { invariant } from "../../core/errors.js";
import type { Graph } from "../../map/instance/instance.js";

/** The cost of a link or triplet that is gated out [K23]. */
export const GATED = 1e6;

/** Detections of every frame of an instance that the dense arrays can hold: as many in each, no births and no deaths. */
export function squareSize({ frames, frameStart, links, edges }: Graph): number {
  const n = frameStart[1];
  invariant(edges === links, () => "the naive engine knows no births and deaths");
  for (let p = 0; p <= frames; p++) invariant(frameStart[p] === p * n, () => `frame ${p} has not ${n} detections`);
  return n;
}

/** Where link e lies in an array of frame pairs × n × n. */
export function denseIndex({ tail, head }: Graph, n: number, e: number): number {
  return tail[e] * n + (head[e] % n);
}

/** Frame pairs × n × n: C where there is a link, else GATED. */
export function denseLinks(graph: Graph, n: number): Float32Array {
  const dense = new Float32Array((graph.frames - 1) * n * n).fill(GATED);
  for (let e = 0; e < graph.links; e++) dense[denseIndex(graph, n, e)] = graph.cost[e];
  return dense;
}

/** In the array of linkPlaces, where there is no link. */
export const NO_LINK = 0xffffffff;

/** Frame pairs × n × n: the link there, or NO_LINK. */
export function linkPlaces(graph: Graph, n: number): Uint32Array {
  const dense = new Uint32Array((graph.frames - 1) * n * n).fill(NO_LINK);
  for (let e = 0; e < graph.links; e++) dense[denseIndex(graph, n, e)] = e;
  return dense;
}

/** Stored D of frame triple p, n × n × n by i, j, k, GATED where a link or the triplet is missing. */
export function denseTriplets(graph: Graph, n: number, p: number, into: Float32Array): Float32Array {
  const { triplets, head } = graph;
  invariant(triplets.kind === "csr", () => "implicit triplets are not stored");
  into.fill(GATED);
  const { edgeStart } = graph;
  for (let e = edgeStart[p]; e < edgeStart[p + 1]; e++) {
    const row = n * (denseIndex(graph, n, e) - p * n * n);
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      into[row + (head[triplets.successor[t]] % n)] = triplets.cost[t];
    }
  }
  return into;
}
