/** Estimates the noise of measurements and of motion from the tracks themselves. */
import { select } from "../core/select.js";
import type { MotionNoise } from "./kalman.js";

/** Measurements in a row that a sample over `lag` frames takes. */
export const rowOf = (lag: number) => 2 * lag + 1;

/** Samples of the first estimate, and at most of a later one: each has twice the samples of the one before. */
const FIRST_SAMPLES = 256;
const SAMPLES = 1024;

/** Estimates averaged over. */
const AVERAGED = 32;

/** Estimates from overlapping rows at first. */
const SETTLED = 8;

/** Standard deviation of a normal variable over the median of its size. */
const NORMAL = 1.4826;

/** Variance of a second difference over `lag` frames that q = 1 makes: 2 Σ (k + ½)² over k < lag. */
const ofMotion = (lag: number) => (4 * lag ** 3 - lag) / 6;

/**
 * Estimates q and r of a constant-velocity model from second differences z_k − 2 z_(k+n) + z_(k+2n) of measurements in a row. Under the model their variance is
 * 6 r² + q² (4 n³ − n) / 6: differences of neighbours show the measurements' noise, and those over more
 * frames, in which motion adds up, show q beside a large r. Both are taken by medians, as collisions have heavy tails.
 */
export class NoiseEstimate {
  #wanted = FIRST_SAMPLES;
  #count = 0;
  #estimates = 0;
  /** Averages of the last variances. */
  #mean = { short: 0, long: 0 };
  readonly #short = new Float64Array(SAMPLES);
  readonly #long = new Float64Array(SAMPLES);

  /** @param lag n of the long differences, 2 or more */
  constructor(readonly lag: number) {}

  get isMade(): boolean {
    return this.#estimates > 0;
  }

  /** Whether there were enough estimates, so that further samples change little. */
  get isSettled(): boolean {
    return this.#estimates >= SETTLED;
  }

  /** Adds the second differences of neighbours and over `lag` frames around one measurement along one axis; a new estimate when there are enough of them, else null. */
  add(short: number, long: number): MotionNoise | null {
    this.#short[this.#count] = Math.abs(short);
    this.#long[this.#count++] = Math.abs(long);
    if (this.#count < this.#wanted) return null;
    const noise = this.#estimate();
    this.#wanted = Math.min(2 * this.#wanted, SAMPLES);
    return noise;
  }

  #estimate(): MotionNoise {
    const [short, long] = [this.#short, this.#long].map((sizes) => {
      const sample = sizes.subarray(0, this.#count);
      return (NORMAL * select(sample, sample.length >> 1)) ** 2;
    });
    this.#count = 0;
    const weight = 1 / Math.min(++this.#estimates, AVERAGED);
    this.#mean.short += weight * (short - this.#mean.short);
    this.#mean.long += weight * (long - this.#mean.long);
    return solved(this.#mean.short, this.#mean.long, this.lag);
  }
}

function solved(short: number, long: number, lag: number): MotionNoise {
  const ofNeighbours = ofMotion(1);
  // Motion alone makes the long variance that many times the short one, and noise alone makes them equal.
  const q2 = Math.min(Math.max(0, (long - short) / (ofMotion(lag) - ofNeighbours)), short / ofNeighbours);
  return { q: Math.sqrt(q2), r: Math.sqrt((short - ofNeighbours * q2) / 6) };
}
