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
  const edges = Uint32Array.from([
    ...out.filter((e, d) => e !== deathOf[d]),
    ...out.filter((e, d) => e !== UNASSIGNED && e === deathOf[d]),
    ...into.filter((e, d) => e !== UNASSIGNED && e === birthOf[d]),
  ]);
  const isOfTracks = new Uint8Array(graph.edges);
  for (const e of edges) isOfTracks[e] = 1;
  return { out, into, isOfTracks, edges };
}
