import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";
import { InputError } from "../../core/errors.js";
import { type ResultRow, resultRow } from "../../rows/results.js";
import { failedRow } from "./run-task.js";
import type { RowMaker } from "./sweep.js";
import { digest, type Task } from "./task.js";

/** The queue that sweeps put their runs on and workers take them from. */
export const QUEUE = "rmap";

/** Milliseconds between two looks for finished runs, between two attempts to reach a lost server, and for the first answer. */
const LOOK_EVERY = 500;
const RETRY_EVERY = 1000;
const REACH_WITHIN = 10_000;

/** Finished jobs fetched at a time. */
const PAGE = 200;

/** Characters of recordings a sweep may put on a queue: the server keeps them in memory. */
const MOST_TEXT = 2 ** 28;

/** How BullMQ connects: for ever again once it has been connected, since servers restart. */
export function connectionTo(url: string) {
  return { url, maxRetriesPerRequest: null, retryStrategy: () => RETRY_EVERY };
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
    const remedy = "start redis-server there, or check address and password";
    throw new InputError(`--queue ${plainAddress(url)}: cannot be reached (${why.replace(/\s+/g, " ")}); ${remedy}`);
  } finally {
    client.disconnect();
  }
}

/**
 * Rows made by the workers at a queue. A run is a job whose id is that of the rows file and the run's key, so that putting it
 * there again changes nothing; its row is the job's return value, and the job is removed when the row is in the file. What
 * the server forgets, because it was restarted without its memory, is put there again.
 *
 * @param file the rows file, which tells this sweep's jobs from those of others
 * @throws InputError when the server cannot be reached, and for tasks that cannot travel
 */
export async function queueMaker(url: string, file: string, tasks: readonly Task[]): Promise<RowMaker> {
  refuseUntransportable(tasks);
  await checkServer(url);
  const queue = new Queue<Task, unknown>(QUEUE, { connection: connectionTo(url) });
  const owner = digest(`${hostname()} ${resolve(file)}`).slice(0, 16);
  let closed = false;
  return {
    async make(all, made) {
      const pending = new Map(all.map((task) => [`${owner}-${task.key}`, task]));
      let interrupted = true;
      queue.on("error", () => {
        interrupted = true;
      });
      const take = async (job: Job<Task, unknown>): Promise<boolean> => {
        if (job.id === undefined || !job.id.startsWith(`${owner}-`)) return false;
        const task = pending.get(job.id);
        if (task !== undefined) made(rowOf(job, task), task);
        pending.delete(job.id);
        await job.remove();
        return true;
      };
      while (pending.size > 0 && !closed) {
        if (interrupted) {
          interrupted = false;
          const jobs = [...pending].map(([jobId, data]) => ({ name: "run", data, opts: { jobId } }));
          await queue.addBulk(jobs);
        }
        for (let start = 0; !closed; ) {
          const page = await queue.getJobs(["completed", "failed"], start, start + PAGE - 1, true);
          for (const job of page) if (job && !(await take(job))) start++;
          if (page.length === 0 || (page.length < PAGE && start > 0)) break;
        }
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

/** The row a worker brought, or a failed one. */
function rowOf(job: Job<Task, unknown>, task: Task): ResultRow {
  const nowhere = { device: "queue", threads: 0 };
  if (job.failedReason) return failedRow(task, `worker: ${job.failedReason.replace(/\s+/g, " ")}`, nowhere);
  const row = resultRow.safeParse(job.returnvalue);
  return row.success ? row.data : failedRow(task, "a worker of another version sent what is no result row", nowhere);
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
