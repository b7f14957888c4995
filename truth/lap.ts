import type { LapProblem } from "../src/lap/lap.js";

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
