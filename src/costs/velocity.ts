import { quantile } from "d3-array";
import type { Detections } from "../core/detections.js";
import type { MovingDetections } from "./cost.js";
import { mutuallyNearest } from "./mutual.js";

interface CompleteVelocities {
  readonly detections: MovingDetections;
  /** Upper quartile of the speeds between mutually nearest detections, by which links are gated where no speed is measured. */
  readonly typicalSpeed?: number;
  readonly notes: readonly string[];
}

/**
 * Velocities for detections that have none: all get the drift, the componentwise median displacement of pairs that are each
 * other's nearest, over δt.
 *
 * Guessing each detection's own velocity from its neighbours in space and time was tried on eight recordings and lost on most
 * of them: where targets are dense the guess is wrong exactly where it matters, and the costs rely on it. With the drift, the
 * likelihood cost widens s to the spread of the true velocities about it and leaves the direction of each target to the triplets.
 */
export function estimateVelocities(detections: Detections): Required<CompleteVelocities> {
  const { x, y, timeStep } = detections;
  const steps = nearestSteps(detections);
  const median = (values: number[]) => (quantile(values, 0.5) ?? 0) / timeStep;
  const driftX = median(steps.map(([dx]) => dx));
  const driftY = median(steps.map(([, dy]) => dy));
  return {
    detections: { ...detections, vx: x.map(() => driftX), vy: y.map(() => driftY) },
    typicalSpeed: typicalSpeedOf(steps, timeStep),
    notes: [
      `Velocities not measured: all set to the common drift (${driftX.toPrecision(3)}, ${driftY.toPrecision(3)}), the median over ${steps.length} mutually nearest pairs; the likelihood cost allows for that, spline and euclidean do not.`,
    ],
  };
}

/** The detections with a velocity each: where it is missing, the drift of estimateVelocities. */
export function completeVelocities(detections: Detections): CompleteVelocities {
  const { vx, vy } = detections;
  if (vx === null || vy === null) return estimateVelocities(detections);
  if (!vx.some(Number.isNaN)) return { detections: { ...detections, vx, vy }, notes: [] };
  const drift = estimateVelocities(detections).detections;
  const fill = (values: Float64Array, estimated: Float64Array) =>
    values.map((value, d) => (Number.isNaN(value) ? estimated[d] : value));
  return { detections: { ...detections, vx: fill(vx, drift.vx), vy: fill(vy, drift.vy) }, notes: [] };
}

/** Upper quartile of the speeds between mutually nearest detections. */
export function typicalSpeed(detections: Detections): number {
  return typicalSpeedOf(nearestSteps(detections), detections.timeStep);
}

function typicalSpeedOf(steps: readonly (readonly [number, number])[], timeStep: number): number {
  return (quantile(steps, 0.75, ([dx, dy]) => Math.sqrt(dx * dx + dy * dy)) ?? 0) / timeStep;
}

/** Displacements between detections of consecutive frames that are each other's nearest. */
function nearestSteps(detections: Detections): [number, number][] {
  const { x, y } = detections;
  const next = mutuallyNearest(detections);
  return [...next.keys()].flatMap((i) => (next[i] < 0 ? [] : [[x[next[i]] - x[i], y[next[i]] - y[i]]]));
}
