import { type ChildProcess, fork } from "node:child_process";
import { workerFile } from "../../core/package-file.js";
import { DeviceError } from "../../gpu/device-error.js";
import type { ResultRow } from "../../rows/results.js";
import { failedRow, type RunSettings } from "./run-task.js";
import type { Task } from "./task.js";

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "row"; readonly row: ResultRow };

export interface PoolOptions {
  /** Seconds after which a run is ended and counts as failed. */
  readonly secondsPerRun?: number;
}

/** Child processes that make rows, so that a run which exhausts its memory or crashes its driver ends no other run. */
export interface Pool {
  /** Resolves with the task's row, a failed one if need be; waits for a free process. */
  run(task: Task): Promise<ResultRow>;
  /** Ends the processes; runs under way never resolve. */
  close(): void;
}

/** The number of processes that a task may crash before it counts as failed. */
const ATTEMPTS = 2;

/** How many of the last characters on stderr are kept. */
const lastWords = new WeakMap<ChildProcess, string>();
const LONGEST_WORDS = 4000;

/**
 * Starts `jobs` processes.
 *
 * @throws DeviceError when the device asked for cannot be had
 */
export async function openPool(
  jobs: number,
  settings: RunSettings,
  { secondsPerRun = Number.POSITIVE_INFINITY }: PoolOptions = {},
): Promise<Pool> {
  const workers = new Set<ChildProcess>();
  const idle: ChildProcess[] = [];
  const waiting: ((worker: ChildProcess) => void)[] = [];
  let closed = false;

  const free = (worker: ChildProcess): void => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };
  const add = async (): Promise<void> => {
    const worker = await startWorker(settings);
    if (closed) worker.kill("SIGKILL");
    workers.add(worker);
    free(worker);
  };
  const close = (): void => {
    closed = true;
    for (const worker of workers) worker.kill("SIGKILL");
  };
  const claim = (): Promise<ChildProcess> => {
    const worker = idle.shift();
    return worker ? Promise.resolve(worker) : new Promise((resolve) => waiting.push(resolve));
  };

  try {
    await Promise.all(Array.from({ length: jobs }, add));
  } catch (error) {
    close();
    throw error;
  }
  const run = async (task: Task): Promise<ResultRow> => {
    let end = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const worker = await claim();
      const outcome = await ask(worker, task, secondsPerRun);
      if (closed) return new Promise(() => {});
      if (outcome !== "late" && "row" in outcome) {
        free(worker);
        return outcome.row;
      }
      workers.delete(worker);
      await add();
      if (outcome === "late") {
        return failedRow(task, `took longer than the ${secondsPerRun} s that a run may take here`, settings);
      }
      end = outcome.end;
    }
    return failedRow(task, `its process ended with ${end}, ${ATTEMPTS} times`, settings);
  };
  return { run, close };
}

function startWorker(settings: RunSettings): Promise<ChildProcess> {
  // Its output would disturb the progress bar, so only the last part is kept, to report why it ended.
  const worker = fork(workerFile("#sweep-worker"), [JSON.stringify(settings)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  worker.stderr?.setEncoding("utf8").on("data", (text: string) => {
    lastWords.set(worker, ((lastWords.get(worker) ?? "") + text).slice(-LONGEST_WORDS));
  });
  return new Promise((resolve, reject) => {
    worker.once("message", (message: FromWorker) => {
      worker.off("close", ended);
      if (message.kind === "refused") reject(new DeviceError(message.message));
      else resolve(worker);
    });
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`a process for the runs ended at its start: ${describeEnd(worker, code, signal)}`));
    worker.once("close", ended);
    worker.once("error", reject);
  });
}

/** How a process ended, and the first line of its output that explains it. */
function describeEnd(worker: ChildProcess, code: number | null, signal: string | null): string {
  const words = (lastWords.get(worker) ?? "").split("\n").find((line) => /error|fatal/i.test(line));
  return `${signal ?? `code ${code}`}${words === undefined ? "" : ` (${words.trim().slice(0, 200)})`}`;
}

type Outcome = { readonly row: ResultRow } | { readonly end: string } | "late";

/** The row, or how the process ended: by itself, or killed after `seconds`. */
function ask(worker: ChildProcess, task: Task, seconds: number): Promise<Outcome> {
  return new Promise((resolve) => {
    let late = false;
    // A longer delay than a timer holds would be none.
    const limit = seconds < 2 ** 31 / 1000 ? setTimeout(end, 1000 * seconds) : undefined;
    function end(): void {
      late = true;
      worker.kill("SIGKILL");
    }
    const done = (outcome: Outcome) => {
      clearTimeout(limit);
      worker.off("message", heard);
      worker.off("close", ended);
      resolve(outcome);
    };
    const heard = (message: FromWorker) => {
      if (message.kind === "row" && !late) done({ row: message.row });
    };
    const ended = (code: number | null, signal: string | null) =>
      done(late ? "late" : { end: describeEnd(worker, code, signal) });
    worker.on("message", heard);
    worker.on("close", ended);
    if (worker.exitCode !== null || worker.signalCode !== null) ended(worker.exitCode, worker.signalCode);
    // Where the channel is closed, the end of the process follows.
    else worker.send(task, () => {});
  });
}
