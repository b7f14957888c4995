import { InputError } from "../errors.js";
import type { MovingDetections } from "./cost.js";

/**
 * Which links are considered at all: i may lead to j when |p_i p_j| is less than the reach of i.
 *
 *     { epsilon: ε }   reach_i = V_i δt ε with V_i the measured speed of i ([K23] §IV-A; ε = 5 there)
 *     { radius: r }    reach_i = r
 *     "none"           everything
 *
 * A triplet i, j, k is considered when both of its links are, so its second gate is |p_j p_k| < reach_j.
 */
export type Gate = { readonly epsilon: number } | { readonly radius: number } | "none";

/** Reach of each detection, in the input's length unit. */
export function gateReach(detections: MovingDetections, gate: Gate): Float64Array {
  const { x, vx, vy, timeStep } = detections;
  if (gate === "none") return new Float64Array(x.length).fill(Number.POSITIVE_INFINITY);
  if ("radius" in gate) {
    if (!(gate.radius > 0)) throw new InputError(`gate: radius is ${gate.radius}; give a positive length`);
    return new Float64Array(x.length).fill(gate.radius);
  }
  if (!(gate.epsilon > 0)) throw new InputError(`gate: epsilon is ${gate.epsilon}; give a positive number`);
  const reach = gate.epsilon * timeStep;
  return x.map((_, i) => reach * Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i]));
}
