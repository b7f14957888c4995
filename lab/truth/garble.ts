import { type RandomStream, randomStreams } from "../../src/core/random.js";

/** Numbers that are none, which slip through most comparisons, overflow or underflow, and some that are only far too large. */
const SPECIAL = [
  Number.NaN,
  Number.NaN,
  Number.NaN,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e308,
  -1e308,
  1e300,
  -1e300,
  1e30,
  -1e30,
  1e9,
  -1e9,
  -0,
  0,
  5e-324,
  -5e-324,
];

/** Seeded choices, and numbers that no healthy part of the program would give. */
export class Garbler {
  readonly #random: RandomStream;

  constructor(seed: number) {
    this.#random = randomStreams(seed).next().value;
  }

  uniform(low: number, high: number): number {
    return this.#random.uniform(low, high);
  }

  chance(share: number): boolean {
    return this.uniform(0, 1) < share;
  }

  /** An integer from 0 to `count` − 1. */
  below(count: number): number {
    return Math.floor(this.uniform(0, count));
  }

  pick<T>(...values: readonly T[]): T {
    return values[this.below(values.length)];
  }

  /** Half of them not numbers to count with, the other half plausible and wrong. */
  number(value: number): number {
    if (this.chance(0.5)) return this.pick(...SPECIAL);
    return this.pick(
      -value,
      2 * value,
      value * (1 + this.uniform(-1e-9, 1e-9)),
      value * (1 + this.uniform(-1e-3, 1e-3)),
      value + this.uniform(-1, 1),
      value + 10 ** this.uniform(-12, 12) * this.pick(-1, 1),
      this.uniform(-1, 1),
    );
  }

  /** Replaces one entry, a few or all of them, in place. */
  entries(values: Float64Array): void {
    if (values.length === 0) return;
    if (this.chance(0.1)) {
      for (let n = 0; n < values.length; n++) values[n] = this.number(values[n]);
      return;
    }
    const times = this.pick(1, 1, 1, 2, 5);
    for (let k = 0; k < times; k++) {
      const n = this.below(values.length);
      values[n] = this.number(values[n]);
    }
  }
}
