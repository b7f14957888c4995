/** Gaussians and separable convolution: the twin of blur.wgsl. */
import type { GreyImage } from "./image.js";

/** How pixels beyond the border are read: as the border's own pixel, mirrored about it (OpenCV's BORDER_DEFAULT), or as 0. */
export type Border = "replicate" | "reflect-101" | "zero";

/** Taps on each side of the centre as IPOL's flow has them: 5σ, rounded. */
const flowRadius = (sigma: number): number => Math.floor(5 * sigma + 0.5);

/** As VLFeat has them: ⌈4σ⌉, at least 1. */
const blurRadius = (sigma: number): number => Math.max(Math.ceil(4 * sigma), 1);

/** Weights of a Gaussian of standard deviation `sigma` px at offsets −radius … radius, of sum 1. */
export function gaussianWeights(sigma: number, radius = flowRadius(sigma)): Float64Array {
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, k) => {
    const offset = (k - radius) / sigma;
    return Math.exp(-0.5 * offset * offset);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The same in f32, as VLFeat blurs. */
export function gaussianTaps(sigma: number, radius = blurRadius(sigma)): Float32Array {
  return Float32Array.from(gaussianWeights(sigma, radius));
}

/** The flow's Gaussian, borders repeated; `sigma` 0 returns the image itself. */
export function smooth(image: GreyImage, sigma: number): GreyImage {
  return sigma === 0 ? image : convolveSeparable(image, gaussianWeights(sigma), "replicate");
}

/** The features' Gaussian. */
export function blur(image: GreyImage, sigma: number, border: Border = "replicate"): GreyImage {
  return convolveSeparable(image, gaussianTaps(sigma), border);
}

/** The index in 0 … n − 1 that stands for index i of a row of n; n itself for a 0. */
export function borderIndex(i: number, n: number, border: Border): number {
  if (i >= 0 && i < n) return i;
  if (border === "zero") return n;
  if (border === "replicate") return Math.min(Math.max(i, 0), n - 1);
  if (n === 1) return 0;
  const period = 2 * (n - 1);
  const k = ((i % period) + period) % period;
  return k < n ? k : period - k;
}

/** Rows, then columns, each with the same odd number of taps; f32 in between and at the end, sums in f64. */
export function convolveSeparable(
  { width, height, pixels }: GreyImage,
  taps: Float32Array | Float64Array,
  border: Border,
): GreyImage {
  const weights = Float64Array.from(taps);
  const radius = (weights.length - 1) / 2;
  // A row more, of zeros, for what lies beyond the border.
  const rows = new Float32Array(width * (height + 1));
  const out = new Float32Array(width * height);
  const starts = Int32Array.from(weights.keys());
  const line = new Float32Array(width + 2 * radius);
  const beyond = [...line.keys()].filter((k) => k < radius || k >= width + radius);
  const across = beyond.map((k) => radius + borderIndex(k - radius, width, border));
  for (let y = 0; y < height; y++) {
    const row = y * width;
    line.set(pixels.subarray(row, row + width), radius);
    for (let n = 0; n < beyond.length && border !== "zero"; n++) line[beyond[n]] = line[across[n]];
    weightedSums(line, starts, weights, rows, row, width);
  }
  for (let y = 0; y < height; y++) {
    for (let k = 0; k < starts.length; k++) starts[k] = width * borderIndex(y + k - radius, height, border);
    weightedSums(rows, starts, weights, out, y * width, width);
  }
  return { width, height, pixels: out };
}

/** `count` places of `out` from `at` on become sums of as many places of `from` behind each start. Four at a time take half as long as one. */
function weightedSums(
  from: Float32Array,
  starts: Int32Array,
  weights: Float64Array,
  out: Float32Array,
  at: number,
  count: number,
): void {
  let n = 0;
  for (; n + 3 < count; n += 4) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let k = 0; k < weights.length; k++) {
      const weight = weights[k];
      const i = starts[k] + n;
      a += weight * from[i];
      b += weight * from[i + 1];
      c += weight * from[i + 2];
      d += weight * from[i + 3];
    }
    out[at + n] = a;
    out[at + n + 1] = b;
    out[at + n + 2] = c;
    out[at + n + 3] = d;
  }
  for (; n < count; n++) {
    let sum = 0;
    for (let k = 0; k < weights.length; k++) sum += weights[k] * from[starts[k] + n];
    out[at + n] = sum;
  }
}
