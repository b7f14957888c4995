import { sharedFloat64, sharedInt32, sharedUint16, sharedUint32 } from "../../core/shared-arrays.js";
import { type Graph, tripletCost } from "../instance/instance.js";
import { cliquePlanes } from "./cliques.js";
import { allCuts, type PlaneCuts, PlaneSums } from "./coordinates.js";
import { exclusionPlanes } from "./exclusions.js";
import { PLANES } from "./proximal-step.js";
import { createSideSteps, type Side, type SideSteps } from "./side.js";
import { type AscentState, isTiedByUse } from "./state.js";

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
  /** The edges of pair p where X is not 0, in order, from edgeStart[p] on; and their number. The same of Y. */
  readonly takenAt: Int32Array;
  readonly takenSize: Uint32Array;
  readonly passedAt: Int32Array;
  readonly passedSize: Uint32Array;
  /** Each pair's part of the bundle's model of L as `measure` finds it. */
  readonly model: Float64Array;
  /** Planes by (slot, pair): a, a stamp of last use (0 = empty). */
  readonly planeConstant: Float64Array;
  readonly planeStamp: Uint32Array;
  /** By (slot, detection): the edge taken out of a row, and the edge that the triplet into a column goes on with. */
  readonly planeEdge: Int32Array;
  readonly planeSuccessor: Int32Array;
  /** By detection, with a bit for each slot: the planes that use it; and where triplets are free, those that take its death, of the pair that it begins, and of the pair before. Else empty. */
  readonly planeUsed: Uint16Array;
  readonly planeDeath: Uint16Array;
  readonly planeEnd: Uint16Array;
  /** The number of stamps that were given to planes, by pair. */
  readonly clock: Uint32Array;
}

export function createBundle(graph: Graph, capacity = PLANES): Bundle {
  const { frames, frameStart, edges } = graph;
  const detections = frameStart[frames];
  const pairs = frames - 1;
  return {
    capacity,
    constant: sharedFloat64(pairs),
    taken: sharedFloat64(edges),
    passed: sharedFloat64(edges),
    takenAt: sharedInt32(edges),
    takenSize: sharedUint32(pairs),
    passedAt: sharedInt32(edges),
    passedSize: sharedUint32(pairs),
    model: sharedFloat64(pairs),
    planeConstant: sharedFloat64(capacity * pairs),
    planeStamp: sharedUint32(capacity * pairs),
    planeEdge: sharedInt32(capacity * detections),
    planeSuccessor: sharedInt32(capacity * detections),
    planeUsed: sharedUint16(graph.exclusions === null ? 0 : detections),
    planeDeath: sharedUint16(isTiedByUse(graph) ? detections : 0),
    planeEnd: sharedUint16(isTiedByUse(graph) ? detections : 0),
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
  /** Adds rows that the combination violates, of divisions alone or (1) of cliques too, and drops those that it does not need; `found` of the cliques says how many are new. */
  separate(pair: number, all: number): void;
}

export function createBundleKernels(
  graph: Graph,
  state: AscentState,
  bundle: Bundle,
  others: PlaneCuts | null = null,
): BundleKernels {
  const cliques = cliquePlanes(graph, state, bundle);
  const cuts = allCuts([exclusionPlanes(graph, state, bundle.planeUsed), cliques, others]);
  const { frames, edgeStart, birthStart, tail } = graph;
  const { v, kept, pairValue, staleDelta } = state;
  const { capacity, constant, taken, passed, planeConstant, planeStamp, clock } = bundle;
  const pairs = frames - 1;
  const x = createSideSteps(graph, state, sideX(bundle), 1);
  const y = createSideSteps(graph, state, sideY(bundle), -1);
  const planes = createPlanes(graph, state, bundle, x, y, cuts);
  const moveTowards = createLineSearch(pairs, bundle, x, y, cuts);
  return {
    begin(p) {
      for (let m = 0; m < capacity; m++) planeStamp[m * pairs + p] = 0;
      clock[p] = 0;
      const slot = planes.store(p);
      constant[p] = planeConstant[slot * pairs + p];
      cuts?.begin(p, slot);
      if (p > 0) x.begin(p, slot);
      if (p + 1 < pairs) y.begin(p + 1, slot);
    },
    collect(p) {
      planes.store(p);
    },
    refine(p, tau) {
      moveTowards(p, planes.store(p), pairValue[p], tau);
    },
    refineKept(p, tau) {
      let slot = -1;
      let least = Number.POSITIVE_INFINITY;
      const values = planes.values(p);
      for (let m = 0; m < capacity; m++) {
        if (planeStamp[m * pairs + p] === 0) continue;
        if (values[m] < least) {
          least = values[m];
          slot = m;
        }
      }
      moveTowards(p, slot, least, tau);
    },
    measure(p) {
      let model = constant[p] + (cuts?.model(p) ?? 0);
      if (p > 0) for (let e = edgeStart[p]; e < birthStart[p]; e++) model += (taken[e] - passed[e]) * v[e];
      bundle.model[p] = model;
    },
    stand(p, tau) {
      cuts?.stand(p, tau);
      if (p === 0) return;
      for (let e = edgeStart[p]; e < birthStart[p]; e++) {
        const next = kept[e] + tau * (taken[e] - passed[e]);
        if (next === v[e]) continue;
        v[e] = next;
        staleDelta[tail[e]] = 1;
      }
    },
    separate(p, all) {
      cliques?.separate(p, all);
    },
  };
}

/** The planes that a bundle keeps, by pair and slot. */
interface Planes {
  /** Writes the last assignment of a pair into the slot least recently used; returns the slot. */
  store(pair: number): number;
  /** The planes' values at the present v, by slot; those of empty slots mean nothing. Valid until the next call. */
  values(pair: number): Float64Array;
}

function createPlanes(
  graph: Graph,
  state: AscentState,
  bundle: Bundle,
  x: SideSteps,
  y: SideSteps,
  cuts: PlaneCuts | null,
): Planes {
  const { frames, frameStart, deathOf, birthOf, cost } = graph;
  const { linkOfRow, rowOfColumn, bestSuccessor } = state;
  const { capacity, planeConstant, planeStamp, planeEdge, planeSuccessor, clock } = bundle;
  const pairs = frames - 1;
  const detections = frameStart[frames];
  const lastFrame = frameStart[frames - 1];
  const sums = new PlaneSums(capacity, state.tiedByUse || state.exclusions !== null);
  return {
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
      if (p > 0) x.stored(p, slot);
      if (p + 2 < frames) y.stored(p + 1, slot);
      return slot;
    },
    values(p) {
      const { values } = sums;
      for (let m = 0; m < capacity; m++) values[m] = planeConstant[m * pairs + p];
      cuts?.addValues(p, sums);
      if (p > 0) x.addValues(p, sums);
      if (p + 2 < frames) y.addValues(p + 1, sums);
      sums.spread();
      return values;
    },
  };
}

