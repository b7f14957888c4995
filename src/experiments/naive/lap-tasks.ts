import { invariant } from "../../core/errors.js";
import type { Work } from "../../core/team-work.js";
import { type LapProblems, lapProblemAt, lapSolutionAt } from "../../lap/jv/batch.js";
import { createJvWorkspace, solveJv } from "../../lap/jv/jv.js";
import type { LapSolution } from "../../lap/lap.js";

/** A batch in shared memory. */
export interface LapMemory {
  readonly problems: LapProblems;
  readonly solutions: LapSolution;
}

/** The solver of one thread: an item is a LAP; square LAPs of one size. */
export function lapSolver({ problems, solutions }: LapMemory): Work {
  const n = problems.rowOffset[1];
  const workspace = createJvWorkspace(n, n);
  return (_, lap) => {
    const outcome = solveJv(lapProblemAt(problems, lap), lapSolutionAt(problems, solutions, lap), workspace);
    invariant(outcome.status === "optimal", () => `dense LAP ${lap} is ${outcome.status}`);
  };
}
