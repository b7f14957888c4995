import type { Field, Peaks } from "../peaks.js";

/** Peaks as peaks.wgsl leaves them, in the order of their pixels. */
export function sortedPeaks(bytes: ArrayBuffer, count: number, words: number, { width, height }: Field): Peaks {
  const [integers, floats] = [new Uint32Array(bytes), new Float32Array(bytes)];
  const order = Array.from({ length: count }, (_, n) => words * n).sort((a, b) => integers[a] - integers[b]);
  const beside = order.flatMap((at) => {
    const [x, y] = [integers[at] % width, Math.floor(integers[at] / width)];
    const there = [x > 0, x + 1 < width, y > 0, y + 1 < height];
    return there.map((known, side) => (known ? floats[at + 3 + side] : Number.NaN));
  });
  return {
    pixel: Uint32Array.from(order, (at) => integers[at]),
    vector: Uint32Array.from(order, (at) => integers[at + 1]),
    value: Float32Array.from(order, (at) => floats[at + 2]),
    beside: Float32Array.from(beside),
  };
}
