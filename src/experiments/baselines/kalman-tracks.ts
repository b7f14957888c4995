import { median } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { fitStudentT } from "../../costs/density/fit-student.js";
import { Exact } from "../../track/exact.js";
import { Filters, type MotionNoise } from "../../track/kalman.js";
import { ChainNoise } from "./chain-noise.js";
import { type BaselineTracks, candidateList, gateOf, type Nearest, nearestPairs } from "./frame-pairs.js";

/** Most frames in a row for which a track goes on without a detection. */
const MOST_MISSED = 3;
/** Probability that the gate leaves out the detection of a track. */
const OUTSIDE = 0.01;
/** Noise below this share of the gate would make the filter blind. */
const LEAST_NOISE = 1e-3;

/** How an innovation of squared distance d² (in standard deviations) is priced and taken in. */
interface InnovationLaw {
  /** Cost of a link, from d². */
  readonly price: (square: number) => number;
  /** Largest d² that passes the gate. */
  readonly most: number;
  /** Factor on the standard deviation of a measurement at d². */
  readonly doubt: (square: number) => number;
}

/** d² itself, up to the quantile of χ² with two degrees of freedom. */
const GAUSSIAN: InnovationLaw = { price: (square) => square, most: -2 * Math.log(OUTSIDE), doubt: () => 1 };

/** (ν + 2) ln(1 + d²/ν): Student's t in the plane; the update trusts a far measurement less, by the weight of the EM algorithm. */
function studentLaw(tail: number): InnovationLaw {
  return {
    price: (square) => (tail + 2) * Math.log1p(square / tail),
    most: tail * (OUTSIDE ** (-2 / tail) - 1),
    doubt: (square) => Math.sqrt(Math.max(1, (tail + square) / (tail + 2))),
  };
}

/** Constant-velocity Kalman filters, each frame's detections assigned to them by squared Mahalanobis distance. */
export function kalmanTracks(detections: Detections): BaselineTracks {
  return filterTracks(detections, () => GAUSSIAN);
}

/** The same with Student's t in place of the normal law, ν fitted to second differences of mutually nearest chains. */
export function studentKalmanTracks(detections: Detections): BaselineTracks {
  return filterTracks(detections, (nearest) => studentLaw(tailOf(nearest, detections)));
}

function filterTracks(detections: Detections, lawOf: (nearest: Nearest) => InnovationLaw): BaselineTracks {
  const { frames, frameStart, x, y, timeStep } = detections;
  const nearest = nearestPairs(detections, [0, 0]);
  const gate = gateOf(nearest);
  const law = lawOf(nearest);
  const { q, r } = noiseOf(detections, nearest, gate);
  const velocitySigma = velocitySigmaOf(nearest, gate);
  const [vx, vy] = [detections.vx ?? new Float64Array(0), detections.vy ?? new Float64Array(0)];
  const known = (d: number) => d < vx.length && !Number.isNaN(vx[d]) && !Number.isNaN(vy[d]);
  const filters = new Filters();
  const exact = new Exact();
  const track = new Int32Array(x.length).fill(-1);
  let numbers: number[] = [];
  let missed: number[] = [];
  let tracks = 0;
  for (let p = 0; p < frames; p++) {
    const [from, to] = [frameStart[p], frameStart[p + 1]];
    filters.predict(numbers.length, q);
    const squareOf = (i: number, d: number) =>
      ((x[d] - filters.x[i]) ** 2 + (y[d] - filters.y[i]) ** 2) / (filters.positionVariance[i] + r * r);
    const problem = candidateList(numbers.length, to - from, (i, j) => {
      const square = squareOf(i, from + j);
      return square < law.most ? law.price(law.most) - law.price(square) : null;
    });
    const { measurementOfTrack } = exact.associate(problem);
    const linked = measurementOfTrack.slice();
    const kept: number[] = [];
    linked.forEach((j, i) => {
      if (j >= 0) {
        const d = from + j;
        filters.update(i, x[d], y[d], r * law.doubt(squareOf(i, d)));
        if (known(d)) filters.updateVelocity(i, vx[d] * timeStep, vy[d] * timeStep, velocitySigma);
        track[d] = numbers[i];
      }
      missed[i] = j >= 0 ? 0 : missed[i] + 1;
      if (missed[i] <= MOST_MISSED) kept.push(i);
    });
    kept.forEach((i, n) => {
      filters.move(i, n);
    });
    numbers = kept.map((i) => numbers[i]);
    missed = kept.map((i) => missed[i]);
    for (let d = from; d < to; d++) {
      if (track[d] >= 0) continue;
      const i = numbers.length;
      if (i >= filters.x.length) filters.grow(2 * i + 64);
      filters.begin(i, x[d], y[d], known(d) ? [vx[d] * timeStep, vy[d] * timeStep] : [0, 0], velocitySigma, r);
      track[d] = tracks++;
      numbers.push(track[d]);
      missed.push(0);
    }
  }
  return { track, gate };
}

/** Root mean square of the deviations along either axis: how far a first velocity may be off. */
function velocitySigmaOf({ next, zx, zy }: Nearest, gate: number): number {
  let sum = 0;
  let count = 0;
  next.forEach((j, i) => {
    if (j < 0) return;
    sum += zx[i] ** 2 + zy[i] ** 2;
    count += 2;
  });
  return Math.max(LEAST_NOISE * gate, Math.sqrt(sum / Math.max(1, count)));
}

/** q and r from chains of four detections that are each other's nearest; from too few of them, half the gate each. */
function noiseOf({ x, y }: Detections, { next }: Nearest, gate: number): MotionNoise {
  const estimate = new ChainNoise();
  for (let a = 0; a < x.length; a++) {
    const b = next[a];
    const c = b < 0 ? -1 : next[b];
    const d = c < 0 ? -1 : next[c];
    if (d < 0) continue;
    for (const axis of [x, y]) estimate.add(axis[a], axis[b], axis[c], axis[d]);
  }
  const found = estimate.soFar() ?? { q: gate / 2, r: gate / 2 };
  return { q: Math.max(LEAST_NOISE * gate, found.q), r: Math.max(LEAST_NOISE * gate, found.r) };
}

function tailOf({ next }: Nearest, { x, y }: Detections): number {
  const [dx, dy]: [number[], number[]] = [[], []];
  next.forEach((j, i) => {
    const k = j < 0 ? -1 : next[j];
    if (k < 0) return;
    dx.push(x[k] - 2 * x[j] + x[i]);
    dy.push(y[k] - 2 * y[j] + y[i]);
  });
  const typical = median(dx.map((value, n) => Math.hypot(value, dy[n]))) ?? 0;
  return dx.length < 12 || typical === 0 ? 4 : fitStudentT([dx, dy], [1e-6 * typical, 1e-6 * typical]).density.tail;
}
