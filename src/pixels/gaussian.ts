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

/** Columns that are copied at a time: as many f32 as make half a line of a processor's cache, and as many writes as it keeps open. */
const COLUMNS = 8;

/** Rows, then columns, each with the same taps, an odd number that mirror each other; f32 in between and at the end, sums in f64. */
export function convolveSeparable(
  { width, height, pixels }: GreyImage,
  taps: Float32Array | Float64Array,
  border: Border,
): GreyImage {
  const radius = (taps.length - 1) / 2;
  const weights = Float64Array.from(taps.subarray(radius));
  const out = new Float32Array(width * height);
  const indices = (n: number) =>
    Int32Array.from({ length: n + 2 * radius }, (_, k) => borderIndex(k - radius, n, border));
  const [across, down] = [indices(width), indices(height)];
  // Each line has room for the neighbours of its last place.
  const line = new Float64Array(across.length + 3);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    // The index of a 0 beyond the border is that behind the last.
    for (let k = 0; k < across.length; k++) line[k] = across[k] < width ? pixels[row + across[k]] : 0;
    weightedSums(line, 0, weights, out, row, 1, width);
  }
  const length = down.length + 3;
  const lines = new Float64Array(COLUMNS * length);
  for (let x = 0; x < width; x += COLUMNS) {
    const columns = Math.min(COLUMNS, width - x);
    for (let k = 0; k < down.length; k++) {
      const from = down[k] * width + x;
      for (let c = 0; c < columns; c++) lines[c * length + k] = down[k] < height ? out[from + c] : 0;
    }
    for (let c = 0; c < columns; c++) weightedSums(lines, c * length, weights, out, x + c, width, height);
  }
  return { width, height, pixels: out };
}

/**
 * `count` places of `out`, from `at` on and `step` apart, become sums of the line that begins at `first`, around one number after the other. Four neighbours at a
 * time share what they read: with each tap one number on the left joins them and one on the right.
 * @param weights of the place itself and of those on each side
 */
function weightedSums(
  line: Float64Array,
  first: number,
  weights: Float64Array,
  out: Float32Array,
  at: number,
  step: number,
  count: number,
): void {
  const middle = weights[0];
  for (let n = 0; n < count; n += 4) {
    let left = first + weights.length - 1 + n;
    let right = left + 3;
    let l0 = line[left];
    let l1 = line[left + 1];
    let l2 = line[left + 2];
    let l3 = line[right];
    let r0 = l0;
    let r1 = l1;
    let r2 = l2;
    let r3 = l3;
    let a = middle * l0;
    let b = middle * l1;
    let c = middle * l2;
    let d = middle * l3;
    for (let k = 1; k < weights.length; k++) {
      l3 = l2;
      l2 = l1;
      l1 = l0;
      l0 = line[--left];
      r0 = r1;
      r1 = r2;
      r2 = r3;
      r3 = line[++right];
      const weight = weights[k];
      a += weight * (l0 + r0);
      b += weight * (l1 + r1);
      c += weight * (l2 + r2);
      d += weight * (l3 + r3);
    }
    const to = at + n * step;
    out[to] = a;
    if (n + 1 < count) out[to + step] = b;
    if (n + 2 < count) out[to + 2 * step] = c;
    if (n + 3 < count) out[to + 3 * step] = d;
  }
}
