import type { LapProblem, LapSolution } from "./lap.js";

/** How often a condition fails beyond the tolerance, and the largest amount by which it fails at all. */
export interface Violation {
  count: number;
  maximum: number;
}

/**
 * The proof that a solution gives for its problem, in f64. If `complete`, the solution is optimal to within `gap`, however it was found.
 */
export interface LapCertificate {
  /** Every row and column is linked once, over a stored entry, or left unassigned where it may be. */
  readonly complete: boolean;
  /** Links that `columnOfRow`, `entryOfRow` and `rowOfColumn` do not agree on, or that are no entry. */
  readonly brokenLinks: number;
  /** Rows and columns that must be assigned and are not. */
  readonly unserved: number;
  /** Cost of the assignment in `columnOfRow`; Infinity where a link is not an entry or a row or column is missing. */
  readonly primalCost: number;
  /** A lower bound on the cost of every assignment, made from `columnDual` alone and rounded down; Infinity where a row has no way out. */
  readonly dualBound: number;
  /** primalCost − dualBound. */
  readonly gap: number;
  readonly violations: {
    /** rowDual + columnDual ≤ cost, and equal where assigned. */
    readonly entryDual: Violation;
    readonly entryTight: Violation;
    /** rowDual ≤ rowUnassigned, and equal where unassigned; likewise for the columns. */
    readonly rowLimit: Violation;
    readonly rowTight: Violation;
    readonly columnLimit: Violation;
    readonly columnTight: Violation;
  };
}

/**
 * Checks a solution against its problem without the solver: cost, lower bound and every optimality condition.
 *
 * The bound: for any β, clipped to the unassigned costs, α_i = min(rowUnassigned_i, min_j cost_ij − β_j) is dual feasible,
 * so Σα + Σβ bounds every assignment from below, and the rounding of the differences and of the sum is taken off.
 *
 * @param tolerance a condition counts as violated beyond tolerance × the largest cost of the problem, or × its own duals where
 *   they are larger, as after a warm start from dearer costs.
 */
export function certifyLap(problem: LapProblem, solution: LapSolution, tolerance = 1e-9): LapCertificate {
  const { rows, columns, rowStart, column, cost } = problem;
  const { columnOfRow, entryOfRow, rowOfColumn, rowDual, columnDual } = solution;
  const rowCost = (i: number) => problem.rowUnassigned?.[i] ?? (rows > columns ? 0 : Infinity);
  const columnCost = (j: number) => problem.columnUnassigned?.[j] ?? (columns > rows ? 0 : Infinity);
  const violations = {
    entryDual: none(),
    entryTight: none(),
    rowLimit: none(),
    rowTight: none(),
    columnLimit: none(),
    columnTight: none(),
  };
  let brokenLinks = 0;
  let unserved = 0;
  const primal = new Sum();
  const dual = new Sum();
  let alphaMagnitude = 0;
  let infeasible = false;
  const largest = largestCost(problem);
  const note = (violation: Violation, excess: number, dual: number) => {
    const allowed = tolerance * Math.max(largest, Math.abs(dual));
    // Written so that a NaN counts, and so does an infinite dual, which would allow anything.
    if (!(excess <= allowed && allowed < Infinity)) violation.count++;
    violation.maximum = Math.max(violation.maximum, excess);
  };
  const clipped = (j: number) => Math.min(columnDual[j], columnCost(j));

  for (let i = 0; i < rows; i++) {
    let alpha = rowCost(i);
    let linked = -1;
    if (alpha === Infinity && rowStart[i] === rowStart[i + 1]) infeasible = true;
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const j = column[k];
      alpha = Math.min(alpha, cost[k] - clipped(j));
      const excess = rowDual[i] + columnDual[j] - cost[k];
      note(violations.entryDual, excess, columnDual[j]);
      if (j !== columnOfRow[i]) continue;
      linked = k;
      note(violations.entryTight, Math.abs(excess), columnDual[j]);
    }
    dual.add(alpha);
    alphaMagnitude += Math.abs(alpha);
    note(violations.rowLimit, rowDual[i] - rowCost(i), rowDual[i]);
    if (columnOfRow[i] < 0) {
      if (rowCost(i) === Infinity) unserved++;
      else note(violations.rowTight, Math.abs(rowDual[i] - rowCost(i)), rowDual[i]);
      if (entryOfRow[i] !== -1) brokenLinks++;
      primal.add(rowCost(i));
    } else {
      if (linked !== entryOfRow[i] || linked < 0 || rowOfColumn[columnOfRow[i]] !== i) brokenLinks++;
      primal.add(linked < 0 ? Infinity : cost[linked]);
    }
  }
  for (let j = 0; j < columns; j++) {
    dual.add(clipped(j));
    note(violations.columnLimit, columnDual[j] - columnCost(j), columnDual[j]);
    if (rowOfColumn[j] >= 0) {
      if (columnOfRow[rowOfColumn[j]] !== j) brokenLinks++;
      continue;
    }
    if (columnCost(j) === Infinity) unserved++;
    else note(violations.columnTight, Math.abs(columnDual[j] - columnCost(j)), columnDual[j]);
    primal.add(columnCost(j));
  }

  const complete = brokenLinks === 0 && unserved === 0;
  const primalCost = brokenLinks === 0 ? primal.value() : Infinity;
  const sum = dual.value();
  const rounding = 2 ** -52 * (alphaMagnitude + Math.abs(sum)) + (rows + columns) ** 2 * 2 ** -104 * dual.magnitude;
  // Duals that are not finite, or too large to be added up, bound nothing.
  const dualBound = infeasible ? Infinity : Number.isFinite(sum) ? sum - rounding : -Infinity;
  return { complete, brokenLinks, unserved, primalCost, dualBound, gap: primalCost - dualBound, violations };
}

/** Largest magnitude among the entries and the finite unassigned costs, the scale of every rounding error. */
function largestCost({ rowStart, rows, cost, rowUnassigned, columnUnassigned }: LapProblem): number {
  let largest = 0;
  for (let k = rowStart[0]; k < rowStart[rows]; k++) largest = Math.max(largest, Math.abs(cost[k]));
  for (const limits of [rowUnassigned, columnUnassigned]) {
    for (const limit of limits ?? []) if (Number.isFinite(limit)) largest = Math.max(largest, Math.abs(limit));
  }
  return largest;
}

function none(): Violation {
  return { count: 0, maximum: 0 };
}

/** Neumaier's compensated sum: its error is 2⁻⁵³ |sum| plus a term of second order in the rounding times the sum of magnitudes. */
class Sum {
  magnitude = 0;
  #sum = 0;
  #lost = 0;

  add(term: number): void {
    const next = this.#sum + term;
    this.#lost += Math.abs(this.#sum) >= Math.abs(term) ? this.#sum - next + term : term - next + this.#sum;
    this.#sum = next;
    this.magnitude += Math.abs(term);
  }

  value(): number {
    // An infinite term makes the correction NaN, not the sum.
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum;
  }
}
