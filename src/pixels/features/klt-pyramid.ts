/** The pyramid KLT tracks through: [1 4 6 4 1]/16 along both axes, then every second pixel (Burt & Adelson 1983). */

import { convolveSeparable } from "../gaussian.js";
import type { GreyImage, Size } from "../image.js";

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
