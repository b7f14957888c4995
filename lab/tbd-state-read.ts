/** States as kernels keep them, turned into vectors × height × width of f32. */
import type { Field } from "../peaks.js";

/** From two halves a word, rows padded to whole words. */
export function halvesOf(bytes: ArrayBuffer, into: Float32Array, width: number): void {
  const halves = new Uint16Array(bytes);
  const stride = 2 * Math.ceil(width / 2);
  for (let i = 0; i < into.length; i++) into[i] = fromHalf(halves[Math.floor(i / width) * stride + (i % width)]);
}

function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 ? -size : size;
}

/** Reads cells that lie where their trajectory would have started. */
export function wrappedBack(
  state: Float32Array,
  into: Float32Array,
  { width, height }: Field,
  movedOf: (vector: number) => readonly [number, number],
): void {
  const wrap = (value: number, size: number) => ((value % size) + size) % size;
  for (let v = 0, i = 0; i < into.length; v++) {
    const [dx, dy] = movedOf(v);
    for (let y = 0; y < height; y++) {
      const row = (v * height + wrap(y - dy, height)) * width;
      for (let x = 0; x < width; x++, i++) into[i] = state[row + wrap(x - dx, width)];
    }
  }
}
