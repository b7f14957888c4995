/** Images as the detectors of features take them: grey levels of 0 … 255. */
import type { Frame } from "../../core/frame.js";
import { readFrame } from "../../files/images/frames.js";
import type { Note } from "../../files/images/png.js";
import { checkSize } from "../../files/images/samples.js";
import type { Plane } from "../../pixels/image.js";

/** Weights of red, green and blue: OpenCV's (ITU-R BT.601), or those of BT.709 that Mücke 2007 uses. */
const LUMA = { 601: [0.299, 0.587, 0.114], 709: [0.212671, 0.71516, 0.072169] } as const;
/** Bytes of the detectors' images and of the sums of their gradients at the peak, rounded up from 2048 × 2048 pixels; SIFT takes the most. */
const BYTES_PER_PIXEL = 128;

export type Luma = keyof typeof LUMA;

/** Colours become grey as in OpenCV, rounded where the image has 8 bits; 16 bits are scaled by 1/257 and kept in f32. */
export function featureImage({ width, height, channels, samples, place }: Frame, luma: Luma = 601): Plane {
  checkSize(place, width, height, BYTES_PER_PIXEL);
  if (channels === 1 && !(samples instanceof Uint16Array)) return { width, height, pixels: samples };
  const scale = samples instanceof Uint16Array ? 1 / 257 : 1;
  const isRounded = samples instanceof Uint8Array;
  const [red, green, blue] = LUMA[luma];
  const pixels = isRounded ? new Uint8Array(width * height) : new Float32Array(width * height);
  for (let p = 0; p < pixels.length; p++) {
    if (channels === 1) pixels[p] = samples[p] * scale;
    else {
      const value = red * samples[3 * p] + green * samples[3 * p + 1] + blue * samples[3 * p + 2];
      pixels[p] = isRounded ? Math.round(value) : value * scale;
    }
  }
  return { width, height, pixels };
}

/** @param note is told of transparency, behind which colours are taken as they are */
export async function readFeatureImage(path: string, note: Note, luma: Luma = 601): Promise<Plane> {
  return featureImage(await readFrame(path, { note }), luma);
}
