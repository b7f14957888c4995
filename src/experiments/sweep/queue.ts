import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";
import { InputError } from "../../core/errors.js";
import { shownSoftware, software } from "../../rows/provenance.js";
import { type ResultRow, resultRow } from "../../rows/results.js";
import { faultOfRow } from "./check-row.js";
import { failedRow } from "./run-task.js";
import type { RowMaker } from "./sweep.js";
import { digest, MOST_TEXT, type Task } from "./task.js";

/**
 * The queue that sweeps put their runs on and workers take them from: one for each revision, so that a worker of another one
 * never holds a run that it would have to refuse.
 */
export function queueName({ version, revision }: Pick<Task, "version" | "revision"> = software()): string {
  return `rmap-${version}-${revision ?? "unknown"}`;
}

/** Milliseconds between two looks for finished runs, between two attempts to reach a lost server, and for the first answer. */
const LOOK_EVERY = 500;
const RETRY_EVERY = 1000;
const REACH_WITHIN = 10_000;
/** Milliseconds without any worker after which the user is told. */
const MISS_WORKERS_AFTER = 3000;

/** Finished jobs fetched at a time. */
const PAGE = 200;

/** BullMQ's connection, which reconnects without limit once it has been connected, since servers restart. */
export function connectionTo(url: string) {
  return { url, maxRetriesPerRequest: null, retryStrategy: () => RETRY_EVERY };
}

/** The variable that holds the password where the address has none, since everyone on the machine can read command lines. */
const PASSWORD_VARIABLE = "RMAP_QUEUE_PASSWORD";

/** The address with the password from the environment, unless it has one. */
export function withPassword(url: string, password = process.env[PASSWORD_VARIABLE]): string {
  const address = new URL(url);
  if (address.password === "" && password) address.password = encodeURIComponent(password);
  return address.href;
}

/** The address without its password, for messages. */
export function plainAddress(url: string): string {
  const address = new URL(url);
  if (address.password !== "") address.password = "…";
  return decodeURI(address.href);
}

/**
 * Asks a server whether it is there.
 *
 * @throws InputError when it is not, or wants another password
 */
export async function checkServer(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: REACH_WITHIN, retryStrategy: () => null });
  let reason = "";
  client.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    reason ||= code ?? message;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    const why = reason || (error instanceof Error ? error.message : String(error));
    const remedy = `start redis-server there, or check address and password (${PASSWORD_VARIABLE})`;
    throw new InputError(`--queue ${plainAddress(url)}: cannot be reached (${why.replace(/\s+/g, " ")}); ${remedy}`);
  } finally {
    client.disconnect();
  }
}

/** Tells the user, once, where no worker is there some time after the first call. */
export function missedWorkers(queue: Queue, url: string, notice: (text: string) => void): () => Promise<void> {
  let since: number | null | undefined;
  return async () => {
    if (since === null) return;
    since ??= Date.now();
    if (Date.now() - since < MISS_WORKERS_AFTER) return;
    since = null;
    if ((await queue.getWorkersCount()) > 0) return;
    notice(`no worker of ${shownSoftware(software())} is at ${plainAddress(url)}; start one with rmap worker --queue`);
  };
}

/**
 * Rows made by the workers at a queue. A run is a job whose id is that of the rows file and the run's key, so that putting it
 * there again changes nothing; its row is the job's return value, and the job is removed when the row is in the file. What
 * the server forgets, because it was restarted without its memory, is put there again.
 *
 * @param file the rows file, which tells this sweep's jobs from those of others
 * @param notice called with messages for the user while the sweep waits
 * @throws InputError when the server cannot be reached, and for tasks that cannot be sent
 */
export async function queueMaker(
  url: string,
  file: string,
  tasks: readonly Task[],
  notice: (text: string) => void,
): Promise<RowMaker> {
  refuseUntransportable(tasks);
  await checkServer(url);
  const queue = new Queue<Task, unknown>(queueName(), { connection: connectionTo(url) });
  const owner = digest(`${hostname()} ${resolve(file)}`).slice(0, 16);
  let closed = false;
  return {
    async make(all, made) {
      const pending = new Map(all.map((task) => [`${owner}-${task.key}`, task]));
      let interrupted = true;
      queue.on("error", () => {
        interrupted = true;
      });
      /** Receives a finished job of this sweep, and says whether it is one; a defect of the job affects only its own run. */
      const receive = async (id: string): Promise<boolean> => {
        if (!id.startsWith(`${owner}-`)) return false;
        const task = pending.get(id);
        if (task !== undefined) made(await rowOf(queue, id, task), task);
        pending.delete(id);
        await queue.remove(id);
        return true;
      };
      const missWorkers = missedWorkers(queue, url, notice);
      while (pending.size > 0 && !closed) {
        if (interrupted) {
          interrupted = false;
          const jobs = [...pending].map(([jobId, data]) => ({ name: "run", data, opts: { jobId } }));
          await queue.addBulk(jobs);
        }
        for (let first = 0; !closed; ) {
          const page = await queue.getRanges(["completed", "failed"], first, first + PAGE - 1, true);
          for (const id of page) if (!(await receive(id))) first++;
          if (page.length === 0 || (page.length < PAGE && first > 0)) break;
        }
        await missWorkers();
        await pause(LOOK_EVERY);
      }
    },
    async close() {
      closed = true;
      await Promise.race([queue.close(), pause(RETRY_EVERY, undefined, { ref: false })]);
      await queue.disconnect();
    },
  };
}

/** The row that a worker returned, or a failed one where it returned none that can be this run's. */
async function rowOf(queue: Queue<Task, unknown>, id: string, task: Task): Promise<ResultRow> {
  const nowhere = { device: "queue", threads: 0 };
  let job: Job<Task, unknown> | undefined;
  try {
    job = await queue.getJob(id);
  } catch (error) {
    // Only broken JSON is the job's fault; the connection itself waits for a server that is gone.
    if (!(error instanceof SyntaxError)) throw error;
    return failedRow(task, "its job at the queue is broken: it holds what is no JSON", nowhere);
  }
  if (job?.failedReason) return failedRow(task, `worker: ${job.failedReason.replace(/\s+/g, " ")}`, nowhere);
  const row = resultRow.safeParse(job?.returnvalue);
  if (!row.success) return failedRow(task, "a worker sent what is no result row", nowhere);
  const fault = faultOfRow(row.data, task);
  return fault === null ? row.data : failedRow(task, `a worker sent a row that is not this run's: ${fault}`, nowhere);
}

function refuseUntransportable(tasks: readonly Task[]): void {
  const instance = tasks.find(({ scenario }) => scenario.instance !== undefined);
  if (instance !== undefined) {
    throw new InputError("--queue: an instance folder does not travel; leave --queue out, its runs are made here then");
  }
  const text = tasks.reduce((sum, { recording }) => sum + (recording?.length ?? 0), 0);
  if (text > MOST_TEXT) {
    throw new InputError(`--queue: ${text} characters of recordings are too many for a queue; leave --queue out`);
  }
}
