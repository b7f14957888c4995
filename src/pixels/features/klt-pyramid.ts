/** The pyramid KLT tracks through: [1 4 6 4 1]/16 along both axes, then every second pixel (Burt & Adelson 1983). */

import { convolveSeparable } from "../gaussian.js";
import type { GreyImage } from "../image.js";

const TAPS = Float32Array.of(1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16);

/** `levels` images, the first the image itself; fewer where one would be smaller than `least` pixels on a side. */
export function kltPyramid(image: GreyImage, levels: number, least = 3): GreyImage[] {
  const pyramid = [image];
  while (pyramid.length < levels) {
    const fine = pyramid[pyramid.length - 1];
    const [width, height] = [(fine.width + 1) >> 1, (fine.height + 1) >> 1];
    if (Math.min(width, height) < least) break;
    const smooth = convolveSeparable(fine, TAPS, "reflect-101");
    const pixels = new Float32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) pixels[y * width + x] = smooth.pixels[2 * y * fine.width + 2 * x];
    }
    pyramid.push({ width, height, pixels });
  }
  return pyramid;
}
