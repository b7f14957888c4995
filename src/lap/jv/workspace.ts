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
  /** Cheapest unassigned row of each column: cost − rowLimit, row and entry. */
  readonly offer: Float64Array;
  readonly offerRow: Int32Array;
  readonly offerEntry: Int32Array;
}

/** Allocates the scratch arrays for problems of up to `maxRows` × `maxColumns`. */
export function createJvWorkspace(maxRows: number, maxColumns: number): JvWorkspace {
  return {
    maxRows,
    maxColumns,
    rowLimit: new Float64Array(maxRows),
    columnLimit: new Float64Array(maxColumns),
    freeRows: new Int32Array(maxRows),
    distance: new Float64Array(maxColumns).fill(Infinity),
    previousRow: new Int32Array(maxColumns),
    previousEntry: new Int32Array(maxColumns),
    labelled: new Int32Array(maxColumns),
    place: new Int32Array(maxColumns),
    scanned: new Int32Array(maxColumns),
    scannedDistance: new Float64Array(maxColumns),
    offer: new Float64Array(maxColumns),
    offerRow: new Int32Array(maxColumns),
    offerEntry: new Int32Array(maxColumns),
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
