/** Separable Gaussian blur: the twin of blur.wgsl. */
import type { GreyImage } from "../image.js";

/** How pixels beyond the border are read: the border's own pixel, or mirrored about it (OpenCV's BORDER_DEFAULT). */
export type Border = "replicate" | "reflect-101";

/** Taps on each side of the centre, as VLFeat has them: ⌈4σ⌉, at least 1. */
export function blurRadius(sigma: number): number {
  return Math.max(Math.ceil(4 * sigma), 1);
}

/** The 2 r + 1 taps of a Gaussian, f32, with sum 1. */
export function gaussianTaps(sigma: number, radius = blurRadius(sigma)): Float32Array {
  const taps = Float64Array.from({ length: 2 * radius + 1 }, (_, k) => Math.exp(-0.5 * ((k - radius) / sigma) ** 2));
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return Float32Array.from(taps, (tap) => tap / sum);
}

/** The index in 0…n-1 that stands for index i of a row of n. */
export function borderIndex(i: number, n: number, border: Border): number {
  if (border === "replicate") return Math.min(Math.max(i, 0), n - 1);
  if (n === 1) return 0;
  const period = 2 * (n - 1);
  const k = ((i % period) + period) % period;
  return k < n ? k : period - k;
}

/** Rows, then columns, each with the same odd number of taps; f32 in between and at the end, sums in f64. */
export function convolveSeparable(image: GreyImage, taps: Float32Array, border: Border): GreyImage {
  const { width, height } = image;
  const rows = new Float32Array(width * height);
  const pixels = new Float32Array(width * height);
  const radius = (taps.length - 1) / 2;
  const line = new Float32Array(width + 2 * radius);
  const across = Uint32Array.from(line, (_, k) => borderIndex(k - radius, width, border));
  for (let y = 0; y < height; y++) {
    const at = y * width;
    for (let k = 0; k < line.length; k++) line[k] = image.pixels[at + across[k]];
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = 0; k < taps.length; k++) sum += taps[k] * line[x + k];
      rows[at + x] = sum;
    }
  }
  const sums = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let k = 0; k < taps.length; k++) {
      const from = borderIndex(y + k - radius, height, border) * width;
      const tap = taps[k];
      for (let x = 0; x < width; x++) sums[x] += tap * rows[from + x];
    }
    pixels.set(sums, y * width);
  }
  return { width, height, pixels };
}

/** Gaussian blur of σ pixels. */
export function blur(image: GreyImage, sigma: number, border: Border = "replicate"): GreyImage {
  return convolveSeparable(image, gaussianTaps(sigma), border);
}
