import { select } from "../../core/select.js";
import { bindStudentT, minusLogDensity, type StudentT } from "./student.js";

/**
 * No tail is lighter than ν = 4. The tracks that a fit is made from have cut off the far samples, so that a lighter tail would be an artefact
 * that cuts more.
 */
const TAILS = [0.7, 1, 1.4, 2, 2.8, 4];

/** Weight, in samples, of the same scale on both axes: a few samples say little about directions. */
const ROUND = 4;
const ITERATIONS = 60;
/** Relative change of the scales, or change of the log-likelihood, at which a fit ends. */
const CONVERGED = 1e-3;
/** S is kept this far from a line. */
const FLATTEST = 1e-6;

type Samples = ArrayLike<number>;
type Scale = Pick<StudentT, "xx" | "xy" | "yy">;

export interface FittedStudentT {
  readonly density: StudentT;
  /** Sum of ln p over the samples, less ½ ln n for each parameter beyond those of one t. */
  readonly logLikelihood: number;
}

/**
 * Maximum likelihood over S, by S ← mean of (ν + 2)/(ν + q) z zᵀ (the EM algorithm of K. L. Lange, R. J. A. Little, J. M. G. Taylor, "Robust
 * statistical modeling using the t distribution", Journal of the American Statistical Association 84, 1989), and
 * over ν in TAILS.
 * @param floor least scale on any axis, above 0: nothing is measured more finely
 */
export function fitStudentT(x: Samples, y: Samples, floor: number): FittedStudentT {
  const least = floor * floor;
  let best: FittedStudentT | null = null;
  let scale: Scale = { xx: Math.max(least, 2 * medianSquare(x)), xy: 0, yy: Math.max(least, 2 * medianSquare(y)) };
  for (const tail of TAILS) {
    scale = fitScale(x, y, tail, scale, least);
    const density: StudentT = { tail, ...scale };
    const logLikelihood = logLikelihoodOf(density, x, y);
    if (best !== null && logLikelihood <= best.logLikelihood) break;
    best = { density, logLikelihood };
  }
  return best as FittedStudentT;
}

/** A tail below this may come of two scales. */
const MIXED_BELOW = 2;
/** Least number of samples that each part of a mixture stands for: the narrow part could settle on a single sample, which is infinitely likely. */
const FEWEST_OF_A_PART = 12;
/** Least factor by which the wide part is wider. */
const LEAST_TIMES = 2;

/**
 * The likelier of one t and, where its tail is heavy, a mixture of two scales. Each of the mixture's two further parameters must pay ½ ln n
 * (Schwarz 1978), which is taken off its likelihood: fits to other samples of the same tracks are compared by that.
 * @param enough gain of the log-likelihood below which the mixture is taken
 */
export function fitDensity(x: Samples, y: Samples, floor: number, enough = CONVERGED): FittedStudentT {
  const one = fitStudentT(x, y, floor);
  if (one.density.tail >= MIXED_BELOW || x.length < 2 * FEWEST_OF_A_PART) return one;
  const density = fitMixture(x, y, floor, enough);
  const logLikelihood = logLikelihoodOf(density, x, y) - Math.log(x.length);
  return logLikelihood > one.logLikelihood ? { density, logLikelihood } : one;
}

function logLikelihoodOf(density: StudentT, x: Samples, y: Samples): number {
  const bound = bindStudentT(density);
  let sum = 0;
  for (let n = 0; n < x.length; n++) sum -= minusLogDensity(bound, x[n], y[n]);
  return sum;
}

/** Maximum likelihood over S, w and k by the same EM, in which the part that a sample belongs to is unknown too. */
function fitMixture(x: Samples, y: Samples, floor: number, enough: number): StudentT {
  const least = floor * floor;
  const count = x.length;
  const leastShare = FEWEST_OF_A_PART / count;
  const squares = Float64Array.from({ length: count }, (_, n) => x[n] * x[n] + y[n] * y[n]).sort();
  const at = (share: number) => squares[Math.floor(share * (count - 1))];
  const near = Math.max(least, at(0.3));
  let scale: Scale = { xx: near, xy: 0, yy: near };
  let share = 0.5;
  let wider = Math.max(LEAST_TIMES ** 2, at(0.9) / near);
  let best = Number.NEGATIVE_INFINITY;
  for (let iteration = 0; iteration < 4 * ITERATIONS; iteration++) {
    const { xx, xy, yy } = scale;
    const determinant = xx * yy - xy * xy;
    const norm = 1 / (2 * Math.PI * Math.sqrt(determinant));
    let [sumXX, sumXY, sumYY, far, squareOfFar, logLikelihood] = [0, 0, 0, 0, 0, 0];
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
      squareOfFar += isFar * pull * q;
    }
    if (logLikelihood - best < enough && iteration > 0) break;
    best = logLikelihood;
    scale = meanScale({ xx: sumXX, xy: sumXY, yy: sumYY }, count, least);
    share = Math.max(leastShare, Math.min(1 - leastShare, far / count));
    wider = Math.max(LEAST_TIMES ** 2, squareOfFar / (2 * far));
  }
  return { tail: 2, ...scale, wide: { share, times: Math.sqrt(wider) } };
}

function fitScale(x: Samples, y: Samples, tail: number, first: Scale, least: number): Scale {
  let scale = first;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const { xx, xy, yy } = scale;
    const determinant = xx * yy - xy * xy;
    let [sumXX, sumXY, sumYY] = [0, 0, 0];
    for (let n = 0; n < x.length; n++) {
      const q = (yy * x[n] * x[n] - 2 * xy * x[n] * y[n] + xx * y[n] * y[n]) / determinant;
      const weight = (tail + 2) / (tail + q);
      sumXX += weight * x[n] * x[n];
      sumXY += weight * x[n] * y[n];
      sumYY += weight * y[n] * y[n];
    }
    scale = meanScale({ xx: sumXX, xy: sumXY, yy: sumYY }, x.length, least);
    if (Math.abs(scale.xx - xx) / xx + Math.abs(scale.yy - yy) / yy < CONVERGED) break;
  }
  return scale;
}

/** The mean of `count` weighted squares, drawn towards a circle, above the floor and no line. */
function meanScale(sum: Scale, count: number, least: number): Scale {
  const round = (ROUND * (sum.xx + sum.yy)) / (2 * Math.max(1, count));
  const xx = Math.max(least, (sum.xx + round) / (count + ROUND));
  const yy = Math.max(least, (sum.yy + round) / (count + ROUND));
  const most = Math.sqrt((1 - FLATTEST) * xx * yy);
  return { xx, xy: Math.max(-most, Math.min(most, sum.xy / (count + ROUND))), yy };
}

function medianSquare(values: Samples): number {
  const squares = Float64Array.from({ length: values.length }, (_, n) => values[n] * values[n]);
  return select(squares, squares.length >> 1) ?? 0;
}
