import { Piscina } from "piscina";

/** Runs tasks that write their results into shared memory, in any order. */
export interface Executor<Task> {
  /** Resolves when all are done; `progress` is called with the number that are. */
  run(tasks: readonly Task[], progress?: (done: number) => void): Promise<void>;
  close(): Promise<void>;
}

/** Runs the tasks on the calling thread. */
export function inlineExecutor<Task>(work: (task: Task) => void): Executor<Task> {
  return {
    run: async (tasks, progress) => {
      tasks.forEach((task, k) => {
        work(task);
        progress?.(k + 1);
      });
    },
    close: async () => {},
  };
}

/** Runs the tasks on `threads` worker threads; the file's default export takes a task and gets `memory` as piscina's workerData. */
export function poolExecutor<Task>(filename: string, threads: number, memory?: unknown): Executor<Task> {
  const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads, workerData: memory });
  return {
    run: async (tasks, progress) => {
      let done = 0;
      await Promise.all(tasks.map((task) => pool.run(task).then(() => progress?.(++done))));
    },
    close: () => pool.destroy(),
  };
}

/** Answers tasks, several at a time. */
export interface Caller<Task, Answer> {
  call(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** On `threads` worker threads, each running the file's default export; with one thread `work` itself on the calling one. */
export function openCaller<Task, Answer>(
  filename: () => string,
  threads: number,
  work: (task: Task) => Promise<Answer>,
): Caller<Task, Answer> {
  if (threads === 1) return { call: work, close: async () => {} };
  const pool = new Piscina({ filename: filename(), minThreads: threads, maxThreads: threads });
  return { call: (task) => pool.run(task), close: () => pool.destroy() };
}
