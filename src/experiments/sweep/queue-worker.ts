import { Job, UnrecoverableError, Worker } from "bullmq";
import { shownSoftware, software } from "../../rows/provenance.js";
import type { ResultRow } from "../../rows/results.js";
import { openPool } from "./pool.js";
import { askServer, connectionTo, queueName } from "./queue.js";
import type { RunSettings } from "./run-task.js";
import { type Task, task } from "./task.js";

/** Milliseconds for which a worker's claim on a run holds. After half of that it is renewed, and others look for claims that ran out. */
const CLAIM = 10_000;

/** Workers and servers that may die under a run before it counts as failed. */
const MOST_LOSSES = 10;

export interface WorkerOptions {
  readonly url: string;
  readonly jobs: number;
  readonly settings: RunSettings;
  /** Seconds after which a run is ended, regardless of its own stop rules. */
  readonly secondsPerRun: number;
  readonly ready: () => void;
  readonly made: (row: ResultRow) => void;
  /** The connection failed, and is being tried again. */
  readonly lost: (error: Error) => void;
  /** Ends the work once the runs under way are made. */
  readonly signal: AbortSignal;
  /** Milliseconds after a worker's end for which nobody takes its runs [10,000]. */
  readonly claim?: number;
}

/** A job that holds no JSON arrives without data, and fails alone. */
class TolerantWorker extends Worker<unknown, ResultRow> {
  protected override createJob(...[json, id]: Parameters<Worker<unknown, ResultRow>["createJob"]>) {
    try {
      return super.createJob(json, id);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return new Job<unknown, ResultRow>(this, "broken", null, {}, id);
    }
  }
}

/**
 * Takes runs from a queue until `signal`. Messages from there are data, checked against the schemas of task and scenario; a worker loads
 * no code and reads no file because of it, and listens on no port.
 *
 * @throws InputError when the server cannot be reached, DeviceError when the device cannot be had
 */
export async function runWorker({
  url,
  jobs,
  settings,
  secondsPerRun,
  ready,
  made,
  lost,
  signal,
  claim = CLAIM,
}: WorkerOptions): Promise<void> {
  await askServer(url, (client) => client.ping());
  const pool = await openPool(jobs, settings, { secondsPerRun });
  try {
    const makeRow = async ({ data }: Job<unknown>): Promise<ResultRow> => {
      const run = checkedTask(data);
      requireSameSoftware(run);
      if (run.scenario.instance !== undefined) {
        throw new UnrecoverableError("a worker reads no folders: an instance does not travel");
      }
      const row = await pool.run(run);
      made(row);
      return row;
    };
    const worker = new TolerantWorker(queueName(), makeRow, {
      connection: connectionTo(url),
      autorun: false,
      concurrency: jobs,
      lockDuration: claim,
      stalledInterval: claim / 2,
      maxStalledCount: MOST_LOSSES,
    });
    worker.on("error", lost);
    ready();
    const closed = new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => worker.close().then(resolve, reject), { once: true });
    });
    await Promise.race([worker.run(), closed]);
    await closed;
  } finally {
    pool.close();
  }
}

/** The data of a job. @throws UnrecoverableError, which fails the job, for data that are no task */
function checkedTask(data: unknown): Task {
  const checked = task.safeParse(data);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0];
  throw new UnrecoverableError(`this is no run: ${path.map(String).join(".")} ${message}`);
}

/** Another version may understand the same data differently. */
function requireSameSoftware(made: Pick<Task, "version" | "revision">): void {
  const here = software();
  if (made.version === here.version && made.revision === here.revision) return;
  const [theirs, ours] = [shownSoftware(made), shownSoftware(here)];
  throw new UnrecoverableError(`it was queued by ${theirs}, and this worker is ${ours}; use one on both sides`);
}
