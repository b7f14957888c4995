/** Planes of numbers, one a pixel: the input of everything in src/pixels. */
import type { Frame } from "../core/frame.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Samples = Float32Array | Uint8Array | Uint16Array;

/** An image in the numbers that its file has. Devices are sent these, and make f32 of them (gpu-planes.ts). */
export interface Plane<Numbers extends Samples = Samples> extends Size {
  /** width × height values, row by row from the top left. */
  readonly pixels: Numbers;
}

/** A plane as the CPU computes with it. */
export type GreyImage = Plane<Float32Array>;

/** The same numbers in f32. */
export function inFloats({ width, height, pixels }: Plane): GreyImage {
  return { width, height, pixels: pixels instanceof Float32Array ? pixels : new Float32Array(pixels) };
}

/** A frame as it is, or 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), rounded to f32 and not to an integer. */
export function toPlane({ width, height, channels, samples }: Frame): Plane {
  if (channels === 1) return { width, height, pixels: samples };
  const pixels = new Float32Array(width * height);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 3) {
    pixels[i] = 0.299 * samples[at] + 0.587 * samples[at + 1] + 0.114 * samples[at + 2];
  }
  return { width, height, pixels };
}

export const toGrey = (frame: Frame): GreyImage => inFloats(toPlane(frame));

/** The grey level at a place between pixels, whose middles have whole coordinates; pixels beyond the border repeat it. */
export function bilinear({ width, height, pixels }: Plane, x: number, y: number): number {
  const [cx, cy] = [Math.min(Math.max(x, 0), width - 1), Math.min(Math.max(y, 0), height - 1)];
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const top = pixels[y0 * width + x0] * (1 - cx + x0) + pixels[y0 * width + x1] * (cx - x0);
  const bottom = pixels[y1 * width + x0] * (1 - cx + x0) + pixels[y1 * width + x1] * (cx - x0);
  return top * (1 - cy + y0) + bottom * (cy - y0);
}
