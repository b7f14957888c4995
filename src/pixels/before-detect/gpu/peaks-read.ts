import type { Size } from "../../image.js";
import type { Peaks } from "../peaks.js";

/** Peaks as peaks.wgsl leaves them, in the order of their pixels. @param words numbers of a peak */
export function sortedPeaks(found: Uint32Array, count: number, words: number, { width, height }: Size): Peaks {
  const floats = new Float32Array(found.buffer, found.byteOffset, found.length);
  const order = Array.from({ length: count }, (_, n) => words * n).sort((a, b) => found[a] - found[b]);
  const beside = order.flatMap((at) => {
    const [x, y] = [found[at] % width, Math.floor(found[at] / width)];
    const there = [x > 0, x + 1 < width, y > 0, y + 1 < height];
    return there.map((known, side) => (known ? floats[at + 3 + side] : Number.NaN));
  });
  return {
    pixel: Uint32Array.from(order, (at) => found[at]),
    vector: Uint32Array.from(order, (at) => found[at + 1]),
    value: Float32Array.from(order, (at) => floats[at + 2]),
    beside: Float32Array.from(beside),
  };
}
