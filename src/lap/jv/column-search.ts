import type { LapProblem, LapSolution } from "../lap.js";
import { assignRow } from "./row-search.js";
import type { JvWorkspace } from "./workspace.js";

/**
 * Serves the columns that the search from the rows left over: every unassigned column whose dual is below its unassigned cost is
 * assigned, or its dual raised to that cost. Returns a column that cannot be served, or −1 when all are.
 *
 * In the transposed problem these are free rows, and `assignRow` serves them: each search ends near the column that it begins from.
 */
export function serveColumns(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): number {
  const { columns } = problem;
  const { rowOfColumn, columnDual: v, entryOfRow, rowDual } = solution;
  const { columnLimit, freeRows: free } = workspace;
  let unserved = 0;
  for (let j = 0; j < columns; j++) if (rowOfColumn[j] < 0 && v[j] < columnLimit[j]) free[unserved++] = j;
  if (unserved === 0) return -1;

  const { transposed, entryOf, entryOfColumn } = transpose(problem, solution, workspace);
  const { cost } = transposed;
  const mirrored: LapSolution = {
    columnOfRow: rowOfColumn,
    entryOfRow: entryOfColumn,
    rowOfColumn: solution.columnOfRow,
    rowDual: v,
    columnDual: rowDual,
  };
  const search = { ...workspace, rowLimit: columnLimit };
  let served = 0;
  while (served < unserved && assignRow(free[served], transposed, mirrored, search)) served++;

  for (let j = 0; j < columns; j++) {
    const i = rowOfColumn[j];
    if (i < 0 && columnLimit[j] < Infinity) v[j] = columnLimit[j];
    if (i < 0) continue;
    const k = entryOfColumn[j];
    entryOfRow[i] = entryOf[k];
    v[j] = cost[k] - rowDual[i];
  }
  return served < unserved ? free[served] : -1;
}

/** The problem with rows and columns exchanged, the entry that each of its entries was, and the one that each of its rows is assigned. Row duals, which `assignRow` reads as its columns', are derived. */
function transpose(
  { rows, columns, rowStart, column, cost }: LapProblem,
  { columnOfRow, entryOfRow, rowDual, columnDual }: LapSolution,
  workspace: JvWorkspace,
): { transposed: LapProblem; entryOf: Uint32Array; entryOfColumn: Int32Array } {
  const { rowLimit, columnStart, entryOfColumn } = workspace;
  const [begin, end] = [rowStart[0], rowStart[rows]];
  if (workspace.turnedCost.length < end - begin) {
    workspace.turnedCost = new Float64Array(end - begin);
    workspace.turnedColumn = new Uint32Array(end - begin);
    workspace.entryOf = new Uint32Array(end - begin);
  }
  const { turnedCost, turnedColumn, entryOf } = workspace;
  columnStart.fill(0, 0, columns + 2);
  for (let k = begin; k < end; k++) columnStart[column[k] + 2]++;
  for (let j = 2; j < columns + 2; j++) columnStart[j] += columnStart[j - 1];
  for (let i = 0; i < rows; i++) {
    const own = entryOfRow[i];
    rowDual[i] = own < 0 ? rowLimit[i] : cost[own] - columnDual[columnOfRow[i]];
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const at = columnStart[column[k] + 1]++;
      turnedColumn[at] = i;
      turnedCost[at] = cost[k];
      entryOf[at] = k;
      if (k === own) entryOfColumn[column[k]] = at;
    }
  }
  const transposed: LapProblem = {
    rows: columns,
    columns: rows,
    rowStart: columnStart,
    column: turnedColumn,
    cost: turnedCost,
    rowUnassigned: null,
    columnUnassigned: null,
  };
  return { transposed, entryOf, entryOfColumn };
}
