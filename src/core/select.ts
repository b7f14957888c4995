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
