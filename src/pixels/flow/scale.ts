import { InputError } from "../../core/errors.js";
import type { GreyImage, Plane } from "../image.js";
import type { ImagePair, Scale } from "./steps.js";

/**
 * What takes the values of both images to 0 … 255, from the least to the greatest of the two; a flat pair stays as it is. In f32.
 * @throws InputError where the range or its inverse is beyond f32
 */
export function scaleOf({ first, second }: ImagePair): Scale {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const { pixels } of [first, second]) {
    for (const value of pixels) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
  }
  if (!(most > least)) return { minus: 0, factor: 1 };
  const factor = Math.fround(255 / (most - least));
  if (!Number.isFinite(factor) || !Number.isFinite(Math.fround(most - least))) {
    throw new InputError(
      `flow: the grey levels of a pair go from ${least} to ${most}, a range that f32 cannot scale; multiply the images by a number`,
    );
  }
  return { minus: least, factor };
}

/** The twin of widen.wgsl. */
export function scaled({ width, height, pixels }: Plane, { minus, factor }: Scale): GreyImage {
  const out = new Float32Array(pixels.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.fround(pixels[i] - minus) * factor;
  return { width, height, pixels: out };
}
