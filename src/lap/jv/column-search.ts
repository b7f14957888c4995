import { byRow } from "../../core/rows.js";
import type { EntriesByColumn, LapProblem, LapSolution } from "../lap.js";
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

  const { transposed, entryOf, load } = transpose(problem, solution, workspace);
  const { entryOfColumn } = workspace;
  const { cost } = problem;
  const mirrored: LapSolution = {
    columnOfRow: rowOfColumn,
    entryOfRow: entryOfColumn,
    rowOfColumn: solution.columnOfRow,
    rowDual: v,
    columnDual: rowDual,
  };
  const search = { ...workspace, rowLimit: columnLimit };
  let served = 0;
  while (served < unserved && assignRow(free[served], transposed, mirrored, search, load)) served++;

  for (let j = 0; j < columns; j++) {
    const i = rowOfColumn[j];
    if (i < 0 && columnLimit[j] < Infinity) v[j] = columnLimit[j];
    if (i < 0) continue;
    if (entryOfColumn[j] !== NOT_LOADED) entryOfRow[i] = entryOf(entryOfColumn[j]);
    v[j] = cost[entryOfRow[i]] - rowDual[i];
  }
  return served < unserved ? free[served] : -1;
}

/** Of a column that no search has come to, whose entries stand nowhere yet. */
const NOT_LOADED = -2;

interface Transposed {
  /** The problem with rows and columns exchanged; what stands in a row before it is loaded means nothing. */
  readonly transposed: LapProblem;
  /** The entry that one of its entries was. */
  readonly entryOf: (entry: number) => number;
  /** Writes the entries of one of its rows, and the one that it is assigned: searches come to few. */
  readonly load: (row: number) => void;
}

/** Row duals, which `assignRow` reads as its columns', are derived. */
function transpose(problem: LapProblem, solution: LapSolution, workspace: JvWorkspace): Transposed {
  const { rows, columns, rowStart, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual } = solution;
  const { rowLimit, entryOfColumn, columnStart } = workspace;
  for (let i = 0; i < rows; i++)
    rowDual[i] = entryOfRow[i] < 0 ? rowLimit[i] : cost[entryOfRow[i]] - columnDual[columnOfRow[i]];
  const { start, entry, row, firstRow } = problem.byColumn ?? entriesByColumn(problem);
  const [first, end] = [start[0], rowStart[rows]];
  for (let j = 0; j <= columns; j++) columnStart[j] = start[j] - first;
  entryOfColumn.fill(NOT_LOADED, 0, columns);
  if (workspace.turnedCost.length < columnStart[columns]) {
    workspace.turnedCost = new Float64Array(columnStart[columns]);
    workspace.turnedColumn = new Uint32Array(columnStart[columns]);
  }
  const { turnedCost, turnedColumn } = workspace;
  return {
    transposed: {
      rows: columns,
      columns: rows,
      rowStart: columnStart,
      column: turnedColumn,
      cost: turnedCost,
      rowUnassigned: null,
      columnUnassigned: null,
    },
    entryOf: (at) => entry[first + at],
    load(j) {
      if (entryOfColumn[j] !== NOT_LOADED) return;
      const assigned = rowOfColumn[j] < 0 ? -1 : entryOfRow[rowOfColumn[j]];
      entryOfColumn[j] = -1;
      for (let at = columnStart[j]; at < columnStart[j + 1]; at++) {
        const k = entry[first + at];
        const isEntry = k < end;
        turnedCost[at] = isEntry ? cost[k] : Infinity;
        turnedColumn[at] = isEntry ? row[k] - firstRow : 0;
        if (k === assigned) entryOfColumn[j] = at;
      }
    },
  };
}

function entriesByColumn({ rows, columns, rowStart, column }: LapProblem): EntriesByColumn {
  const [begin, end] = [rowStart[0], rowStart[rows]];
  const { rowStart: start, item } = byRow(column.subarray(begin, end), columns);
  const row = new Int32Array(end);
  for (let i = 0; i < rows; i++) row.fill(i, rowStart[i], rowStart[i + 1]);
  return { start, entry: item.map((k) => begin + k), row, firstRow: 0 };
}
