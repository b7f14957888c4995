import { median } from "d3-array";
import type { GpuSession } from "../../gpu/session.js";
import { GpuLapBatch } from "../../lap/gpu-batch.js";
import type { LapMethod } from "../../lap/method.js";
import type { Graph } from "../instance/instance.js";

/** How many links are sampled to estimate the size of all costs. */
const SAMPLE = 1000;

/** The X-LAPs of an ascent. @param halves frame pairs by parity, which are solved together @param method what solves them */
export async function createLaps(
  session: GpuSession,
  graph: Graph,
  column: Uint32Array,
  halves: readonly (readonly number[])[],
  method: LapMethod,
): Promise<GpuLapBatch> {
  const { frames, frameStart, linkStart, linkEnd, links, edges } = graph;
  const lastFrame = frameStart[frames - 1];
  const detections = frameStart[frames];
  const shape = {
    rows: Uint32Array.from({ length: frames - 1 }, (_, p) => frameStart[p + 1] - frameStart[p]),
    columns: Uint32Array.from({ length: frames - 1 }, (_, p) => frameStart[p + 2] - frameStart[p + 1]),
    rowLimit: new Float32Array(lastFrame).fill(Number.POSITIVE_INFINITY),
    columnLimit: new Float32Array(detections - frameStart[1]).fill(Number.POSITIVE_INFINITY),
    entries: { rowStart: linkStart.subarray(0, lastFrame), rowEnd: linkEnd.subarray(0, lastFrame), column },
    mayBeLeft: edges > links,
    slack: reducedRounding(graph),
  };
  return await GpuLapBatch.create(session, shape, { method }, halves);
}

/**
 * How far Ĉ = C + v + Δ is rounded in f32, about: 2^-19, some units in the last place, of the median |C|. Where an ascent has pushed
 * the reduced costs away, Ĉ differs from α + β by no more than this, and its X-LAPs would search among rounding errors. It is not taken from the
 * largest C, which may stand for something forbidden.
 */
export function reducedRounding({ cost, links, edgeStart, deathStart }: Graph): number {
  const length = Math.min(links, SAMPLE);
  const linksOf = (pair: number) => deathStart[pair] - edgeStart[pair];
  let [pair, before] = [0, 0];
  const sizes = Array.from({ length }, (_, k) => {
    const link = Math.floor((k * links) / length);
    while (link - before >= linksOf(pair)) before += linksOf(pair++);
    return Math.abs(cost[edgeStart[pair] + link - before]);
  });
  return 2 ** -19 * (median(sizes) ?? 0);
}
