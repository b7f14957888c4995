import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { InputError } from "./errors.js";
import { workerFile } from "./package-file.js";
import { sharedFloat64, sharedInt32 } from "./shared-arrays.js";
import { type CrewMessage, doItems, type TeamMemory, WORD, type Work } from "./team-work.js";

/** Looks at a word before a thread sleeps on it, some microseconds: between two steps of an ascent hardly more time passes. */
const LOOKS = 2000;

/** Milliseconds that the calling thread sleeps at most before it looks after time limits and threads that have died. */
const NAP = 20;

/** Milliseconds after which worker threads without a crew end: the next phase of a run begins sooner. */
const LINGER = 3000;

/** How the calling thread follows a task. */
export interface Watch {
  /** What the calling thread does before it takes items. */
  readonly first?: () => void;
  /** Awaited after each of its own items, with the number of items given out; the event loop turns then, so only long items should be watched. */
  readonly progress?: (begun: number) => unknown;
  /** Called now and then while other threads have the last items. */
  readonly waiting?: () => void;
}

/** What a worker thread begins with. */
export interface WorkerStart extends TeamMemory {
  /** From 0. */
  readonly number: number;
  readonly port: MessagePort;
}

interface Failure {
  readonly error: unknown;
}

/** Worker threads that all parts of a program share; each is a start of some 50 ms of CPU. */
class Team {
  readonly memory: TeamMemory = { words: sharedInt32(Object.keys(WORD).length), argument: sharedFloat64(1) };
  /** Whether a task runs: another one that begins meanwhile stays on the calling thread. */
  isBusy = false;
  readonly #workers: { readonly worker: Worker; readonly port: MessagePort }[] = [];
  #broken: unknown = null;
  #crews = 0;
  #joined = 0;
  #end: NodeJS.Timeout | undefined;

