/**
 * Student's t distribution in the plane, elliptical about 0: with q = zᵀ S⁻¹ z,
 *
 *     p(z) = (1 + q/ν)^(−(ν + 2)/2) / (2π √det S)
 *
 * ν small means heavy tails. In two dimensions the gamma functions of the general formula cancel.
 */
export interface StudentT {
  /** ν. */
  readonly tail: number;
  /** The scale matrix S, positive definite, in squared length units. */
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
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
 * A t distribution ready to evaluate: −ln p(z) = peak + slope · ln(1 + |w(z)|²) with w(z) = (a x, b x + c y), so that a squared distance
 * between whitened vectors is all that is left to a pair of links.
 */
export interface BoundStudentT {
  /** −ln p(0), the least value. */
  readonly peak: number;
  /** (ν + 2)/2. */
  readonly slope: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function bindStudentT({ tail, xx, xy, yy }: StudentT): BoundStudentT {
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
  };
}

/** −ln p(x, y). */
export function minusLogDensity({ peak, slope, a, b, c }: BoundStudentT, x: number, y: number): number {
  const u = a * x;
  const w = b * x + c * y;
  return peak + slope * Math.log1p(u * u + w * w);
}

/**
 * Tails that a fit may take. None is lighter than ν = 4: what lies far out is cut by the very tracks that the fit is made from, so that
 * a lighter tail would be an artefact that cuts more.
 */
const TAILS = [0.7, 1, 1.4, 2, 2.8, 4];

/** Weight, in samples, of the same scale on both axes: a few samples say little about directions. */
const ROUND = 4;
const ITERATIONS = 60;
const CONVERGED = 1e-3;
/** S is kept this far from a line. */
const FLATTEST = 1e-6;

export interface FittedStudentT {
  readonly density: StudentT;
  /** Sum of ln p over the samples. */
  readonly logLikelihood: number;
}

/**
 * Maximum likelihood over S, by S ← mean of (ν + 2)/(ν + q) z zᵀ (the EM algorithm of K. L. Lange, R. J. A. Little, J. M. G. Taylor, "Robust
 * statistical modeling using the t distribution", Journal of the American Statistical Association 84, 1989), and
 * over ν in TAILS.
 * @param floor least scale on any axis, above 0: nothing is measured more finely
 */
export function fitStudentT(x: ArrayLike<number>, y: ArrayLike<number>, floor: number): FittedStudentT {
  const least = floor * floor;
  let best: FittedStudentT | null = null;
  let start = {
    xx: Math.max(least, 2 * medianSquare(x)),
    xy: 0,
    yy: Math.max(least, 2 * medianSquare(y)),
  };
  for (const tail of TAILS) {
    const density: StudentT = { tail, ...fitScale(x, y, tail, start, least) };
    const bound = bindStudentT(density);
    let logLikelihood = 0;
    for (let n = 0; n < x.length; n++) logLikelihood -= minusLogDensity(bound, x[n], y[n]);
    if (best !== null && logLikelihood <= best.logLikelihood) break;
    best = { density, logLikelihood };
    start = density;
  }
  return best as FittedStudentT;
}

function fitScale(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  tail: number,
  start: { xx: number; xy: number; yy: number },
  least: number,
) {
  let { xx, xy, yy } = start;
  const count = x.length;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const determinant = xx * yy - xy * xy;
    let [sumXX, sumXY, sumYY] = [0, 0, 0];
    for (let n = 0; n < count; n++) {
      const q = (yy * x[n] * x[n] - 2 * xy * x[n] * y[n] + xx * y[n] * y[n]) / determinant;
      const weight = (tail + 2) / (tail + q);
      sumXX += weight * x[n] * x[n];
      sumXY += weight * x[n] * y[n];
      sumYY += weight * y[n] * y[n];
    }
    const round = (ROUND * (sumXX + sumYY)) / (2 * Math.max(1, count));
    const nextXX = Math.max(least, (sumXX + round) / (count + ROUND));
    const nextYY = Math.max(least, (sumYY + round) / (count + ROUND));
    const most = Math.sqrt((1 - FLATTEST) * nextXX * nextYY);
    const nextXY = Math.max(-most, Math.min(most, sumXY / (count + ROUND)));
    const change = Math.abs(nextXX - xx) / xx + Math.abs(nextYY - yy) / yy;
    [xx, xy, yy] = [nextXX, nextXY, nextYY];
    if (change < CONVERGED) break;
  }
  return { xx, xy, yy };
}

function medianSquare(values: ArrayLike<number>): number {
  const squares = Float64Array.from({ length: values.length }, (_, n) => values[n] * values[n]).sort();
  return squares[squares.length >> 1] ?? 0;
}
