import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { planSweep } from "../../../src/experiments/sweep/plan.js";
import { openTaskRunner } from "../../../src/experiments/sweep/run-task.js";
import { runSweep, type SweepState } from "../../../src/experiments/sweep/sweep.js";
import type { Task } from "../../../src/experiments/sweep/task.js";
import { type ResultRow, readRows } from "../../../src/rows/results.js";
import { program } from "../../cli/rmap.js";

/** A sweep of twelve short runs, two of which cannot succeed: their gate leaves a detection without a link. */
export const small = {
  name: "small",
  base: { name: "small", simulation: { targets: 8, frames: 8 }, solve: { gap: 0, iterations: 50 } },
  grid: {
    cost: ["spline", "likelihood"],
    "gate.epsilon": [1, 3, "wide"].map((value) => (value === "wide" ? 8 : value)),
  },
  seeds: [1, 2],
};

/** Runs that take long enough to be caught in the middle: a fixed number of iterations that never prove anything. */
export const slow = (runs: number, iterations: number, targets = 18) => ({
  name: "slow",
  base: {
    name: "slow",
    simulation: { targets, frames: 12, spread: 0, noise: { position: 0.4 } },
    gate: "none",
    solve: { gap: 0, iterations },
  },
  seeds: { from: 1, count: runs },
});

/** Rows in the order of their keys, without what differs from one making of a row to the next. */
export function comparable(rows: readonly ResultRow[]): object[] {
  return rows
    .map(({ times, date, revision, version, node, cpu, cores, memory, platform, ...row }) => row)
    .sort((one, other) => ((one.sweep?.key ?? "") < (other.sweep?.key ?? "") ? -1 : 1));
}

export const rowsOf = (file: string): object[] => comparable(readRows(file));

/** Makes the rows of s.json in this process, one after the other: those of `rmap sweep --jobs 1`, without its processes. */
export function sweepHere(cwd: string, rows = "rows.jsonl"): Promise<SweepState> {
  const openMaker = async () => {
    const runner = await openTaskRunner({ device: "auto", threads: 1 });
    return {
      async make(tasks: readonly Task[], made: (row: ResultRow, task: Task) => void) {
        for (const task of tasks) made(await runner.run(task), task);
      },
      close: () => runner.close(),
    };
  };
  const file = join(cwd, rows);
  const { signal } = new AbortController();
  return runSweep({
    plan: planSweep(join(cwd, "s.json")),
    file,
    openMaker,
    device: "auto",
    progress: () => {},
    signal,
  });
}

/** Whole lines in a file that may not be there yet. */
export function lines(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

export async function until(holds: () => boolean, what: string, limit = 30_000, every = 20): Promise<void> {
  const end = Date.now() + limit;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what}: not within ${limit} ms`);
    await setTimeout(every);
  }
}

export interface Running {
  readonly child: ChildProcess;
  /** Exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  readonly heard: { stdout: string; stderr: string };
}

/** Starts rmap, or another program, without waiting for its end. */
export function start(args: readonly string[], cwd?: string, env?: NodeJS.ProcessEnv, file = program): Running {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const heard = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      heard[stream] += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ended, heard };
}

/** A port of the loopback that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
