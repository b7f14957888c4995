import { quantile } from "d3-array";
import type { Noise } from "../../core/noise.js";
import { type BoundCost, type Calibration, type CostModel, type MovingDetections, RESOLUTION } from "../cost.js";
import { mutuallyCheapest, withinReach } from "../mutual.js";

/**
 * Minus the logarithm of how likely the measurements are, up to a constant. With positions p, measured velocities v, the
 * displacement d_ij = p_j − p_i and the trapezoid residual r_ij = d_ij − (v_i + v_j) δt/2,
 *
 *     C_ij  = |r_ij|² / (2 s²)
 *     D_ijk = |d_jk − d_ij|² / (4 w²)
 *
 * For position noise σ and velocity noise σ_v per axis, a residual has variance s² = 2σ² + σ_v² δt²/2 per axis, and a second
 * difference p_i − 2 p_j + p_k has w² = (1 + 4 + 1) σ² + a² with a² that of the true one, the target's acceleration. D takes
 * half of its negative logarithm, since neighbouring second differences share two of their three noises with each other and all with
 * the residuals: on simulated scenes, ½ left 5 to 15 % fewer wrong links than 1 at four levels of noise. The parameter
 * `tripletWeight` sets another share.
 *
 * Where the noise is unknown, s and w come from the detections themselves: see `calibrate`.
 */
export const likelihood: CostModel = {
  width: 2,
  rule: "square",
  // By the model C and D over its weight are squares of two normals over twice their variance: the share q of them stays below −ln(1 − q).
  plausible: (share, _, { tripletWeight }) => ({
    link: -Math.log(1 - share),
    triplet: -tripletWeight * Math.log(1 - share),
  }),
  parameters: {
    tripletWeight: { default: 0.5, unit: "1", meaning: "share of its logarithm that D counts", min: 0 },
  },
  calibrate,
  bind: ({ x, y, vx, vy, timeStep }, [linkVariance, tripletVariance], { tripletWeight }) => {
    const tripletScale = tripletScaleOf(tripletVariance, tripletWeight);
    const link: BoundCost["link"] = (i, j, perLink, at) => {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      perLink[at] = dx * tripletScale;
      perLink[at + 1] = dy * tripletScale;
      const rx = dx - 0.5 * (vx[i] + vx[j]) * timeStep;
      const ry = dy - 0.5 * (vy[i] + vy[j]) * timeStep;
      return (rx * rx + ry * ry) / (2 * linkVariance);
    };
    return { link };
  },
  // Scaled before they are squared, so that no unit of length leaves the range of f32.
  wgsl: {
    pair:
      "square((link.dx - 0.5 * (link.vx_i + link.vx_j) * link.dt) * parameters[0])" +
      " + square((link.dy - 0.5 * (link.vy_i + link.vy_j) * link.dt) * parameters[0])",
    numbers: ["link.dx * parameters[1]", "link.dy * parameters[1]"],
    parameters: ([linkVariance, tripletVariance], { tripletWeight }) => [
      1 / Math.sqrt(2 * linkVariance),
      tripletScaleOf(tripletVariance, tripletWeight),
    ],
  },
};

/** A link keeps its displacement over 2w, times √(2 · weight), so that D is a plain square. */
function tripletScaleOf(tripletVariance: number, tripletWeight: number): number {
  return Math.sqrt(2 * tripletWeight) / (2 * Math.sqrt(tripletVariance));
}

/** The quantile at which the spread of mutually cheapest links is read: above the many that do not move, below the few that are wrong. */
const READ_AT = 0.75;

/**
 * [s², w²], taken from links that are each other's cheapest by |r| and from chains of two such links. With a stated noise, s²
 * and the 6σ² follow from the formulas above, and a² is the part of second differences beyond 6σ². Without it, both are read off: if a
 * square is the sum of two squared normals of variance s² each, its quantile q is −2 s² ln(1 − q).
 */
function calibrate(detections: MovingDetections, reach: Float64Array, noise: Noise | null): Calibration {
  const { x, y, vx, vy, timeStep } = detections;
  const residual = (i: number, j: number) =>
    square(x[j] - x[i] - 0.5 * (vx[i] + vx[j]) * timeStep, y[j] - y[i] - 0.5 * (vy[i] + vy[j]) * timeStep);
  const next = mutuallyCheapest(x.length, withinReach(detections, reach, residual));
  const moved: number[] = [];
  const residuals: number[] = [];
  const secondDifferences: number[] = [];
  next.forEach((j, i) => {
    if (j < 0) return;
    moved.push(square(x[j] - x[i], y[j] - y[i]));
    residuals.push(residual(i, j));
    const k = next[j];
    if (k >= 0) secondDifferences.push(square(x[i] - 2 * x[j] + x[k], y[i] - 2 * y[j] + y[k]));
  });

  const least = RESOLUTION * RESOLUTION * axisVariance(moved);
  const scale = (variance: number) => Math.max(least, variance) || 1;
  if (noise !== null) {
    const position = noise.position * noise.position;
    const velocity = noise.velocity * noise.velocity * timeStep * timeStep;
    return {
      constants: [scale(2 * position + 0.5 * velocity), scale(Math.max(6 * position, axisVariance(secondDifferences)))],
      notes: [],
    };
  }
  const s2 = scale(axisVariance(residuals));
  const w2 = scale(axisVariance(secondDifferences));
  const digits = (variance: number) => Math.sqrt(variance).toPrecision(3);
  return {
    constants: [s2, w2],
    notes: [
      `Noise not stated: estimated from ${residuals.length} mutually best links and ${secondDifferences.length} chains of two; standard deviation ${digits(s2)} of a step and ${digits(w2)} of a second difference, per axis.`,
    ],
  };
}

function square(dx: number, dy: number): number {
  return dx * dx + dy * dy;
}

function axisVariance(squares: readonly number[]): number {
  return (quantile(squares, READ_AT) ?? 0) / (-2 * Math.log(1 - READ_AT));
}
