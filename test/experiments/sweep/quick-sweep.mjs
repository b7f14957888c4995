// Writes the rows of a sweep as `rmap sweep` does, but takes each row from a file and is no process pool: a run lasts 100 ms, and a lock is
// stale after 2 s, the least that proper-lockfile allows. Usage: node quick-sweep.mjs SWEEP.json ROWS.jsonl MADE.jsonl
import { setTimeout } from "node:timers/promises";
import { outcomeOf } from "../../../dist/cli/exit.js";
import { planSweep } from "../../../dist/experiments/sweep/plan.js";
import { runSweep } from "../../../dist/experiments/sweep/sweep.js";
import { readRows } from "../../../dist/rows/results.js";

const [sweep, file, made] = process.argv.slice(2);
const rowOf = new Map(readRows(made).map(({ sweep, ...row }) => [sweep.key, row]));
const maker = {
  async make(tasks, give) {
    for (const task of tasks) {
      await setTimeout(100);
      give(rowOf.get(task.key), task);
    }
  },
  async close() {},
};

try {
  const state = await runSweep({
    plan: planSweep(sweep),
    file,
    openMaker: async () => maker,
    device: null,
    progress: () => {},
    signal: new AbortController().signal,
    staleAfter: 2000,
  });
  process.stdout.write(`${JSON.stringify(state)}\n`);
} catch (error) {
  const { code, line } = outcomeOf(error);
  process.stderr.write(`${line}\n`);
  process.exitCode = code;
}
