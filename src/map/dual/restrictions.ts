import { UNASSIGNED } from "../../lap/lap.js";
import type { Graph } from "../instance/instance.js";
import type { WeighedRestrictions } from "../instance/restrictions.js";
import type { AscentState } from "./state.js";

/** Facts of a detection as bits. */
const [USED, ENDS] = [1, 2];

/** Steps on the restrictions of one frame pair. All pairs may run at once. */
export interface RestrictionSteps {
  /** Adds the charges of a pair's links to `reduced`, and in the first pair those of ends; other ends and births are the Y-LSAP's. */
  charge(pair: number): void;
  /** Σ μ, by which the pair's value is too high. */
  constant(pair: number): number;
  /** G of the last assignment; its part of the squared norm of the subgradient. */
  subgradient(pair: number): number;
  follow(pair: number, step: number): void;
  keep(pair: number): void;
  restore(pair: number): void;
}

export function createRestrictionSteps(graph: Graph, state: AscentState): RestrictionSteps | null {
  const { restrictions, reduced } = state;
  if (restrictions === null) return null;
  const { edgeStart, deathStart, birthStart, head, tail } = graph;
  const { pairStart, fact, factStart, mu, kept, sum, charge, present } = restrictions;
  const read = factReader(graph, state, restrictions);
  return {
    charge(p) {
      for (let e = edgeStart[p]; e < deathStart[p]; e++) {
        reduced[e] += charge[2 * head[e]];
        if (p === 0) reduced[e] += charge[2 * tail[e]];
      }
      for (let e = deathStart[p]; p === 0 && e < birthStart[p]; e++) reduced[e] += charge[2 * tail[e] + 1];
    },
    constant(p) {
      let total = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) total += mu[k];
      return total;
    },
    subgradient(p) {
      read(p, present, 0);
      let norm = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
        sum[k] = 0;
        for (let n = factStart[k]; n < factStart[k + 1]; n++) sum[k] += isTrue(present[fact[n] >> 1], fact[n]);
        if (mu[k] > 0 || sum[k] > 1) norm += (sum[k] - 1) ** 2;
      }
      return norm;
    },
    follow(p, step) {
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) mu[k] = Math.max(0, mu[k] + step * (sum[k] - 1));
      chargeFacts(restrictions, state, p);
    },
    keep(p) {
      kept.set(mu.subarray(pairStart[p], pairStart[p + 1]), pairStart[p]);
    },
    restore(p) {
      mu.set(kept.subarray(pairStart[p], pairStart[p + 1]), pairStart[p]);
      chargeFacts(restrictions, state, p);
    },
  };
}

