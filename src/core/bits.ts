/** Packs marks of 0 and 1 eight to a byte, the first one in the lowest bit. */
export function packBits(marks: ArrayLike<number>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(marks.length / 8));
  for (let n = 0; n < marks.length; n++) if (marks[n] === 1) bits[n >> 3] |= 1 << (n & 7);
  return bits;
}

export function bitAt(bits: Uint8Array, n: number): boolean {
  return (bits[n >> 3] & (1 << (n & 7))) !== 0;
}
