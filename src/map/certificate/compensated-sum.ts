/** Unit roundoff of f64. */
export const ROUNDOFF = 2 ** -53;

/** A sum as plain data, for a thread or a file. */
export interface PartialSum {
  readonly high: number;
  readonly low: number;
  readonly magnitude: number;
  readonly terms: number;
}

/**
 * A sum in f64 with a bound on its own error. The exact error of every addition is collected apart ([N74]), so that of N terms
 * with magnitudes M in all the error of the sum is at most u |sum| + (N u)² M ([ORO05], Proposition 4.5) instead of N u M. A term that is no number,
 * or overflows, gives no bound at all: `lower` is then −Infinity and `upper` Infinity. References in docs/explanation/mathematics.md §9.
 */
export class CompensatedSum {
  private high = 0;
  private low = 0;
  /** The sum of the terms' magnitudes. */
  magnitude = 0;
  private terms = 0;

  add(value: number): void {
    const { high } = this;
    const sum = high + value;
    this.low += Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
    this.high = sum;
    this.magnitude += Math.abs(value);
    this.terms++;
  }

  /**
   * The same for the terms of another sum. In all there are as many additions as there are terms, the error of each of which is collected, and of these errors too
   * the sum has as many, in whatever order: the bound on the error is that of one sum over all terms.
   */
  addSum({ high, low, magnitude, terms }: PartialSum): void {
    const all = { magnitude: this.magnitude + magnitude, terms: this.terms + terms };
    this.add(high);
    this.low += low;
    Object.assign(this, all);
  }

  partial(): PartialSum {
    const { high, low, magnitude, terms } = this;
    return { high, low, magnitude, terms };
  }

  /** The same for values[first] … values[end − 1], in a third of the time. */
  addAll(values: Float64Array, first: number, end: number): void {
    let { high, low, magnitude } = this;
    for (let n = first; n < end; n++) {
      const value = values[n];
      const sum = high + value;
      low += Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
      high = sum;
      magnitude += Math.abs(value);
    }
    this.high = high;
    this.low = low;
    this.magnitude = magnitude;
    this.terms += end - first;
  }

  /** Exact where every partial sum is an f64 number. */
  get sum(): number {
    return this.high + this.low;
  }

  /** The distance of `lower` and `upper` from the computed sum. */
  get allowance(): number {
    const depth = this.terms * ROUNDOFF;
    // u |sum| for the sum, the same for taking the allowance off, and the same for the rounding of the allowance.
    return 3 * ROUNDOFF * Math.abs(this.high + this.low) + 2 * depth * depth * this.magnitude;
  }

  /** At most the exact sum. */
  get lower(): number {
    const bound = this.high + this.low - this.allowance;
    return Number.isNaN(bound) ? Number.NEGATIVE_INFINITY : bound;
  }

  /** At least the exact sum. */
  get upper(): number {
    const bound = this.high + this.low + this.allowance;
    return Number.isNaN(bound) ? Number.POSITIVE_INFINITY : bound;
  }
}
