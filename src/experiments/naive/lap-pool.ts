/** The alternative to a GPU: Jonker–Volgenant on every core. */

import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import { type Crew, openCrew } from "../../core/team.js";
import type { LapProblems } from "../../lap/jv/batch.js";
import { type LapSolution, UNASSIGNED } from "../../lap/lap.js";
import { type LapMemory, lapSolver } from "./lap-tasks.js";

/** Dense square LAPs of one size in shared memory, solved by threads that outlive the solves. */
export class LapPool {
  private constructor(
    readonly problems: LapProblems,
    readonly solutions: LapSolution,
    readonly threads: number,
    private readonly crew: Crew,
  ) {}

  static create(cost: Float32Array, n: number, laps: number, threads: number): LapPool {
    const rows = sharedUint32(laps + 1);
    for (let lap = 0; lap <= laps; lap++) rows[lap] = lap * n;
    const rowStart = sharedUint32(laps * n + 1);
    for (let row = 0; row < rowStart.length; row++) rowStart[row] = row * n;
    const column = sharedUint32(cost.length);
    for (let k = 0; k < column.length; k++) column[k] = k % n;
    const shared = sharedFloat64(cost.length);
    shared.set(cost);
    const problems: LapProblems = {
      count: laps,
      rowOffset: rows,
      columnOffset: rows,
      rowStart,
      column,
      cost: shared,
      rowUnassigned: null,
      columnUnassigned: null,
    };
    const lines = laps * n;
    const solutions: LapSolution = {
      columnOfRow: sharedInt32(lines).fill(UNASSIGNED),
      entryOfRow: sharedInt32(lines).fill(UNASSIGNED),
      rowOfColumn: sharedInt32(lines).fill(UNASSIGNED),
      rowDual: sharedFloat64(lines),
      columnDual: sharedFloat64(lines),
    };
    const memory: LapMemory = { problems, solutions };
    const crew = openCrew(threads, "#lap-worker", memory, lapSolver(memory));
    return new LapPool(problems, solutions, threads, crew);
  }

  /** Cold. */
  solve(): Promise<void> {
    return this.crew.run(0, this.problems.count);
  }

  close(): void {
    this.crew.close();
  }
}
