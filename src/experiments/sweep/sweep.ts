import { InputError } from "../../core/errors.js";
import type { ResultRow } from "../../rows/results.js";
import type { PlannedRun, SweepPlan } from "./plan.js";
import { openPool } from "./pool.js";
import { openRowsFile } from "./rows-file.js";
import type { RunSettings } from "./run-task.js";
import type { Task } from "./task.js";

/** The maker of the rows: the local pool, or workers at a queue. */
export interface RowMaker {
  /** Resolves when `made` has been called once with the row of every task. */
  make(tasks: readonly Task[], made: (row: ResultRow, task: Task) => void): Promise<void>;
  close(): Promise<void>;
}

export interface SweepOptions {
  readonly plan: SweepPlan;
  /** Result rows, JSON Lines; those of this sweep that it holds already are not made again. */
  readonly file: string;
  /** Opened only when there is something to make. */
  readonly openMaker: () => Promise<RowMaker>;
  /** The device that all rows of the file must have been asked to run on, or null for any. */
  readonly device: string | null;
  readonly progress: (state: SweepState) => void;
  readonly signal: AbortSignal;
  /** Age in ms at which a lock of the file is taken over [5000]; null for no lock. */
  readonly staleAfter?: number | null;
}

export interface SweepState {
  /** Runs of the design. */
  readonly runs: number;
  /** Those that were in the file at the start. */
  readonly already: number;
  readonly made: number;
  /** Of all in the file. */
  readonly failed: number;
  /** Rows of runs that the file held twice, which are gone from it. */
  readonly dropped: number;
}

/**
 * Makes the rows of a sweep that its file does not hold yet. Each is appended as it comes; an interrupt (`signal`) leaves whole
 * rows only, and the next sweep of the same file makes the rest.
 *
 * @throws InputError for a file that another sweep is writing, or that holds this sweep's rows from another device
 */
export async function runSweep(options: SweepOptions): Promise<SweepState> {
  const { plan, signal } = options;
  let interrupt: (error: Error) => void = () => {};
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject;
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  interrupted.catch(() => {});
  const rows = await openRowsFile(options.file, interrupt, options.staleAfter);
  let maker: RowMaker | null = null;
  try {
    const present = rowsOfSweep(rows.rows, plan);
    refuseOtherDevice(options, present);
    const missing = plan.runs.filter(({ task }) => !present.has(task.key));
    let made = 0;
    let failed = [...present.values()].filter(({ status }) => status === "failed").length;
    const state = (): SweepState => ({
      runs: plan.runs.length,
      already: present.size,
      made,
      failed,
      dropped: rows.dropped,
    });
    options.progress(state());
    if (missing.length === 0) return state();
    const opening = options.openMaker();
    maker = await Promise.race([opening, interrupted]).catch((error) => {
      // A maker that opens after the interrupt is closed as well.
      opening.then((late) => late.close()).catch(() => {});
      throw error;
    });
    const runOf = new Map<string, PlannedRun>(missing.map((run) => [run.task.key, run]));
    const store = (row: ResultRow, { key }: Task): void => {
      const run = runOf.get(key);
      if (run === undefined || signal.aborted) return;
      runOf.delete(key);
      rows.append({ ...row, sweep: { name: plan.name, key, values: run.values } });
      made++;
      if (row.status === "failed") failed++;
      options.progress(state());
    };
    const tasks = missing.map(({ task }) => task);
    await Promise.race([maker.make(tasks, store), interrupted]);
    await rows.close();
    return state();
  } finally {
    await maker?.close();
    await rows.close().catch(() => {});
  }
}

/** By key. */
function rowsOfSweep(rows: readonly ResultRow[], { name, runs }: SweepPlan): Map<string, ResultRow> {
  const keys = new Set(runs.map(({ task }) => task.key));
  const ofSweep = rows.flatMap((row): [string, ResultRow][] =>
    row.sweep?.name === name && keys.has(row.sweep.key) ? [[row.sweep.key, row]] : [],
  );
  return new Map(ofSweep);
}

function refuseOtherDevice({ file, device }: SweepOptions, present: ReadonlyMap<string, ResultRow>): void {
  const other = [...present.values()].find((row) => device !== null && row.device.requested !== device);
  if (other === undefined) return;
  const { requested } = other.device;
  throw new InputError(
    `${file}: holds rows of this sweep made with --device ${requested}; give it again, or name another file`,
  );
}

/** Rows made by `jobs` processes on this machine. */
export async function localMaker(jobs: number, settings: RunSettings): Promise<RowMaker> {
  const pool = await openPool(jobs, settings);
  return {
    async make(tasks, made) {
      await Promise.all(tasks.map(async (task) => made(await pool.run(task), task)));
    },
    close: async () => pool.close(),
  };
}
