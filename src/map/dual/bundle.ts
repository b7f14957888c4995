import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import type { AscentState } from "./state.js";

/**
 * The bundle of cutting planes of each frame pair, and the ascent's present point in their convex hulls
 * (docs/explanation/mathematics.md §3.4). A solution (x, y) of pair p's subproblem is the plane
 *
 *     a + Σ_e x_e v_e − Σ_f y_f v_f ,    a = cost of its edges and triplets,   y_f = number of its triplets that end in f
 *
 * over the multipliers of pairs p and p + 1; the pair's part of L is the least of all its planes. (A, X, Y) is a convex
 * combination of planes, and v = centre + τ (X − Y).
 */
export interface Bundle {
  /** Planes kept for each pair. */
  readonly capacity: number;
  /** A of each pair; length frames − 1. */
  readonly constant: Float64Array;
  /** X_e (`taken`) and Y_e (`passed`); length edges. */
  readonly taken: Float64Array;
  readonly passed: Float64Array;
  /** Each pair's part of the bundle's model of L as `measure` finds it. */
  readonly model: Float64Array;
  /** Planes by (slot, pair): a, a stamp of last use (0 = empty). */
  readonly planeConstant: Float64Array;
  readonly planeStamp: Uint32Array;
  /** By (slot, detection): the edge taken out of a row, and the edge that the triplet into a column goes on with. */
  readonly planeEdge: Int32Array;
  readonly planeSuccessor: Int32Array;
  /** The number of stamps that were given to planes, by pair. */
  readonly clock: Uint32Array;
}

/** Planes kept for each frame pair (docs/explanation/mathematics.md §3.4): enough for a good model, few enough that a round over them is cheap. */
export const PLANES = 10;

export function createBundle(graph: Graph, capacity = PLANES): Bundle {
  const { frames, frameStart, edges } = graph;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  return {
    capacity,
    constant: sharedFloat64(pairs),
    taken: sharedFloat64(edges),
    passed: sharedFloat64(edges),
    model: sharedFloat64(pairs),
    planeConstant: sharedFloat64(capacity * pairs),
    planeStamp: sharedUint32(capacity * pairs),
    planeEdge: sharedInt32(capacity * detections),
    planeSuccessor: sharedInt32(capacity * detections),
    clock: sharedUint32(pairs),
  };
}

/**
 * Steps of the bundle on one frame pair. `refine` and `refineKept` move the multipliers of the pair and the next one: the
 * pairs of one parity may run at once. The others may run for all pairs at once.
 */
export interface BundleKernels {
  /** Empties the bundle and sets the combination to the plane of the last assignment. */
  begin(pair: number): void;
  /** Adds the plane of the last assignment without moving. */
  collect(pair: number): void;
  /** Adds the plane of the last assignment and moves towards it, and v with it, as far as the proximal model improves. */
  refine(pair: number, tau: number): void;
  /** The same with the least of the kept planes at the present v: no X-LAP, no triplets. */
  refineKept(pair: number, tau: number): void;
  /** model = A + Σ (X − Y) v over the pair's edges. */
  measure(pair: number): void;
  /** v = kept + τ (X − Y). */
  stand(pair: number, tau: number): void;
}

/** Coordinates of planes beside v: those of cuts, whose multipliers move with v (docs/explanation/proofs.md §4). */
export interface PlaneCuts {
  /** A plane has been written into a slot. */
  stored(pair: number, slot: number): void;
  /** Sets the pair's combination to the plane in a slot. */
  begin(pair: number, slot: number): void;
  /** Σ g μ of a plane, and of the pair's combination. */
  value(pair: number, slot: number): number;
  present(pair: number): number;
  /** Squared distance of a plane's coordinates from the combination's. */
  distance(pair: number, slot: number): number;
  /** The combination moves by `gamma` towards a plane. */
  move(pair: number, slot: number, gamma: number, tau: number): void;
}

export function createBundleKernels(
  graph: Graph,
  state: AscentState,
  bundle: Bundle,
  cuts: PlaneCuts | null = null,
): BundleKernels {
  const { frames, edgeStart, birthStart } = graph;
  const { v, kept, pairValue } = state;
  const { capacity, constant, taken, passed, planeConstant, planeStamp, clock } = bundle;
  const pairs = frames - 1;
  const planes = createPlanes(graph, state, bundle, cuts);
  const moveTowards = createLineSearch(graph, state, bundle, cuts);
  return {
    begin(p) {
      for (let m = 0; m < capacity; m++) planeStamp[m * pairs + p] = 0;
      clock[p] = 0;
      const slot = planes.store(p);
      constant[p] = planeConstant[slot * pairs + p];
      cuts?.begin(p, slot);
      const { edgeCount, successorCount } = planes;
      planes.count(p, slot, 1);
      if (p > 0) for (let e = edgeStart[p]; e < birthStart[p]; e++) taken[e] = edgeCount[e];
      if (p + 1 < pairs) for (let e = edgeStart[p + 1]; e < birthStart[p + 1]; e++) passed[e] = successorCount[e];
      planes.count(p, slot, 0);
    },
    collect(p) {
      planes.store(p);
    },
    refine(p, tau) {
      moveTowards(planes, p, planes.store(p), pairValue[p], tau);
    },
    refineKept(p, tau) {
      let slot = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let m = 0; m < capacity; m++) {
        if (planeStamp[m * pairs + p] === 0) continue;
        const value = planes.value(p, m);
        if (value < least) {
          least = value;
          slot = m;
        }
      }
      moveTowards(planes, p, slot, least, tau);
    },
    measure(p) {
      let model = constant[p];
      if (p > 0) for (let e = edgeStart[p]; e < birthStart[p]; e++) model += (taken[e] - passed[e]) * v[e];
      bundle.model[p] = model;
    },
    stand(p, tau) {
      if (p === 0) return;
      for (let e = edgeStart[p]; e < birthStart[p]; e++) v[e] = kept[e] + tau * (taken[e] - passed[e]);
    },
  };
}

