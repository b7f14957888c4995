/** The camera's part in the motion of places: an affine field of second differences, fitted robustly to KLT's tracks there and back. */
import { KLT_STATUS, type KltTracks } from "../klt-track.js";
import type { Places } from "./places.js";

/** Second difference of each place, pixels: x and y. */
export interface Bends {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const ROUNDS = 10;

/** (x₊ − x) − (x − x₋) of a frame's places, as an affine field in x and y: weights 1/(1 + r²) of the residual r in pixels, ten rounds. */
export function cameraBends(places: Places, next: KltTracks, before: KltTracks, width: number, height: number): Bends {
  const { x, y, count } = places;
  const rows = [...x.keys()].filter(
    (k) => next.status[k] === KLT_STATUS.tracked && before.status[k] === KLT_STATUS.tracked,
  );
  const basis = (k: number) => [1, (2 * x[k]) / width - 1, (2 * y[k]) / height - 1];
  const bends = rows.map((k) => [next.x[k] + before.x[k] - 2 * x[k], next.y[k] + before.y[k] - 2 * y[k]]);
  let fields: readonly (readonly number[])[] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  let weights = rows.map(() => 1);
  for (let round = 0; round < ROUNDS && rows.length >= 3; round++) {
    const solved = [0, 1].map((axis) =>
      leastSquares(
        rows.map(basis),
        bends.map((bend) => bend[axis]),
        weights,
      ),
    );
    if (solved.some((field) => field === null)) break;
    fields = solved as number[][];
    weights = rows.map((k, n) => {
      const [ex, ey] = fields.map((field, axis) => bends[n][axis] - dot(field, basis(k)));
      // Squared: the reference multiplies rows by the weight before it solves.
      return 1 / (1 + ex * ex + ey * ey) ** 2;
    });
  }
  const of = (axis: number) => Float64Array.from({ length: count }, (_, k) => dot(fields[axis], basis(k)));
  return { x: of(0), y: of(1) };
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, k) => sum + value * b[k], 0);

/** Three coefficients by Cramer's rule; null where the rows do not determine them. */
function leastSquares(
  rows: readonly number[][],
  values: readonly number[],
  weights: readonly number[],
): number[] | null {
  const normal = (p: number, q: number) => rows.reduce((sum, row, k) => sum + weights[k] * row[p] * row[q], 0);
  const right = [0, 1, 2].map((p) => rows.reduce((sum, row, k) => sum + weights[k] * row[p] * values[k], 0));
  const matrix = [0, 1, 2].map((p) => [0, 1, 2].map((q) => normal(p, q)));
  const whole = determinant(matrix);
  if (!(Math.abs(whole) > 1e-9)) return null;
  return [0, 1, 2].map(
    (c) => determinant(matrix.map((row, r) => row.map((value, q) => (q === c ? right[r] : value)))) / whole,
  );
}

function determinant([[a, b, c], [d, e, f], [g, h, i]]: readonly (readonly number[])[]): number {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}
