import type { Graph } from "../instance/instance.js";

/** Edges of a chunk: a few for each thread of a workgroup. */
export const EDGES_PER_CHUNK = 1024;
/** Every workgroup of a pair adds up what the pair's chunks measured, so a wide pair has longer chunks instead of more. */
const MOST_CHUNKS = 64;

/** As struct Chunk of layout.wgsl. */
export type ChunkRecord = Readonly<Record<"pair" | "first" | "end" | "count", number>>;

export interface Chunks {
  readonly records: readonly ChunkRecord[];
  /** First chunk of each pair, in the order of the pairs' records. */
  readonly firstOf: readonly number[];
}

/**
 * Cuts the edges that a pair's plane touches, those of the pair and of the next one, into chunks of about equal work: the first pairs of a
 * scenario may hold a hundred times as many as the last. Counted as `edgeAround` in layout.wgsl counts.
 */
export function cutIntoChunks(graph: Graph, order: readonly number[], edgesPerChunk: number): Chunks {
  const { frames, edgeStart, birthStart } = graph;
  const leaving = (p: number): number => (p + 1 < frames ? birthStart[p] - edgeStart[p] : 0);
  const records: ChunkRecord[] = [];
  const firstOf: number[] = [];
  order.forEach((p, record) => {
    // The first pair has no multipliers of its own.
    const begin = p > 0 ? 0 : leaving(p);
    const end = leaving(p) + leaving(p + 1);
    const length = Math.max(edgesPerChunk, Math.ceil((end - begin) / MOST_CHUNKS));
    const count = Math.max(1, Math.ceil((end - begin) / length));
    firstOf.push(records.length);
    for (let k = 0; k < count; k++) {
      const first = begin + k * length;
      records.push({ pair: record, first, end: Math.min(end, first + length), count });
    }
  });
  return { records, firstOf };
}
