import { InputError } from "../../core/errors.js";
import type { LapProblem } from "../lap.js";

/** Scratch arrays of the JV solver, allocated once and reused by every solve on the same thread. */
export interface JvWorkspace {
  readonly maxRows: number;
  readonly maxColumns: number;
  /** Cost at which row i (column j) may stay unassigned; Infinity where it must be assigned. */
  readonly rowLimit: Float64Array;
  readonly columnLimit: Float64Array;
  /** Rows still to be assigned. */
  readonly freeRows: Int32Array;
  /** Shortest distance found to each column: Infinity when not labelled, −Infinity once scanned. */
  readonly distance: Float64Array;
  /** Row and entry through which `distance` was reached. */
  readonly previousRow: Int32Array;
  readonly previousEntry: Int32Array;
  /** Columns labelled but not yet scanned, and the place of each in that array. */
  readonly labelled: Int32Array;
  readonly place: Int32Array;
  /** Columns scanned, in order, with their final distances. */
  readonly scanned: Int32Array;
  readonly scannedDistance: Float64Array;
  /** The transposed problem: offsets, the entry that each of its rows is assigned, column and cost of each entry. */
  readonly columnStart: Uint32Array;
  readonly entryOfColumn: Int32Array;
  turnedColumn: Uint32Array;
  turnedCost: Float64Array;
}

/** Allocates the scratch arrays for problems of up to `maxRows` × `maxColumns`. */
export function createJvWorkspace(maxRows: number, maxColumns: number): JvWorkspace {
  const most = Math.max(maxRows, maxColumns);
  return {
    maxRows,
    maxColumns,
    rowLimit: new Float64Array(maxRows),
    columnLimit: new Float64Array(maxColumns),
    freeRows: new Int32Array(most),
    distance: new Float64Array(most).fill(Infinity),
    previousRow: new Int32Array(most),
    previousEntry: new Int32Array(most),
    labelled: new Int32Array(most),
    place: new Int32Array(most),
    scanned: new Int32Array(most),
    scannedDistance: new Float64Array(most),
    columnStart: new Uint32Array(maxColumns + 1),
    entryOfColumn: new Int32Array(maxColumns),
    turnedColumn: new Uint32Array(0),
    turnedCost: new Float64Array(0),
  };
}

/** Writes the unassigned cost of every row and column, with `null` resolved as LapProblem states. */
export function loadLimits(problem: LapProblem, workspace: JvWorkspace): void {
  const { rows, columns, rowUnassigned, columnUnassigned } = problem;
  const { rowLimit, columnLimit, maxRows, maxColumns } = workspace;
  if (rows > maxRows || columns > maxColumns) {
    throw new InputError(
      `LAP of ${rows} × ${columns} does not fit a workspace of ${maxRows} × ${maxColumns}: create a larger one`,
    );
  }
  const rowDefault = rows > columns ? 0 : Infinity;
  const columnDefault = columns > rows ? 0 : Infinity;
  for (let i = 0; i < rows; i++) rowLimit[i] = rowUnassigned === null ? rowDefault : rowUnassigned[i];
  for (let j = 0; j < columns; j++) columnLimit[j] = columnUnassigned === null ? columnDefault : columnUnassigned[j];
}
