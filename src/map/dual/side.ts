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
  /** Moves the weights by `gamma` towards the plane taken up, and v with them, and puts it down. */
  leave(pair: number, gamma: number, tau: number): void;
}

/** @param sign of the side's terms in a plane: 1 for X, −1 for Y */
export function createSideSteps(graph: Graph, state: AscentState, side: Side, sign: 1 | -1): SideSteps {
  const { frames, frameStart, edges, edgeStart, tail } = graph;
  const { v, staleDelta } = state;
  const { weight, support, size, plane } = side;
  const detections = frameStart[frames];
  // A plane takes one edge out of a detection: its counts are 0 or 1.
  const count = new Uint8Array(edges);

  const fresh = new Int32Array(largestFrame(graph));

  /** Sets the counts of a plane; its edges without a weight, in order. */
  const mark = (p: number, slot: number): Int32Array => {
    let found = 0;
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const e = plane[slot * detections + d];
      count[e] = 1;
      if (weight[e] === 0) fresh[found++] = e;
    }
    return fresh.subarray(0, found).sort();
  };

  return {
    begin(p, slot) {
      const start = edgeStart[p];
      for (let n = start; n < start + size[p]; n++) weight[support[n]] = 0;
      const all = mark(p, slot);
      support.set(all, start);
      size[p] = all.length;
      for (const e of all) [weight[e], count[e]] = [1, 0];
    },
    enter(p, slot, sums) {
      const start = edgeStart[p];
      const added = mark(p, slot);
      let old = start + size[p] - 1;
      size[p] += added.length;
      // From the back, so that no edge is written over before it is read.
      for (let to = start + size[p] - 1, n = added.length - 1; n >= 0; to--) {
        support[to] = old >= start && support[old] > added[n] ? support[old--] : added[n--];
      }
      let [present, distance] = sums;
      for (let n = start; n < start + size[p]; n++) {
        const e = support[n];
        present += sign * (weight[e] * v[e]);
        const d = count[e] - weight[e];
        distance += d * d;
      }
      sums[0] = present;
      sums[1] = distance;
    },
    leave(p, gamma, tau) {
      const start = edgeStart[p];
      const end = start + size[p];
      let to = start;
      for (let n = start; n < end; n++) {
        const e = support[n];
        const d = gamma * (count[e] - weight[e]);
        if (d !== 0) {
          const before = v[e];
          weight[e] += d;
          v[e] += sign * tau * d;
          if (v[e] !== before) staleDelta[tail[e]] = 1;
        }
        count[e] = 0;
        support[to] = e;
        if (weight[e] !== 0) to++;
      }
      size[p] = to - start;
    },
  };
}
