import { linkCover } from "../instance/cover.js";
import type { Graph } from "../instance/instance.js";

/** Proof that a frame pair has no complete assignment: all links of these detections of frame `pair` end in fewer detections of the next frame. */
export interface Shortage {
  readonly pair: number;
  /** Detections of frame `pair`, numbered through all frames. */
  readonly tails: readonly number[];
  /** All detections that their links enter; fewer. */
  readonly heads: readonly number[];
}

/**
 * Looks for a frame pair in which more detections compete for fewer (Hall 1935), and counts again from the links alone. It does not
 * look where tracks may start and end anywhere. null does not mean that a set of tracks exists: stored triplets may forbid all.
 */
export function findShortage(graph: Graph): Shortage | null {
  const { frames, linkStart, linkEnd, head, links, edges } = graph;
  if (edges > links) return null;
  for (let pair = 0; pair + 1 < frames; pair++) {
    const { short } = linkCover(graph, pair);
    if (short === null) continue;
    const heads = new Set<number>();
    for (const i of short.tails) for (let e = linkStart[i]; e < linkEnd[i]; e++) heads.add(head[e]);
    const tails = [...new Set(short.tails)].sort((a, b) => a - b);
    if (heads.size >= tails.length) throw new Error(`frame pair ${pair}: ${tails.length} tails are not short of heads`);
    return { pair, tails, heads: [...heads].sort((a, b) => a - b) };
  }
  return null;
}

/** The fewest deaths and births that any set of tracks has in a frame pair, from a cover that is checked link by link. */
export function forcedEnds(graph: Graph, pair: number): { readonly deaths: number; readonly births: number } {
  const { frameStart, edgeStart, deathStart, tail, head } = graph;
  const { tails, heads } = linkCover(graph, pair);
  for (let e = edgeStart[pair]; e < deathStart[pair]; e++) {
    if (!tails.has(tail[e]) && !heads.has(head[e])) throw new Error(`frame pair ${pair}: link ${e} is not covered`);
  }
  const linked = tails.size + heads.size;
  return {
    deaths: Math.max(0, frameStart[pair + 1] - frameStart[pair] - linked),
    births: Math.max(0, frameStart[pair + 2] - frameStart[pair + 1] - linked),
  };
}
