/** Timestamps around compute passes, in the device's own clock. */
import { readStorage } from "./buffers.js";
import type { GpuSession, PassWatcher } from "./session.js";

export class PassTimer {
  readonly #set: GPUQuerySet;
  readonly #ticks: GPUBuffer;
  #passes = 0;

  /** Room for `capacity` passes per reading. Needs a session with timestamps. */
  constructor(
    readonly session: GpuSession,
    readonly capacity: number,
  ) {
    const { device } = session;
    this.#set = device.createQuerySet({ label: "pass timer", type: "timestamp", count: 2 * capacity });
    this.#ticks = device.createBuffer({
      label: "pass timer",
      size: 16 * capacity,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /** The part of a compute pass descriptor that has the pass timed. */
  next(): GPUComputePassTimestampWrites {
    const first = 2 * this.#passes++;
    return { querySet: this.#set, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
  }

  /** Must be called before the encoder of the timed passes is finished. */
  resolve(encoder: GPUCommandEncoder): void {
    encoder.resolveQuerySet(this.#set, 0, 2 * this.#passes, this.#ticks, 0);
  }

  /** Milliseconds of each pass since the last reading. */
  async read(): Promise<number[]> {
    const [bytes] = await readStorage(this.session, [this.#ticks]);
    const ticks = new BigUint64Array(bytes as ArrayBuffer);
    const passes = Array.from({ length: this.#passes }, (_, k) => {
      const [begin = 0n, end = 0n] = ticks.subarray(2 * k, 2 * k + 2);
      return Number(end - begin) / 1e6;
    });
    this.#passes = 0;
    return passes;
  }

  destroy(): void {
    this.#set.destroy();
    this.#ticks.destroy();
  }
}

export interface TimedPass {
  readonly label: string;
  readonly milliseconds: number;
}

/** Times the passes that workspaces of a session record while some work runs. */
export class PassLog {
  readonly #timer: PassTimer;

  /** Room for `capacity` passes; those beyond are not timed. Needs a session with timestamps. */
  constructor(
    readonly session: GpuSession,
    readonly capacity: number,
  ) {
    this.#timer = new PassTimer(session, capacity);
  }

  /** @param apart each dispatch has a pass of its own, which bears the name of its kernel */
  async of(work: () => Promise<unknown>, apart = false): Promise<TimedPass[]> {
    const { session, capacity } = this;
    const labels: string[] = [];
    const begin: PassWatcher["begin"] = (label) => {
      if (labels.length === capacity) return undefined;
      labels.push(label);
      return this.#timer.next();
    };
    session.watcher = { apart, begin };
    try {
      await work();
    } finally {
      session.watcher = null;
    }
    if (labels.length === 0) return [];
    const encoder = session.device.createCommandEncoder({ label: "pass log" });
    this.#timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    return (await this.#timer.read()).map((milliseconds, k) => ({ label: labels[k], milliseconds }));
  }

  destroy(): void {
    this.#timer.destroy();
  }
}
