import { setTimeout as pause } from "node:timers/promises";
import { Queue } from "bullmq";
import { z } from "zod";
import { InputError } from "../../core/errors.js";
import type { Found } from "../../map/window/piece.js";
import { software } from "../../rows/provenance.js";
import { localCaller, type WindowCaller } from "../../run/windows/caller.js";
import type { WindowJob } from "../../run/windows/job.js";
import { foundOfText, MOST_MESSAGE, textOfWindow } from "../../run/windows/message.js";
import { checkServer, connectionTo, missedWorkers, plainAddress, queueName } from "./queue.js";
import { digest } from "./task.js";

/** Name of the jobs that are windows; those of sweeps are runs. */
export const WINDOW_JOB = "window";

/** Content of a window's job. */
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

/** Windows at the queue at a time, and so the most workers that are busy. The frames of each are held in memory. */
const AHEAD = 32;
/** Milliseconds between two looks for answers, and for a queue that does not close. */
const LOOK_EVERY = 200;
const CLOSE_WITHIN = 1000;
/** Seconds for which the server keeps what nobody asks for any more. */
const KEPT = 7 * 24 * 3600;

/** Key under which the server keeps a worker's tracks. They are not in the job, since its events would all carry them. */
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

/** The job of a window. Its id is the digest of the window. */
function jobOf(job: WindowJob) {
  const window = textOfWindow(job);
  if (window.length > MOST_MESSAGE) {
    throw new InputError(`--queue: a window of ${window.length} characters is too large; give a smaller --window`);
  }
  const { version, revision } = software();
  const data: WindowData = { version, revision, from: job.from, to: job.to, window };
  const jobId = `window-${digest(`${version} ${revision} ${window}`).slice(0, 32)}`;
  return { data, options: { jobId, removeOnComplete: { age: KEPT }, removeOnFail: { age: KEPT } } };
}

/** The tracks that a worker found, or the reason why there are none. */
type Reply = Found | string;

/** Takes the reply to a job off the queue; "waiting" before it is there, and "lost" where the server has it no more. */
async function takeReply(queue: Queue<WindowData, null>, id: string): Promise<{ reply: Reply } | "waiting" | "lost"> {
  const client = await queue.client;
  const state = await queue.getJobState(id);
  if (state === "failed") {
    const reason = await client.hget(queue.toKey(id), "failedReason");
    await queue.remove(id);
    return { reply: (reason ?? "no reason").replace(/\s+/g, " ") };
  }
  if (state !== "completed" && state !== "unknown") return "waiting";
  const found = state === "completed" ? await client.get(foundKey(id)) : null;
  await queue.remove(id);
  if (found === null) return "lost";
  await client.del(foundKey(id));
  try {
    return { reply: foundOfText(found) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { reply: error.message };
  }
}

/**
 * Has windows solved by the workers at a queue, and puts them together on `threads` of this machine: every window is priced here again,
 * so that a worker proposes multipliers and tracks and certifies nothing. A run that is given again finds the windows that were solved since.
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

  const ask = async (job: WindowJob): Promise<Reply> => {
    const { data, options } = jobOf(job);
    // A job that is there already stays as it is.
    await queue.add(WINDOW_JOB, data, options);
    for (;;) {
      await pause(LOOK_EVERY);
      if (closed) throw new Error("the queue was closed");
      await missWorkers();
      const answer = await takeReply(queue, options.jobId);
      connected = true;
      // The server lost it, or another run took it.
      if (answer === "lost") await queue.add(WINDOW_JOB, data, options);
      else if (answer !== "waiting") return answer.reply;
    }
  };

  /** The latest windows to be put together, one for each thread: a large window waits for its turn. */
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
