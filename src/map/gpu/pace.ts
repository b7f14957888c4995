import { OutOfTime } from "../../core/errors.js";

/** Seconds between two readbacks from which the steps between them are watched: shorter ones are over in time. */
const LONG = 0.1;

/** Has steps that take long on a device wait for it in between, so that they can be cut short; what is submitted runs to its end. */
export class Pace {
  #late: (() => boolean) | null = null;
  #read: number;
  #between = Number.POSITIVE_INFINITY;

  /** @param wait resolves when all that is recorded has run */
  constructor(
    private readonly wait: () => Promise<void>,
    private readonly now: () => number,
  ) {
    this.#read = now();
  }

  /** As AscentSteps.limit; nothing on the host is to be woken. */
  limit(late: (() => boolean) | null): () => void {
    this.#late = late;
    return () => {};
  }

  /** After a part of a step. @throws OutOfTime */
  async part(): Promise<void> {
    if (this.#late === null || this.#between < LONG) return;
    await this.wait();
    if (this.#late()) throw new OutOfTime();
  }

  /** Follows a step that ends with a readback. */
  async reading<Result>(step: Promise<Result>): Promise<Result> {
    const result = await step;
    this.#between = this.now() - this.#read;
    this.#read = this.now();
    return result;
  }
}
