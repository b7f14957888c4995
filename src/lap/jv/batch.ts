import type { LapProblem, LapSolution } from "../lap.js";

/**
 * Many LAPs end to end in flat arrays, so that a batch is uploaded, shared with a thread or refilled with new costs as a
 * whole. Problem p owns rows `rowOffset[p]` to `rowOffset[p + 1]` and likewise its columns; `column` counts within the
 * problem, `rowStart` counts entries of the whole batch. `null` unassigned costs hold for every problem, each by its own size.
 */
export interface LapProblems {
  readonly count: number;
  /** Length count + 1. */
  readonly rowOffset: Uint32Array;
  readonly columnOffset: Uint32Array;
  /** Length rowOffset[count] + 1. */
  readonly rowStart: Uint32Array;
  readonly column: Uint32Array;
  readonly cost: Float64Array;
  readonly rowUnassigned: Float64Array | null;
  readonly columnUnassigned: Float64Array | null;
}

/** Problem p of a batch, as views into its arrays. */
export function lapProblemAt(problems: LapProblems, p: number): LapProblem {
  const { rowOffset, columnOffset, rowStart, column, cost, rowUnassigned, columnUnassigned } = problems;
  const [firstRow, lastRow] = [rowOffset[p], rowOffset[p + 1]];
  const [firstColumn, lastColumn] = [columnOffset[p], columnOffset[p + 1]];
  return {
    rows: lastRow - firstRow,
    columns: lastColumn - firstColumn,
    rowStart: rowStart.subarray(firstRow, lastRow + 1),
    column,
    cost,
    rowUnassigned: rowUnassigned?.subarray(firstRow, lastRow) ?? null,
    columnUnassigned: columnUnassigned?.subarray(firstColumn, lastColumn) ?? null,
  };
}

/**
 * Solution p of a batch, as views into arrays as long as all rows (columns) together. `columnOfRow` and `rowOfColumn` count
 * within the problem, `entryOfRow` counts entries of the whole batch.
 */
export function lapSolutionAt(problems: LapProblems, solutions: LapSolution, p: number): LapSolution {
  const { rowOffset, columnOffset } = problems;
  return {
    columnOfRow: solutions.columnOfRow.subarray(rowOffset[p], rowOffset[p + 1]),
    entryOfRow: solutions.entryOfRow.subarray(rowOffset[p], rowOffset[p + 1]),
    rowOfColumn: solutions.rowOfColumn.subarray(columnOffset[p], columnOffset[p + 1]),
    rowDual: solutions.rowDual.subarray(rowOffset[p], rowOffset[p + 1]),
    columnDual: solutions.columnDual.subarray(columnOffset[p], columnOffset[p + 1]),
  };
}
