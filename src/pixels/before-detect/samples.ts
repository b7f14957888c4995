import type { Plane, Samples } from "../image.js";

/** The recursion's X = pixels − minus, rounded to f32. A plane is one. */
export interface FrameValues {
  /** height × width, row by row. */
  readonly pixels: Samples;
  /** An f32, 0 unless given. */
  readonly minus?: number;
}

export interface TbdFrame extends Plane, FrameValues {
  /** Where it came from, as messages name it: Frame.place. */
  readonly place?: string;
}

/** X itself. */
export function valuesOf({ pixels, minus = 0 }: FrameValues): Float32Array {
  if (pixels instanceof Float32Array && minus === 0) return pixels;
  const values = new Float32Array(pixels.length);
  for (let i = 0; i < values.length; i++) values[i] = pixels[i] - minus;
  return values;
}
