/** Calls of the worker's functions, and its progress. */
import type { CallName, Calls, Message, Progress } from "../worker/protocol.js";

export class WorkerClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  #calls = 0;

  /** @param script the worker's text, since a page from a file may load no other file */
  constructor(script: Blob, progress: (progress: Progress) => void) {
    this.#worker = new Worker(URL.createObjectURL(script));
    this.#worker.onmessage = ({ data }: MessageEvent<Message>) => {
      if ("progress" in data) {
        progress(data.progress);
        return;
      }
      const call = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("error" in data) call?.reject(new Error(data.error));
      else call?.resolve(data.result);
    };
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    };
  }

  call<Name extends CallName>(name: Name, ...args: Parameters<Calls[Name]>): Promise<Awaited<ReturnType<Calls[Name]>>> {
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#worker.postMessage({ id, name, args });
    });
  }
}
