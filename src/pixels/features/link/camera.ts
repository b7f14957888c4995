/** The camera's part in the motion of places: affine fields, fitted robustly to KLT's tracks. */
import { KLT_STATUS, type KltTracks } from "../klt-options.js";
import type { Places } from "./places.js";

/** A vector for each place, pixels: x and y. */
export interface Displacements {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const ROUNDS = 10;
/** Of the second differences, pixels: tracks that are further off count little. */
const BEND_SCALES = new Array<number>(ROUNDS).fill(1);
/** Of the motion, which may be far off at first where many targets move on their own: from 20 pixels down to one. */
const MOVE_SCALES = Array.from({ length: ROUNDS }, (_, round) => 20 ** (1 - round / (ROUNDS - 1)));

/** The second difference (x₊ − x) − (x − x₋) of a frame's places as an affine field in x and y; 0 where three tracks there and back are not found. */
export function cameraBends(
  places: Places,
  next: KltTracks,
  before: KltTracks,
  width: number,
  height: number,
): Displacements {
  const { x, y } = places;
  const rows = [...x.keys()].filter(
    (k) => next.status[k] === KLT_STATUS.tracked && before.status[k] === KLT_STATUS.tracked,
  );
  const bends = rows.map((k) => [next.x[k] + before.x[k] - 2 * x[k], next.y[k] + before.y[k] - 2 * y[k]]);
  const none = { x: new Float64Array(places.count), y: new Float64Array(places.count) };
  return affineDisplacements(places, rows, bends, BEND_SCALES, width, height) ?? none;
}

/** Where the camera takes a frame's places, less where they are, as an affine field in x and y; null where KLT's tracks do not determine one. */
export function cameraMoves(places: Places, next: KltTracks, width: number, height: number): Displacements | null {
  const { x, y } = places;
  const rows = [...x.keys()].filter((k) => next.status[k] === KLT_STATUS.tracked);
  const moves = rows.map((k) => [next.x[k] - x[k], next.y[k] - y[k]]);
  return affineDisplacements(places, rows, moves, MOVE_SCALES, width, height);
}

/** Least squares of the places `rows`, again and again with weights 1/(1 + (r/scale)²)² of the residual r in pixels: at all places. */
function affineDisplacements(
  { x, y, count }: Places,
  rows: readonly number[],
  values: readonly (readonly number[])[],
  scales: readonly number[],
  width: number,
  height: number,
): Displacements | null {
  if (rows.length < 3) return null;
  const basis = (k: number) => [1, (2 * x[k]) / width - 1, (2 * y[k]) / height - 1];
  const bases = rows.map(basis);
  let fields: readonly (readonly number[])[] | null = null;
  let weights = rows.map(() => 1);
  for (const scale of scales) {
    const solved = [0, 1].map((axis) =>
      leastSquares(
        bases,
        values.map((value) => value[axis]),
        weights,
      ),
    );
    if (solved.some((field) => field === null)) break;
    const found = solved as number[][];
    fields = found;
    weights = bases.map((row, n) => {
      const [ex, ey] = found.map((field, axis) => values[n][axis] - dot(field, row));
      // Squared: the reference multiplies rows by the weight before it solves.
      return 1 / (1 + (ex * ex + ey * ey) / scale ** 2) ** 2;
    });
  }
  if (fields === null) return null;
  const [fx, fy] = fields;
  return {
    x: Float64Array.from({ length: count }, (_, k) => dot(fx, basis(k))),
    y: Float64Array.from({ length: count }, (_, k) => dot(fy, basis(k))),
  };
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
