/** Frames in the type they came in, so that a GPU gets a byte a pixel where a file had one. */

/** Integers, or numbers in f32. */
export type Samples = Float32Array | Uint8Array | Uint16Array;

/** The recursion's X = pixels − minus, rounded to f32. A GreyImage is one. */
export interface FrameValues {
  /** height × width, row by row. */
  readonly pixels: Samples;
  /** An f32, 0 unless given. */
  readonly minus?: number;
}

export interface TbdFrame extends FrameValues {
  readonly width: number;
  readonly height: number;
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
