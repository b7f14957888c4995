/** Refines a homography on its inliers by Levenberg and Marquardt's steps on the symmetric error (Hartley & Zisserman 2004, §4.5 and A6.2). */
import { solveLinear } from "../solve-linear.js";
import { type Homography, inliersOf, inverse, linearHomography, type PointPairs, truncatedError } from "./model.js";

const ROUNDS = 5;

/** All inliers by least squares, then steps on the symmetric error, with the inliers chosen anew while the truncated error falls. */
export function refineOnInliers(pairs: PointPairs, start: Homography, limit: number): Homography {
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
  const pick = (values: ArrayLike<number>) => Float64Array.from(of, (k) => values[k]);
  const [x, y, u, v] = [pick(pairs.x), pick(pairs.y), pick(pairs.u), pick(pairs.v)];
  const residuals = (h: Homography): Float64Array => {
    const out = new Float64Array(4 * of.length);
    const back = inverse(h);
    if (back === null) return out.fill(1e6);
    for (let k = 0, at = 0; k < of.length; k++, at += 4) {
      const w = h[6] * x[k] + h[7] * y[k] + h[8];
      out[at] = (h[0] * x[k] + h[1] * y[k] + h[2]) / w - u[k];
      out[at + 1] = (h[3] * x[k] + h[4] * y[k] + h[5]) / w - v[k];
      const z = back[6] * u[k] + back[7] * v[k] + back[8];
      out[at + 2] = (back[0] * u[k] + back[1] * v[k] + back[2]) / z - x[k];
      out[at + 3] = (back[3] * u[k] + back[4] * v[k] + back[5]) / z - y[k];
    }
    return out;
  };
  const product = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let row = 0; row < a.length; row++) sum += a[row] * b[row];
    return sum;
  };
  let h = start;
  let error = residuals(h);
  let cost = product(error, error);
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
      const sum = product(columns[i], columns[j]);
      return i === j ? sum * (1 + damping) : sum;
    });
    const slope = Float64Array.from(columns, (column) => -product(column, error));
    const move = solveLinear(normal, slope);
    if (move === null) return h;
    const next = h.map((value, k) => (k < 8 ? value + move[k] : 1));
    const nextError = residuals(next);
    const nextCost = product(nextError, nextError);
    if (nextCost >= cost) {
      damping *= 10;
      if (damping > 1e6) return h;
      continue;
    }
    const gained = 1 - nextCost / Math.max(cost, 1e-300);
    [h, error, cost, damping] = [next, nextError, nextCost, damping / 10];
    if (gained < 1e-9) return h;
  }
  return h;
}