/** The planes that a bundle keeps, by pair and slot. */
interface Planes {
  /** The plane that a step works with, as counts by edge: of its edges, and of those that its triplets end in. */
  readonly edgeCount: Uint8Array;
  readonly successorCount: Uint8Array;
  /** Writes the last assignment of a pair into the slot least recently used; returns the slot. */
  store(pair: number): number;
  /** Sets the counts of a plane's edges to 1, or to 0 again. */
  count(pair: number, slot: number, value: 0 | 1): void;
  /** The plane's value at the present v. */
  value(pair: number, slot: number): number;
}

function createPlanes(graph: Graph, state: AscentState, bundle: Bundle, cuts: PlaneCuts | null): Planes {
  const { frames, frameStart, deathOf, birthOf, cost } = graph;
  const { v, linkOfRow, rowOfColumn, bestSuccessor } = state;
  const { capacity, planeConstant, planeStamp, planeEdge, planeSuccessor, clock } = bundle;
  const pairs = frames - 1;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  // A column's successor leaves that column, so no two triplets of an assignment end in the same edge: counts are 0 or 1.
  const edgeCount = new Uint8Array(graph.edges);
  const successorCount = new Uint8Array(graph.edges);
  return {
    edgeCount,
    successorCount,
    store(p) {
      let slot = 0;
      for (let m = 1; m < capacity; m++) if (planeStamp[m * pairs + p] < planeStamp[slot * pairs + p]) slot = m;
      let a = 0;
      for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
        const e = linkOfRow[i] < 0 ? deathOf[i] : linkOfRow[i];
        planeEdge[slot * detections + i] = e;
        a += cost[e];
      }
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        const born = rowOfColumn[j] < 0;
        const into = born ? birthOf[j] : linkOfRow[frameStart[p] + rowOfColumn[j]];
        if (born) a += cost[into];
        if (j >= lastFrame) continue;
        planeSuccessor[slot * detections + j] = bestSuccessor[into];
        a += tripletCost(graph, into, bestSuccessor[into]);
      }
      planeConstant[slot * pairs + p] = a;
      planeStamp[slot * pairs + p] = ++clock[p];
      cuts?.stored(p, slot);
      return slot;
    },
    count(p, slot, value) {
      if (p > 0) {
        for (let i = frameStart[p]; i < frameStart[p + 1]; i++) edgeCount[planeEdge[slot * detections + i]] = value;
      }
      if (p + 2 === frames) return;
      for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) {
        successorCount[planeSuccessor[slot * detections + j]] = value;
      }
    },
    value(p, slot) {
      let value = planeConstant[slot * pairs + p] + (cuts === null ? 0 : cuts.value(p, slot));
      if (p > 0) for (let i = frameStart[p]; i < frameStart[p + 1]; i++) value += v[planeEdge[slot * detections + i]];
      if (p + 2 < frames) {
        for (let j = frameStart[p + 1]; j < frameStart[p + 2]; j++) value -= v[planeSuccessor[slot * detections + j]];
      }
      return value;
    },
  };
}

/** Line search from the present point of a pair towards a plane of a value: the exact minimum of the proximal model on the segment. */
function createLineSearch(
  { frames, edgeStart, birthStart }: Graph,
  { v }: AscentState,
  { constant, taken, passed, planeConstant, planeStamp, clock }: Bundle,
  cuts: PlaneCuts | null,
): (planes: Planes, pair: number, slot: number, value: number, tau: number) => void {
  const pairs = frames - 1;

  /** Present value of the combination, and its squared distance from a plane: as sums that closures share these would cost an allocation a term. */
  const sums = new Float64Array(2);
  const scan = (count: Uint8Array, weight: Float64Array, sign: 1 | -1, pair: number): void => {
    let present = sums[0];
    let distance = sums[1];
    for (let e = edgeStart[pair]; e < birthStart[pair]; e++) {
      present += sign * (weight[e] * v[e]);
      const d = count[e] - weight[e];
      distance += d * d;
    }
    sums[0] = present;
    sums[1] = distance;
  };
  const shift = (count: Uint8Array, weight: Float64Array, gamma: number, tau: number, pair: number): void => {
    for (let e = edgeStart[pair]; e < birthStart[pair]; e++) {
      const d = gamma * (count[e] - weight[e]);
      weight[e] += d;
      v[e] += tau * d;
    }
  };

  return (planes, p, slot, value, tau) => {
    const { edgeCount, successorCount } = planes;
    planes.count(p, slot, 1);
    sums[0] = constant[p] + (cuts === null ? 0 : cuts.present(p));
    sums[1] = cuts === null ? 0 : cuts.distance(p, slot);
    if (p > 0) scan(edgeCount, taken, 1, p);
    if (p + 1 < pairs) scan(successorCount, passed, -1, p + 1);
    const [present, distance] = sums;
    const gamma = distance > 0 ? Math.min(1, Math.max(0, (present - value) / (tau * distance))) : 0;
    if (gamma > 0) {
      planeStamp[slot * pairs + p] = ++clock[p];
      constant[p] += gamma * (planeConstant[slot * pairs + p] - constant[p]);
      if (p > 0) shift(edgeCount, taken, gamma, tau, p);
      if (p + 1 < pairs) shift(successorCount, passed, gamma, -tau, p + 1);
      cuts?.move(p, slot, gamma, tau);
    }
    planes.count(p, slot, 0);
  };
}
