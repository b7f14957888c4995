/**
 * A homography from matches of which some are wrong: RANSAC (Fischler & Bolles 1981) over normalised direct linear transforms of four
 * (Hartley & Zisserman 2004, §4.4 and 4.7), refined on its inliers by Levenberg and Marquardt's steps on the symmetric error.
 */
import { InputError } from "../../core/errors.js";
import { type RandomStream, randomStreams } from "../../core/random.js";

/** 3 × 3, row by row, H₃₃ = 1: (x, y, 1) → (x', y', 1) up to scale. */
export type Homography = Float64Array;

/** Point k of one image at (x[k], y[k]) and of the other at (u[k], v[k]). */
export interface PointPairs {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly u: ArrayLike<number>;
  readonly v: ArrayLike<number>;
}

export interface RansacOptions {
  /** Largest root mean square of the errors there and back of an inlier, pixels. */
  readonly threshold: number;
  readonly seed: number;
  /** Samples are drawn until one of them was without an outlier with this probability, judging by the inliers found. */
  readonly confidence: number;
  readonly samples: number;
}

export const RANSAC_DEFAULTS: RansacOptions = { threshold: 3, seed: 1, confidence: 0.999, samples: 10_000 };

/**
 * Least number of samples. A sample without an outlier is not always a good one: four points close together with some noise agree with most pairs
 * nearby and with few far off.
 */
const LEAST_SAMPLES = 200;

export interface FoundHomography {
  readonly h: Homography;
  /** 1 for pairs within the threshold. */
  readonly inlier: Uint8Array;
  readonly inliers: number;
  readonly samples: number;
}

/** The homography that pairs agree with best; null where no sample had more than its own four inliers. */
export function findHomography(pairs: PointPairs, options: RansacOptions): FoundHomography | null {
  const { threshold, confidence } = options;
  if (!(threshold > 0)) throw new InputError(`threshold ${threshold}: give pixels above 0`);
  const n = pairs.x.length;
  if (n < 5) return null;
  const stream = randomStreams(options.seed).next().value;
  const limit = 2 * threshold * threshold;
  let best: { h: Homography; score: number; inliers: number } | null = null;
  let most = options.samples;
  let sample = 0;
  for (; sample < most; sample++) {
    const four = drawFour(stream, n);
    if (!isPlausible(pairs, four)) continue;
    const h = linearHomography(pairs, four);
    if (h === null) continue;
    const score = truncatedError(pairs, h, limit);
    if (best !== null && score >= best.score) continue;
    const inliers = count(inliersOf(pairs, h, limit));
    best = { h, score, inliers };
    const allRight = (inliers / n) ** 4;
    const enough = allRight < 1 ? Math.ceil(Math.log(1 - confidence) / Math.log(1 - allRight)) : 1;
    most = Math.min(options.samples, Math.max(LEAST_SAMPLES, enough));
  }
  if (best === null || best.inliers <= 4) return null;
  const h = refineOnInliers(pairs, best.h, limit);
  const inlier = inliersOf(pairs, h, limit);
  return { h, inlier, inliers: count(inlier), samples: sample };
}

export function project(h: Homography, x: number, y: number): [number, number] {
  const w = h[6] * x + h[7] * y + h[8];
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

function drawFour(stream: RandomStream, n: number): number[] {
  const four: number[] = [];
  while (four.length < 4) {
    const k = Math.floor(stream.uniform(0, n));
    if (!four.includes(k)) four.push(k);
  }
  return four;
}

/** No three on a line, and every triangle turns the same way in both images: a camera does not see a plane from behind. */
function isPlausible({ x, y, u, v }: PointPairs, four: readonly number[]): boolean {
  for (let skip = 0; skip < 4; skip++) {
    const [a, b, c] = four.filter((_, k) => k !== skip);
    const here = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a]);
    const there = (u[b] - u[a]) * (v[c] - v[a]) - (u[c] - u[a]) * (v[b] - v[a]);
    if (Math.abs(here) < 1 || Math.abs(there) < 1 || here < 0 !== there < 0) return false;
  }
  return true;
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
function linearHomography(pairs: PointPairs, of: readonly number[]): Homography | null {
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

/** a x = b by elimination with pivots; a is n × n by rows. Null where it is singular. */
function solveLinear(matrix: Float64Array, right: Float64Array): Float64Array | null {
  const n = right.length;
  const [a, b] = [matrix.slice(), right.slice()];
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(a[r * n + c]) > Math.abs(a[pivot * n + c])) pivot = r;
    if (Math.abs(a[pivot * n + c]) < 1e-12) return null;
    for (let k = 0; k < n; k++) [a[c * n + k], a[pivot * n + k]] = [a[pivot * n + k], a[c * n + k]];
    [b[c], b[pivot]] = [b[pivot], b[c]];
    for (let r = c + 1; r < n; r++) {
      const factor = a[r * n + c] / a[c * n + c];
      for (let k = c; k < n; k++) a[r * n + k] -= factor * a[c * n + k];
      b[r] -= factor * b[c];
    }
  }
  for (let r = n - 1; r >= 0; r--) {
    for (let k = r + 1; k < n; k++) b[r] -= a[r * n + k] * b[k];
    b[r] /= a[r * n + r];
  }
  return b;
}

