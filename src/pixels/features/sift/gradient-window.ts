/** A part of an image, with lists of numbers, in the memory of the kernels that sum gradients (../../simd/wasm/gradients.ts). */
import type { GreyImage, Size } from "../../image.js";
import { localKernels } from "../../simd/local-kernels.js";

interface GradientWindow {
  readonly columns: number;
  readonly rows: number;
  /** Of its first pixel in the image. */
  readonly column: number;
  readonly row: number;
}

/** The pixels within `radius` of one along both axes that lie `margin` or more within the image's border. */
export function windowAround(
  { width, height }: Size,
  [x, y]: readonly [number, number],
  radius: number,
  margin: number,
): GradientWindow {
  const [column, row] = [Math.max(x - radius, margin), Math.max(y - radius, margin)];
  const columns = Math.min(x + radius, width - 1 - margin) - column + 1;
  const rows = Math.min(y + radius, height - 1 - margin) - row + 1;
  return { columns: Math.max(columns, 0), rows: Math.max(rows, 0), column, row };
}

/**
 * Copies a window with a pixel around it, which repeats the image's border, and makes room for lists of f64.
 * @returns the first arguments of a kernel, and where the lists begin in its memory, counted in numbers
 */
export function placeWindow({ width, height, pixels }: GreyImage, window: GradientWindow, lengths: readonly number[]) {
  const { columns, rows, column, row } = window;
  const stride = columns + 2;
  // The kernels read two floats behind the window, and a number behind each list.
  let end = Math.ceil((stride * (rows + 2) + 2) / 2);
  const lists = lengths.map((length) => {
    end += length;
    return end - length;
  });
  const kernels = localKernels(8 * (end + 1));
  const { floats } = kernels;
  const [left, right] = [Math.max(column - 1, 0), Math.min(column + columns, width - 1)];
  let to = 0;
  for (let r = row - 1; r <= row + rows; r++) {
    const from = width * Math.min(Math.max(r, 0), height - 1);
    floats[to++] = pixels[from + left];
    for (let p = from + column; p < from + column + columns; p++) floats[to++] = pixels[p];
    floats[to++] = pixels[from + right];
  }
  return { kernels, place: [0, stride, columns, rows, column, row], lists };
}

/** Writes exp(−d² / 2σ²) for `count` places a pixel apart, of which the first has the distance d; a Gaussian of two axes is a product of two of them. */
export function weightsAlong(numbers: Float64Array, from: number, count: number, first: number, sigma: number): void {
  for (let k = 0; k < count; k++) {
    const distance = first + k;
    numbers[from + k] = Math.exp(-(distance * distance) / (2 * sigma * sigma));
  }
}
