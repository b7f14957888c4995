import type { Graph } from "../instance/instance.js";
import { largestFrame } from "./kernels.js";
import type { AscentState } from "./state.js";

/**
 * X or Y of the bundle as weights of edges, and the planes they are combined of. X of frame pair p and Y of pair p − 1 belong to the edges of
 * pair p, and both take one edge out of each detection of frame p.
 */
export interface Side {
  readonly weight: Float64Array;
  /** The edges of pair p with a weight, in order, from edgeStart[p] on; and their number. */
  readonly support: Int32Array;
  readonly size: Uint32Array;
  /** The edge out of each detection, by (slot, detection). */
  readonly plane: Int32Array;
}

/** Steps on the edges of a pair that have a weight or lie on a plane, a tenth of all; their sums are those over all edges, to the last bit. */
export interface SideSteps {
  /** Sets the weights of a pair to those of a plane. */
  begin(pair: number, slot: number): void;
  /** Takes up a plane: adds the value of the weights at the present v to sums[0], their squared distance from the plane to sums[1]. */
  enter(pair: number, slot: number, sums: Float64Array): void;
  /** Moves the weights by `gamma` towards the plane taken up, and v with them. */
  leave(pair: number, gamma: number, tau: number): void;
}

/** @param sign of the side's terms in a plane: 1 for X, −1 for Y */
export function createSideSteps(graph: Graph, state: AscentState, side: Side, sign: 1 | -1): SideSteps {
  const { frames, frameStart, edgeStart, deathStart, tail, motherOf } = graph;
  const { v, staleDelta, tiedByUse } = state;
  const { weight, support, size, plane } = side;
  const detections = frameStart[frames];
  const widest = largestFrame(graph);
  /** The edges of a plane, in order. */
  const ofPlane = new Int32Array(widest);
  /** The edges with a weight or on the plane that is taken up, in order, and whether they are on it. */
  const edge = new Int32Array(mostSupport(graph) + widest);
  const count = new Uint8Array(edge.length);
  let edges = 0;

  /** Puts the edges of a plane in order whose v may move: those of rows are, and deaths come after links. */
  const inOrder = (p: number, slot: number): number => {
    const [first, end, deaths] = [frameStart[p], frameStart[p + 1], deathStart[p]];
    const base = slot * detections;
    const twins = tiedByUse ? motherOf : null;
    let found = 0;
    for (let d = first; d < end && !tiedByUse; d++) if (plane[base + d] < deaths) ofPlane[found++] = plane[base + d];
    for (let d = first; d < end; d++)
      if (plane[base + d] >= deaths && !(twins !== null && twins[d] >= 0)) ofPlane[found++] = plane[base + d];
    return found;
  };

  return {
    begin(p, slot) {
      const start = edgeStart[p];
      for (let n = start; n < start + size[p]; n++) weight[support[n]] = 0;
      size[p] = inOrder(p, slot);
      support.set(ofPlane.subarray(0, size[p]), start);
      for (let n = start; n < start + size[p]; n++) weight[support[n]] = 1;
    },
    enter(p, slot, sums) {
      const found = inOrder(p, slot);
      const end = edgeStart[p] + size[p];
      let [present, distance] = sums;
      let n = 0;
      for (let old = edgeStart[p], added = 0; old < end || added < found; n++) {
        const e = old < end && (added === found || support[old] <= ofPlane[added]) ? support[old] : ofPlane[added];
        if (old < end && support[old] === e) old++;
        const isOnPlane = added < found && ofPlane[added] === e ? 1 : 0;
        added += isOnPlane;
        edge[n] = e;
        count[n] = isOnPlane;
        present += sign * (weight[e] * v[e]);
        const d = isOnPlane - weight[e];
        distance += d * d;
      }
      edges = n;
      sums[0] = present;
      sums[1] = distance;
    },
    leave(p, gamma, tau) {
      if (gamma === 0) return;
      const start = edgeStart[p];
      let to = start;
      for (let n = 0; n < edges; n++) {
        const e = edge[n];
        const d = gamma * (count[n] - weight[e]);
        if (d !== 0) {
          const before = v[e];
          weight[e] += d;
          v[e] += sign * tau * d;
          if (v[e] !== before) staleDelta[tail[e]] = 1;
        }
        support[to] = e;
        if (weight[e] !== 0) to++;
      }
      size[p] = to - start;
    },
  };
}

/** Links and deaths of the pair with most of them. */
function mostSupport({ frames, edgeStart, birthStart }: Graph): number {
  let most = 0;
  for (let p = 0; p + 1 < frames; p++) most = Math.max(most, birthStart[p] - edgeStart[p]);
  return most;
}
