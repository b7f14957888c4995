import { invariant } from "../../core/errors.js";

/**
 * Student's t distribution in d = 2 or 3 dimensions, elliptical about 0: with q = zᵀ S⁻¹ z,
 *
 *     p(z) = c (1 + q/ν)^(−(ν + d)/2) / √det S,      c = Γ((ν + d)/2) / (Γ(ν/2) (νπ)^(d/2))
 *
 * ν small means heavy tails. In two dimensions the gamma functions cancel, and c is 1/(2π).
 *
 * Targets that stand or go straight for most of the time, and move or turn now and then, have two scales. With `wide` this is the mixture
 *
 *     p(z) = c ((1 − w) (1 + q/2)^(−(2 + d)/2) + w k^−d (1 + q/(2k²))^(−(2 + d)/2)) / √det S,    ν = 2.
 */
export interface StudentT extends Matrix {
  /** ν; the matrix is S, positive definite, in squared length units. */
  readonly tail: number;
  /** The share w that is `times` = k as wide, both of tail 2. */
  readonly wide?: Wide | undefined;
}

export interface Wide {
  readonly share: number;
  readonly times: number;
}

/** S = scale² · identity. */
export function roundStudentT(tail: number, scale: number, space = false): StudentT {
  const square = scale * scale;
  return { tail, xx: square, xy: 0, yy: square, ...(space && { xz: 0, yz: 0, zz: square }) };
}

/** Root of the mean variance of S's axes: one length that sums it up for display. */
export function scaleOf(density: StudentT): number {
  return Math.sqrt(traceOf(density) / (isDeep(density) ? 3 : 2));
}

/**
 * A density ready to evaluate: −ln p(z) = peak + slope · ln falloff(|w(z)|²) with w(z) = (a x, b x + c y, d x + e y + f z). Links that are whitened once
 * leave only a squared distance to each pair of them.
 */
export interface BoundStudentT {
  /** −ln p(0) without `wide`. */
  readonly peak: number;
  /** (ν + d)/2. */
  readonly slope: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  /** 0 in the plane. */
  readonly d: number;
  readonly e: number;
  readonly f: number;
  readonly space: boolean;
  readonly wide: Wide | undefined;
}

export function bindStudentT(density: StudentT): BoundStudentT {
  const { tail, xx, xy, yy, xz = 0, yz = 0, zz = 0, wide } = density;
  invariant(wide === undefined || tail === 2, () => `a mixture of tail ${tail}`);
  const determinant = xx * yy - xy * xy;
  // Rows of the inverse Cholesky factor of ν S.
  const a = 1 / Math.sqrt(tail * xx);
  const c = Math.sqrt(xx / (determinant * tail));
  const inPlane = { a, b: (-xy / xx) * c, c, wide };
  if (!isDeep(density)) {
    const peak = Math.log(2 * Math.PI) + 0.5 * Math.log(determinant);
    return { peak, slope: 0.5 * (tail + 2), ...inPlane, d: 0, e: 0, f: 0, space: false };
  }
  // z given x and y: its expectation and its variance.
  const [byX, byY] = [(yy * xz - xy * yz) / determinant, (xx * yz - xy * xz) / determinant];
  const f = 1 / Math.sqrt(tail * (zz - byX * xz - byY * yz));
  const peak = -logNormOf(tail) + 0.5 * Math.log(determinantOf(density));
  return { peak, slope: 0.5 * (tail + 3), ...inPlane, d: -byX * f, e: -byY * f, f, space: true };
}

/** ln c in space. */
export function logNormOf(tail: number): number {
  return logGamma(0.5 * (tail + 3)) - logGamma(0.5 * tail) - 1.5 * Math.log(tail * Math.PI);
}

/** ln Γ(x), x > 0, by Stirling's series from 10 on, to 13 digits. */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < 10) product *= shifted++;
  const series = 1 / (12 * shifted) - 1 / (360 * shifted ** 3) + 1 / (1260 * shifted ** 5);
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}

/** How far the density has fallen at a squared whitened distance: 1 + |w|², or its counterpart for a mixture. It increases with |w|². */
export function falloff({ wide, space, slope }: BoundStudentT, square: number): number {
  if (wide === undefined) return 1 + square;
  const { share, times } = wide;
  const near = 1 + square;
  if (space) {
    const far = 1 + square / (times * times);
    return ((1 - share) * near ** -slope + (share * far ** -slope) / times ** 3) ** (-1 / slope);
  }
  // k (1 + |w|²/k²)
  const far = times + square / times;
  return 1 / Math.sqrt((1 - share) / (near * near) + share / (far * far));
}

