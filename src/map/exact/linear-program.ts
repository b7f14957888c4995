/**
 * The interface to a solver of linear programs: min c·z, A z = b, then rows A z ≤ b that are added, 0 ≤ z. It is an argument, since
 * it is optional at run time, and no proof rests on its answers: its duals are multipliers like any others (docs/exact.md §5).
 */
export interface LinearProgramData {
  readonly cost: Float64Array;
  /** Equality rows in compressed form: row n has `index[start[n]] …`. */
  readonly start: Int32Array;
  readonly index: Int32Array;
  readonly value: Float64Array;
  readonly right: Float64Array;
}

export interface LinearProgramSolution {
  readonly status: "optimal" | "infeasible" | "limit";
  readonly objective: number;
  readonly value: Float64Array;
  /** Of the equality rows, then of those added: ≤ 0 for rows A z ≤ b. */
  readonly rowDual: Float64Array;
}

export interface LinearProgram {
  /** Adds Σ value · z ≤ right. */
  addRow(index: readonly number[], value: readonly number[], right: number): void;
  /** Removes rows that were added, by their numbers in the order of adding; the later ones move up. */
  dropRows(rows: readonly number[]): void;
  /** Fixes columns at 0, or frees them. */
  hold(columns: readonly number[], atZero: boolean): void;
  /** Goes on from the last basis. `most` limits the simplex iterations. */
  solve(limits: { readonly seconds: number; readonly iterations?: number }): LinearProgramSolution;
  /** The present basis, to come back to. */
  save(): unknown;
  restore(basis: unknown): void;
  /** After "infeasible": row multipliers that prove it, of either sign; null where there are none. */
  ray(): Float64Array | null;
  close(): void;
}

export type OpenLinearProgram = (data: LinearProgramData) => LinearProgram;
