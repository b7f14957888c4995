/** Rounding to 16-bit numbers as a GPU does it, for the CPU twins of the f16 formats. */

const bits = new Uint32Array(1);
const value = new Float32Array(bits.buffer);
const SMALLEST_NORMAL = 2 ** -14;
const SUBNORMAL_STEP = 2 ** 24;
const ROUNDS_TO_INFINITY = 65520;
/** Adding and subtracting it rounds to an integer, ties to even. */
const TO_INTEGER = 1.5 * 2 ** 52;

/** The nearest f16, ties to even (IEEE 754 binary16). */
export function toHalf(x: number): number {
  const size = Math.abs(x);
  if (size >= ROUNDS_TO_INFINITY) return x > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (size < SMALLEST_NORMAL) return (x * SUBNORMAL_STEP + TO_INTEGER - TO_INTEGER) / SUBNORMAL_STEP;
  value[0] = x;
  // 13 of the 23 bits behind the point go.
  bits[0] = (bits[0] + 0xfff + ((bits[0] >>> 13) & 1)) & 0xffffe000;
  return value[0];
}

/** The nearest of the 65,535 values that WGSL's pack2x16snorm has between −1 and 1. */
export function toSnorm16(x: number): number {
  return Math.fround(Math.floor(0.5 + 32767 * Math.min(1, Math.max(-1, x))) / 32767);
}
