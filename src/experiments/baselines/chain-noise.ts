/** Estimates the noise of measurements and of motion from chains of four detections. */
import { select } from "../../core/select.js";
import type { MotionNoise } from "../../track/kalman.js";

/** Samples of the first estimate; their number doubles from estimate to estimate until it is SAMPLES. */
const FIRST_SAMPLES = 256;
const SAMPLES = 4096;
/** Fewer say nothing. */
const FEWEST_SAMPLES = 16;

/** Estimates averaged over. */
const AVERAGED = 8;

/** Standard deviation of a normal variable over the median of its size. */
const NORMAL = 1.4826;

/**
 * Estimates q and r of a constant-velocity model from second differences w_k = z_k − 2 z_(k+1) + z_(k+2) of four measurements in a row. Under the model
 * var w = q²/2 + 6 r² and cov(w_k, w_(k+1)) = q²/4 − 4 r², so that r² = (var/2 − cov)/7. Both by medians, as collisions have heavy tails, the
 * covariance as a quarter of var(w + w') − var(w − w') (R. Gnanadesikan, J. R. Kettenring, Biometrics 28, 1972).
 */
export class ChainNoise {
  #wanted = FIRST_SAMPLES;
  #count = 0;
  #estimates = 0;
  /** Averages of the last estimates, as one from second differences alone cannot tell a small q beside a large r. */
  #mean = { variance: 0, covariance: 0 };
  readonly #single = new Float64Array(SAMPLES);
  readonly #sum = new Float64Array(SAMPLES);
  readonly #difference = new Float64Array(SAMPLES);

  /** Adds four coordinates along one axis, oldest first; a new estimate when there are enough of them, else null. */
  add(z0: number, z1: number, z2: number, z3: number): MotionNoise | null {
    const first = z0 - 2 * z1 + z2;
    const second = z1 - 2 * z2 + z3;
    this.#single[this.#count] = first;
    this.#sum[this.#count] = first + second;
    this.#difference[this.#count++] = first - second;
    if (this.#count < this.#wanted) return null;
    const noise = this.#estimate();
    this.#wanted = Math.min(2 * this.#wanted, SAMPLES);
    return noise;
  }

  /** An estimate that counts in the samples since the last one, where they are enough to say something; null where none ever were. */
  soFar(): MotionNoise | null {
    if (this.#count >= FEWEST_SAMPLES) return this.#estimate();
    return this.#estimates > 0 ? this.#solved() : null;
  }

  #estimate(): MotionNoise {
    const [single, sum, difference] = [this.#single, this.#sum, this.#difference].map((values) =>
      this.#variance(values),
    );
    this.#count = 0;
    const weight = 1 / Math.min(++this.#estimates, AVERAGED);
    this.#mean.variance += weight * (single - this.#mean.variance);
    this.#mean.covariance += weight * ((sum - difference) / 4 - this.#mean.covariance);
    return this.#solved();
  }

  #solved(): MotionNoise {
    const { variance, covariance } = this.#mean;
    const r2 = Math.min(Math.max(0, (variance / 2 - covariance) / 7), variance / 6);
    return { q: Math.sqrt(Math.max(0, 2 * (variance - 6 * r2))), r: Math.sqrt(r2) };
  }

  /** Spoils the values, which are not needed again. */
  #variance(values: Float64Array): number {
    const sizes = values.subarray(0, this.#count);
    for (let k = 0; k < sizes.length; k++) sizes[k] = Math.abs(sizes[k]);
    return (NORMAL * select(sizes, sizes.length >> 1)) ** 2;
  }
}
