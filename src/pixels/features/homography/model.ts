/** Homographies of point pairs: by normalised direct linear transforms (Hartley & Zisserman 2004, §4.1 and 4.4), and their errors there and back. */
import { solveLinear } from "../solve-linear.js";

/** 3 × 3, row by row, H₃₃ = 1: (x, y, 1) → (x', y', 1) up to scale. */
export type Homography = Float64Array;

/** Point k of one image at (x[k], y[k]) and of the other at (u[k], v[k]). */
export interface PointPairs {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly u: ArrayLike<number>;
  readonly v: ArrayLike<number>;
}

export function project(h: Homography, x: number, y: number): [number, number] {
  const w = h[6] * x + h[7] * y + h[8];
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

/** Moves the points' centre to 0 and their mean distance from it to √2. */
function normalisation(x: readonly number[], y: readonly number[]) {
  const n = x.length;
  const [cx, cy] = [x, y].map((values) => values.reduce((sum, value) => sum + value, 0) / n);
  const distance = x.reduce((sum, value, k) => sum + Math.hypot(value - cx, y[k] - cy), 0) / n;
  const scale = distance > 0 ? Math.SQRT2 / distance : 1;
  return { cx, cy, scale };
}

/** The homography of the pairs at `of` by least squares with h₃₃ = 1 in normalised coordinates; null where they determine none. */
export function linearHomography(pairs: PointPairs, of: readonly number[]): Homography | null {
  const [x, y, u, v] = [pairs.x, pairs.y, pairs.u, pairs.v].map((values) => of.map((k) => values[k]));
  const [from, to] = [normalisation(x, y), normalisation(u, v)];
  const a = new Float64Array(64);
  const b = new Float64Array(8);
  const add = (row: readonly number[], value: number) => {
    for (let i = 0; i < 8; i++) {
      b[i] += row[i] * value;
      for (let j = 0; j < 8; j++) a[8 * i + j] += row[i] * row[j];
    }
  };
  for (let k = 0; k < of.length; k++) {
    const [px, py] = [(x[k] - from.cx) * from.scale, (y[k] - from.cy) * from.scale];
    const [pu, pv] = [(u[k] - to.cx) * to.scale, (v[k] - to.cy) * to.scale];
    add([px, py, 1, 0, 0, 0, -pu * px, -pu * py], pu);
    add([0, 0, 0, px, py, 1, -pv * px, -pv * py], pv);
  }
  // Normal equations of normalised coordinates: their entries lie near 1.
  const g = solveLinear(a, b);
  if (g === null) return null;
  // Back to pixels: T'⁻¹ G T.
  const s = from.scale;
  const rows = [0, 1, 2].map((r) => {
    const [p, q, w] = [g[3 * r], g[3 * r + 1], r === 2 ? 1 : g[3 * r + 2]];
    return [p * s, q * s, w - s * (p * from.cx + q * from.cy)];
  });
  const h = Float64Array.from([
    ...rows[0].map((value, c) => value / to.scale + to.cx * rows[2][c]),
    ...rows[1].map((value, c) => value / to.scale + to.cy * rows[2][c]),
    ...rows[2],
  ]);
  return Math.abs(h[8]) < 1e-12 ? null : h.map((value) => value / h[8]);
}

export function inverse(h: Homography): Homography | null {
  const [a, b, c, d, e, f, g, i, j] = h;
  const determinant = a * (e * j - f * i) - b * (d * j - f * g) + c * (d * i - e * g);
  if (Math.abs(determinant) < 1e-15) return null;
  const adjugate = [
    e * j - f * i,
    c * i - b * j,
    b * f - c * e,
    f * g - d * j,
    a * j - c * g,
    c * d - a * f,
    d * i - e * g,
    b * g - a * i,
    a * e - b * d,
  ];
  return Float64Array.from(adjugate, (value) => value / determinant);
}

/** Squared errors there and back of pair k. */
function symmetricError({ x, y, u, v }: PointPairs, h: Homography, back: Homography, k: number): number {
  const [pu, pv] = project(h, x[k], y[k]);
  const [px, py] = project(back, u[k], v[k]);
  return (pu - u[k]) ** 2 + (pv - v[k]) ** 2 + (px - x[k]) ** 2 + (py - y[k]) ** 2;
}

export function inliersOf(pairs: PointPairs, h: Homography, limit: number): Uint8Array {
  const back = inverse(h);
  return Uint8Array.from({ length: pairs.x.length }, (_, k) =>
    back !== null && symmetricError(pairs, h, back, k) <= limit ? 1 : 0,
  );
}

export const count = (inlier: Uint8Array): number => inlier.reduce((sum, one) => sum + one, 0);

/** Σ min(error, limit), which RANSAC minimises (Torr & Zisserman 2000), so that among equal counts the closer fit wins. */
export function truncatedError(pairs: PointPairs, h: Homography, limit: number): number {
  const back = inverse(h);
  if (back === null) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let k = 0; k < pairs.x.length; k++) {
    const error = symmetricError(pairs, h, back, k);
    // A point on the horizon has no error that is a number.
    sum += error < limit ? error : limit;
  }
  return sum;
}
