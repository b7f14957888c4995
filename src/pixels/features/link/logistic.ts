/** Logistic regression: weights of the terms of a link's log odds from links that are known to be true or not. */
import { InputError, invariant } from "../../../core/errors.js";

/** Rows by term, and which are true. */
export interface Labelled {
  readonly terms: readonly (readonly number[])[];
  readonly isTrue: readonly boolean[];
}

export interface Fit {
  readonly weights: number[];
  /** Σ log(1 + exp(∓ log odds)) over the rows, without the ridge. */
  readonly loss: number;
  readonly steps: number;
}

/** Keeps weights finite where the rows can be told apart completely. */
const RIDGE = 1e-2;
const MOST_STEPS = 100;
const ENOUGH = 1e-10;

/** Maximum likelihood with a ridge of 0.01 Σ w², by Newton's steps, halved until the objective falls. */
export function fitLogistic({ terms, isTrue }: Labelled): Fit {
  const trues = isTrue.filter((one) => one).length;
  if (trues === 0 || trues === isTrue.length) {
    throw new InputError(`${trues} of ${isTrue.length} candidates are true; give sequences with links of both kinds`);
  }
  const n = terms[0].length;
  let weights = new Array<number>(n).fill(0);
  let value = objective(terms, isTrue, weights);
  for (let step = 1; step <= MOST_STEPS; step++) {
    const { gradient, curvature } = derivatives(terms, isTrue, weights);
    const direction = solve(curvature, gradient);
    let length = 1;
    let next = weights;
    let nextValue = Number.POSITIVE_INFINITY;
    for (; length > 1e-8; length /= 2) {
      next = weights.map((weight, k) => weight - length * direction[k]);
      nextValue = objective(terms, isTrue, next);
      if (nextValue <= value) break;
    }
    const gained = value - nextValue;
    if (!(gained > ENOUGH * Math.abs(value))) {
      return { weights, loss: value - RIDGE * square(weights), steps: step };
    }
    [weights, value] = [next, nextValue];
  }
  return { weights, loss: value - RIDGE * square(weights), steps: MOST_STEPS };
}

const square = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight * weight, 0);
const logOdds = (row: readonly number[], weights: readonly number[]): number =>
  row.reduce((sum, term, k) => sum + term * weights[k], 0);

function objective(terms: Labelled["terms"], isTrue: readonly boolean[], weights: readonly number[]): number {
  const loss = terms.reduce((sum, row, r) => {
    const odds = isTrue[r] ? -logOdds(row, weights) : logOdds(row, weights);
    return sum + (odds > 0 ? odds + Math.log1p(Math.exp(-odds)) : Math.log1p(Math.exp(odds)));
  }, 0);
  return loss + RIDGE * square(weights);
}

function derivatives(terms: Labelled["terms"], isTrue: readonly boolean[], weights: readonly number[]) {
  const n = weights.length;
  const gradient = weights.map((weight) => 2 * RIDGE * weight);
  const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? 2 * RIDGE : 0)));
  for (const [r, row] of terms.entries()) {
    const p = 1 / (1 + Math.exp(-logOdds(row, weights)));
    const error = p - (isTrue[r] ? 1 : 0);
    for (let i = 0; i < n; i++) {
      gradient[i] += error * row[i];
      for (let j = 0; j < n; j++) curvature[i][j] += p * (1 - p) * row[i] * row[j];
    }
  }
  return { gradient, curvature };
}

/** a x = b for a positive definite matrix, by Cholesky's factors. */
function solve(a: readonly (readonly number[])[], b: readonly number[]): number[] {
  const n = b.length;
  const l = a.map(() => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const sum = a[i][j] - l[i].slice(0, j).reduce((total, value, k) => total + value * l[j][k], 0);
      invariant(i !== j || sum > 0, () => `the curvature is not positive definite at term ${i}`);
      l[i][j] = i === j ? Math.sqrt(sum) : sum / l[j][j];
    }
  }
  const y: number[] = [];
  for (let i = 0; i < n; i++) y.push((b[i] - y.reduce((sum, value, k) => sum + l[i][k] * value, 0)) / l[i][i]);
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = y[i];
    for (let k = i + 1; k < n; k++) sum -= l[k][i] * x[k];
    x[i] = sum / l[i][i];
  }
  return x;
}
