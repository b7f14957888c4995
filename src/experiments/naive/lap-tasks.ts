import { invariant } from "../../core/errors.js";
import { type LapProblems, lapProblemAt, lapSolutionAt } from "../../lap/jv/batch.js";
import { createJvWorkspace, solveJv } from "../../lap/jv/jv.js";
import type { LapSolution } from "../../lap/lap.js";

/** A batch in shared memory. */
export interface LapMemory {
  readonly problems: LapProblems;
  readonly solutions: LapSolution;
}

/** LAPs `first` to `last` − 1. */
export interface LapTask {
  readonly first: number;
  readonly last: number;
}

/** The solver of one thread; square LAPs of one size. */
export function lapSolver({ problems, solutions }: LapMemory): (task: LapTask) => void {
  const n = problems.rowOffset[1];
  const workspace = createJvWorkspace(n, n);
  return ({ first, last }) => {
    for (let lap = first; lap < last; lap++) {
      const outcome = solveJv(lapProblemAt(problems, lap), lapSolutionAt(problems, solutions, lap), workspace);
      invariant(outcome.status === "optimal", () => `dense LAP ${lap} is ${outcome.status}`);
    }
  };
}