  hire(workers: number): void {
    while (this.#workers.length < workers) this.#hire();
  }

  /** Tells `workers` threads of a crew; returns its number. */
  join(workers: number, module: string, memory: unknown): number {
    clearTimeout(this.#end);
    this.#joined++;
    const crew = ++this.#crews;
    this.hire(workers);
    for (const { port } of this.#workers.slice(0, workers)) {
      port.postMessage({ crew, module, memory } satisfies CrewMessage);
    }
    this.#wake();
    return crew;
  }

  /** Whether there is a thread beside `least` others, which has been given the work. */
  doAside(least: number, module: string, memory: unknown): boolean {
    const last = this.#workers[Math.max(least, this.#workers.length - 1)];
    last?.port.postMessage({ crew: ++this.#crews, module, memory } satisfies CrewMessage);
    this.#wake();
    return last !== undefined;
  }

  leave(crew: number): void {
    for (const { port } of this.#workers) port.postMessage({ crew } satisfies CrewMessage);
    this.#wake();
    if (--this.#joined === 0) this.#end = setTimeout(() => this.dismiss(), LINGER).unref();
  }

  async run(words: Record<"crew" | "task" | "items" | "workers", number>, argument: number, work: Work, watch: Watch) {
    const shared = this.memory.words;
    let failure: Failure | null = null;
    this.isBusy = true;
    try {
      for (const name of ["crew", "task", "items", "workers"] as const) shared[WORD[name]] = words[name];
      this.memory.argument[0] = argument;
      shared[WORD.next] = 0;
      Atomics.store(shared, WORD.open, 1);
      this.#wake();
      watch.first?.();
      if (watch.progress === undefined) doItems(this.memory, work);
      else await doWatched(this.memory, work, watch.progress);
    } finally {
      // None is given out any more, also where the calling thread's own item failed.
      Atomics.store(shared, WORD.next, words.items);
      Atomics.store(shared, WORD.open, 0);
      await this.#waitForOthers(watch);
      this.isBusy = false;
      // Taken also where the calling thread's own item failed: it is none of the next task's.
      failure = this.#takeFailure();
    }
    if (failure !== null) throw failure.error;
  }

  async #waitForOthers({ waiting }: Watch): Promise<void> {
    const { words } = this.memory;
    for (let looks = 0; looks < LOOKS; looks++) if (Atomics.load(words, WORD.active) === 0) return;
    for (;;) {
      const active = Atomics.load(words, WORD.active);
      if (active === 0) return;
      if (Atomics.wait(words, WORD.active, active, NAP) !== "timed-out") continue;
      waiting?.();
      await turn();
      if (this.#broken !== null) return;
    }
  }

  /** What a worker thread failed with since the last call; the first of several. */
  #takeFailure(): Failure | null {
    const { words } = this.memory;
    if (this.#broken !== null) {
      this.dismiss();
      return { error: this.#broken };
    }
    if (Atomics.exchange(words, WORD.failed, 0) === 0) return null;
    const errors = this.#workers.flatMap(({ port }) => messagesOf(port));
    return { error: errors[0] ?? new Error("a worker thread failed") };
  }

  #hire(): void {
    const { port1, port2 } = new MessageChannel();
    const workerData: WorkerStart = { ...this.memory, number: this.#workers.length, port: port2 };
    const worker = new Worker(workerFile("#team-worker"), { workerData, transferList: [port2] });
    worker.on("error", (error) => {
      this.#broken = error;
    });
    worker.on("exit", () => {
      this.#broken ??= new Error("a worker thread has ended by itself");
    });
    worker.unref();
    port1.unref();
    this.#workers.push({ worker, port: port1 });
  }

  #wake(): void {
    Atomics.add(this.memory.words, WORD.generation, 1);
    Atomics.notify(this.memory.words, WORD.generation);
  }

  dismiss(): void {
    if (team === this) team = null;
    for (const { worker } of this.#workers) worker.terminate();
  }
}

function messagesOf(port: MessagePort): unknown[] {
  const messages = [];
  for (let heard = receiveMessageOnPort(port); heard !== undefined; heard = receiveMessageOnPort(port)) {
    const { message } = heard;
    messages.push(typeof message?.input === "string" ? new InputError(message.input) : message);
  }
  return messages;
}

const turn = () => new Promise((resume) => setImmediate(resume));

async function doWatched({ words, argument }: TeamMemory, work: Work, progress: (begun: number) => unknown) {
  const { [WORD.task]: task, [WORD.items]: items } = words;
  for (let item = Atomics.add(words, WORD.next, 1); item < items; item = Atomics.add(words, WORD.next, 1)) {
    work(task, item, argument[0]);
    await progress(Math.min(items, Atomics.load(words, WORD.next)));
    await turn();
  }
}

let team: Team | null = null;

/** Has worker threads begin to load while the calling one does something else, as opening a device: it is long before a large work begins. */
export function hireAhead(threads: number): void {
  team ??= new Team();
  team.hire(threads - 1);
}

/**
 * Has the last of more than `least` worker threads do a work of its own beside those of all crews: the module's default export, once, with the memory, in which it
 * also says that it is done. It may never be, as where the threads end first; false where there is no such thread.
 */
export function doAside(least: number, worker: Parameters<typeof workerFile>[0], memory: unknown): boolean {
  return team?.doAside(least, workerFile(worker), memory) ?? false;
}

/** Ends the worker threads all at once while the calling one finishes: where a process ends with them, it waits for one after the other. */
export function dismissTeam(): void {
  team?.dismiss();
}

/** Threads with one work in common, the calling one among them. */
export interface Crew {
  /** Does items 0, 1, … of a task in any order, and resolves when all are done. Others join in as they are ready; the result does not depend on who does what. */
  run(task: number, items: number, argument?: number, watch?: Watch): Promise<void>;
  close(): void;
}

/** When the other threads of a crew begin. */
export interface Patience {
  /** Seconds of work on the calling thread alone before. */
  readonly after: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
}

/**
 * @param threads with 1 the calling one does everything
 * @param worker module whose default export makes the work of the memory, by its name under "imports" of package.json
 * @param work that of the calling thread
 * @param patience [the other threads begin at once]
 */
export function openCrew<Memory>(
  threads: number,
  worker: Parameters<typeof workerFile>[0],
  memory: Memory,
  work: Work,
  patience: Patience = { after: 0, now: () => 0 },
): Crew {
  let joined: { readonly team: Team; readonly crew: number } | null = null;
  let spent = 0;
  const alone = async (task: number, items: number, argument: number, { first, progress }: Watch): Promise<void> => {
    const begin = patience.now();
    first?.();
    for (let item = 0; item < items; item++) {
      work(task, item, argument);
      if (progress === undefined) continue;
      await progress(item + 1);
      await turn();
    }
    spent += patience.now() - begin;
  };
  return {
    async run(task, items, argument = 0, watch = {}) {
      if (threads > 1 && spent >= patience.after && joined === null) {
        team ??= new Team();
        joined = { team, crew: team.join(threads - 1, workerFile(worker), memory) };
      }
      if (joined === null || items < 2 || joined.team.isBusy) return alone(task, items, argument, watch);
      return joined.team.run({ crew: joined.crew, task, items, workers: threads - 1 }, argument, work, watch);
    },
    close() {
      joined?.team.leave(joined.crew);
      joined = null;
    },
  };
}

/** Does the items of one task of a work. */
export async function inParallel<Memory>(
  threads: number,
  worker: Parameters<typeof workerFile>[0],
  memory: Memory,
  work: Work,
  items: number,
  watch: Watch = {},
): Promise<void> {
  const crew = openCrew(threads, worker, memory, work);
  try {
    await crew.run(0, items, 0, watch);
  } finally {
    crew.close();
  }
}
