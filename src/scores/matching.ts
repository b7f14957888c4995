import { rowStarts } from "../core/rows.js";
import { createLapSolution } from "../lap/dense.js";
import { createJvWorkspace, solveJv } from "../lap/jv/jv.js";

/** An entry of a matching problem: row and column from 0, and the worth of the match, more than 0. */
export interface Worth {
  readonly row: number;
  readonly column: number;
  readonly worth: number;
}

/**
 * The matching of largest total worth: each row and each column at most once, exact (a LAP whose rows and columns may stay unassigned at
 * no cost). Returns the entries chosen. Entries worth nothing are never chosen.
 */
export function largestMatching<T extends Worth>(entries: readonly T[]): T[] {
  const worthy = entries.filter(({ worth }) => worth > 0);
  if (rises(worthy, "row") && rises(worthy, "column")) return worthy;
  const rowOf = numbered(worthy.map(({ row }) => row));
  const columnOf = numbered(worthy.map(({ column }) => column));
  // Each row and each column once: nothing competes.
  if (rowOf.size === worthy.length && columnOf.size === worthy.length) return worthy;
  const place = ({ row, column }: Worth) => (rowOf.get(row) ?? 0) * columnOf.size + (columnOf.get(column) ?? 0);
  const sorted = [...worthy].sort((a, b) => place(a) - place(b));
  const rowStart = rowStarts(
    sorted.map(({ row }) => rowOf.get(row) ?? 0),
    rowOf.size,
  );
  const problem = {
    rows: rowOf.size,
    columns: columnOf.size,
    rowStart,
    column: Uint32Array.from(sorted, ({ column }) => columnOf.get(column) ?? 0),
    cost: Float64Array.from(sorted, ({ worth }) => -worth),
    rowUnassigned: new Float64Array(rowOf.size),
    columnUnassigned: new Float64Array(columnOf.size),
  };
  const solution = createLapSolution(problem.rows, problem.columns);
  solveJv(problem, solution, createJvWorkspace(problem.rows, problem.columns));
  return [...solution.entryOfRow].filter((entry) => entry >= 0).map((entry) => sorted[entry]);
}

/** Whether each has another one, as is seen at once where they are in order. */
function rises(entries: readonly Worth[], side: "row" | "column"): boolean {
  for (let n = 1; n < entries.length; n++) if (entries[n][side] <= entries[n - 1][side]) return false;
  return true;
}

function numbered(values: readonly number[]): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size);
  return numbers;
}
