import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "./instance.js";

/** The edges at every detection, links, deaths and births alike, in compressed rows. */
export interface Incidence {
  /** Edges out of detection d: outEdge[outFrom[d]] … outEdge[outFrom[d + 1] − 1]; length detections + 1. */
  readonly outFrom: Uint32Array;
  readonly outEdge: Uint32Array;
  /** Edges into detection d, likewise. */
  readonly inFrom: Uint32Array;
  readonly inEdge: Uint32Array;
}

export function incidenceOf({ frames, frameStart, edges, tail, head }: Graph): Incidence {
  const detections = frameStart[frames];
  const rows = (end: Int32Array): { from: Uint32Array; edge: Uint32Array } => {
    const from = new Uint32Array(detections + 1);
    for (let e = 0; e < edges; e++) if (end[e] !== UNASSIGNED) from[end[e] + 1]++;
    for (let d = 0; d < detections; d++) from[d + 1] += from[d];
    const edge = new Uint32Array(from[detections]);
    const next = from.slice(0, detections);
    for (let e = 0; e < edges; e++) if (end[e] !== UNASSIGNED) edge[next[end[e]]++] = e;
    return { from, edge };
  };
  const out = rows(tail);
  const into = rows(head);
  return { outFrom: out.from, outEdge: out.edge, inFrom: into.from, inEdge: into.edge };
}
