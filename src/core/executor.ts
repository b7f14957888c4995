import { Piscina } from "piscina";
import { workerFile } from "./package-file.js";

/** Answers tasks, several at a time. */
export interface Caller<Task, Answer> {
  call(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** On `threads` worker threads, each running the worker's default export; with one thread `work` itself on the calling one. */
export function openCaller<Task, Answer>(
  worker: Parameters<typeof workerFile>[0],
  threads: number,
  work: (task: Task) => Promise<Answer>,
): Caller<Task, Answer> {
  if (threads === 1) return { call: work, close: async () => {} };
  const pool = new Piscina({ filename: workerFile(worker), minThreads: threads, maxThreads: threads });
  return { call: (task) => pool.run(task), close: () => pool.destroy() };
}
