import { select } from "../../core/select.js";

/** The median over a side × side window (side odd), borders repeated; the image itself for side 0. */
export function median(pixels: Float32Array, width: number, height: number, side: number): Float32Array {
  if (side === 0) return pixels;
  const radius = (side - 1) / 2;
  const out = new Float32Array(pixels.length);
  const window = new Float32Array(side * side);
  const middle = (window.length - 1) / 2;
  const columns = new Int32Array(side);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let k = 0; k < side; k++) columns[k] = Math.min(Math.max(x + k - radius, 0), width - 1);
      let count = 0;
      for (let k = -radius; k <= radius; k++) {
        const row = width * Math.min(Math.max(y + k, 0), height - 1);
        for (let m = 0; m < side; m++) window[count++] = pixels[row + columns[m]];
      }
      out[y * width + x] = select(window, middle);
    }
  }
  return out;
}
