import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "bullmq";
import { z } from "zod";
import { InputError } from "../../core/errors.js";
import type { Found } from "../../map/window/piece.js";
import { software } from "../../rows/provenance.js";
import type { WindowJob } from "../../run/windows/job.js";
import { foundOfText, MOST_MESSAGE, textOfWindow } from "../../run/windows/message.js";
import { localCaller, type WindowCaller } from "../../run/windows/windows.js";
import { checkServer, connectionTo, missedWorkers, plainAddress, queueName } from "./queue.js";
import { digest } from "./task.js";

/** Name of the jobs that are windows; those of sweeps are runs. */
export const WINDOW_JOB = "window";

/** What a job holds. */
export const windowData = z.strictObject({
  version: z.string().max(100),
  revision: z.string().max(100).nullable(),
  /** First and last frame, to show. */
  from: z.int().min(0),
  to: z.int().min(0),
  window: z.string().max(MOST_MESSAGE),
});

type WindowData = z.infer<typeof windowData>;
type Client = Awaited<Queue["client"]>;

/** Windows at the queue at a time, and so the most workers that are busy: frames of so many are held in memory. */
const AHEAD = 32;
/** Milliseconds between two looks for answers, and for a queue that does not close. */
const LOOK_EVERY = 200;
const CLOSE_WITHIN = 1000;
/** Seconds for which the server keeps what nobody asks for any more. */
const KEPT = 7 * 24 * 3600;

/** Where the server keeps what was found: not in the job, whose events would all have it too. */
const foundKey = (id: string) => `${queueName()}-found-${id}`;

export async function storeFound(client: Client, id: string, found: string): Promise<void> {
  await client.set(foundKey(id), found, { EX: KEPT });
}

export interface WindowNotices {
  /** A message for the user, while the run waits. */
  notice(text: string): void;
  /** A window that a worker solved; or that none did, for a reason, so that it is solved here. */
  answered(reason: string | null): void;
  /** Awaited after each iteration of a window that is solved here. */
  pause(): Promise<void>;
}

/**
 * Has windows solved by the workers at a queue, and puts them together on `threads` of this machine: every window is priced here again,
 * so that a worker proposes multipliers and tracks and certifies nothing. A job's id is the digest of its window, and so a run
 * that is given again finds what was solved since.
 * @throws InputError when the server cannot be reached
 */
export async function windowCaller(url: string, threads: number, notices: WindowNotices): Promise<WindowCaller> {
  await checkServer(url);
  const queue = new Queue<WindowData, null>(queueName(), { connection: connectionTo(url) });
  let connected = true;
  queue.on("error", ({ message }) => {
    if (connected) notices.notice(`${plainAddress(url)}: ${message.replace(/\s+/g, " ")}; trying again`);
    connected = false;
  });
  const missWorkers = missedWorkers(queue, url, notices.notice);
  const here = localCaller(threads, notices.pause);
  let closed = false;

  /** What a worker found, or why there is nothing. */
  const ask = async (job: WindowJob): Promise<Found | string> => {
    const window = textOfWindow(job);
    if (window.length > MOST_MESSAGE) {
      throw new InputError(`--queue: a window of ${window.length} characters is too large; give a smaller --window`);
    }
    const { version, revision } = software();
    const data = { version, revision, from: job.from, to: job.to, window };
    const jobId = `window-${digest(`${version} ${revision} ${window}`).slice(0, 32)}`;
    const options = { jobId, removeOnComplete: { age: KEPT }, removeOnFail: { age: KEPT } };
    const client = await queue.client;
    // A job that is there already stays as it is.
    await queue.add(WINDOW_JOB, data, options);
    for (;;) {
      await pause(LOOK_EVERY);
      if (closed) throw new Error("the queue was closed");
      await missWorkers();
      const state = await queue.getJobState(jobId);
      connected = true;
      if (state === "failed") {
        const reason = await client.hget(queue.toKey(jobId), "failedReason");
        await queue.remove(jobId);
        return (reason ?? "no reason").replace(/\s+/g, " ");
      }
      if (state !== "completed" && state !== "unknown") continue;
      const found = state === "completed" ? await client.get(foundKey(jobId)) : null;
      if (found === null) {
        // The server lost it, or another run took it.
        await queue.remove(jobId);
        await queue.add(WINDOW_JOB, data, options);
        continue;
      }
      await queue.remove(jobId);
      await client.del(foundKey(jobId));
      try {
        return foundOfText(found);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        return error.message;
      }
    }
  };

  /** The latest windows to be put together, as many as there are threads: what is large waits for its turn. */
  const turns: Promise<unknown>[] = [];
  return {
    ahead: AHEAD,
    choose: here.choose,
    call(job, known = null) {
      const turn = turns.length < threads ? null : turns.shift();
      const put = async () => {
        const found = known ?? (await ask(job));
        await turn;
        const answer = await here.call({ job, found: typeof found === "string" ? null : found });
        if (known === null) notices.answered(typeof found === "string" ? found : answer.fault);
        return answer;
      };
      const answer = put();
      turns.push(answer.catch(() => {}));
      return answer;
    },
    async close() {
      if (closed) return;
      closed = true;
      await here.close();
      await Promise.race([queue.close(), pause(CLOSE_WITHIN, undefined, { ref: false })]);
      await queue.disconnect();
    },
  };
}