/** −ln p(x, y, z). */
export function minusLogDensity(bound: BoundStudentT, x: number, y: number, z = 0): number {
  const u = bound.a * x;
  const w = bound.b * x + bound.c * y;
  const v = bound.d * x + bound.e * y + bound.f * z;
  return bound.peak + bound.slope * Math.log(falloff(bound, u * u + w * w + v * v));
}

/** Bisections of squareWithin, to the last bit of a double. */
const HALVINGS = 60;

/** The greatest |w|² at which −ln p is at most `cost`; negative where it never is. */
export function squareWithin(bound: BoundStudentT, cost: number): number {
  const { peak, slope, space, wide } = bound;
  const most = Math.exp((cost - peak) / slope);
  if (wide === undefined || most === Number.POSITIVE_INFINITY) return most - 1;
  if (falloff(bound, 0) > most) return -1;
  // The falloff is at least (1 + |w|²) / (1 − w + w k²)^(1/slope).
  const heaviest = 1 - wide.share + wide.share * wide.times * wide.times;
  let [low, high] = [0, most * (space ? heaviest ** (1 / slope) : Math.sqrt(heaviest))];
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (falloff(bound, middle) <= most) low = middle;
    else high = middle;
  }
  return high;
}

/** A symmetric matrix of two axes, or of three. */
export interface Matrix {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
  /** In space; all three or none. */
  readonly xz?: number | undefined;
  readonly yz?: number | undefined;
  readonly zz?: number | undefined;
}

export const isDeep = ({ zz }: Matrix): boolean => zz !== undefined;

export const traceOf = ({ xx, yy, zz = 0 }: Matrix): number => xx + yy + zz;

export function determinantOf({ xx, xy, yy, xz = 0, yz = 0, zz }: Matrix): number {
  const inPlane = xx * yy - xy * xy;
  return zz === undefined ? inPlane : zz * inPlane - xz * (yy * xz - xy * yz) - yz * (xx * yz - xy * xz);
}

/** The same along all directions. */
export function evenly(factor: number, space = false): Matrix {
  return { xx: factor, xy: 0, yy: factor, ...(space && { xz: 0, yz: 0, zz: factor }) };
}

/** Entries of a matrix multiplied by a vector; the third is 0 in the plane. */
export function times({ xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix, [x, y, z = 0]: readonly number[]): number[] {
  return [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z];
}

/** b − M a; the third entry is 0 in the plane. */
export function lessTimes(
  [bx, by, bz = 0]: readonly number[],
  { xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix,
  [ax, ay, az = 0]: readonly number[],
): readonly [number, number, number] {
  return [bx - xx * ax - xy * ay - xz * az, by - xy * ax - yy * ay - yz * az, bz - xz * ax - yz * ay - zz * az];
}

/** The entries that are there times a number. */
export function scaled({ xx, xy, yy, xz, yz, zz }: Matrix, by: number): Matrix {
  const inPlane = { xx: by * xx, xy: by * xy, yy: by * yy };
  return xz === undefined || yz === undefined || zz === undefined
    ? inPlane
    : { ...inPlane, xz: by * xz, yz: by * yz, zz: by * zz };
}

/** The rows, of three entries each; those that are not there are 0. */
export const rowsOf = ({ xx, xy, yy, xz = 0, yz = 0, zz = 0 }: Matrix): number[][] => [
  [xx, xy, xz],
  [xy, yy, yz],
  [xz, yz, zz],
];

/** Sweeps of rotations; a few reach the last digit. */
const SWEEPS = 30;

/** The eigenvalues of a matrix in space, the greatest first, and its eigenvectors: by Jacobi's rotations (1846). */
export function eigenOf(matrix: Matrix): { value: number; vector: readonly number[] }[] {
  const m = rowsOf(matrix);
  const v = [0, 1, 2].map((i) => [0, 1, 2].map((j) => Number(i === j)));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [p, q] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      if (m[p][q] === 0) continue;
      const angle = 0.5 * Math.atan2(2 * m[p][q], m[p][p] - m[q][q]);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const turn = (a: number, b: number) => [cos * a + sin * b, cos * b - sin * a];
      for (const row of m) [row[p], row[q]] = turn(row[p], row[q]);
      for (let k = 0; k < 3; k++) [m[p][k], m[q][k]] = turn(m[p][k], m[q][k]);
      for (const row of v) [row[p], row[q]] = turn(row[p], row[q]);
      m[p][q] = 0;
      m[q][p] = 0;
    }
  }
  const all = [0, 1, 2].map((n) => ({ value: m[n][n], vector: v.map((row) => row[n]) }));
  return all.sort((one, other) => other.value - one.value);
}
