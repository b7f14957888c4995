import { quantile } from "d3-array";
import { axesOf, squareBetween } from "../../core/detections.js";
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
const inPlane: CostModel = {
  width: 2,
  rule: "square",
  plausible: plausibleBy(2),
  parameters: {
    tripletWeight: { default: 0.5, unit: "1", meaning: "share of its logarithm that D counts", min: 0 },
  },
  calibrate,
  bind: (detections, [linkVariance, tripletVariance], { tripletWeight }) => {
    const tripletScale = tripletScaleOf(tripletVariance, tripletWeight);
    const { x, y } = detections;
    const residual = squaredResidual(detections);
    const link: BoundCost["link"] = (i, j, perLink, at) => {
      perLink[at] = (x[j] - x[i]) * tripletScale;
      perLink[at + 1] = (y[j] - y[i]) * tripletScale;
      return residual(i, j) / (2 * linkVariance);
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

/** In space three normals on the place of two; no rule has three numbers a link, so triplets are stored. */
const inSpace: CostModel = {
  ...{ width: 3, rule: null, plausible: plausibleBy(3), calibrate },
  ...(inPlane.parameters && { parameters: inPlane.parameters }),
  bind: (detections, [linkVariance, tripletVariance], { tripletWeight }) => {
    const tripletScale = tripletScaleOf(tripletVariance, tripletWeight);
    const axes = axesOf(detections);
    const residual = squaredResidual(detections);
    return {
      link: (i, j, perLink, at) => {
        for (let n = 0; n < 3; n++) perLink[at + n] = (axes[n][j] - axes[n][i]) * tripletScale;
        return residual(i, j) / (2 * linkVariance);
      },
      triplet: (m, e, f) => (m[f] - m[e]) ** 2 + (m[f + 1] - m[e + 1]) ** 2 + (m[f + 2] - m[e + 2]) ** 2,
    };
  },
};

export const likelihood: CostModel = { ...inPlane, inSpace };

/** By the model C and D over its weight are squares of normals over twice their variance: half a χ² of as many degrees of freedom. */
function plausibleBy(axes: number): NonNullable<CostModel["plausible"]> {
  return (share, _, { tripletWeight }) => {
    const half = halfChiSquare(axes, share);
    return { link: half, triplet: tripletWeight * half };
  };
}

/** Half of the value below which a share of χ² with two degrees of freedom lies, or with three. */
function halfChiSquare(degrees: number, share: number): number {
  if (degrees === 2) return -Math.log(1 - share);
  let [low, high] = [0, 100];
  for (let n = 0; n < 60; n++) {
    const x = (low + high) / 2;
    // The incomplete gamma function of 3/2 by its series: √x e^−x Σ x^k / (Γ(k + 3/2) …).
    let [term, sum] = [x ** 1.5 / (0.75 * Math.sqrt(Math.PI)), 0];
    for (let k = 1; term > 1e-17 * sum; k++) {
      sum += term;
      term *= x / (1.5 + k);
    }
    if (sum * Math.exp(-x) < share) low = x;
    else high = x;
  }
  return low;
}

/** |r_ij|². */
function squaredResidual(detections: MovingDetections): (i: number, j: number) => number {
  const { x, y, z, vx, vy, vz, timeStep } = detections;
  return (i, j) => {
    const rx = x[j] - x[i] - 0.5 * (vx[i] + vx[j]) * timeStep;
    const ry = y[j] - y[i] - 0.5 * (vy[i] + vy[j]) * timeStep;
    const rz = z && vz ? z[j] - z[i] - 0.5 * (vz[i] + vz[j]) * timeStep : 0;
    return rx * rx + ry * ry + rz * rz;
  };
}

/** A link keeps its displacement over 2w, times √(2 · weight), so that D is a plain square. */
function tripletScaleOf(tripletVariance: number, tripletWeight: number): number {
  return Math.sqrt(2 * tripletWeight) / (2 * Math.sqrt(tripletVariance));
}

/** The quantile at which the spread of mutually cheapest links is read: above the many that do not move, below the few that are wrong. */
const READ_AT = 0.75;

/**
 * [s², w²], taken from links that are each other's cheapest by |r| and from chains of two such links. With a stated noise, s²
 * and the 6σ² follow from the formulas above, and a² is the part of second differences beyond 6σ². Without it, both are read off: if a
 * square is the sum of two squared normals of variance s² each, its quantile q is −2 s² ln(1 − q); of three, s² times that of χ².
 */
function calibrate(detections: MovingDetections, reach: Float64Array, noise: Noise | null): Calibration {
  const { x, y, z, timeStep } = detections;
  const residual = squaredResidual(detections);
  const square = squareBetween(detections);
  const bend = (axis: Float64Array, i: number, j: number, k: number) => {
    const change = axis[i] - 2 * axis[j] + axis[k];
    return change * change;
  };
  const axisVariance = axisVarianceOf(z === undefined ? 2 : 3);
  const next = mutuallyCheapest(x.length, withinReach(detections, reach, residual));
  const moved: number[] = [];
  const residuals: number[] = [];
  const secondDifferences: number[] = [];
  next.forEach((j, i) => {
    if (j < 0) return;
    moved.push(square(i, j));
    residuals.push(residual(i, j));
    const k = next[j];
    if (k >= 0) secondDifferences.push(bend(x, i, j, k) + bend(y, i, j, k) + (z ? bend(z, i, j, k) : 0));
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

/** The variance on an axis of which squares are the sums over all axes. */
function axisVarianceOf(axes: number): (squares: readonly number[]) => number {
  return (squares) => (quantile(squares, READ_AT) ?? 0) / (2 * halfChiSquare(axes, READ_AT));
}
