import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";

/** The edges of one set of tracks: links, deaths and births. */
export interface TrackEdges {
  /** Edge out of each detection; UNASSIGNED in the last frame. */
  readonly out: Int32Array;
  /** Edge into each detection; UNASSIGNED in the first frame. */
  readonly into: Int32Array;
  /** 1 for the edges of the tracks; length edges. */
  readonly isOfTracks: Uint8Array;
  /** In the order of files. */
  readonly edges: Uint32Array;
}

/** @param tracks by the link that each detection takes into the next frame, UNASSIGNED where its track ends */
export function trackEdgesOf(graph: Graph, tracks: Int32Array): TrackEdges {
  const { frames, frameStart, deathOf, birthOf, head } = graph;
  const last = frameStart[frames - 1];
  const out = tracks.map((link, d) => (link === UNASSIGNED ? deathOf[d] : link)).fill(UNASSIGNED, last);
  const into = birthOf.slice();
  for (const link of tracks.subarray(0, last)) if (link !== UNASSIGNED) into[head[link]] = link;
  const edges = new Uint32Array(out.length + into.length);
  let count = 0;
  for (let d = 0; d < last; d++) if (out[d] !== deathOf[d]) edges[count++] = out[d];
  for (let d = 0; d < last; d++) if (out[d] !== UNASSIGNED && out[d] === deathOf[d]) edges[count++] = out[d];
  for (let d = 0; d < into.length; d++) if (into[d] !== UNASSIGNED && into[d] === birthOf[d]) edges[count++] = into[d];
  const isOfTracks = new Uint8Array(graph.edges);
  for (let n = 0; n < count; n++) isOfTracks[edges[n]] = 1;
  return { out, into, isOfTracks, edges: edges.slice(0, count) };
}
