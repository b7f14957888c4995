import { randomNormal } from "d3-random";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { InputError } from "../errors.js";

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
}

/**
 * Non-overlapping sub-streams of `seed`: xoroshiro128+, each 2⁶⁴ draws after the one before it (its jump function). What one
 * stream draws does not move another, so the order of use is free.
 *
 * The same seed gives the same bits wherever IEEE 754 holds, but for normal(): it takes Math.log, which ECMAScript leaves to
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

function stream(bits: ReturnType<typeof xoroshiro128plus>): RandomStream {
  const source = () => uniformFloat64(bits);
  const normal = randomNormal.source(source)(0, 1);
  return {
    uniform: (low, high) => low + (high - low) * source(),
    normal,
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
  };
}
