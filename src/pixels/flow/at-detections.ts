import type { FlowField } from "../../core/flow-field.js";
import { medianOf } from "../../core/select.js";
import { sampleBicubic } from "../bicubic.js";
import type { GreyImage } from "../image.js";

/** Radius in px of the smallest window that is tested for texture, since the peak of a spot has no slope. */
const TEXTURE_RADIUS = 2;
/** Least |∇I|², grey values of 0 … 255 a px squared, that a pixel of the window must reach. */
const LEAST_TEXTURE = 1;

/**
 * Displacement in px of each position: the flow there, bicubic, or with `radius` above 0 the median of each component over
 * (2 · radius + 1)² pixels around it. NaN outside the image, and where no pixel of the window has texture in `image`, the frame
 * that the flow starts from, in grey values of 0 … 255.
 */
export function sampleFlow(
  flow: FlowField,
  image: GreyImage,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  radius = 0,
): { readonly u: Float64Array; readonly v: Float64Array } {
  const { width, height } = flow;
  const u = new Float64Array(x.length).fill(Number.NaN);
  const v = new Float64Array(x.length).fill(Number.NaN);
  for (let i = 0; i < x.length; i++) {
    if (!(x[i] >= 0 && x[i] <= width - 1 && y[i] >= 0 && y[i] <= height - 1)) continue;
    const [column, row] = [Math.round(x[i]), Math.round(y[i])];
    if (!hasTexture(image, column, row, Math.max(radius, TEXTURE_RADIUS))) continue;
    const at = (pixels: Float32Array) =>
      radius === 0
        ? sampleBicubic({ width, height, pixels }, x[i], y[i])
        : medianAround({ width, height, pixels }, column, row, radius);
    u[i] = at(flow.u);
    v[i] = at(flow.v);
  }
  return { u, v };
}

function hasTexture({ width, height, pixels }: GreyImage, column: number, row: number, radius: number): boolean {
  const at = (x: number, y: number) =>
    pixels[Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)];
  for (let y = Math.max(row - radius, 0); y <= Math.min(row + radius, height - 1); y++) {
    for (let x = Math.max(column - radius, 0); x <= Math.min(column + radius, width - 1); x++) {
      const slopeX = 0.5 * (at(x + 1, y) - at(x - 1, y));
      const slopeY = 0.5 * (at(x, y + 1) - at(x, y - 1));
      if (slopeX ** 2 + slopeY ** 2 >= LEAST_TEXTURE) return true;
    }
  }
  return false;
}

/** Over the part of the window that lies in the image. */
function medianAround({ width, height, pixels }: GreyImage, column: number, row: number, radius: number): number {
  const values: number[] = [];
  for (let y = Math.max(row - radius, 0); y <= Math.min(row + radius, height - 1); y++) {
    for (let x = Math.max(column - radius, 0); x <= Math.min(column + radius, width - 1); x++) {
      values.push(pixels[y * width + x]);
    }
  }
  return medianOf(values);
}
