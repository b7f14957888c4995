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

/** The image sampled at (x · stepX, y · stepY) for x < width, y < height, times `scale`. Steps and positions are f32. */
export function resample(
  image: GreyImage,
  width: number,
  height: number,
  [stepX, stepY]: readonly [number, number],
  scale = 1,
): GreyImage {
  const [alongX, alongY] = [Math.fround(stepX), Math.fround(stepY)];
  const pixels = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const atY = Math.fround(y * alongY);
    for (let x = 0; x < width; x++) {
      pixels[y * width + x] = scale * sampleBicubic(image, Math.fround(x * alongX), atY);
    }
  }
  return { width, height, pixels };
}
