/** The noise of an image, and what a scale lets through of it. */
import { medianOf } from "../../core/select.js";
import { gaussianTaps } from "../gaussian.js";
import { inFloats, type Plane, type Samples } from "../image.js";

/** Median absolute value of a normal variable over its standard deviation. */
export const MEDIAN_OF_NORMAL = 0.6745;

/** Correlation of neighbours in white noise behind the mask [1 −2 1] along their axis: −4 / 6. */
const WHITE = -2 / 3;

/** A difference from it that lowers the estimate of noise at scales of some pixels by 15 %, and standard errors of a correlation beside it. */
const WHITE_WITHIN = 0.02;
const STANDARD_ERRORS = 3;

/** Beyond as many σ a pixel is no noise. */
const CLIPPED = 3;

/**
 * Standard deviation of white noise in an image, or null where its noise is not white, as in images that were smoothed, enlarged or compressed. It is what the mask
 * [1 −2 1]ᵀ [1 −2 1], whose norm is 6, lets through (J. Immerkær, "Fast noise variance estimation", Computer Vision and Image Understanding 64, 1996), and it hardly sees spots
 * of σ ≥ 1, however many. The noise is white if neighbours behind the mask are correlated as the mask alone makes them.
 */
export function whiteNoise(image: Plane): number | null {
  const { width, height, pixels } = inFloats(image);
  const [columns, rows] = [width - 2, height - 2];
  if (columns < 1 || rows < 1) return null;
  const across = new Float32Array(columns * height);
  for (let y = 0, n = 0; y < height; y++)
    for (let p = y * width; p < y * width + columns; p++) across[n++] = pixels[p] - 2 * pixels[p + 1] + pixels[p + 2];
  const values = new Float32Array(columns * rows);
  for (let n = 0; n < values.length; n++) values[n] = across[n] - 2 * across[n + columns] + across[n + 2 * columns];
  const sigma = medianOf(values.map(Math.abs)) / MEDIAN_OF_NORMAL;
  const most = CLIPPED * sigma;
  let [products, squares, pairs] = [0, 0, 0];
  const add = (a: number, b: number) => {
    if (!(Math.abs(a) < most && Math.abs(b) < most)) return;
    products += a * b;
    squares += (a * a + b * b) / 2;
    pairs++;
  };
  for (let y = 0, n = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, n++) {
      if (x + 1 < columns) add(values[n], values[n + 1]);
      if (y + 1 < rows) add(values[n], values[n + columns]);
    }
  }
  const within = WHITE_WITHIN + STANDARD_ERRORS / Math.sqrt(pairs);
  return Math.abs(products / squares - WHITE) < within ? sigma / 6 : null;
}

/** Standard deviation of what rounding adds to a pixel: to an integer, or to f32 at the largest value. */
export function roundingOf(pixels: Samples): number {
  if (!(pixels instanceof Float32Array)) return 1 / Math.sqrt(12);
  return 2 ** -23 * pixels.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

/** Standard deviation of the Laplacian of Gaussian of white noise of 1, by the taps g of the Gaussian and their second differences d: 2 (Σd² Σg² + (Σdg)²), rooted. */
export function noiseGain(sigma: number): number {
  const taps = gaussianTaps(sigma);
  const tap = (k: number) => taps[k] ?? 0;
  let [gg, dd, dg] = [0, 0, 0];
  for (let k = -1; k <= taps.length; k++) {
    const difference = tap(k - 1) - 2 * tap(k) + tap(k + 1);
    gg += tap(k) ** 2;
    dd += difference ** 2;
    dg += difference * tap(k);
  }
  return Math.sqrt(2 * (dd * gg + dg ** 2));
}