/** The restrictions as coordinates of the bundle: a plane's g is the number of a restriction's facts that are true, and μ = max(0, kept + τ (G − 1)). */
export function restrictionPlanes(graph: Graph, state: AscentState, planes: Uint8Array): PlaneCuts | null {
  const { restrictions } = state;
  if (restrictions === null) return null;
  const { pairStart, fact, factStart, detectionStart, detection, mu, kept, sum, charge, combined } = restrictions;
  const detections = state.staleDelta.length;
  const read = factReader(graph, state, restrictions);
  const truth = (slot: number, n: number): number => isTrue(planes[slot * detections + (fact[n] >> 1)], fact[n]);
  const stand = (p: number, tau: number): void => {
    for (let k = pairStart[p]; k < pairStart[p + 1]; k++) mu[k] = Math.max(0, kept[k] + tau * (sum[k] - 1));
    chargeFacts(restrictions, state, p);
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
      const facts = planes[slot * detections + d];
      for (let which = 2 * d; which <= 2 * d + 1; which++)
        combined[which] += gamma * (isTrue(facts, which) - combined[which]);
    }
    for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
      sum[k] = 0;
      for (let n = factStart[k]; n < factStart[k + 1]; n++) sum[k] += combined[fact[n]];
    }
  };
  return {
    stored(p, slot) {
      read(p, planes, slot * detections);
    },
    begin(p, slot) {
      combine(p, slot, 1);
    },
    value(p, slot) {
      let total = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) total -= mu[k];
      for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) {
        const d = detection[n];
        const facts = planes[slot * detections + d];
        if ((facts & USED) !== 0) total += charge[2 * d];
        if ((facts & ENDS) !== 0) total += charge[2 * d + 1];
      }
      return total;
    },
    present: model,
    distance(p, slot) {
      let total = 0;
      for (let k = pairStart[p]; k < pairStart[p + 1]; k++) {
        let g = 0;
        for (let n = factStart[k]; n < factStart[k + 1]; n++) g += truth(slot, n);
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

function isTrue(facts: number, fact: number): number {
  return (facts >> (fact & 1)) & 1;
}

/** Charges the facts of a pair's restrictions anew; what depends on them is stale. */
function chargeFacts(
  { pairStart, fact, factStart, detectionStart, detection, mu, charge }: WeighedRestrictions,
  { staleDelta }: AscentState,
  p: number,
): void {
  for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) {
    charge[2 * detection[n]] = 0;
    charge[2 * detection[n] + 1] = 0;
    staleDelta[detection[n]] = 1;
  }
  for (let k = pairStart[p]; k < pairStart[p + 1]; k++)
    for (let n = factStart[k]; mu[k] > 0 && n < factStart[k + 1]; n++) charge[fact[n]] += mu[k];
}

/** Writes the facts of a pair's last assignment, by detection from a place on. */
function factReader(
  { frames, frameStart, birthOf, head }: Graph,
  { linkOfRow, rowOfColumn, bestSuccessor }: AscentState,
  { detectionStart, detection }: WeighedRestrictions,
): (pair: number, target: Uint8Array, base: number) => void {
  const lastFrame = frameStart[frames - 1];
  return (p, target, base) => {
    for (let n = detectionStart[p]; n < detectionStart[p + 1]; n++) {
      const d = detection[n];
      if (d < frameStart[1]) {
        target[base + d] = linkOfRow[d] === UNASSIGNED ? ENDS : USED;
        continue;
      }
      const row = rowOfColumn[d];
      const into = row === UNASSIGNED ? birthOf[d] : linkOfRow[frameStart[p] + row];
      const next = d >= lastFrame ? UNASSIGNED : bestSuccessor[into];
      const goesOn = next !== UNASSIGNED && head[next] !== UNASSIGNED;
      target[base + d] = (row !== UNASSIGNED || goesOn ? USED : 0) | (next !== UNASSIGNED && !goesOn ? ENDS : 0);
    }
  };
}

/** The charge on a triplet: of a use that begins with a birth, or of an end. */
export function chargeOf(
  { tail, head }: Pick<Graph, "tail" | "head">,
  { charge }: WeighedRestrictions,
  e: number,
  f: number,
): number {
  if (head[f] === UNASSIGNED) return charge[2 * head[e] + 1];
  return tail[e] === UNASSIGNED ? charge[2 * head[e]] : 0;
}

/** Sets the multipliers of restrictions by their number in `restrictionsOf`; those without any are 0. */
export function weigh(
  restrictions: WeighedRestrictions,
  state: AscentState,
  multiplierOf: (number: number) => number,
): void {
  restrictions.number.forEach((number, k) => {
    restrictions.mu[k] = multiplierOf(number);
  });
  for (let p = 0; p + 1 < restrictions.pairStart.length; p++) chargeFacts(restrictions, state, p);
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
  /** The pair's part of the model, Σ μ (G − right). */
  model(pair: number): number;
  /** μ = max(0, centre + τ (G − right)). */
  stand(pair: number, tau: number): void;
}

/** The coordinates of both. */
export function bothCuts(a: PlaneCuts | null, b: PlaneCuts | null): PlaneCuts | null {
  if (a === null || b === null) return a ?? b;
  return {
    stored(p, slot) {
      a.stored(p, slot);
      b.stored(p, slot);
    },
    begin(p, slot) {
      a.begin(p, slot);
      b.begin(p, slot);
    },
    value: (p, slot) => a.value(p, slot) + b.value(p, slot),
    present: (p) => a.present(p) + b.present(p),
    distance: (p, slot) => a.distance(p, slot) + b.distance(p, slot),
    move(p, slot, gamma, tau) {
      a.move(p, slot, gamma, tau);
      b.move(p, slot, gamma, tau);
    },
    model: (p) => a.model(p) + b.model(p),
    stand(p, tau) {
      a.stand(p, tau);
      b.stand(p, tau);
    },
  };
}
