/** Maxima of the state, from which detections are made. */
import { InputError } from "../../core/errors.js";
import type { Size } from "../image.js";
import { isMaximum } from "../maxima.js";
import { median, robustSigma } from "./noise.js";
import type { RecursionOptions } from "./options.js";
import type { MotionVector } from "./vectors.js";

/** In the order of their pixels, row by row. */
export interface Peaks {
  /** y · width + x. */
  readonly pixel: Uint32Array;
  /** Largest value over the vectors there, and the number of the vector. */
  readonly value: Float32Array;
  readonly vector: Uint32Array;
  /** That largest value left, right, above and below, 4 a peak; NaN outside the image. */
  readonly beside: Float32Array;
}

/** Of each pixel the largest value over the vectors; of equal ones the first. */
export interface Best {
  readonly value: Float32Array;
  readonly vector: Uint16Array;
}

/** @param planes one array of height × width for each vector */
export function bestOf(planes: readonly Float32Array[]): Best {
  const value = planes[0].slice();
  const vector = new Uint16Array(value.length);
  for (let v = 1; v < planes.length; v++) {
    const plane = planes[v];
    for (let i = 0; i < value.length; i++) {
      if (plane[i] > value[i]) {
        value[i] = plane[i];
        vector[i] = v;
      }
    }
  }
  return { value, vector };
}

/** Planes in units of the noise that each has: TbdSteps.peaks where vectors are coupled. */
export function inOwnNoise(planes: readonly Float32Array[], { vectors, combine }: RecursionOptions): Float32Array[] {
  return planes.map((plane, v) => {
    const middle = combine === "max" ? median(plane) : 0;
    const sigma = robustSigma(plane, middle);
    requireNoise(vectors[v], sigma);
    return plane.map((value) => (value - middle) / sigma);
  });
}

/** @throws InputError where a vector's state shows no noise */
export function requireNoise({ x, y }: MotionVector, sigma: number): void {
  if (sigma > 0) return;
  throw new InputError(
    `vector ${x},${y}: its noise cannot be measured, as more than half of its state is equal; give larger images`,
  );
}

/** Pixels whose value is above `least` and the largest of (2 · radius + 1)²; of equal ones the first, row by row. */
export function findPeaks({ value, vector }: Best, { width, height }: Size, least: number, radius: number): Peaks {
  const found: number[] = [];
  for (const [i, here] of value.entries()) {
    if (!(here > least)) continue;
    const beats = (other: number, isBefore: boolean) => other > here || (isBefore && other === here);
    if (isMaximum(value, { width, height }, i, radius, beats)) found.push(i);
  }
  const at = (x: number, y: number) =>
    x >= 0 && x < width && y >= 0 && y < height ? value[y * width + x] : Number.NaN;
  return {
    pixel: Uint32Array.from(found),
    value: Float32Array.from(found, (i) => value[i]),
    vector: Uint32Array.from(found, (i) => vector[i]),
    beside: Float32Array.from(
      found.flatMap((i) => {
        const [x, y] = [i % width, Math.floor(i / width)];
        return [at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)];
      }),
    ),
  };
}
