import { invariant } from "../../core/errors.js";

/**
 * Student's t distribution in the plane, elliptical about 0: with q = zᵀ S⁻¹ z,
 *
 *     p(z) = (1 + q/ν)^(−(ν + 2)/2) / (2π √det S)
 *
 * ν small means heavy tails. In two dimensions the gamma functions of the general formula cancel.
 *
 * Targets that stand or go straight for most of the time, and move or turn now and then, have two scales. With `wide` this is the mixture
 *
 *     p(z) = ((1 − w) (1 + q/2)^−2 + w k^−2 (1 + q/(2k²))^−2) / (2π √det S),    ν = 2.
 */
export interface StudentT {
  /** ν. */
  readonly tail: number;
  /** The scale matrix S, positive definite, in squared length units. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** The share w that is `times` = k as wide, both of tail 2. */
  readonly wide?: Wide | undefined;
}

export interface Wide {
  readonly share: number;
  readonly times: number;
}

/** S = scale² · identity. */
export function roundStudentT(tail: number, scale: number): StudentT {
  return { tail, xx: scale * scale, xy: 0, yy: scale * scale };
}

/** Root of the mean variance of S's axes: one length that sums it up for display. */
export function scaleOf({ xx, yy }: StudentT): number {
  return Math.sqrt((xx + yy) / 2);
}

/**
 * A density ready to evaluate: −ln p(z) = peak + slope · ln falloff(|w(z)|²) with w(z) = (a x, b x + c y). Links that are whitened once
 * leave only a squared distance to each pair of them.
 */
export interface BoundStudentT {
  /** −ln p(0) without `wide`. */
  readonly peak: number;
  /** (ν + 2)/2. */
  readonly slope: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly wide: Wide | undefined;
}

export function bindStudentT({ tail, xx, xy, yy, wide }: StudentT): BoundStudentT {
  invariant(wide === undefined || tail === 2, () => `a mixture of tail ${tail}`);
  const determinant = xx * yy - xy * xy;
  // Rows of the inverse Cholesky factor of ν S.
  const a = 1 / Math.sqrt(tail * xx);
  const c = Math.sqrt(xx / (determinant * tail));
  return {
    peak: Math.log(2 * Math.PI) + 0.5 * Math.log(determinant),
    slope: 0.5 * (tail + 2),
    a,
    b: (-xy / xx) * c,
    c,
    wide,
  };
}

/** How far the density has fallen at a squared whitened distance: 1 + |w|², or its counterpart for a mixture. It increases with |w|². */
export function falloff({ wide }: BoundStudentT, square: number): number {
  if (wide === undefined) return 1 + square;
  const { share, times } = wide;
  const near = 1 + square;
  // k (1 + |w|²/k²)
  const far = times + square / times;
  return 1 / Math.sqrt((1 - share) / (near * near) + share / (far * far));
}

/** −ln p(x, y). */
export function minusLogDensity(bound: BoundStudentT, x: number, y: number): number {
  const u = bound.a * x;
  const w = bound.b * x + bound.c * y;
  return bound.peak + bound.slope * Math.log(falloff(bound, u * u + w * w));
}

/** Bisections of squareWithin, to the last bit of a double. */
const HALVINGS = 60;

/** The greatest |w|² at which −ln p is at most `cost`; negative where it never is. */
export function squareWithin(bound: BoundStudentT, cost: number): number {
  const { peak, slope, wide } = bound;
  const most = Math.exp((cost - peak) / slope);
  if (wide === undefined || most === Number.POSITIVE_INFINITY) return most - 1;
  if (falloff(bound, 0) > most) return -1;
  // The falloff is at least (1 + |w|²) / √(1 − w + w k²).
  let [low, high] = [0, most * Math.sqrt(1 - wide.share + wide.share * wide.times * wide.times)];
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (falloff(bound, middle) <= most) low = middle;
    else high = middle;
  }
  return high;
}
