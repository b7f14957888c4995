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
  /** In the order of files. */
  readonly edges: Uint32Array;
}

/** @param tracks by the link that each detection takes into the next frame, UNASSIGNED where its track ends */
export function ownEdges({ frames, frameStart, edges, deathOf, birthOf, head }: Graph, tracks: Int32Array): OwnEdges {
  const detections = frameStart[frames];
  const last = frameStart[frames - 1];
  const out = new Int32Array(detections).fill(UNASSIGNED);
  const into = birthOf.slice();
  const isOwn = new Uint8Array(edges);
  for (let d = 0; d < last; d++) {
    out[d] = tracks[d] === UNASSIGNED ? deathOf[d] : tracks[d];
    if (tracks[d] !== UNASSIGNED) into[head[tracks[d]]] = tracks[d];
  }
  for (let d = 0; d < detections; d++) {
    if (out[d] !== UNASSIGNED) isOwn[out[d]] = 1;
    if (into[d] !== UNASSIGNED) isOwn[into[d]] = 1;
  }
  const links = out.filter((e, d) => e !== UNASSIGNED && e !== deathOf[d]);
  const deaths = out.filter((e, d) => e !== UNASSIGNED && e === deathOf[d]);
  const births = into.filter((e, d) => e !== UNASSIGNED && e === birthOf[d]);
  const all = new Uint32Array(links.length + deaths.length + births.length);
  all.set(links);
  all.set(deaths, links.length);
  all.set(births, links.length + deaths.length);
  return { out, into, isOwn, edges: all };
}
