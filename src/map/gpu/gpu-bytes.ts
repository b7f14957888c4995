import type { LapMethod } from "../../lap/method.js";
import { isSparseLap } from "../../lap/sparse/choice.js";
import { PLANES } from "../dual/proximal-step.js";
import type { Graph } from "../instance/instance.js";
import { tripletRule } from "../instance/triplet-rules.js";

/** Bytes that an ascent holds on a device, rounded up: the arrays of createGpuMemory and of its LAP batch. */
const BYTES = { detection: 260, edge: 60, number: 4, triplet: 8, matrixEntry: 4, entryOfMatrix: 4 } as const;

/** Bytes that an instance takes on a device, about, before anything is uploaded. */
export function deviceBytes(graph: Graph, method: LapMethod = "auto"): number {
  const { frames, frameStart, edges, edgeStart, deathStart, triplets } = graph;
  let bytes = BYTES.detection * frameStart[frames] + (BYTES.edge + BYTES.number * widthOf(triplets)) * edges;
  if (triplets.kind === "csr") bytes += BYTES.triplet * triplets.count;
  for (let p = 0; p + 1 < frames; p++) {
    const [rows, columns] = [frameStart[p + 1] - frameStart[p], frameStart[p + 2] - frameStart[p + 1]];
    const links = deathStart[p] - edgeStart[p];
    if (!isSparseLap(rows, columns, links, method))
      bytes += BYTES.matrixEntry * rows * columns + BYTES.entryOfMatrix * links;
  }
  return bytes;
}

/** Numbers m that are kept for each edge. */
function widthOf(triplets: Graph["triplets"]): number {
  return triplets.kind === "implicit" ? tripletRule(triplets.rule).width : 1;
}

/** Bytes of the largest array that kernels bind whole: m by edge, lists, arcs from both sides, or planes by detection. Stored triplets and matrices are split. */
export function largestArray({ frames, frameStart, links, edges, triplets }: Graph): number {
  const detections = frameStart[frames];
  const arcs = (links < edges ? 2 * links : links) + 4 * detections;
  const lists = edges + 4 * detections;
  return BYTES.number * Math.max(widthOf(triplets) * edges, lists, arcs, 2 * PLANES * detections);
}
