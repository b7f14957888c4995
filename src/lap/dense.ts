import { InputError } from "../core/errors.js";
import { type LapProblem, type LapSolution, UNASSIGNED } from "./lap.js";

/** Optional parts of a dense problem: `null` limits are absent, and an absent mask forbids nothing. */
export interface DenseOptions {
  /** Row-major, rows × columns; nonzero forbids the entry, whose cost is then not read. */
  readonly forbidden?: ArrayLike<number>;
  readonly rowUnassigned?: Float64Array | null;
  readonly columnUnassigned?: Float64Array | null;
}

/**
 * Stores a dense row-major cost matrix as a LapProblem. Throws InputError for a size that does not match or a cost that
 * is not finite: forbid entries by the mask, not by Infinity.
 */
export function denseLap(
  rows: number,
  columns: number,
  costs: ArrayLike<number>,
  options: DenseOptions = {},
): LapProblem {
  const { forbidden, rowUnassigned = null, columnUnassigned = null } = options;
  checkLength("costs", costs, rows * columns);
  if (forbidden) checkLength("forbidden", forbidden, rows * columns);
  if (rowUnassigned) checkLength("rowUnassigned", rowUnassigned, rows);
  if (columnUnassigned) checkLength("columnUnassigned", columnUnassigned, columns);
  let entries = rows * columns;
  if (forbidden) for (let at = 0; at < rows * columns; at++) if (forbidden[at]) entries--;

  const rowStart = new Uint32Array(rows + 1);
  const column = new Uint32Array(entries);
  const cost = new Float64Array(entries);
  let k = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const at = i * columns + j;
      if (forbidden?.[at]) continue;
      if (!Number.isFinite(costs[at])) {
        throw new InputError(`cost of row ${i}, column ${j} is ${costs[at]}: give a finite cost or forbid the entry`);
      }
      column[k] = j;
      cost[k++] = costs[at];
    }
    rowStart[i + 1] = k;
  }
  return { rows, columns, rowStart, column, cost, rowUnassigned, columnUnassigned };
}

/** Allocates a solution in which nothing is assigned and every dual is 0. */
export function createLapSolution(rows: number, columns: number): LapSolution {
  return {
    columnOfRow: new Int32Array(rows).fill(UNASSIGNED),
    entryOfRow: new Int32Array(rows).fill(UNASSIGNED),
    rowOfColumn: new Int32Array(columns).fill(UNASSIGNED),
    rowDual: new Float64Array(rows),
    columnDual: new Float64Array(columns),
  };
}

function checkLength(name: string, values: ArrayLike<number>, length: number): void {
  if (values.length !== length) throw new InputError(`${name} has ${values.length} values where ${length} are needed`);
}
