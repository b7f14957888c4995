/** The alternative to a GPU: Jonker–Volgenant on every core. */

import { type Executor, inlineExecutor, poolExecutor } from "../../core/executor.js";
import { workerFile } from "../../core/package-file.js";
import { sharedFloat64, sharedInt32, sharedUint32 } from "../../core/shared-arrays.js";
import type { LapProblems } from "../../lap/jv/batch.js";
import { type LapSolution, UNASSIGNED } from "../../lap/lap.js";
import { type LapMemory, type LapTask, lapSolver } from "./lap-tasks.js";

/** Dense square LAPs of one size in shared memory, solved by a pool of threads that outlives the solves. */
export class LapPool {
  private constructor(
    readonly problems: LapProblems,
    readonly solutions: LapSolution,
    readonly threads: number,
    private readonly executor: Executor<LapTask>,
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
    const executor =
      threads > 1
        ? poolExecutor<LapTask>(workerFile("#lap-worker"), threads, memory)
        : inlineExecutor(lapSolver(memory));
    return new LapPool(problems, solutions, threads, executor);
  }

  /** Cold, four tasks a thread. */
  async solve(): Promise<void> {
    const { count } = this.problems;
    const parts = Math.min(count, 4 * this.threads);
    await this.executor.run(
      Array.from({ length: parts }, (_, k) => ({
        first: Math.floor((k * count) / parts),
        last: Math.floor(((k + 1) * count) / parts),
      })),
    );
  }

  close(): Promise<void> {
    return this.executor.close();
  }
}
