import { MAX_LENGTH, type NumberRange, requireInRange } from "../core/range.js";
import { medianOf } from "../core/select.js";
import type { MovingDetections } from "./cost.js";
import { typicalSpeed } from "./velocity.js";

/**
 * Which links are considered at all: i may lead to j when |p_i p_j| is less than the reach of i.
 *
 *     { epsilon: ε }   reach_i = V_i δt ε with V_i the measured speed of i ([K23] §IV-A; ε = 5 there)
 *     { radius: r }    reach_i = r
 *     { tripletEpsilon: ε }   Algorithm 2 of [K23]: every link is considered; a triplet costs 10⁶ more unless both of its legs are
 *                      shorter than V_i δt ε, V_i the speed of its first detection
 *     "none"           everything
 *     "auto"           the links that the cost itself calls possible ("motion"), else ε = 5
 *
 * A triplet i, j, k is considered when both of its links are, so its second gate is |p_j p_k| < reach_j.
 *
 * In recordings a target that stands still, or starts to walk, has V_i ≈ 0 and would lose its own link. So V_i is never taken below
 * a least speed: a quarter of the median measured speed, or the speed that the caller states. Where most stand and that median
 * is 0, it is the upper quartile of the speeds between mutually nearest detections. Simulated targets, with speeds of 1 to 2, stay above it.
 */
export type Gate =
  | { readonly epsilon: number }
  | { readonly radius: number }
  | { readonly tripletEpsilon: number }
  | "none"
  | "auto";

/** The values of ε and of a radius. */
export const GATE_RANGE: NumberRange = { least: 0, most: MAX_LENGTH, above: true };

/** M of Algorithm 2 of [K23]: the additional cost of a triplet out of the gate. */
export const PENALTY = 1e6;

/** The least reach: a detection in the very same place passes, and its square is above 0. */
const SAME_PLACE = 2 ** -500;

/** How long both legs of a triplet may be that begins at each detection; null where the gate is one of links. */
export function tripletReach(detections: MovingDetections, gate: Gate): Float64Array | null {
  if (typeof gate === "string" || !("tripletEpsilon" in gate)) return null;
  requireInRange("gate: ", gate, { tripletEpsilon: GATE_RANGE });
  const { tripletEpsilon } = gate;
  return speeds(detections).map((speed) => tripletEpsilon * detections.timeStep * speed);
}

/** Measured speed of each detection. */
function speeds({ vx, vy, vz }: MovingDetections): Float64Array {
  const speed = new Float64Array(vx.length);
  for (let i = 0; i < speed.length; i++) {
    const along = vz?.[i] ?? 0;
    speed[i] = Math.sqrt(vx[i] * vx[i] + vy[i] * vy[i] + along * along);
  }
  return speed;
}

/** Reach of each detection, in the input's length unit. */
export function gateReach(detections: MovingDetections, asked: Gate, leastSpeed?: number): Float64Array {
  const { x, timeStep } = detections;
  const gate = asked === "auto" ? { epsilon: 5 } : asked;
  if (gate === "none" || (typeof gate === "object" && "tripletEpsilon" in gate))
    return new Float64Array(x.length).fill(Number.POSITIVE_INFINITY);
  if ("radius" in gate) {
    requireInRange("gate: ", gate, { radius: GATE_RANGE });
    return new Float64Array(x.length).fill(gate.radius);
  }
  requireInRange("gate: ", gate, { epsilon: GATE_RANGE });
  const speed = speeds(detections);
  const least = leastSpeed ?? (0.25 * medianOf(speed) || typicalSpeed(detections));
  for (let i = 0; i < speed.length; i++)
    speed[i] = Math.max(SAME_PLACE, gate.epsilon * timeStep * Math.max(speed[i], least));
  return speed;
}
