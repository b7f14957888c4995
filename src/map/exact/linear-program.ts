import { InvariantError } from "../../core/errors.js";

/**
 * The interface to a solver of linear programs: min c·z, A z = b, then rows A z ≤ b that are added, 0 ≤ z. It is an argument, since
 * it is optional at run time, and no proof rests on its answers: its duals are multipliers like any others (docs/explanation/proofs.md §5).
 */
export interface LinearProgramData {
  readonly cost: Float64Array;
  /** Equality rows in compressed form: row n has `index[start[n]] …`. */
  readonly rowStart: Int32Array;
  readonly index: Int32Array;
  readonly value: Float64Array;
  readonly right: Float64Array;
}

export interface LinearProgramSolution {
  readonly status: "optimal" | "infeasible" | "limit";
  readonly objective: number;
  /** Of the simplex method; 0 where nothing was solved. */
  readonly iterations: number;
  readonly value: Float64Array;
  /** Of the equality rows, then of those added: ≤ 0 for rows A z ≤ b. */
  readonly rowDual: Float64Array;
}

/** What a method throws, but for a broken invariant, says that the solver has failed. */
export interface LinearProgram {
  /** Adds Σ value · z ≤ right. */
  addRow(index: readonly number[], value: readonly number[], right: number): void;
  /** Removes rows that were added, by their numbers in the order of adding; the later ones move up. */
  dropRows(rows: readonly number[]): void;
  /** Fixes columns at 0, or frees them. */
  hold(columns: readonly number[], atZero: boolean): void;
  /** Goes on from the last basis. `most` limits the simplex iterations. */
  solve(limits: { readonly seconds: number; readonly iterations?: number }): LinearProgramSolution;
  /** The present basis, to come back to; null where there is none, so that it begins anew. */
  save(): unknown;
  restore(basis: unknown): void;
  /** After "infeasible": row multipliers that prove it, of either sign; null where there are none. */
  ray(): Float64Array | null;
  close(): void;
}

export type OpenLinearProgram = (data: LinearProgramData) => LinearProgram;

/**
 * A program that takes and answers everything once its solver has failed: nothing is solved any more, as if a limit were reached. An answer with a number
 * that is not finite is a failure.
 */
export interface TolerantProgram extends LinearProgram {
  failed(): boolean;
}

export function openTolerant(open: OpenLinearProgram, data: LinearProgramData): TolerantProgram {
  let failed = false;
  const attempt = <T>(work: () => T, otherwise: T): T => {
    if (failed) return otherwise;
    try {
      return work();
    } catch (error) {
      if (error instanceof InvariantError || error instanceof TypeError) throw error;
      failed = true;
      return otherwise;
    }
  };
  const program = attempt(() => open(data), null);
  const given = program as LinearProgram;
  let rows = data.right.length;
  return {
    failed: () => failed,
    addRow(...row) {
      rows++;
      attempt(() => given.addRow(...row), undefined);
    },
    dropRows(dropped) {
      rows -= dropped.length;
      attempt(() => given.dropRows(dropped), undefined);
    },
    hold: (...columns) => attempt(() => given.hold(...columns), undefined),
    solve(limits) {
      const unsolved = {
        status: "limit" as const,
        objective: Number.NEGATIVE_INFINITY,
        iterations: 0,
        value: new Float64Array(data.cost.length),
        rowDual: new Float64Array(rows),
      };
      const solution = attempt(() => given.solve(limits), unsolved);
      const sizes = [data.cost.length, rows];
      failed ||= ![solution.value, solution.rowDual].every(
        (values, n) => values.length === sizes[n] && values.every(Number.isFinite),
      );
      return failed ? unsolved : solution;
    },
    save: () => attempt(() => given.save(), null),
    restore: (basis) => attempt(() => given.restore(basis), undefined),
    ray() {
      const ray = attempt(() => given.ray(), null);
      return ray?.every(Number.isFinite) ? ray : null;
    },
    close() {
      try {
        program?.close();
      } catch {
        // One that has failed may not even end well, and nothing is asked of it any more.
      }
    },
  };
}
