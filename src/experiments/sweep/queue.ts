import { hostname } from "node:os";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Job, Queue, QueueEvents, QueueKeys } from "bullmq";
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

/** Milliseconds between two attempts to reach a lost server, and for the first answer. */
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
 * Asks a server something.
 *
 * @throws InputError when it is not, or wants another password
 */
export async function askServer<Answer>(url: string, ask: (client: Redis) => Promise<Answer>): Promise<Answer> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: REACH_WITHIN, retryStrategy: () => null });
  let reason = "";
  client.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    reason ||= code ?? message;
  });
  try {
    await client.connect();
    return await ask(client);
  } catch (error) {
    const why = reason || (error instanceof Error ? error.message : String(error));
    const remedy = `start redis-server there, or check address and password (${PASSWORD_VARIABLE})`;
    throw new InputError(`--queue ${plainAddress(url)}: cannot be reached (${why.replace(/\s+/g, " ")}); ${remedy}`);
  } finally {
    client.disconnect();
  }
}

/** Tells the user where no worker is there some time after the call. */
function missWorkers(queue: Queue, url: string, notice: (text: string) => void): NodeJS.Timeout {
  return setTimeout(async () => {
    if ((await queue.getWorkersCount()) > 0) return;
    notice(`no worker of ${shownSoftware(software())} is at ${plainAddress(url)}; start one with rmap worker --queue`);
  }, MISS_WORKERS_AFTER);
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
  // No run ends unseen between the look at all of them and the first event.
  const key = new QueueKeys().toKey(queueName(), "events");
  const latest = await askServer(url, (client) => client.xrevrange(key, "+", "-", "COUNT", 1));
  const connection = connectionTo(url);
  const lastEventId = latest[0]?.[0] ?? "0-0";
  const queue = new Queue<Task, unknown>(queueName(), { connection });
  const owner = digest(`${hostname()} ${resolve(file)}`).slice(0, 16);
  const events = new QueueEvents(queue.name, { connection, lastEventId, autorun: false });
  const finished = new FinishedRuns(queue, events, (id) => id.startsWith(`${owner}-`));
  return {
    async make(all, made) {
      const pending = new Map(all.map((task) => [`${owner}-${task.key}`, task]));
      const missing = missWorkers(queue, url, notice);
      const add = async () => {
        const jobs = [...pending].map(([jobId, data]) => ({ name: "run", data, opts: { jobId } }));
        await queue.addBulk(jobs);
      };
      try {
        for await (const id of finished.ids(add)) {
          const task = pending.get(id);
          // A defect of the job affects only its own run.
          if (task !== undefined) made(await rowOf(queue, id, task), task);
          pending.delete(id);
          await queue.remove(id);
          if (pending.size === 0) break;
        }
      } finally {
        clearTimeout(missing);
      }
    },
    async close() {
      finished.end();
      await Promise.race([Promise.all([queue.close(), events.close()]), pause(RETRY_EVERY, undefined, { ref: false })]);
      await queue.disconnect();
    },
  };
}

/** The jobs of a sweep that have ended, as the server tells of them. */
class FinishedRuns {
  #heard: string[] = [];
  /** Whether the connection was lost since all were asked for. */
  #interrupted = true;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => {};

  constructor(
    private readonly queue: Queue,
    events: QueueEvents,
    private readonly isOwn: (id: string) => boolean,
  ) {
    const lost = () => {
      this.#interrupted = true;
      this.#wake();
    };
    queue.on("error", lost).on("ioredis:close", lost);
    const hear = ({ jobId }: { jobId: string }) => {
      if (isOwn(jobId)) this.#heard.push(jobId);
      this.#wake();
    };
    events.on("completed", hear).on("failed", hear);
    // That of the queue is lost with it.
    events.on("error", () => {});
    events.run().catch((error) => {
      this.#failure = { error };
      this.#wake();
    });
  }

  /**
   * Their ids, until `end`; some may come twice.
   * @param add puts the jobs there, at first and when a server that was lost is back
   */
  async *ids(add: () => Promise<void>): AsyncGenerator<string> {
    while (!this.#ended) {
      if (this.#failure !== null) throw this.#failure.error;
      if (this.#interrupted) {
        this.#interrupted = false;
        await add();
        yield* this.#all();
      }
      yield* this.#heard.splice(0);
      if (this.#heard.length > 0 || this.#interrupted || this.#ended) continue;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** Those that are there. The reader removes each. */
  async *#all(): AsyncGenerator<string> {
    for (let others = 0; ; ) {
      const page = await this.queue.getRanges(["completed", "failed"], others, others + PAGE - 1, true);
      for (const id of page) if (this.isOwn(id)) yield id;
      others += page.filter((id) => !this.isOwn(id)).length;
      if (page.length < PAGE) return;
    }
  }
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
