import { UNASSIGNED } from "../../lap/lap.js";
import type { WeighedExclusions } from "../instance/exclusions.js";
import type { Graph } from "../instance/instance.js";
import { type PlaneCuts, withSlot } from "./coordinates.js";
import type { AscentState } from "./state.js";

/** Steps on the multipliers of one frame pair's inequalities. All pairs may run at once. */
export interface MultiplierSteps {
  /** Makes what the pair's triplets are charged. */
  ready?(pair: number): void;
  /** Adds what the X-LAP of a pair is charged to `reduced`. */
  charge(pair: number): void;
  /** Σ μ, by which the pair's value is too high. */
  constant(pair: number): number;
  /** G of the last assignment; its part of the squared norm of the subgradient. */
  subgradient(pair: number): number;
  follow(pair: number, step: number): void;
  keep(pair: number): void;
  restore(pair: number): void;
}

export function createExclusionSteps(graph: Graph, state: AscentState): MultiplierSteps | null {
  const { exclusions, reduced } = state;
  if (exclusions === null) return null;
  const { edgeStart, deathStart, head, tail } = graph;
  const { pairStart, member, setStart, detectionStart, detection, mu, kept, sum, charge, ofSets, ofRows, used } =
    exclusions;
  const isUsed = useOf(graph, state);
  return {
    // What begins with a birth is the Y-LSAP's.
    ready(p) {
      for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++)
        charge[detection[n]] = ofSets[detection[n]] + ofRows[detection[n]];
    },
    charge(p) {
      for (let e = edgeStart[p]; e < deathStart[p]; e++) {
        reduced[e] += charge[head[e]];
        if (p === 0) reduced[e] += charge[tail[e]];
      }
    },
    constant(p) {
      let total = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) total += mu[k];
      return total;
    },
    subgradient(p) {
      for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) used[detection[n]] = isUsed(detection[n]);
      let norm = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
        sum[k] = 0;
        for (let n = setStart[k]; n < setStart[k + 1]; n++) sum[k] += used[member[n]];
        if (mu[k] > 0 || sum[k] > 1) norm += (sum[k] - 1) ** 2;
      }
      return norm;
    },
    follow(p, step) {
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) mu[k] = Math.max(0, mu[k] + step * (sum[k] - 1));
      chargeDetections(exclusions, state, p);
    },
    keep(p) {
      kept.set(mu.subarray(pairStart[p], pairStart[p + 1]), pairStart[p]);
    },
    restore(p) {
      mu.set(kept.subarray(pairStart[p], pairStart[p + 1]), pairStart[p]);
      chargeDetections(exclusions, state, p);
    },
  };
}

/** The exclusions as coordinates of the bundle, whose slots of planes that use a detection stand in `planes`: a plane's g is the number of a set's detections that it uses, and μ = max(0, kept + τ (G − 1)). */
export function exclusionPlanes(graph: Graph, state: AscentState, planes: Uint16Array): PlaneCuts | null {
  const { exclusions } = state;
  if (exclusions === null) return null;
  const { pairStart, member, setStart, detectionStart, detection, mu, kept, sum, ofSets, ofRows, combined } =
    exclusions;
  const isUsed = useOf(graph, state);
  const stand = (p: number, tau: number): void => {
    for (let k = pairStart[p]; k < pairStart[p + 1]; k++) mu[k] = Math.max(0, kept[k] + tau * (sum[k] - 1));
    chargeDetections(exclusions, state, p);
  };
  /** Σ μ (G − 1): a pair's value has Σ μ taken from it. */
  const model = (p: number): number => {
    let total = 0;
    for (let k = pairStart[p]; k < pairStart[p + 1]; k++) total += mu[k] * (sum[k] - 1);
    return total;
  };
  const combine = (p: number, slot: number, gamma: number): void => {
    for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) {
      const d = detection[n];
      combined[d] += gamma * (((planes[d] >> slot) & 1) - combined[d]);
    }
    for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
      sum[k] = 0;
      for (let n = setStart[k]; n < setStart[k + 1]; n++) sum[k] += combined[member[n]];
    }
  };
  return {
    stored(p, slot) {
      for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++)
        planes[detection[n]] = withSlot(planes[detection[n]], slot, isUsed(detection[n]) === 1);
    },
    begin(p, slot) {
      combine(p, slot, 1);
    },
    addValues(p, { values, shared }) {
      let constant = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) constant += mu[k];
      for (let slot = 0; slot < values.length; slot++) values[slot] -= constant;
      for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++)
        shared[planes[detection[n]]] += ofSets[detection[n]] + ofRows[detection[n]];
    },
    present: model,
    distance(p, slot) {
      let total = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
        let g = 0;
        for (let n = setStart[k]; n < setStart[k + 1]; n++) g += (planes[member[n]] >> slot) & 1;
        total += (g - sum[k]) ** 2;
      }
      return total;
    },
    move(p, slot, gamma, tau) {
      combine(p, slot, gamma);
      stand(p, tau);
    },
    model,
    stand,
  };
}

/** Charges the detections of a pair's sets anew; what depends on them is stale. */
function chargeDetections(
  { pairStart, member, setStart, detectionStart, detection, mu, ofSets }: WeighedExclusions,
  { staleDelta }: AscentState,
  p: number,
): void {
  for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) {
    ofSets[detection[n]] = 0;
    staleDelta[detection[n]] = 1;
  }
  for (let k = pairStart[p]; k < pairStart[p + 1]; k++)
    for (let n = setStart[k]; mu[k] > 0 && n < setStart[k + 1]; n++) ofSets[member[n]] += mu[k];
}

/** 1 for a detection that the last assignment of the pair before it uses, or of the first pair in the first frame. */
export function useOf(
  { frames, frameStart, birthOf, head }: Graph,
  { linkOfRow, rowOfColumn, bestSuccessor }: AscentState,
): (d: number) => 0 | 1 {
  const lastFrame = frameStart[frames - 1];
  return (d) => {
    if (d < frameStart[1]) return linkOfRow[d] === UNASSIGNED ? 0 : 1;
    if (rowOfColumn[d] !== UNASSIGNED) return 1;
    const next = d >= lastFrame ? UNASSIGNED : bestSuccessor[birthOf[d]];
    return next !== UNASSIGNED && head[next] !== UNASSIGNED ? 1 : 0;
  };
}

/** The charge on a triplet: of a use that begins with a birth. */
export function chargeOf(
  { tail, head }: Pick<Graph, "tail" | "head">,
  { charge }: WeighedExclusions,
  e: number,
  f: number,
): number {
  return tail[e] === UNASSIGNED && head[f] !== UNASSIGNED ? charge[head[e]] : 0;
}

/** Sets the multipliers of exclusions by the number of their set; those without any are 0. */
export function weigh(
  exclusions: WeighedExclusions,
  state: AscentState,
  multiplierOf: (number: number) => number,
): void {
  exclusions.number.forEach((number, k) => {
    exclusions.mu[k] = multiplierOf(number);
  });
  for (let p = 0; p + 1 < exclusions.pairStart.length; p++) chargeDetections(exclusions, state, p);
}
