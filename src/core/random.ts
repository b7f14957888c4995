import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus, xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { InputError } from "./errors.js";

/** One sub-stream of a seed. */
export interface RandomStream {
  /** Uniform on [low, high), 53 random bits. */
  uniform(low: number, high: number): number;
  /** Standard normal (Marsaglia's polar method). */
  normal(): number;
  /** Uniform on the unit circle. */
  direction(): { cos: number; sin: number };
  /** Shuffles in place (Fisher–Yates). */
  shuffle(values: Uint32Array): void;
  /** A generator of the numbers that normal() would give from here on, after an even number of calls; it does not advance this stream. */
  normals(): NormalStream;
}

/** State of a stream of normals; plain data, so that it can be sent to a worker. */
export interface NormalState {
  readonly bits: readonly number[];
  /** The second normal of the last point drawn, if it has not been used yet. */
  readonly spare: number | null;
}

/**
 * Non-overlapping sub-streams of `seed`: xoroshiro128+, each 2⁶⁴ draws after the one before it (its jump function). What one
 * stream draws does not advance another, so the order of use is free.
 *
 * The same seed gives the same bits wherever IEEE 754 holds, except for normal(): it calls Math.log, which ECMAScript leaves to
 * the engine and V8 computes with its own port of fdlibm. No sine, cosine, power or hypot is used here or on the paths.
 *
 * @throws InputError unless the seed is an integer of 0 … 2³² − 1
 */
export function* randomStreams(seed: number): Generator<RandomStream, never> {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new InputError(`seed ${seed}: give an integer from 0 to 4294967295`);
  }
  const generator = xoroshiro128plus(seed | 0);
  for (;;) {
    generator.jump();
    yield stream(generator.clone());
  }
}

type Bits = ReturnType<typeof xoroshiro128plus>;

/**
 * Standard normals in bulk, the same ones as RandomStream.normal(). Numbers that another thread draws can be skipped: only by
 * drawing the points is it known how many there are, but their logarithms are not computed.
 */
export class NormalStream {
  readonly #bits: Bits;
  #spare: number | null;

  /** @param from a state, which is copied, or the generator itself, which then advances */
  constructor(from: NormalState | { readonly bits: Bits; readonly spare: null }) {
    this.#bits = "getState" in from.bits ? from.bits : xoroshiro128plusFromState(from.bits);
    this.#spare = from.spare;
  }

  get state(): NormalState {
    return { bits: this.#bits.getState(), spare: this.#spare };
  }

  /** Writes the next numbers to values[first] … values[end − 1]. */
  fill(values: Float64Array, first = 0, end = values.length): void {
    let k = first;
    if (k < end && this.#spare !== null) {
      values[k++] = this.#spare;
      this.#spare = null;
    }
    while (k < end) {
      const x = 2 * uniformFloat64(this.#bits) - 1;
      const y = 2 * uniformFloat64(this.#bits) - 1;
      const square = x * x + y * y;
      if (square === 0 || square > 1) continue;
      const length = Math.sqrt((-2 * Math.log(square)) / square);
      values[k++] = y * length;
      if (k < end) values[k++] = x * length;
      else this.#spare = x * length;
    }
  }

  /** Skips `count` normals: draws the same points without their logarithms. */
  skip(count: number): void {
    let left = count;
    if (left > 0 && this.#spare !== null) {
      this.#spare = null;
      left--;
    }
    while (left > 1) {
      const x = 2 * uniformFloat64(this.#bits) - 1;
      const y = 2 * uniformFloat64(this.#bits) - 1;
      const square = x * x + y * y;
      if (square !== 0 && square <= 1) left -= 2;
    }
    if (left === 1) this.fill(new Float64Array(1));
  }
}

function stream(bits: Bits): RandomStream {
  const source = () => uniformFloat64(bits);
  const normals = new NormalStream({ bits, spare: null });
  const one = new Float64Array(1);
  return {
    uniform: (low, high) => low + (high - low) * source(),
    normal: () => {
      normals.fill(one);
      return one[0];
    },
    direction: () => {
      for (;;) {
        const x = 2 * source() - 1;
        const y = 2 * source() - 1;
        const square = x * x + y * y;
        if (square > 0.01 && square <= 1) {
          const length = Math.sqrt(square);
          return { cos: x / length, sin: y / length };
        }
      }
    },
    shuffle: (values) => {
      for (let last = values.length - 1; last > 0; last--) {
        const other = uniformInt(bits, 0, last);
        [values[last], values[other]] = [values[other], values[last]];
      }
    },
    normals: () => new NormalStream({ bits: bits.getState(), spare: null }),
  };
}
