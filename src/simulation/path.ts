import type { RandomStream } from "../core/random.js";
import { evaluate, firstRoot, polynomialOf } from "./roots.js";

/** Coefficients, from the constant up, of a polynomial in u = x − origin, valid up to x = end. */
export interface PathPiece {
  readonly origin: number;
  readonly end: number;
  readonly coefficients: readonly number[];
}

/** The graph y = P(x), x ≥ 0, that a target follows before it is turned and moved. */
export interface Path {
  /** In order; the last one ends at infinity. */
  readonly pieces: readonly PathPiece[];
}

/** y = Σ_d a_d x^d with a_d uniform in ±amplitude/16^d, so that E|a_0| ≥ 4² E|a_1| ≥ … ([K23] §IV-A). */
export function polynomialPath(degree: number, amplitude: number, random: RandomStream): Path {
  const coefficients: number[] = [];
  for (let d = 0, bound = amplitude; d <= degree; d++, bound /= 16) coefficients.push(random.uniform(-bound, bound));
  return { pieces: [{ origin: 0, end: Number.POSITIVE_INFINITY, coefficients }] };
}

/** Distance between the knots of splinePath: the length that scales the polynomial's coefficients. */
export const KNOT_SPACING = 16;

/** The natural cubic spline through the knots (16 k, y_k), y_k uniform in ±amplitude, out to x = reach and straight beyond. */
export function splinePath(reach: number, amplitude: number, random: RandomStream): Path {
  const h = KNOT_SPACING;
  const last = Math.max(2, Math.ceil(reach / h));
  const x = Array.from({ length: last + 1 }, (_, k) => h * k);
  const y = x.map(() => random.uniform(-amplitude, amplitude));
  const slope = naturalSlopes(y, h);
  const pieces: PathPiece[] = [];
  for (let k = 0; k < last; k++) {
    const chord = (y[k + 1] - y[k]) / h;
    const quadratic = (3 * chord - 2 * slope[k] - slope[k + 1]) / h;
    const cubic = (slope[k] + slope[k + 1] - 2 * chord) / (h * h);
    pieces.push({ origin: x[k], end: x[k + 1], coefficients: [y[k], slope[k], quadratic, cubic] });
  }
  pieces.push({ origin: x[last], end: Number.POSITIVE_INFINITY, coefficients: [y[last], slope[last]] });
  return { pieces };
}

/** Slopes at equally spaced knots of the natural cubic spline through them: Gauss elimination on its tridiagonal system. */
function naturalSlopes(y: readonly number[], h: number): number[] {
  const last = y.length - 1;
  const diagonal = y.map((_, k) => (k === 0 || k === last ? 2 / h : 2 * (1 / h + 1 / h)));
  const right = y.map((_, k) => {
    if (k === 0) return (3 * (y[1] - y[0])) / (h * h);
    if (k === last) return (3 * (y[k] - y[k - 1])) / (h * h);
    return 3 * ((y[k] - y[k - 1]) / (h * h) + (y[k + 1] - y[k]) / (h * h));
  });
  for (let k = 1; k <= last; k++) {
    const factor = 1 / h / diagonal[k - 1];
    diagonal[k] -= (1 / h) * factor;
    right[k] -= right[k - 1] * factor;
  }
  const slope = new Array<number>(last + 1);
  for (let k = last; k >= 0; k--) slope[k] = (k < last ? right[k] - (1 / h) * slope[k + 1] : right[k]) / diagonal[k];
  return slope;
}

/** P(x) and its derivative. */
export function pathAt(path: Path, x: number): { y: number; slope: number } {
  const piece = path.pieces[pieceAt(path, x)];
  const u = x - piece.origin;
  let y = 0;
  let slope = 0;
  for (let d = piece.coefficients.length - 1; d >= 0; d--) {
    slope = slope * u + y;
    y = y * u + piece.coefficients[d];
  }
  return { y, slope };
}

/** The number of the piece that x lies on. */
function pieceAt({ pieces }: Path, x: number): number {
  let [least, most] = [0, pieces.length - 1];
  while (least < most) {
    const middle = (least + most) >> 1;
    if (x < pieces[middle].end) most = middle;
    else least = middle + 1;
  }
  return least;
}

/**
 * The first x > x0 at which the path is `radius` away from (x0, P(x0)): the smallest root on (0, radius] of
 *
 *     g(u) = u² + (P(x0 + u) − P(x0))² − radius²
 *
 * which starts at −radius² and is not negative at u = radius; in between it may have several roots. The first of them counts.
 */
export function firstCrossing(path: Path, x0: number, radius: number): number {
  const y0 = pathAt(path, x0).y;
  for (let k = pieceAt(path, x0); k < path.pieces.length; k++) {
    const piece = path.pieces[k];
    const low = Math.max(0, piece.origin - x0);
    const high = Math.min(radius, piece.end - x0);
    if (low >= radius) break;
    const degree = 2 * (piece.coefficients.length - 1);
    const shifted = taylorShift(piece.coefficients, x0 - piece.origin);
    shifted[0] = piece.origin <= x0 ? 0 : shifted[0] - y0;
    const g = polynomialOf(degree).fill(0);
    for (let i = 0; i < shifted.length; i++)
      for (let j = 0; j < shifted.length; j++) g[degree - i - j] += shifted[i] * shifted[j];
    g[degree] -= radius * radius;
    g[degree - 2]++;
    // Rounding can put a root that lies on a knot just before the one piece and just after the other.
    if (low > 0 && evaluate(g, low) >= 0) return x0 + low;
    const root = firstRoot(degree, low, high);
    if (!Number.isNaN(root)) return x0 + root;
  }
  // On a path level to the last bit the root is the end of the range, and rounding may have hidden it.
  return x0 + radius;
}

/** Coefficients of P(x + shift). */
function taylorShift(coefficients: readonly number[], shift: number): number[] {
  const shifted = coefficients.slice();
  const degree = shifted.length - 1;
  for (let i = 0; i < degree; i++) for (let j = degree - 1; j >= i; j--) shifted[j] += shift * shifted[j + 1];
  return shifted;
}
