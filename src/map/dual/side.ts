import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import { type PlaneSums, withSlot } from "./coordinates.js";
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
  /** By detection where triplets are free, the slots of the planes that take its death. */
  readonly ofDeath: Uint16Array;
}

/** Steps on the edges of a pair that have a weight or lie on a plane, a tenth of all; their sums are those over all edges, to the last bit. */
export interface SideSteps {
  /** A plane has been written into a slot. */
  stored(pair: number, slot: number): void;
  /** Adds what each plane takes of the edges of a pair at the present v. */
  addValues(pair: number, sums: PlaneSums): void;
  /** Sets the weights of a pair to those of a plane. */
  begin(pair: number, slot: number): void;
  /** Takes up a plane: adds the value of the weights at the present v to sums[0], their squared distance from the plane to sums[1]. */
  enter(pair: number, slot: number, sums: Float64Array): void;
  /** Moves the weights by `gamma` towards the plane taken up, and v with them. */
  leave(pair: number, gamma: number, tau: number): void;
}

/** @param sign of the side's terms in a plane: 1 for X, −1 for Y */
export function createSideSteps(graph: Graph, state: AscentState, side: Side, sign: 1 | -1): SideSteps {
  if (state.tiedByUse) return createUseSteps(graph, state, side, sign);
  const { frames, frameStart, edgeStart, deathStart, tail } = graph;
  const { v, staleDelta } = state;
  const { weight, support, size, plane } = side;
  const detections = frameStart[frames];
  const widest = largestFrame(graph);
  /** The edges of a plane, in order. */
  const ofPlane = new Int32Array(widest);
  /** The edges with a weight or on the plane that is taken up, in order, and whether they are on it. */
  const edge = new Int32Array(mostSupport(graph) + widest);
  const count = new Uint8Array(edge.length);
  let edges = 0;

  /** Puts the edges of a plane in order: those of rows are, and deaths come after links. */
  const inOrder = (p: number, slot: number): number => {
    const [first, end, deaths] = [frameStart[p], frameStart[p + 1], deathStart[p]];
    const base = slot * detections;
    let found = 0;
    for (let d = first; d < end; d++) if (plane[base + d] < deaths) ofPlane[found++] = plane[base + d];
    for (let d = first; d < end; d++) if (plane[base + d] >= deaths) ofPlane[found++] = plane[base + d];
    return found;
  };

  return {
    stored() {},
    addValues(p, { values }) {
      addPlanes(values, sign, v, plane, detections, frameStart[p], frameStart[p + 1]);
    },
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

/**
 * Adds v of the edges out of the detections from `first` to `end` to the value of each plane. Each sum is a chain of additions, so five
 * at a time take little longer than one.
 */
function addPlanes(
  values: Float64Array,
  sign: 1 | -1,
  v: Float64Array,
  plane: Int32Array,
  detections: number,
  first: number,
  end: number,
): void {
  let m = 0;
  for (; m + 5 <= values.length; m += 5) {
    let [a, b, c, d, e] = [values[m], values[m + 1], values[m + 2], values[m + 3], values[m + 4]];
    const [ofA, ofB, ofC, ofD, ofE] = [0, 1, 2, 3, 4].map((n) => (m + n) * detections);
    for (let i = first; i < end; i++) {
      a += sign * v[plane[ofA + i]];
      b += sign * v[plane[ofB + i]];
      c += sign * v[plane[ofC + i]];
      d += sign * v[plane[ofD + i]];
      e += sign * v[plane[ofE + i]];
    }
    values.set([a, b, c, d, e], m);
  }
  for (; m < values.length; m++) {
    let a = values[m];
    for (let i = first; i < end; i++) a += sign * v[plane[m * detections + i]];
    values[m] = a;
  }
}

/**
 * The steps where v of deaths alone moves, but for those of twins: the deaths of a pair stand side by side, and nearly all have a weight, so all are gone through.
 */
function createUseSteps(graph: Graph, state: AscentState, side: Side, sign: 1 | -1): SideSteps {
  const { frames, frameStart, deathStart, motherOf } = graph;
  const { v, staleDelta } = state;
  const { weight, plane, ofDeath } = side;
  const detections = frameStart[frames];
  const isTwin = (d: number): boolean => motherOf !== null && motherOf[d] !== UNASSIGNED;
  /** The ends of frames without the twins that stand there. */
  const ends = Uint32Array.from({ length: frames }, (_, p) => {
    let end = frameStart[p + 1];
    while (end > frameStart[p] && isTwin(end - 1)) end--;
    return end;
  });
  /** The plane that was taken up. */
  let taken = 0;
  return {
    stored(p, slot) {
      const base = slot * detections;
      for (let d = frameStart[p], e = deathStart[p]; d < ends[p]; d++, e++)
        ofDeath[d] = withSlot(ofDeath[d], slot, plane[base + d] === e && !isTwin(d));
    },
    addValues(p, { shared }) {
      for (let d = frameStart[p], e = deathStart[p]; d < ends[p]; d++, e++) shared[ofDeath[d]] += sign * v[e];
    },
    begin(p, slot) {
      for (let d = frameStart[p], e = deathStart[p]; d < ends[p]; d++, e++) weight[e] = (ofDeath[d] >> slot) & 1;
    },
    enter(p, slot, sums) {
      taken = slot;
      let [present, distance] = [0, 0];
      for (let d = frameStart[p], e = deathStart[p]; d < ends[p]; d++, e++) {
        const difference = ((ofDeath[d] >> slot) & 1) - weight[e];
        present += weight[e] * v[e];
        distance += difference * difference;
      }
      sums[0] += sign * present;
      sums[1] += distance;
    },
    leave(p, gamma, tau) {
      if (gamma === 0) return;
      for (let d = frameStart[p], e = deathStart[p]; d < ends[p]; d++, e++) {
        const moved = gamma * (((ofDeath[d] >> taken) & 1) - weight[e]);
        if (moved === 0) continue;
        weight[e] += moved;
        v[e] += sign * tau * moved;
        staleDelta[d] = 1;
      }
    },
  };
}

/** Links and deaths of the pair with most of them. */
function mostSupport({ frames, edgeStart, birthStart }: Graph): number {
  let most = 0;
  for (let p = 0; p + 1 < frames; p++) most = Math.max(most, birthStart[p] - edgeStart[p]);
  return most;
}
