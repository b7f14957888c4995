import type { Shard } from "../../core/shard.js";
import type { InputFrame } from "./frames.js";
import { WindowJobs, type WindowSettings } from "./jobs.js";
import type { WindowPlan } from "./plan.js";

/** First and last + 1 of the windows of a shard: as many on end as each of the others has, but for one. */
export function windowsOfShard(
  { size }: WindowPlan,
  frames: number,
  { number, of }: Shard,
): [first: number, end: number] {
  const windows = Math.ceil((frames - 1) / size);
  return [Math.floor(((number - 1) * windows) / of), Math.floor((number * windows) / of)];
}

/** Has the windows of a shard solved by a caller that keeps what it finds, for the run of the whole, which joins them. */
export class ShardRun {
  readonly #jobs: WindowJobs;
  readonly #waiting: Promise<unknown>[] = [];
  #range: readonly [first: number, end: number] | null = null;
  #isDone = false;

  /** @param frames of the recording */
  constructor(
    private readonly settings: Omit<WindowSettings, "pause">,
    private readonly shard: Shard,
    private readonly frames: number,
  ) {
    this.#jobs = new WindowJobs(settings);
  }

  /** No frame that comes later matters. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** null until the costs are learned. */
  get windows(): readonly [first: number, end: number] | null {
    return this.#range;
  }

  async add(frame: InputFrame): Promise<void> {
    this.#jobs.store.add(frame);
    await this.#advance();
  }

  async end(): Promise<void> {
    if (this.#jobs.last === null && !this.#isDone) {
      this.#jobs.end();
      await this.#advance();
    }
    await Promise.all(this.#waiting);
  }

  async #advance(): Promise<void> {
    while (!this.#isDone) {
      const ready = await this.#jobs.next();
      if (ready === null) return;
      this.#range ??= windowsOfShard(this.#jobs.plan as WindowPlan, this.frames, this.shard);
      const [first, end] = this.#range;
      const { k } = ready;
      if (k >= end) this.#isDone = true;
      else if (k < first) this.#jobs.skip(k);
      else {
        while (this.#waiting.length >= this.settings.caller.ahead) await this.#waiting.shift();
        const answer = this.#jobs.job(k).then((job) => this.settings.caller.call(job));
        // Whoever waits for it hears of a failure.
        answer.catch(() => {});
        this.#waiting.push(answer);
      }
      this.#jobs.store.forgetBefore(k < first ? this.#jobs.chosenFrom(k + 1) : this.#jobs.neededFrom());
    }
  }
}
