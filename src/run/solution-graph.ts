import { frameOfDetections } from "../core/detections.js";
import { frameNumber } from "../core/frame-numbers.js";
import { picked } from "../core/growing-array.js";
import { edgesOf } from "../formats/branches.js";
import { formatGraph } from "../formats/geff.js";
import type { Problem } from "./problem.js";
import type { Run } from "./run.js";

/** The folder of the chosen nodes and edges, where the input is a graph. */
export const SOLUTION = "solution.geff";

/**
 * The chosen nodes and edges of a graph by the paths of their files: nodes with an edge, or, where candidates were not part of the input, all. The margin of an edge
 * into a daughter is that of her being her mother's, and the margin of a division the less of the two; null without tracks, or where the input is no graph.
 */
export function solutionGraph(
  { nodes, detections, numbers, pricing }: Problem,
  { track, parents, margins, frameStart }: Run,
): Map<string, string | Buffer> | null {
  if (nodes === undefined || detections === null || track === null) return null;
  const all = edgesOf({ track, parent: parents });
  const isChosen = new Uint8Array(track.length).fill(pricing === null ? 0 : 1);
  for (const edge of all) for (const d of edge) isChosen[d] = 1;
  const kept = Uint32Array.from(track.keys()).filter((d) => isChosen[d] === 1);
  const place = new Int32Array(track.length);
  kept.forEach((d, node) => {
    place[d] = node;
  });
  const frameOf = frameOfDetections(frameStart);
  const division = new Float64Array(track.length).fill(Number.NaN);
  const margin = Float64Array.from(all, ([from, to]) => {
    if (track[from] === track[to]) return margins?.link[from] ?? Number.NaN;
    const ofDaughter = margins?.birth?.[to] ?? Number.NaN;
    division[from] = Number.isNaN(division[from]) ? ofDaughter : Math.min(division[from], ofDaughter);
    return ofDaughter;
  });
  const { x, y, z } = detections;
  const pick = (values: Float64Array) => picked(values, kept);
  return formatGraph({
    frame: Float64Array.from(kept, (d) => frameNumber(numbers, frameOf[d])),
    ...{ x: pick(x), y: pick(y), ...(z && { z: pick(z) }), track: picked(track, kept) },
    ids: Array.from(kept, (d) => BigInt(nodes.idOf(d))),
    edges: all.map(([from, to]) => [place[from], place[to]]),
    ...{ unit: nodes.unit, timeUnit: nodes.timeUnit },
    ...(margins && { edgeProperties: { margin: { values: margin, holes: true } } }),
    ...(margins &&
      parents.size > 0 && { nodeProperties: { division_margin: { values: pick(division), holes: true } } }),
  });
}
