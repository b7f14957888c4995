/** Timestamps around compute passes, in the device's own clock. */
import { readStorage } from "./buffers.js";
import type { GpuSession } from "./session.js";

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
