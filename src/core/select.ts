/**
 * The value that sorting would put at `rank`, from 0 on (C. A. R. Hoare, "Algorithm 65: find", Communications of the ACM 4, 1961). Reorders `values`, so that
 * those before it are no greater. d3-array's quickselect compares by a function and takes as long as sorting typed arrays.
 */
export function select(values: Float32Array | Float64Array, rank: number): number {
  let least = 0;
  let most = values.length - 1;
  while (least < most) {
    const pivot = values[(least + most) >>> 1];
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

/** The median; of an even number of values the mean of the two in the middle; NaN of none. Leaves `values` as they are. */
export function medianOf(values: ArrayLike<number>): number {
  const isFloats = values instanceof Float32Array || values instanceof Float64Array;
  const own = isFloats ? values.slice() : Float64Array.from(values);
  const half = own.length >> 1;
  const upper = select(own, half) ?? Number.NaN;
  if (own.length % 2 === 1) return upper;
  let lower = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < half; i++) if (own[i] > lower) lower = own[i];
  return (lower + upper) / 2;
}
