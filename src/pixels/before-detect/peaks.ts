/** Maxima of the state, from which detections are made. */
import type { Size } from "../image.js";

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

/** Pixels whose value is above `least` and the largest of (2 · radius + 1)²; of equal ones the first, row by row. */
export function findPeaks({ value, vector }: Best, { width, height }: Size, least: number, radius: number): Peaks {
  const found: number[] = [];
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      if (value[i] > least && isLargest(value, width, height, x, y, radius)) found.push(i);
    }
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

function isLargest(value: Float32Array, width: number, height: number, x: number, y: number, radius: number): boolean {
  const own = y * width + x;
  const here = value[own];
  const [left, right] = [Math.max(0, x - radius), Math.min(width - 1, x + radius)];
  for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row++) {
    for (let i = row * width + left; i <= row * width + right; i++) {
      if (value[i] > here || (value[i] === here && i < own)) return false;
    }
  }
  return true;
}

/** Where the parabola through three values a pixel apart is largest, from the middle one, which is; 0 where one is not known. */
export function parabolaTop(before: number, here: number, after: number): number {
  const curvature = before - 2 * here + after;
  return curvature < 0 ? (before - after) / (2 * curvature) : 0;
}
