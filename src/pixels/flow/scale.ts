import { InputError } from "../../core/errors.js";
import type { GreyImage, Plane, Samples } from "../image.js";
import type { ImagePair, Scale } from "./steps.js";

/**
 * The scale that takes the values of both images to 0 … 255, from the least to the greatest of the two; a flat pair stays as it is. In f32.
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

/** Few values are new ends: four that are none are passed over together, which takes less than half the time of a plain loop. */
function extentOf(pixels: Samples): { least: number; most: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < pixels.length; i += 4) {
    const end = Math.min(i + 4, pixels.length);
    if (end === i + 4) {
      const a = pixels[i];
      const b = pixels[i + 1];
      const c = pixels[i + 2];
      const d = pixels[i + 3];
      const isEnd = a < least || a > most || b < least || b > most || c < least || c > most || d < least || d > most;
      if (!isEnd) continue;
    }
    for (let k = i; k < end; k++) {
      if (pixels[k] < least) least = pixels[k];
      if (pixels[k] > most) most = pixels[k];
    }
  }
  return { least, most };
}

/** The twin of widen.wgsl. */
export function scaled({ width, height, pixels }: Plane, { minus, factor }: Scale): GreyImage {
  const out = new Float32Array(pixels.length);
  for (let i = 0; i < out.length; i++) out[i] = Math.fround(pixels[i] - minus) * factor;
  return { width, height, pixels: out };
}
