import { InputError } from "../../core/errors.js";
import type { GreyImage, Plane, Samples } from "../image.js";
import type { ImagePair, Scale } from "./steps.js";

/**
 * What takes the values of both images to 0 … 255, from the least to the greatest of the two; a flat pair stays as it is. In f32.
 * @throws InputError where the range or its inverse is beyond f32
 */
export function scaleOf({ first, second }: ImagePair): Scale {
  const ends = [extentOf(first.pixels), extentOf(second.pixels)];
  const least = Math.min(ends[0].least, ends[1].least);
  const most = Math.max(ends[0].most, ends[1].most);
  if (!(most > least)) return { minus: 0, factor: 1 };
  const factor = Math.fround(255 / (most - least));
  if (!Number.isFinite(factor) || !Number.isFinite(Math.fround(most - least))) {
    throw new InputError(
      `flow: the grey levels of a pair go from ${least} to ${most}, a range that f32 cannot scale; multiply the images by a number`,
    );
  }
  return { minus: least, factor };
}

function extentOf(pixels: Samples): { least: number; most: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < pixels.length; i++) {
    if (pixels[i] < least) least = pixels[i];
    if (pixels[i] > most) most = pixels[i];
  }
  return { least, most };
}

/** The twin of widen.wgsl. */
export function scaled({ width, height, pixels }: Plane, { minus, factor }: Scale): GreyImage {
  const out = new Float32Array(pixels.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.fround(pixels[i] - minus) * factor;
  return { width, height, pixels: out };
}
