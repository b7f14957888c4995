/** Prepares frames for the recursion. */
import { convolveSeparable } from "../gaussian.js";
import type { GreyImage } from "../image.js";
import { median } from "./noise.js";
import type { TbdFrame } from "./samples.js";

/** The background that is subtracted: nothing, the median of each frame, or also what stands still under the light of each frame. */
export const BACKGROUNDS = ["none", "frame", "pixel"] as const;
export type Background = (typeof BACKGROUNDS)[number];

export function withoutMedian({ width, height, pixels }: TbdFrame): TbdFrame {
  return { width, height, pixels, minus: Math.fround(median(pixels)) };
}

/**
 * The image filtered by a Gaussian of standard deviation `sigma` px, cut at 4 σ, whose squares add up to 1: white noise keeps its
 * variance per pixel, and a spot of that shape gains the most that a linear filter can give. Outside, the image is 0.
 */
export function matchedFilter(image: GreyImage, sigma: number): GreyImage {
  if (sigma === 0) return image;
  const radius = Math.ceil(4 * sigma);
  const shape = Float64Array.from({ length: 2 * radius + 1 }, (_, n) =>
    Math.exp(-((n - radius) ** 2) / (2 * sigma * sigma)),
  );
  const energy = Math.sqrt(shape.reduce((sum, value) => sum + value * value, 0));
  const weights = shape.map((value) => value / energy);
  return convolveSeparable(image, weights, "zero");
}
