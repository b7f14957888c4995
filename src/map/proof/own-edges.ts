import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";

/** The edges of one set of tracks: links, deaths and births. */
export interface OwnEdges {
  /** Edge out of each detection; UNASSIGNED in the last frame. */
  readonly out: Int32Array;
  /** Edge into each detection; UNASSIGNED in the first frame. */
  readonly into: Int32Array;
  /** Length edges. */
  readonly isOwn: Uint8Array;
  /** Their numbers, increasing. */
  readonly edges: Uint32Array;
}

/** @param tracks by the link that each detection takes into the next frame, UNASSIGNED where its track ends */
export function ownEdges({ frames, frameStart, links, edges, head }: Graph, tracks: Int32Array): OwnEdges {
  const detections = frameStart[frames];
  const last = frameStart[frames - 1];
  const out = new Int32Array(detections).fill(UNASSIGNED);
  const into = new Int32Array(detections).fill(UNASSIGNED);
  const isOwn = new Uint8Array(edges);
  for (let d = frameStart[1]; d < detections; d++) into[d] = links + last + d - frameStart[1];
  for (let d = 0; d < last; d++) {
    out[d] = tracks[d] === UNASSIGNED ? links + d : tracks[d];
    if (tracks[d] !== UNASSIGNED) into[head[tracks[d]]] = tracks[d];
  }
  for (let d = 0; d < detections; d++) {
    if (out[d] !== UNASSIGNED) isOwn[out[d]] = 1;
    if (into[d] !== UNASSIGNED) isOwn[into[d]] = 1;
  }
  let count = 0;
  for (let e = 0; e < edges; e++) count += isOwn[e];
  const numbers = new Uint32Array(count);
  for (let e = 0, n = 0; e < edges; e++) if (isOwn[e] === 1) numbers[n++] = e;
  return { out, into, isOwn, edges: numbers };
}
