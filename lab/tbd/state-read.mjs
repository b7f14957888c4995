/** States as kernels keep them, turned into vectors × height × width of f32. */

/** From two halves a word, rows padded to whole words. */
export function halvesOf(bytes, into, width) {
  const halves = new Uint16Array(bytes);
  const stride = 2 * Math.ceil(width / 2);
  for (let i = 0; i < into.length; i++) into[i] = fromHalf(halves[Math.floor(i / width) * stride + (i % width)]);
}

function fromHalf(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 ? -size : size;
}

/** Reads cells that lie where their trajectory would have started. */
export function wrappedBack(state, into, { width, height }, movedOf) {
  for (let v = 0, i = 0; i < into.length; v++) {
    const [dx, dy] = movedOf(v);
    for (let y = 0; y < height; y++) {
      const row = (v * height + wrap(y - dy, height)) * width;
      for (let x = 0; x < width; x++, i++) into[i] = state[row + wrap(x - dx, width)];
    }
  }
}

export const wrap = (value, size) => ((value % size) + size) % size;
