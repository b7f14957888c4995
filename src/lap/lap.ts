/** The linear assignment problem as every solver, batch and certificate in this folder takes it. */

/** Marks a row or column that is not linked, wherever an index of its partner is stored. */
export const UNASSIGNED = -1;

/**
 * A rectangular sparse LAP in compressed rows. An entry that is not stored is forbidden; a stored zero is a cost of zero.
 *
 *     min Σ cost x + Σ rowUnassigned s + Σ columnUnassigned t,   Σ_j x_ij + s_i = 1,   Σ_i x_ij + t_j = 1
 *
 * Row i may stay unassigned at `rowUnassigned[i]`, column j at `columnUnassigned[j]`; Infinity means it must be assigned, and
 * `null` that all of that side must, except that the larger side of a rectangular problem leaves its surplus over at cost 0.
 * Dense problems are stored with every entry present, in row-major order.
 */
export interface LapProblem {
  readonly rows: number;
  readonly columns: number;
  /** Offsets into `column` and `cost`, length rows + 1; rowStart[0] may be larger than 0 (a slice of a batch). */
  readonly rowStart: Uint32Array;
  /** Column of each entry, 0 ≤ column < columns, strictly increasing within a row. */
  readonly column: Uint32Array;
  /** Cost of each entry, finite. */
  readonly cost: Float64Array;
  readonly rowUnassigned: Float64Array | null;
  readonly columnUnassigned: Float64Array | null;
  /** The same entries by column, where they are known; without effect on the solution. */
  readonly byColumn?: EntriesByColumn;
}

/** Entries by column, in order: those of column j are entry[start[j]] … entry[start[j + 1] − 1], and entry k is in row row[k] − firstRow. Numbers that are not of the problem's rows are none. */
export interface EntriesByColumn {
  readonly start: Uint32Array;
  readonly entry: Uint32Array;
  readonly row: Int32Array;
  readonly firstRow: number;
}

/**
 * Primal and dual solution, in caller-owned arrays so that a batch can live in shared memory and warm starts copy nothing.
 *
 * At an optimum: rowDual[i] + columnDual[j] ≤ cost[ij] (equal on assigned entries), rowDual[i] ≤ rowUnassigned[i] and
 * columnDual[j] ≤ columnUnassigned[j] (equal where unassigned), so Σ rowDual + Σ columnDual equals the optimal cost.
 */
export interface LapSolution {
  /** Length rows; column of each row, or UNASSIGNED. */
  readonly columnOfRow: Int32Array;
  /** Length rows; index into `cost` of the assigned entry of each row, or UNASSIGNED. */
  readonly entryOfRow: Int32Array;
  /** Length columns; row of each column, or UNASSIGNED. */
  readonly rowOfColumn: Int32Array;
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
}

/** Outcome of a solve. `row` is a row that no complete assignment can serve (or −1 − column for a column). */
export type LapOutcome =
  | { readonly status: "optimal"; readonly cost: number }
  | { readonly status: "infeasible"; readonly row: number };
