/** Lists stored one after another, as compressed rows. */

/** The numbers of the items of each row, in order: item[rowStart[r]] … item[rowStart[r + 1] − 1]. */
export interface Rows {
  readonly rowStart: Uint32Array;
  readonly item: Uint32Array;
}

/** Where each of `rows` rows begins among items that are sorted by the row of each; length rows + 1. */
export function rowStarts(rowOf: ArrayLike<number>, rows: number): Uint32Array {
  const rowStart = new Uint32Array(rows + 1);
  for (let n = 0; n < rowOf.length; n++) rowStart[rowOf[n] + 1]++;
  for (let r = 0; r < rows; r++) rowStart[r + 1] += rowStart[r];
  return rowStart;
}

/** Where rows of these lengths begin; length rows + 1, in `starts`. */
export function startsOf(
  lengths: ArrayLike<number>,
  starts: Uint32Array = new Uint32Array(lengths.length + 1),
): Uint32Array {
  for (let r = 0; r < lengths.length; r++) starts[r + 1] = starts[r] + lengths[r];
  return starts;
}

/** The items by the row of each, in one pass of a counting sort. */
export function byRow(rowOf: ArrayLike<number>, rows: number): Rows {
  const rowStart = rowStarts(rowOf, rows);
  const next = rowStart.slice(0, rows);
  const item = new Uint32Array(rowOf.length);
  for (let n = 0; n < rowOf.length; n++) item[next[rowOf[n]]++] = n;
  return { rowStart, item };
}

/** The length of the longest row. */
export function longestRow(rowStart: Uint32Array): number {
  return rowStart.reduce((most, end, r) => (r === 0 ? 0 : Math.max(most, end - rowStart[r - 1])), 0);
}
