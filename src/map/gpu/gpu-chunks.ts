import type { Graph } from "../instance/instance.js";

/** Edges of a chunk: a few for each thread of a workgroup. */
export const EDGES_PER_CHUNK = 1024;

/** Detections of a block: 16 for each of the threads that share a plane. */
export const DETECTIONS_PER_BLOCK = 256;

/** As struct Chunk of layout.wgsl. */
export type ChunkRecord = Readonly<Record<"pair" | "first" | "end" | "count", number>>;

export interface Chunks {
  readonly records: readonly ChunkRecord[];
  /** First chunk of each pair, in the order of the pairs' records, and the number of all. */
  readonly firstOf: readonly number[];
}

/**
 * Cuts the edges that a pair's plane touches, those of the pair and of the next one, into chunks of about equal work: the first pairs of a
 * scenario may hold a hundred times as many as the last. Counted as `edgeAround` in layout.wgsl counts.
 */
export function cutIntoChunks(graph: Graph, order: readonly number[], edgesPerChunk: number): Chunks {
  const { frames, edgeStart, birthStart } = graph;
  const leaving = (p: number): number => (p + 1 < frames ? birthStart[p] - edgeStart[p] : 0);
  // The first pair has no multipliers of its own.
  return cut(order, edgesPerChunk, 1, (p) => [p > 0 ? 0 : leaving(p), leaving(p) + leaving(p + 1)]);
}

/** Cuts the detections out of which a pair's planes take edges with multipliers, its rows and then its columns, into blocks. */
export function cutIntoBlocks({ frames, frameStart }: Graph, order: readonly number[]): Chunks {
  const rows = (p: number): number => frameStart[p + 1] - frameStart[p];
  return cut(order, DETECTIONS_PER_BLOCK, 0, (p) => [
    p > 0 ? 0 : rows(p),
    rows(p) + (p + 2 < frames ? rows(p + 1) : 0),
  ]);
}

/** @param least pieces that each pair has at least */
function cut(
  order: readonly number[],
  length: number,
  least: number,
  rangeOf: (pair: number) => readonly [number, number],
): Chunks {
  const records: ChunkRecord[] = [];
  const firstOf: number[] = [];
  order.forEach((p, pair) => {
    const [begin, end] = rangeOf(p);
    const count = Math.max(least, Math.ceil((end - begin) / length));
    firstOf.push(records.length);
    for (let k = 0; k < count; k++) {
      const first = begin + k * length;
      records.push({ pair, first, end: Math.min(end, first + length), count });
    }
  });
  return { records, firstOf: [...firstOf, records.length] };
}
