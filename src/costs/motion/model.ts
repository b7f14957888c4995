import type { Detections } from "../../core/detections.js";
import type { Matrix, StudentT } from "../density/student.js";

/**
 * How targets move, start and end: the likelihood of a whole track (docs/explanation/motion.md §1). A link from i to j spans G ≥ 1 frames: G − 1
 * detections between them were missed. With its displacement Δ and the expected displacement a frame,
 *
 *     u_ij = ω (v_i + v_j) δt/2 + (1 − ω) m,      z = Δ − G u,
 *
 * z of a track's first link has the density prior_G, and z_b of each further one, after one of span G_a, has step_ab about R_ab z_a. All follow from one law of the velocity (law.ts).
 */
export interface MotionModel {
  /** m, displacement a frame that all targets share, by axis, in length units. */
  readonly drift: readonly number[];
  /** ω: 0 where velocities are not measured. */
  readonly velocityWeight: number;
  /** By G − 1, up to the number of frames that a link may span. */
  readonly prior: readonly StudentT[];
  /** By G_a − 1 and G_b − 1. */
  readonly step: readonly (readonly StudentT[])[];
  /** R_ab, likewise: R_ab z_a is the deviation over G_b frames that is expected after z_a over G_a frames. */
  readonly persistence: readonly (readonly Matrix[])[];
  /** Tracks that start after the first frame, per frame and unit of area or volume. */
  readonly births: number;
  /** Probability a frame that a target leaves. */
  readonly ends: number;
  /** Probability that a target is there and is not detected. */
  readonly missed: number;
  /** False detections per frame and unit of area or volume. */
  readonly clutter: number;
}

/** Writes the expected displacement u_ij of a link to `into`, x, y and z; z is 0 in the plane. Where only one end has a velocity, it counts for both. */
export function bindExpectation(
  { vx, vy, vz, timeStep }: Detections,
  { drift, velocityWeight: weight }: Pick<MotionModel, "drift" | "velocityWeight">,
) {
  const [driftX, driftY, driftZ = 0] = drift;
  if (vx === null || vy === null || weight === 0) {
    return (_i: number, _j: number, into: Float64Array) => {
      into[0] = driftX;
      into[1] = driftY;
      into[2] = driftZ;
    };
  }
  const mean = (a: number, b: number, none: number): number => {
    if (Number.isNaN(a)) return Number.isNaN(b) ? none : b * timeStep;
    return Number.isNaN(b) ? a * timeStep : 0.5 * (a + b) * timeStep;
  };
  return (i: number, j: number, into: Float64Array) => {
    into[0] = weight * mean(vx[i], vx[j], driftX) + (1 - weight) * driftX;
    into[1] = weight * mean(vy[i], vy[j], driftY) + (1 - weight) * driftY;
    if (vz !== undefined) into[2] = weight * mean(vz[i], vz[j], driftZ) + (1 - weight) * driftZ;
  };
}

/** z of the link from i to j, which are `span` frames apart, by axis: its displacement less the expected one. */
export function bindDeviation(
  detections: Detections,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
): (i: number, j: number, span: number) => number[] {
  const { x, y, z } = detections;
  const expectation = bindExpectation(detections, model);
  const u = new Float64Array(3);
  return (i, j, span) => {
    expectation(i, j, u);
    const [along, across] = [x[j] - x[i] - span * u[0], y[j] - y[i] - span * u[1]];
    return z === undefined ? [along, across] : [along, across, z[j] - z[i] - span * u[2]];
  };
}
