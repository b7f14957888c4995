import type { LapProblem } from "../../src/lap/lap.js";
import { exactly } from "./tracks.js";

/** Cost of the best of all assignments, by trying every one; Infinity when there is none. For up to about 6 × 6. */
export function bruteForce(problem: LapProblem): number {
  const { rows, columns, rowStart, column, cost } = problem;
  const taken = new Array<boolean>(columns).fill(false);
  const visit = (i: number): number => {
    if (i === rows) {
      let rest = 0;
      for (let j = 0; j < columns; j++) {
        if (!taken[j]) rest += problem.columnUnassigned?.[j] ?? (columns > rows ? 0 : Infinity);
      }
      return rest;
    }
    let best = (problem.rowUnassigned?.[i] ?? (rows > columns ? 0 : Infinity)) + visit(i + 1);
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      if (taken[column[k]]) continue;
      taken[column[k]] = true;
      best = Math.min(best, cost[k] + visit(i + 1));
      taken[column[k]] = false;
    }
    return best;
  };
  return visit(0);
}

/** The same in units of 2⁻³⁰⁰, without any rounding; null where there is none. */
export function exactOptimum(problem: LapProblem): bigint | null {
  const { rows, columns, rowStart, column, cost } = problem;
  const costs = Array.from(cost, exactly);
  const ends = exactEnds(problem);
  const taken = new Array<boolean>(columns).fill(false);
  const visit = (i: number): bigint | null => {
    if (i === rows) return ends.columns.reduce<bigint | null>((sum, end, j) => (taken[j] ? sum : plus(sum, end)), 0n);
    let best = ends.rows[i] === null ? null : plus(ends.rows[i], visit(i + 1));
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      if (taken[column[k]]) continue;
      taken[column[k]] = true;
      const all = plus(costs[k], visit(i + 1));
      taken[column[k]] = false;
      if (best === null || (all !== null && all < best)) best = all;
    }
    return best;
  };
  return visit(0);
}

/** What an assignment costs, by the column of each row or −1; null where it is none. */
export function exactAssignment(problem: LapProblem, columnOfRow: Int32Array): bigint | null {
  const { rows, columns, rowStart, column, cost } = problem;
  const ends = exactEnds(problem);
  const taken = new Array<boolean>(columns).fill(false);
  let sum: bigint | null = 0n;
  for (let i = 0; i < rows; i++) {
    const j = columnOfRow[i];
    const k = column.subarray(rowStart[i], rowStart[i + 1]).indexOf(j);
    if (j !== -1 && (k < 0 || taken[j])) return null;
    sum = plus(sum, j === -1 ? ends.rows[i] : exactly(cost[rowStart[i] + k]));
    if (j !== -1) taken[j] = true;
  }
  return ends.columns.reduce((all, end, j) => (taken[j] ? all : plus(all, end)), sum);
}

/** What it costs to leave each row or column out; null where that is not allowed. */
function exactEnds({ rows, columns, rowUnassigned, columnUnassigned }: LapProblem) {
  const ends = (count: number, limits: Float64Array | null, surplus: boolean) =>
    Array.from({ length: count }, (_, n) => {
      const limit = limits?.[n] ?? (surplus ? 0 : Number.POSITIVE_INFINITY);
      return limit === Number.POSITIVE_INFINITY ? null : exactly(limit);
    });
  return {
    rows: ends(rows, rowUnassigned, rows > columns),
    columns: ends(columns, columnUnassigned, columns > rows),
  };
}

function plus(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}
