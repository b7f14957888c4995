import { invariant } from "../../core/errors.js";
import { select } from "../../core/select.js";

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
 * A density ready to evaluate: −ln p(z) = peak + slope · ln(spread of |w(z)|²) with w(z) = (a x, b x + c y), so that a squared distance
 * between whitened vectors is all that is left to a pair of links.
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

/** 1 + |w|², and for a mixture what stands for it: it increases with |w|² as well. */
export function spread({ wide }: BoundStudentT, square: number): number {
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
  return bound.peak + bound.slope * Math.log(spread(bound, u * u + w * w));
}

/**
 * ln of the probability that each sample is told from other detections, p/(p + rivals), of which there are `rivals` per unit of area. The likelihood of many targets that
 * stand outweighs that of a few that walk, though those are told at any ρ.
 */
export function certaintyOf(density: StudentT, x: ArrayLike<number>, y: ArrayLike<number>, rivals: number): number {
  const bound = bindStudentT(density);
  let sum = 0;
  for (let n = 0; n < x.length; n++) sum -= Math.log1p(rivals * Math.exp(minusLogDensity(bound, x[n], y[n])));
  return sum;
}

const HALVINGS = 60;

/** The greatest |w|² at which −ln p is at most `cost`; negative where it never is. */
export function squareWithin(bound: BoundStudentT, cost: number): number {
  const { peak, slope, wide } = bound;
  const most = Math.exp((cost - peak) / slope);
  if (wide === undefined || most === Number.POSITIVE_INFINITY) return most - 1;
  if (spread(bound, 0) > most) return -1;
  // The spread is at least (1 + |w|²) / √(1 − w + w k²).
  let [low, high] = [0, most * Math.sqrt(1 - wide.share + wide.share * wide.times * wide.times)];
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (low + high) / 2;
    if (spread(bound, middle) <= most) low = middle;
    else high = middle;
  }
  return high;
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
  /** Sum of ln p over the samples, less what parameters beyond those of one t must pay. */
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

/** Tails below this may be two scales in truth. */
const MIXED_BELOW = 2;
/** Samples that each part of a mixture stands for at least: the narrow one could settle on a single sample, which is infinitely likely. */
const FEWEST_OF_A_PART = 12;
/** By how much the wide part is wider at least. */
const LEAST_TIMES = 2;

/**
 * The likelier of one t and, where its tail is heavy, a mixture of two scales, each parameter of which must pay ½ ln n (Schwarz 1978). These are off
 * its likelihood, by which fits to other samples of the same tracks are compared with it.
 */
export function fitDensity(x: ArrayLike<number>, y: ArrayLike<number>, floor: number): FittedStudentT {
  const one = fitStudentT(x, y, floor);
  if (one.density.tail >= MIXED_BELOW || x.length < 2 * FEWEST_OF_A_PART) return one;
  const { density, logLikelihood } = fitMixture(x, y, floor);
  const two = { density, logLikelihood: logLikelihood - Math.log(x.length) };
  return two.logLikelihood > one.logLikelihood ? two : one;
}

/** Maximum likelihood over S, w and k by EM, as above; which part a sample is of is unknown too. */
function fitMixture(x: ArrayLike<number>, y: ArrayLike<number>, floor: number): FittedStudentT {
  const least = floor * floor;
  const count = x.length;
  const leastShare = FEWEST_OF_A_PART / count;
  const squares = Float64Array.from({ length: count }, (_, n) => x[n] * x[n] + y[n] * y[n]).sort();
  const at = (share: number) => squares[Math.floor(share * (count - 1))];
  let xx = Math.max(least, at(0.3));
  let yy = xx;
  let xy = 0;
  let share = 0.5;
  let wider = Math.max(LEAST_TIMES ** 2, at(0.9) / xx);
  let best = Number.NEGATIVE_INFINITY;
  for (let iteration = 0; iteration < 4 * ITERATIONS; iteration++) {
    const determinant = xx * yy - xy * xy;
    const norm = 1 / (2 * Math.PI * Math.sqrt(determinant));
    let [sumXX, sumXY, sumYY, far, spreadOfFar, logLikelihood] = [0, 0, 0, 0, 0, 0];
    for (let n = 0; n < count; n++) {
      const q = (yy * x[n] * x[n] - 2 * xy * x[n] * y[n] + xx * y[n] * y[n]) / determinant;
      const narrow = 1 + q / 2;
      const broad = 1 + q / (2 * wider);
      const near = ((1 - share) * norm) / (narrow * narrow);
      const wide = (share * norm) / (wider * broad * broad);
      const isFar = wide / (near + wide);
      const pull = 4 / (2 + q / wider);
      const weight = ((1 - isFar) * 4) / (2 + q) + (isFar * pull) / wider;
      logLikelihood += Math.log(near + wide);
      sumXX += weight * x[n] * x[n];
      sumXY += weight * x[n] * y[n];
      sumYY += weight * y[n] * y[n];
      far += isFar;
      spreadOfFar += isFar * pull * q;
    }
    if (logLikelihood - best < CONVERGED && iteration > 0) break;
    best = logLikelihood;
    const round = (ROUND * (sumXX + sumYY)) / (2 * Math.max(1, count));
    xx = Math.max(least, (sumXX + round) / (count + ROUND));
    yy = Math.max(least, (sumYY + round) / (count + ROUND));
    const most = Math.sqrt((1 - FLATTEST) * xx * yy);
    xy = Math.max(-most, Math.min(most, sumXY / (count + ROUND)));
    share = Math.max(leastShare, Math.min(1 - leastShare, far / count));
    wider = Math.max(LEAST_TIMES ** 2, spreadOfFar / (2 * far));
  }
  const density: StudentT = { tail: 2, xx, xy, yy, wide: { share, times: Math.sqrt(wider) } };
  const bound = bindStudentT(density);
  let logLikelihood = 0;
  for (let n = 0; n < count; n++) logLikelihood -= minusLogDensity(bound, x[n], y[n]);
  return { density, logLikelihood };
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
  const squares = Float64Array.from({ length: values.length }, (_, n) => values[n] * values[n]);
  return select(squares, squares.length >> 1) ?? 0;
}
