import { filled } from "../../core/growing-array.js";
import { select } from "../../core/select.js";
import {
  bindStudentT,
  determinantOf,
  isDeep,
  logNormOf,
  type Matrix,
  minusLogDensity,
  type StudentT,
  scaled,
  traceOf,
} from "./student.js";

/**
 * No tail is lighter than ν = 4. The tracks that a fit is made from have cut off the far samples, so that a lighter tail would be an artefact
 * that cuts more.
 */
const TAILS = [0.7, 1, 1.4, 2, 2.8, 4];

/** Weight, in samples, of the same scale on all axes: a few samples say little about directions. */
const ROUND = 4;
const ITERATIONS = 60;
/** Relative change of the scales, or change of the log-likelihood, at which a fit ends. */
const CONVERGED = 1e-3;
/** S is kept this far from a line, or from a plane. */
const FLATTEST = 1e-6;

/** By axis. */
type Given = readonly ArrayLike<number>[];
type Samples = readonly Float64Array[];

/** Loops over arrays of one kind are several times as fast as over those of any. */
const inOneKind = (given: Given): Samples =>
  given.map((axis) => (axis instanceof Float64Array ? axis : Float64Array.from(axis)));

export interface FittedStudentT {
  readonly density: StudentT;
  /** Sum of ln p over the samples, less ½ ln n for each parameter beyond those of one t. */
  readonly logLikelihood: number;
}

/**
 * Maximum likelihood over S, by S ← mean of (ν + d)/(ν + q) z zᵀ (the EM algorithm of K. L. Lange, R. J. A. Little, J. M. G. Taylor, "Robust
 * statistical modeling using the t distribution", Journal of the American Statistical Association 84, 1989), and
 * over ν in TAILS.
 * @param floor least scale on each axis, above 0: nothing is measured more finely
 */
export function fitStudentT(given: Given, floor: readonly number[]): FittedStudentT {
  const samples = inOneKind(given);
  const least = floor.map((scale) => scale * scale);
  let best: FittedStudentT | null = null;
  const [xx, yy, zz] = samples.map((axis, n) => Math.max(least[n], 2 * medianSquare(axis)));
  let scale: Matrix = { xx, xy: 0, yy, ...(zz !== undefined && { xz: 0, yz: 0, zz }) };
  for (const tail of TAILS) {
    scale = fitScale(samples, tail, scale, least);
    const density: StudentT = { tail, ...scale };
    const logLikelihood = logLikelihoodOf(density, samples);
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
export function fitDensity(given: Given, floor: readonly number[], enough = CONVERGED): FittedStudentT {
  const samples = inOneKind(given);
  const one = fitStudentT(samples, floor);
  const count = samples[0].length;
  if (one.density.tail >= MIXED_BELOW || count < 2 * FEWEST_OF_A_PART) return one;
  const density = fitMixture(samples, floor, enough);
  const logLikelihood = logLikelihoodOf(density, samples) - Math.log(count);
  return logLikelihood > one.logLikelihood ? { density, logLikelihood } : one;
}

function logLikelihoodOf(density: StudentT, [x, y, z]: Samples): number {
  const bound = bindStudentT(density);
  let sum = 0;
  for (let n = 0; n < x.length; n++) sum -= minusLogDensity(bound, x[n], y[n], z?.[n]);
  return sum;
}

/**
 * Maximum likelihood over S, w and k by the same EM, in which the part that a sample belongs to is unknown too. Squares are divided by the sum of their weights instead of the number of samples, which comes
 * to the same S in fewer steps (J. T. Kent, D. E. Tyler, Y. Vardi, "A curious likelihood identity for the multivariate t-distribution", Communications in Statistics 23, 1994).
 */
function fitMixture(samples: Samples, floor: readonly number[], enough: number): StudentT {
  const least = floor.map((one) => one * one);
  const axes = samples.length;
  const count = samples[0].length;
  const leastShare = FEWEST_OF_A_PART / count;
  const squares = filled(new Float64Array(count), (n) =>
    samples.reduce((square, axis) => square + axis[n] * axis[n], 0),
  ).sort();
  const at = (share: number) => squares[Math.floor(share * (count - 1))];
  const near = Math.max(...least, at(0.3));
  let scale: Matrix = { xx: near, xy: 0, yy: near, ...(axes === 3 && { xz: 0, yz: 0, zz: near }) };
  let share = 0.5;
  let wider = Math.max(LEAST_TIMES ** 2, at(0.9) / near);
  let best = Number.NEGATIVE_INFINITY;
  // k^d (1 + q/ν)^((2 + d)/2)
  const fall = (square: number, factor: number) =>
    axes === 2 ? square * factor * factor : square ** 1.5 * factor ** 2.5;
  const [square, weight] = [new Float64Array(count), new Float64Array(count)];
  for (let iteration = 0; iteration < 4 * ITERATIONS; iteration++) {
    squaresOf(samples, scale, square);
    const root = Math.sqrt(determinantOf(scale));
    const norm = axes === 2 ? 1 / (2 * Math.PI * root) : Math.exp(logNormOf(2)) / root;
    let [total, far, squareOfFar, logLikelihood] = [0, 0, 0, 0];
    for (let n = 0; n < count; n++) {
      const q = square[n];
      const near = ((1 - share) * norm) / fall(1, 1 + q / 2);
      const wide = (share * norm) / fall(wider, 1 + q / (2 * wider));
      const isFar = wide / (near + wide);
      const pull = (2 + axes) / (2 + q / wider);
      const ofNear = ((1 - isFar) * (2 + axes)) / (2 + q);
      weight[n] = ofNear + (isFar * pull) / wider;
      total += ofNear + isFar * pull;
      logLikelihood += Math.log(near + wide);
      far += isFar;
      squareOfFar += isFar * pull * q;
    }
    if (logLikelihood - best < enough && iteration > 0) break;
    best = logLikelihood;
    scale = meanScale(momentsOf(samples, weight), total, least);
    share = Math.max(leastShare, Math.min(1 - leastShare, far / count));
    wider = Math.max(LEAST_TIMES ** 2, squareOfFar / (axes * far));
  }
  return { tail: 2, ...scale, wide: { share, times: Math.sqrt(wider) } };
}

function fitScale(samples: Samples, tail: number, first: Matrix, least: readonly number[]): Matrix {
  let scale = first;
  const count = samples[0].length;
  const weight = new Float64Array(count);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const { xx, yy, zz = 1 } = scale;
    squaresOf(samples, scale, weight);
    for (let n = 0; n < count; n++) weight[n] = (tail + samples.length) / (tail + weight[n]);
    scale = meanScale(momentsOf(samples, weight), count, least);
    const deep = Math.abs((scale.zz ?? 1) - zz) / zz;
    if (Math.abs(scale.xx - xx) / xx + Math.abs(scale.yy - yy) / yy + deep < CONVERGED) break;
  }
  return scale;
}

/** q of each sample. */
function squaresOf([x, y, z]: Samples, scale: Matrix, into: Float64Array): void {
  const { xx, xy, yy, xz = 0, yz = 0, zz = 0 } = scale;
  const determinant = determinantOf(scale);
  if (z === undefined) {
    for (let n = 0; n < into.length; n++)
      into[n] = (yy * x[n] * x[n] - 2 * xy * x[n] * y[n] + xx * y[n] * y[n]) / determinant;
    return;
  }
  // The adjugate of S.
  const [aa, bb, cc] = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy];
  const [ab, ac, bc] = [xz * yz - xy * zz, xy * yz - xz * yy, xy * xz - xx * yz];
  for (let n = 0; n < into.length; n++) {
    const [u, v, w] = [x[n], y[n], z[n]];
    into[n] = (aa * u * u + bb * v * v + cc * w * w + 2 * (ab * u * v + ac * u * w + bc * v * w)) / determinant;
  }
}

