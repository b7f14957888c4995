/** Gaussians and separable convolution (simd/wasm/convolve.ts): the twin of blur.wgsl. */
import type { GreyImage } from "./image.js";
import { localKernels } from "./simd/local-kernels.js";

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

/** Rows, then columns, each with the same taps, an odd number that mirror each other; f32 in between and at the end, sums in f64. */
export function convolveSeparable(
  { width, height, pixels }: GreyImage,
  taps: Float32Array | Float64Array,
  border: Border,
): GreyImage {
  const radius = (taps.length - 1) / 2;
  const indices = (n: number) =>
    Int32Array.from({ length: n + 2 * radius }, (_, k) => borderIndex(k - radius, n, border));
  const [across, down] = [indices(width), indices(height)];
  // In bytes: the plane with room behind it, the weights, the lines of the kernel, the indices.
  const weightsAt = 8 * Math.ceil((pixels.length + 8) / 2);
  const linesAt = weightsAt + 8 * (radius + 1);
  const acrossAt = linesAt + 8 * Math.max(across.length + 8, 8 * down.length);
  const downAt = acrossAt + 4 * across.length;
  const { floats, doubles, integers, run } = localKernels(downAt + 4 * down.length);
  floats.set(pixels);
  doubles.set(taps.subarray(radius), weightsAt / 8);
  integers.set(across, acrossAt / 4);
  integers.set(down, downAt / 4);
  run.convolve(0, width, height, acrossAt, downAt, weightsAt, radius, linesAt);
  return { width, height, pixels: floats.slice(0, pixels.length) };
}
