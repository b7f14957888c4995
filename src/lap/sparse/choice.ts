import type { LapBatchShape } from "../block-hungarian/batch-layout.js";
import type { LapMethod } from "../method.js";

/**
 * Entries a row beyond which matrices are faster, and the columns that they may have. Measured on an H200 (lab/notes/gpu.md): at 7 to 11 entries a
 * row searches on the entries took a third of the time at 1,000 columns and a tenth at 3,000; the first pairs of n300-t300, 75 entries a row of which a third
 * to two thirds search among 300 labels, are faster as matrices, and limits of 4, 8 and 16 are not told apart there.
 */
const MATRIX_FROM = 16;
const MOST_MATRIX_COLUMNS = 1024;

/** Whether a LAP of so many entries is solved on these alone. */
export function isSparseLap(rows: number, columns: number, entries: number, method: LapMethod): boolean {
  if (method !== "auto") return method === "sparse";
  return columns > MOST_MATRIX_COLUMNS || entries <= MATRIX_FROM * rows;
}

/** By LAP, whether it is solved on its entries alone. */
export function sparseLaps({ rows, columns, entries }: LapBatchShape, method: LapMethod): boolean[] {
  if (entries === null) return Array.from(rows, () => false);
  const { rowStart, rowEnd } = entries;
  let row = 0;
  return Array.from(rows, (count, lap) => {
    let found = 0;
    for (const end = row + count; row < end; row++) found += rowEnd[row] - rowStart[row];
    return isSparseLap(count, columns[lap], found, method);
  });
}
