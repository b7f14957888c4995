import { quantile } from "d3-array";
import { axesOf, type Detections } from "../core/detections.js";
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
  const { x, timeStep } = detections;
  const steps = nearestSteps(detections);
  const drift = axesOf(detections).map((_, n) => (quantile(steps, 0.5, (step) => step[n]) ?? 0) / timeStep);
  const [vx, vy, vz] = drift.map((one) => x.map(() => one));
  const said = drift.map((one) => one.toPrecision(3)).join(", ");
  return {
    detections: { ...detections, vx, vy, ...(vz && { vz }) },
    typicalSpeed: typicalSpeedOf(steps, timeStep),
    notes: [
      `Velocities not measured: all set to the common drift (${said}), the median over ${steps.length} mutually nearest pairs; the likelihood cost allows for that, spline and euclidean do not.`,
    ],
  };
}

/** The detections with a velocity each: where it is missing, the drift of estimateVelocities. */
export function completeVelocities(detections: Detections): CompleteVelocities {
  const { vx, vy, vz } = detections;
  if (vx === null || vy === null) return estimateVelocities(detections);
  if (!vx.includes(Number.NaN)) return { detections: { ...detections, vx, vy }, notes: [] };
  const drift = estimateVelocities(detections).detections;
  const fill = (values: Float64Array, estimated: Float64Array) =>
    values.map((value, d) => (Number.isNaN(value) ? estimated[d] : value));
  const filled = { vx: fill(vx, drift.vx), vy: fill(vy, drift.vy), ...(vz && drift.vz && { vz: fill(vz, drift.vz) }) };
  return { detections: { ...detections, ...filled }, notes: [] };
}

/** Upper quartile of the speeds between mutually nearest detections. */
export function typicalSpeed(detections: Detections): number {
  return typicalSpeedOf(nearestSteps(detections), detections.timeStep);
}

function typicalSpeedOf(steps: readonly (readonly number[])[], timeStep: number): number {
  const lengthOf = (step: readonly number[]) => Math.sqrt(step.reduce((square, along) => square + along * along, 0));
  return (quantile(steps, 0.75, lengthOf) ?? 0) / timeStep;
}

/** Displacements by axis between detections of consecutive frames that are each other's nearest. */
function nearestSteps(detections: Detections): number[][] {
  const axes = axesOf(detections);
  const next = mutuallyNearest(detections);
  return [...next.keys()].flatMap((i) => (next[i] < 0 ? [] : [axes.map((axis) => axis[next[i]] - axis[i])]));
}