/** The sum of weighted z zᵀ. */
function momentsOf([x, y, z]: Samples, weight: Float64Array): Matrix {
  let [xx, xy, yy, xz, yz, zz] = [0, 0, 0, 0, 0, 0];
  for (let n = 0; n < weight.length; n++) {
    xx += weight[n] * x[n] * x[n];
    xy += weight[n] * x[n] * y[n];
    yy += weight[n] * y[n] * y[n];
  }
  if (z === undefined) return { xx, xy, yy };
  for (let n = 0; n < weight.length; n++) {
    xz += weight[n] * x[n] * z[n];
    yz += weight[n] * y[n] * z[n];
    zz += weight[n] * z[n] * z[n];
  }
  return { xx, xy, yy, xz, yz, zz };
}

/** The mean of `count` weighted squares, drawn towards a circle or sphere, above the floor and no line or plane. */
function meanScale(sum: Matrix, count: number, least: readonly number[]): Matrix {
  const round = (ROUND * traceOf(sum)) / (least.length * Math.max(1, count));
  const along = (square: number, axis: number) => Math.max(least[axis], (square + round) / (count + ROUND));
  const [xx, yy] = [along(sum.xx, 0), along(sum.yy, 1)];
  if (isDeep(sum)) {
    // What is added to squares alone leaves the matrix positive.
    const { xy, xz = 0, yz = 0 } = scaled(sum, (1 - FLATTEST) / (count + ROUND));
    return { xx, xy, yy, xz, yz, zz: along(sum.zz ?? 0, 2) };
  }
  const most = Math.sqrt((1 - FLATTEST) * xx * yy);
  return { xx, xy: Math.max(-most, Math.min(most, sum.xy / (count + ROUND))), yy };
}

function medianSquare(values: Float64Array): number {
  const squares = values.map((value) => value * value);
  return select(squares, squares.length >> 1) ?? 0;
}
