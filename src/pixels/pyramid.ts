import { resample } from "./bicubic.js";
import { smooth } from "./gaussian.js";
import type { GreyImage, Size } from "./image.js";

/** Fewest pixels on the short side of any level but the first. */
const LEAST_SIDE = 16;

/** Standard deviation in px of the Gaussian before a level is sampled at 1/zoom of the next finer one. */
export const zoomSigma = (zoom: number): number => 0.6 * Math.sqrt(1 / (zoom * zoom) - 1);

/** Sizes of up to `levels` levels, the finest first; n pixels become ⌊n · zoom + ½⌋, and none has a side below LEAST_SIDE. */
export function pyramidSizes(finest: Size, levels: number, zoom: number): Size[] {
  const sizes = [{ width: finest.width, height: finest.height }];
  while (sizes.length < levels) {
    const { width, height } = sizes[sizes.length - 1];
    const next = { width: Math.floor(width * zoom + 0.5), height: Math.floor(height * zoom + 0.5) };
    if (Math.min(next.width, next.height) < LEAST_SIDE) break;
    sizes.push(next);
  }
  return sizes;
}

/**
 * Levels of an image for flow, as IPOL has them; those of KLT (features/klt-pyramid.ts) are OpenCV's, and SIFT's octaves are VLFeat's, each to the digit. The
 * finest first: smoothed by `presmooth` px, then each smoothed and sampled at 1/zoom of the one before.
 */
export function buildPyramid(image: GreyImage, sizes: readonly Size[], zoom: number, presmooth: number): GreyImage[] {
  const levels = [smooth(image, presmooth)];
  for (const { width, height } of sizes.slice(1)) {
    const finer = smooth(levels[levels.length - 1], zoomSigma(zoom));
    levels.push(resample(finer, width, height, [1 / zoom, 1 / zoom]));
  }
  return levels;
}
