import { rootOf } from "../../core/union-find.js";
import { UNASSIGNED } from "../../lap/lap.js";
import { membersOf, setCount } from "./exclusions.js";
import type { Graph } from "./instance.js";

/** The connected components of some edges, which join detections, as do sets of detections that exclude each other, and a twin and its mother. */
export interface Components {
  readonly count: number;
  /** Component of a detection that one of the edges touches, numbered in order of the detections; −1 elsewhere. */
  readonly componentOf: Int32Array;
}

/** @param active 1 for the edges */
export function componentsOf(
  { frames, frameStart, edges, tail, head, exclusions, motherOf }: Graph,
  active: Uint8Array,
): Components {
  const detections = frameStart[frames];
  const root = new Int32Array(detections);
  for (let d = 0; d < detections; d++) root[d] = d;
  const touched = new Uint8Array(detections);
  for (let e = 0; e < edges; e++) {
    if (active[e] === 0) continue;
    if (tail[e] !== UNASSIGNED) touched[tail[e]] = 1;
    if (head[e] !== UNASSIGNED) touched[head[e]] = 1;
    if (tail[e] !== UNASSIGNED && head[e] !== UNASSIGNED) root[rootOf(root, tail[e])] = rootOf(root, head[e]);
  }
  for (let set = 0; exclusions !== null && set < setCount(exclusions); set++) {
    const inside = membersOf(exclusions, set).filter((d) => touched[d] === 1);
    for (const d of inside) root[rootOf(root, d)] = rootOf(root, inside[0]);
  }
  for (let d = 0; motherOf !== null && d < detections; d++) {
    const mother = motherOf[d];
    if (mother !== UNASSIGNED && touched[d] === 1 && touched[mother] === 1)
      root[rootOf(root, d)] = rootOf(root, mother);
  }
  const number = new Int32Array(detections).fill(-1);
  const componentOf = new Int32Array(detections).fill(-1);
  let count = 0;
  for (let d = 0; d < detections; d++) {
    if (touched[d] === 0) continue;
    const at = rootOf(root, d);
    if (number[at] < 0) number[at] = count++;
    componentOf[d] = number[at];
  }
  return { count, componentOf };
}
