import { sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { UNASSIGNED } from "../../lap/lap.js";

/**
 * Where edges stand. They are numbered frame pair by frame pair, and within a pair links come first, then deaths, then births:
 *
 *     links   edgeStart[p] … deathStart[p] − 1       sorted by (tail, head)
 *     deaths  deathStart[p] … birthStart[p] − 1      one per detection of frame p, in order; none where tracks may not end
 *     births  birthStart[p] … edgeStart[p + 1] − 1   one per detection of frame p + 1, in order; none where they may not start
 *
 * So the edges of a stretch of frames are one run of numbers, and those that leave a detection, the ones that have multipliers, are one run in
 * each pair.
 */
export interface EdgeIndex {
  readonly links: number;
  /** All edges. */
  readonly edges: number;
  /** By frame pair; `edgeStart` has the number of all edges behind the last one. */
  readonly edgeStart: Uint32Array;
  readonly deathStart: Uint32Array;
  readonly birthStart: Uint32Array;
  /** Links out of detection d: linkStart[d] … linkEnd[d] − 1; length detections. */
  readonly linkStart: Uint32Array;
  readonly linkEnd: Uint32Array;
  /** The death of each detection and the birth into it, UNASSIGNED where there is none; length detections. */
  readonly deathOf: Int32Array;
  readonly birthOf: Int32Array;
  /** Edges into detection d, links in order and then the birth: inEdge[inStart[d]] … inEdge[inStart[d + 1] − 1]. */
  readonly inStart: Uint32Array;
  readonly inEdge: Uint32Array;
}

/** The index of edges that are in this order. */
export function indexEdges(frameStart: Uint32Array, tail: Int32Array, head: Int32Array): EdgeIndex {
  const pairs = frameStart.length - 2;
  const detections = frameStart[pairs + 1];
  const edges = tail.length;
  const [edgeStart, deathStart, birthStart] = [pairs + 1, pairs, pairs].map((length) => sharedUint32(length));
  const [linkStart, linkEnd, inStart] = [detections, detections, detections + 1].map((length) => sharedUint32(length));
  const deathOf = sharedInt32(detections).fill(UNASSIGNED);
  const birthOf = sharedInt32(detections).fill(UNASSIGNED);
  let e = 0;
  for (let p = 0; p < pairs; p++) {
    edgeStart[p] = e;
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      linkStart[d] = e;
      while (e < edges && tail[e] === d && head[e] !== UNASSIGNED) inStart[head[e++] + 1]++;
      linkEnd[d] = e;
    }
    deathStart[p] = e;
    while (e < edges && head[e] === UNASSIGNED && tail[e] < frameStart[p + 1]) deathOf[tail[e]] = e++;
    birthStart[p] = e;
    for (; e < edges && tail[e] === UNASSIGNED && head[e] < frameStart[p + 2]; e++) {
      birthOf[head[e]] = e;
      inStart[head[e] + 1]++;
    }
  }
  edgeStart[pairs] = e;
  linkStart.fill(e, frameStart[pairs]);
  linkEnd.fill(e, frameStart[pairs]);
  for (let d = 0; d < detections; d++) inStart[d + 1] += inStart[d];
  const inEdge = sharedUint32(inStart[detections]);
  const next = inStart.slice();
  for (let e = 0; e < edges; e++) if (head[e] !== UNASSIGNED) inEdge[next[head[e]]++] = e;
  let links = 0;
  for (let p = 0; p < pairs; p++) links += deathStart[p] - edgeStart[p];
  return { links, edges, edgeStart, deathStart, birthStart, linkStart, linkEnd, deathOf, birthOf, inStart, inEdge };
}

/**
 * The order of edges in files, by which proofs, digests and programs for other solvers number them: all links, then all deaths, then all births,
 * each in order of the frame pairs. Place k of a file is edge number `order[k]`.
 */
export function fileOrder({ edges, edgeStart, deathStart, birthStart }: EdgeIndex): Uint32Array {
  const order = new Uint32Array(edges);
  let at = 0;
  const append = (from: Uint32Array, to: Uint32Array, shift: number): void => {
    for (let p = 0; p < deathStart.length; p++) for (let e = from[p]; e < to[p + shift]; e++) order[at++] = e;
  };
  append(edgeStart, deathStart, 0);
  append(deathStart, birthStart, 0);
  append(birthStart, edgeStart, 1);
  return order;
}

/** Numbers by edge in the order of files. */
export function toFileOrder(index: EdgeIndex, byEdge: Float64Array): Float64Array {
  const byPlace = new Float64Array(index.edges);
  // A loop, since Float64Array.from takes several times as long over a typed array.
  for (const [k, e] of fileOrder(index).entries()) byPlace[k] = byEdge[e];
  return byPlace;
}

/** Numbers in the order of files by edge. */
export function fromFileOrder(index: EdgeIndex, byPlace: Float64Array): Float64Array {
  const byEdge = new Float64Array(index.edges);
  for (const [k, e] of fileOrder(index).entries()) byEdge[e] = byPlace[k];
  return byEdge;
}
