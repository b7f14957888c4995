/** 3 × 3 gradients and sums of their products. The kernels take them while reading (corner-response.wgsl, canny-candidates.wgsl, klt-track.wgsl). */

import { type Border, borderIndex } from "../gaussian.js";
import type { GreyImage } from "../image.js";

/** Smoothing across the derivative: 1 2 1 (Sobel, sum 8) or 3 10 3 (Scharr, sum 32). */
export type GradientMask = "sobel" | "scharr";
const MASKS: Record<GradientMask, readonly [number, number]> = { sobel: [1, 2], scharr: [3, 10] };

export interface Gradients {
  readonly width: number;
  readonly height: number;
  /** Along x (right) and y (down), unscaled sums of the mask: exact integers for 8-bit images. */
  readonly gx: Float32Array;
  readonly gy: Float32Array;
}

export function gradients({ width, height, pixels }: GreyImage, mask: GradientMask, border: Border): Gradients {
  const [side, middle] = MASKS[mask];
  const gx = new Float32Array(width * height);
  const gy = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const up = borderIndex(y - 1, height, border) * width;
    const here = y * width;
    const down = borderIndex(y + 1, height, border) * width;
    for (let x = 0; x < width; x++) {
      const left = borderIndex(x - 1, width, border);
      const right = borderIndex(x + 1, width, border);
      const [a, b, c] = [pixels[up + left], pixels[up + x], pixels[up + right]];
      const [d, f] = [pixels[here + left], pixels[here + right]];
      const [g, h, i] = [pixels[down + left], pixels[down + x], pixels[down + right]];
      gx[here + x] = side * (c - a + i - g) + middle * (f - d);
      gy[here + x] = side * (g - a + i - c) + middle * (h - b);
    }
  }
  return { width, height, gx, gy };
}

/** Weights of the 3 × 3 window over which products are summed: all 1 (OpenCV's box), or [1 2 1]ᵀ[1 2 1]/16 (Gaussian). */
export type TensorWindow = "box3" | "gauss3";
export const TENSOR_WINDOWS: Record<TensorWindow, readonly [number, number]> = { box3: [1, 1], gauss3: [0.25, 0.5] };

/** The structure tensor: windowed sums of gx², gx gy, gy². Products beyond the border are mirrored, as in OpenCV. */
export interface StructureTensor {
  readonly xx: Float64Array;
  readonly xy: Float64Array;
  readonly yy: Float64Array;
}

export function structureTensor({ width, height, gx, gy }: Gradients, window: TensorWindow): StructureTensor {
  const [side, middle] = TENSOR_WINDOWS[window];
  const sum = (a: Float32Array, b: Float32Array): Float64Array => {
    const rows = new Float64Array(width * height);
    const out = new Float64Array(width * height);
    for (let y = 0; y < height; y++) {
      const at = y * width;
      for (let x = 0; x < width; x++) {
        const l = at + borderIndex(x - 1, width, "reflect-101");
        const r = at + borderIndex(x + 1, width, "reflect-101");
        rows[at + x] = side * (a[l] * b[l] + a[r] * b[r]) + middle * a[at + x] * b[at + x];
      }
    }
    for (let y = 0; y < height; y++) {
      const up = borderIndex(y - 1, height, "reflect-101") * width;
      const at = y * width;
      const down = borderIndex(y + 1, height, "reflect-101") * width;
      for (let x = 0; x < width; x++) out[at + x] = side * (rows[up + x] + rows[down + x]) + middle * rows[at + x];
    }
    return out;
  };
  return { xx: sum(gx, gx), xy: sum(gx, gy), yy: sum(gy, gy) };
}
