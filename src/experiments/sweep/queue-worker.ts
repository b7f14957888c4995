import { Job, UnrecoverableError, Worker } from "bullmq";
import { shownSoftware, software } from "../../rows/provenance.js";
import type { ResultRow } from "../../rows/results.js";
import { openPool } from "./pool.js";
import { checkServer, connectionTo, queueName } from "./queue.js";
import type { RunSettings } from "./run-task.js";
import { task } from "./task.js";

/**
 * Milliseconds for which a worker's claim on a run holds unless renewed, which it is at half of that, and between two looks
 * for claims that ran out: so long after a worker's end others take its runs.
 */
const CLAIM = 10_000;
const LOOK_EVERY = 5_000;

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
 * Takes runs from a queue until `signal`. What comes from there is data, checked against the schemas of task and scenario; a
 * worker loads no code and reads no file because of it, and listens on no port.
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
}: WorkerOptions): Promise<void> {
  await checkServer(url);
  const pool = await openPool(jobs, settings, { secondsPerRun });
  try {
    const work = async (job: Job<unknown>): Promise<ResultRow> => {
      const checked = task.safeParse(job.data);
      if (!checked.success) {
        const { path, message } = checked.error.issues[0];
        throw new UnrecoverableError(`this is no run: ${path.map(String).join(".")} ${message}`);
      }
      const { version, revision } = checked.data;
      const own = software();
      if (version !== own.version || revision !== own.revision) {
        const [theirs, ours] = [shownSoftware(checked.data), shownSoftware(own)];
        throw new UnrecoverableError(`it was queued by ${theirs}, and this worker is ${ours}; use one on both sides`);
      }
      if (checked.data.scenario.instance !== undefined) {
        throw new UnrecoverableError("a worker reads no folders: an instance does not travel");
      }
      const row = await pool.run(checked.data);
      made(row);
      return row;
    };
    const worker = new TolerantWorker(queueName(), work, {
      connection: connectionTo(url),
      autorun: false,
      concurrency: jobs,
      lockDuration: CLAIM,
      stalledInterval: LOOK_EVERY,
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
