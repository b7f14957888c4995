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

export function incidenceOf({ linkStart, linkEnd, deathOf, inStart, inEdge }: Graph): Incidence {
  const outFrom = new Uint32Array(deathOf.length + 1);
  for (let d = 0; d < deathOf.length; d++) {
    outFrom[d + 1] = outFrom[d] + linkEnd[d] - linkStart[d] + (deathOf[d] === UNASSIGNED ? 0 : 1);
  }
  const outEdge = new Uint32Array(outFrom[deathOf.length]);
  for (let d = 0; d < deathOf.length; d++) {
    let k = outFrom[d];
    for (let f = linkStart[d]; f < linkEnd[d]; f++) outEdge[k++] = f;
    if (deathOf[d] !== UNASSIGNED) outEdge[k] = deathOf[d];
  }
  return { outFrom, outEdge, inFrom: inStart, inEdge };
}