const sideX = ({ taken, takenAt, takenSize, planeEdge, planeDeath }: Bundle): Side => ({
  weight: taken,
  support: takenAt,
  size: takenSize,
  plane: planeEdge,
  ofDeath: planeDeath,
});

const sideY = ({ passed, passedAt, passedSize, planeSuccessor, planeEnd }: Bundle): Side => ({
  weight: passed,
  support: passedAt,
  size: passedSize,
  plane: planeSuccessor,
  ofDeath: planeEnd,
});

/** Line search from the present point of a pair towards a plane of a value: the exact minimum of the proximal model on the segment. */
function createLineSearch(
  pairs: number,
  { constant, planeConstant, planeStamp, clock }: Bundle,
  x: SideSteps,
  y: SideSteps,
  cuts: PlaneCuts | null,
): (pair: number, slot: number, value: number, tau: number) => void {
  /** Present value of the combination, and its squared distance from a plane: as sums that closures share these would cost an allocation a term. */
  const sums = new Float64Array(2);
  return (p, slot, value, tau) => {
    const [hasX, hasY] = [p > 0, p + 1 < pairs];
    sums[0] = constant[p] + (cuts === null ? 0 : cuts.present(p));
    sums[1] = cuts === null ? 0 : cuts.distance(p, slot, tau);
    if (hasX) x.enter(p, slot, sums);
    if (hasY) y.enter(p + 1, slot, sums);
    const [present, distance] = sums;
    const wanted = distance > 0 ? Math.min(1, Math.max(0, (present - value) / (tau * distance))) : 0;
    // NaN, to which costs beyond the range of f64 lead, moves nothing.
    const gamma = wanted > 0 ? wanted : 0;
    if (gamma > 0) {
      planeStamp[slot * pairs + p] = ++clock[p];
      constant[p] += gamma * (planeConstant[slot * pairs + p] - constant[p]);
      cuts?.move(p, slot, gamma, tau);
    }
    if (hasX) x.leave(p, gamma, tau);
    if (hasY) y.leave(p + 1, gamma, tau);
  };
}
