/**
 * Tracking of points by Lucas & Kanade's least squares over a pyramid (Bouguet 2001; Tomasi & Kanade 1991): the d that minimises
 * Σ_W (I(p) − J(p + d))² solves A d = b with A = Σ g gᵀ, b = Σ g (I − J). The twin of klt-track.wgsl.
 */

import { convolveSeparable } from "../gaussian.js";
import type { GreyImage, Size } from "../image.js";
import { KLT_STATUS, type KltOptions, type KltPoints, type KltTracks } from "./klt-options.js";
import { KltWindow } from "./klt-window.js";

/** Tracks points (x, y) of the first pyramid into the second, from the same places. */
export function trackKltOnCpu(
  first: readonly GreyImage[],
  second: readonly GreyImage[],
  points: KltPoints,
  options: KltOptions,
): KltTracks {
  const n = points.x.length;
  const tracks: KltTracks = {
    x: new Float32Array(n),
    y: new Float32Array(n),
    status: new Uint8Array(n),
    residual: new Float32Array(n),
    lastStep: new Float32Array(n),
    iterations: new Uint32Array(n),
  };
  const window = new KltWindow(options);
  for (let k = 0; k < n; k++) window.track(first, second, [points.x[k], points.y[k]], tracks, k);
  return tracks;
}

/** Tracks there and back; points that do not come back to within `limit` pixels are "inconsistent". */
export function trackKltBothWays(
  first: readonly GreyImage[],
  second: readonly GreyImage[],
  points: KltPoints,
  options: KltOptions,
  limit = 1,
): KltTracks {
  const there = trackKltOnCpu(first, second, points, options);
  const back = trackKltOnCpu(second, first, there, options);
  return { ...there, status: checkBothWays(points, there, back, limit) };
}

/** The status after the check: lost on the way there or back, or further than `limit` from where it started. */
export function checkBothWays(points: KltPoints, there: KltTracks, back: KltTracks, limit: number): Uint8Array {
  return there.status.map((status, k) => {
    if (status !== KLT_STATUS.tracked) return status;
    const returned = back.status[k] === KLT_STATUS.tracked;
    const near = Math.hypot(back.x[k] - points.x[k], back.y[k] - points.y[k]) < limit;
    return returned && near ? KLT_STATUS.tracked : KLT_STATUS.inconsistent;
  });
}

const TAPS = Float32Array.of(1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16);

/** Sizes of up to `levels` images, the first the image's, each half as large as the one before; none has a side below three pixels. */
export function kltSizes({ width, height }: Size, levels: number): Size[] {
  const sizes = [{ width, height }];
  while (sizes.length < levels) {
    const fine = sizes[sizes.length - 1];
    const coarse = { width: (fine.width + 1) >> 1, height: (fine.height + 1) >> 1 };
    if (Math.min(coarse.width, coarse.height) < 3) break;
    sizes.push(coarse);
  }
  return sizes;
}

/** Images of these sizes, the first the image itself. */
export function kltPyramid(image: GreyImage, levels: number): GreyImage[] {
  const pyramid = [image];
  for (const { width, height } of kltSizes(image, levels).slice(1)) {
    const fine = pyramid[pyramid.length - 1];
    const smooth = convolveSeparable(fine, TAPS, "reflect-101");
    const pixels = new Float32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) pixels[y * width + x] = smooth.pixels[2 * y * fine.width + 2 * x];
    }
    pyramid.push({ width, height, pixels });
  }
  return pyramid;
}
