/** Grey images in f32, the input of everything in src/pixels. */
import type { Frame } from "../core/frame.js";

export interface GreyImage {
  readonly width: number;
  readonly height: number;
  /** width × height values, row by row from the top left. */
  readonly pixels: Float32Array;
  /** The same grey levels where the file has 8 bits; devices are sent these. */
  readonly bytes?: Uint8Array;
}

/** A frame as it is, or 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), rounded to f32 and not to an integer. */
export function toGrey({ width, height, channels, samples }: Frame): GreyImage {
  if (channels === 1) {
    return { width, height, pixels: samples instanceof Float32Array ? samples : new Float32Array(samples) };
  }
  const pixels = new Float32Array(width * height);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 3) {
    pixels[i] = 0.299 * samples[at] + 0.587 * samples[at + 1] + 0.114 * samples[at + 2];
  }
  return { width, height, pixels };
}

/** The grey level at a place between pixels, whose middles have whole coordinates; pixels beyond the border repeat it. */
export function bilinear({ width, height, pixels }: GreyImage, x: number, y: number): number {
  const [cx, cy] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const top = pixels[y0 * width + x0] * (1 - cx + x0) + pixels[y0 * width + x1] * (cx - x0);
  const bottom = pixels[y1 * width + x0] * (1 - cx + x0) + pixels[y1 * width + x1] * (cx - x0);
  return top * (1 - cy + y0) + bottom * (cy - y0);
}