function inverse(h: Homography): Homography | null {
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

function inliersOf(pairs: PointPairs, h: Homography, limit: number): Uint8Array {
  const back = inverse(h);
  return Uint8Array.from({ length: pairs.x.length }, (_, k) =>
    back !== null && symmetricError(pairs, h, back, k) <= limit ? 1 : 0,
  );
}

const count = (inlier: Uint8Array): number => inlier.reduce((sum, one) => sum + one, 0);

/** Σ min(error, limit), which RANSAC minimises (Torr & Zisserman 2000), so that among equal counts the closer fit wins. */
function truncatedError(pairs: PointPairs, h: Homography, limit: number): number {
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

const ROUNDS = 5;

/** All inliers by least squares, then steps on the symmetric error, with the inliers chosen anew while the truncated error falls. */
function refineOnInliers(pairs: PointPairs, start: Homography, limit: number): Homography {
  let h = start;
  let score = truncatedError(pairs, h, limit);
  for (let round = 0; round < ROUNDS; round++) {
    const inlier = inliersOf(pairs, h, limit);
    const of = [...inlier.keys()].filter((k) => inlier[k] === 1);
    const linear = linearHomography(pairs, of);
    const closer = linear !== null && truncatedError(pairs, linear, limit) < score ? linear : h;
    const next = descend(pairs, of, closer);
    const nextScore = truncatedError(pairs, next, limit);
    if (!(nextScore < score * (1 - 1e-9))) return h;
    [h, score] = [next, nextScore];
  }
  return h;
}

const STEPS = 20;

/** Levenberg–Marquardt on the eight parameters; derivatives by central differences. */
function descend(pairs: PointPairs, of: readonly number[], start: Homography): Homography {
  const residuals = (h: Homography): Float64Array => {
    const back = inverse(h);
    if (back === null) return new Float64Array(4 * of.length).fill(1e6);
    return Float64Array.from(
      of.flatMap((k) => {
        const [pu, pv] = project(h, pairs.x[k], pairs.y[k]);
        const [px, py] = project(back, pairs.u[k], pairs.v[k]);
        return [pu - pairs.u[k], pv - pairs.v[k], px - pairs.x[k], py - pairs.y[k]];
      }),
    );
  };
  const cost = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0);
  let h = start;
  let error = residuals(h);
  let damping = 1e-3;
  for (let step = 0; step < STEPS; step++) {
    const columns = Array.from({ length: 8 }, (_, p) => {
      const delta = 1e-6 * Math.max(Math.abs(h[p]), p === 6 || p === 7 ? 1e-3 : 1);
      const shifted = (sign: number) => residuals(h.map((value, k) => (k === p ? value + sign * delta : value)));
      const [up, down] = [shifted(1), shifted(-1)];
      return up.map((value, k) => (value - down[k]) / (2 * delta));
    });
    const normal = Float64Array.from({ length: 64 }, (_, k) => {
      const [i, j] = [Math.floor(k / 8), k % 8];
      const sum = columns[i].reduce((total, value, row) => total + value * columns[j][row], 0);
      return i === j ? sum * (1 + damping) : sum;
    });
    const slope = Float64Array.from(
      columns,
      (column) => -column.reduce((sum, value, row) => sum + value * error[row], 0),
    );
    const move = solveLinear(normal, slope);
    if (move === null) return h;
    const next = h.map((value, k) => (k < 8 ? value + move[k] : 1));
    const nextError = residuals(next);
    if (cost(nextError) >= cost(error)) {
      damping *= 10;
      if (damping > 1e6) return h;
      continue;
    }
    const gained = 1 - cost(nextError) / Math.max(cost(error), 1e-300);
    [h, error, damping] = [next, nextError, damping / 10];
    if (gained < 1e-9) return h;
  }
  return h;
}
