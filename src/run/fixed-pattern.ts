/** What stands still in a sequence under light that changes: image k is a_k + g_k · pattern + noise and what moves. */
import type { Frame } from "../core/frame.js";
import { withoutMedian } from "../pixels/before-detect/cpu.js";
import type { TbdFrame } from "../pixels/before-detect/detect.js";
import { median, robustSigma } from "../pixels/before-detect/noise.js";
import { type GreyImage, toGrey } from "../pixels/image.js";

export interface FixedPattern {
  /** Each pixel's median over the images without their own medians. */
  readonly pattern: Float32Array;
  /**
   * Median over the images of their slope on the pattern, which is that of g_k = 1. It is below 1 where the pattern is mostly what noise leaves
   * in a median, since an image shares that only in part.
   */
  readonly slope: number;
}

/** Bytes of images that are held at a time for the medians of pixels. */
const PIECE_BYTES = 2 ** 28;
/** Pixels further from the pattern than this many σ of an image's noise are of targets, and say nothing of its light. */
const CLIPPED = 3;

/** @param read gives the sequence from its start; it is called several times, for as many pixels at once as fit into memory */
export async function fixedPattern(read: () => AsyncIterable<Frame>): Promise<FixedPattern> {
  const levels: number[] = [];
  let size = 0;
  for await (const frame of read()) {
    const { pixels } = toGrey(frame);
    levels.push(median(pixels));
    size = pixels.length;
  }
  const pattern = new Float32Array(size);
  const atOnce = Math.max(1, Math.min(size, Math.floor(PIECE_BYTES / (4 * Math.max(1, levels.length)))));
  for (let first = 0; first < size; first += atOnce) {
    const pixels = Math.min(atOnce, size - first);
    const values = new Float32Array(pixels * levels.length);
    let n = 0;
    for await (const frame of read()) {
      const grey = toGrey(frame).pixels;
      for (let i = 0; i < pixels; i++) values[i * levels.length + n] = grey[first + i] - levels[n];
      n++;
    }
    for (let i = 0; i < pixels; i++)
      pattern[first + i] = median(values.subarray(i * levels.length, (i + 1) * levels.length));
  }
  const slopes: number[] = [];
  for await (const frame of read()) slopes.push(slopeOn(pattern, toGrey(frame).pixels));
  return { pattern, slope: median(Float32Array.from(slopes)) };
}

/** The image less the pattern under its own light, and less the median of what stays. */
export function withoutPattern({ width, height, pixels }: GreyImage, { pattern, slope }: FixedPattern): TbdFrame {
  const gain = slope > 0 ? slopeOn(pattern, pixels) / slope : 1;
  return withoutMedian({ width, height, pixels: pixels.map((value, i) => value - gain * pattern[i]) });
}

/** Least squares of an image on the pattern; 0 where the pattern is even. */
function slopeOn(pattern: Float32Array, pixels: Float32Array): number {
  const rest = pixels.map((value, i) => value - pattern[i]);
  const level = median(rest);
  const far = CLIPPED * robustSigma(rest, level);
  let [count, sumB, sumX, sumBB, sumBX] = [0, 0, 0, 0, 0];
  for (let i = 0; i < rest.length; i++) {
    if (Math.abs(rest[i] - level) > far) continue;
    const [b, x] = [pattern[i], pixels[i] - level];
    count++;
    sumB += b;
    sumX += x;
    sumBB += b * b;
    sumBX += b * x;
  }
  const spread = sumBB - (sumB * sumB) / count;
  return spread > 0 ? (sumBX - (sumB * sumX) / count) / spread : 0;
}
