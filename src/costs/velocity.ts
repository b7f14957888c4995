import { quantile } from "d3-array";
import type { MovingDetections } from "./cost.js";
import type { Detections } from "./detections.js";
import { mutuallyCheapest, withinReach } from "./mutual.js";

export interface EstimatedVelocities {
  readonly detections: MovingDetections;
  /** Upper quartile of the speed at which mutually nearest detections part: what to gate by when no speed is measured. */
  readonly typicalSpeed: number;
  readonly notes: readonly string[];
}

/**
 * Velocities for detections that have none: all get the drift, the componentwise median displacement of pairs that are each
 * other's nearest, over δt.
 *
 * Guessing each detection's own velocity from its neighbours in space and time was tried on eight recordings and lost on most
 * of them: where targets are dense the guess is wrong exactly where it matters, and the costs believe it. With the drift, the
 * likelihood cost widens s to the spread of the true velocities about it and leaves the direction of each target to the triplets.
 */
export function estimateVelocities(detections: Detections): EstimatedVelocities {
  const { x, y, timeStep } = detections;
  const everywhere = new Float64Array(x.length).fill(Number.POSITIVE_INFINITY);
  const squareDistance = (i: number, j: number) => {
    const dx = x[j] - x[i];
    const dy = y[j] - y[i];
    return dx * dx + dy * dy;
  };
  const next = mutuallyCheapest(x.length, withinReach(detections, everywhere, squareDistance));
  const pairs = [...next.keys()].filter((i) => next[i] >= 0);
  const median = (values: number[]) => (quantile(values, 0.5) ?? 0) / timeStep;
  const driftX = median(pairs.map((i) => x[next[i]] - x[i]));
  const driftY = median(pairs.map((i) => y[next[i]] - y[i]));
  const typicalSpeed = (quantile(pairs, 0.75, (i) => Math.sqrt(squareDistance(i, next[i]))) ?? 0) / timeStep;
  return {
    detections: { ...detections, vx: x.map(() => driftX), vy: y.map(() => driftY) },
    typicalSpeed,
    notes: [
      `velocities not measured: all set to the common drift (${driftX.toPrecision(3)}, ${driftY.toPrecision(3)}), the median over ${pairs.length} mutually nearest pairs; the likelihood cost allows for that, spline and euclidean do not`,
    ],
  };
}
