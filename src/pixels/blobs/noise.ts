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
  const values = new Float32Array(width * height);
  const rows = new Float32Array(width * height);
  for (let p = 1; p < values.length - 1; p++) rows[p] = pixels[p - 1] - 2 * pixels[p] + pixels[p + 1];
  const inside = (visit: (p: number) => void) => {
    for (let y = 1; y < height - 1; y++) for (let p = y * width + 1; p < (y + 1) * width - 1; p++) visit(p);
  };
  const sizes = new Float32Array(Math.max(0, (width - 2) * (height - 2)));
  let count = 0;
  inside((p) => {
    values[p] = rows[p - width] - 2 * rows[p] + rows[p + width];
    sizes[count++] = Math.abs(values[p]);
  });
  if (count === 0) return null;
  const sigma = medianOf(sizes) / MEDIAN_OF_NORMAL;
  const most = CLIPPED * sigma;
  let [products, squares, pairs] = [0, 0, 0];
  const add = (a: number, b: number) => {
    if (!(Math.abs(a) < most && Math.abs(b) < most)) return;
    products += a * b;
    squares += (a * a + b * b) / 2;
    pairs++;
  };
  inside((p) => {
    if (p % width < width - 2) add(values[p], values[p + 1]);
    if (p + 2 * width < values.length) add(values[p], values[p + width]);
  });
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
