/** Maxima of planes. Kernels have them with the same ties: corner-maxima.wgsl, openvidia-corners.wgsl and before-detect's peaks.wgsl. */
import type { Size } from "./image.js";

/**
 * Whether no other pixel within `radius` of one, along both axes, beats it; what lies beyond the border does not count.
 * @param beats whether another value does, and whether its pixel comes before in the order of rows: this decides between equal ones
 */
export function isMaximum(
  values: Float32Array,
  { width, height }: Size,
  pixel: number,
  radius: number,
  beats: (other: number, isBefore: boolean) => boolean,
): boolean {
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  const [left, right] = [Math.max(0, x - radius), Math.min(width - 1, x + radius)];
  for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row++) {
    for (let other = row * width + left; other <= row * width + right; other++) {
      if (other !== pixel && beats(values[other], other < pixel)) return false;
    }
  }
  return true;
}

/** Where the parabola through three values a pixel apart is largest, from the middle one, which is; 0 where one is not known (NaN). */
export function parabolaTop(before: number, here: number, after: number): number {
  const curvature = before - 2 * here + after;
  return curvature < 0 ? (before - after) / (2 * curvature) : 0;
}
