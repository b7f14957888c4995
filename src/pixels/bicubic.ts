/** Bicubic sampling: Catmull-Rom (a = −½), 4 × 4 taps, tap coordinates clamped to the image. */
import type { GreyImage } from "./image.js";

/** Weights of the taps at −1, 0, 1, 2 for a position `t` in 0 ≤ t < 1 behind tap 0. */
export function cubicWeights(t: number, weights: Float64Array): void {
  weights[0] = ((-0.5 * t + 1) * t - 0.5) * t;
  weights[1] = (1.5 * t - 2.5) * t * t + 1;
  weights[2] = ((-1.5 * t + 2) * t + 0.5) * t;
  weights[3] = (0.5 * t - 0.5) * t * t;
}

const weightsX = new Float64Array(4);
const weightsY = new Float64Array(4);
const columns = new Int32Array(4);

/** The image at x, y in pixels from the centre of the top left one. */
export function sampleBicubic({ width, height, pixels }: GreyImage, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  cubicWeights(x - left, weightsX);
  cubicWeights(y - top, weightsY);
  for (let k = 0; k < 4; k++) columns[k] = Math.min(Math.max(left + k - 1, 0), width - 1);
  let sum = 0;
  for (let k = 0; k < 4; k++) {
    const row = width * Math.min(Math.max(top + k - 1, 0), height - 1);
    sum +=
      weightsY[k] *
      (weightsX[0] * pixels[row + columns[0]] +
        weightsX[1] * pixels[row + columns[1]] +
        weightsX[2] * pixels[row + columns[2]] +
        weightsX[3] * pixels[row + columns[3]]);
  }
  return sum;
}

/** Taps of the places n · step, n < count, along a side of `size` pixels: four numbers of pixels and four weights for each. */
export function tapsAlong(count: number, step: number, size: number) {
  const places = new Int32Array(4 * count);
  const weights = new Float64Array(4 * count);
  for (let n = 0; n < count; n++) {
    const at = Math.fround(n * step);
    const before = Math.floor(at);
    cubicWeights(at - before, weights.subarray(4 * n, 4 * n + 4));
    for (let k = 0; k < 4; k++) places[4 * n + k] = Math.min(Math.max(before + k - 1, 0), size - 1);
  }
  return { places, weights };
}

/** The image sampled at (x · stepX, y · stepY) for x < width, y < height, times `scale`. Steps and positions are f32. */
export function resample(
  image: GreyImage,
  width: number,
  height: number,
  [stepX, stepY]: readonly [number, number],
  scale = 1,
): GreyImage {
  const from = image.pixels;
  const { places, weights } = tapsAlong(width, Math.fround(stepX), image.width);
  const rows = tapsAlong(height, Math.fround(stepY), image.height);
  const pixels = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const [w0, w1, w2, w3] = rows.weights.subarray(4 * y, 4 * y + 4);
    const [r0, r1, r2, r3] = rows.places.subarray(4 * y, 4 * y + 4).map((row) => row * image.width);
    for (let x = 0; x < width; x++) {
      const at = 4 * x;
      const c0 = places[at];
      const c1 = places[at + 1];
      const c2 = places[at + 2];
      const c3 = places[at + 3];
      const a = weights[at];
      const b = weights[at + 1];
      const c = weights[at + 2];
      const d = weights[at + 3];
      const sum =
        w0 * (a * from[r0 + c0] + b * from[r0 + c1] + c * from[r0 + c2] + d * from[r0 + c3]) +
        w1 * (a * from[r1 + c0] + b * from[r1 + c1] + c * from[r1 + c2] + d * from[r1 + c3]) +
        w2 * (a * from[r2 + c0] + b * from[r2 + c1] + c * from[r2 + c2] + d * from[r2 + c3]) +
        w3 * (a * from[r3 + c0] + b * from[r3 + c1] + c * from[r3 + c2] + d * from[r3 + c3]);
      pixels[y * width + x] = scale * sum;
    }
  }
  return { width, height, pixels };
}
