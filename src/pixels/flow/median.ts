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

/** The value that is `rank`-th from the least (quickselect of Hoare); reorders `values`. */
function select(values: Float32Array, rank: number): number {
  let least = 0;
  let most = values.length - 1;
  while (least < most) {
    const pivot = values[rank];
    let i = least;
    let j = most;
    do {
      while (values[i] < pivot) i++;
      while (pivot < values[j]) j--;
      if (i <= j) {
        const swapped = values[i];
        values[i++] = values[j];
        values[j--] = swapped;
      }
    } while (i <= j);
    if (j < rank) least = i;
    if (rank < i) most = j;
  }
  return values[rank];
}
