import { copied, decodeStorage } from "./buffers.js";
import type { GpuSession } from "./session.js";
import { PassTimer } from "./timer.js";

/** Kernels are recorded before they are submitted, so that the device is at work while the host records more. */
const SUBMIT_AFTER = 24;
/** Kernels timed between two readbacks at most. */
const MOST_TIMED = 2000;

export interface RecorderOptions {
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** Time every kernel by the device's clock; each then has a pass of its own, which is a little slower. */
  readonly profile: boolean;
}

/**
 * Records kernels and copies in the order in which they are asked for, submits them in between, and reads buffers back in one copy. Adds
 * up seconds by phase: those of kernels where they are timed, and under `readback` the rest of the host's waiting.
 */
export class Recorder<Phase extends string> {
  readonly #timer: PassTimer | null;
  #timed: Phase[] = [];
  #encoder: GPUCommandEncoder | null = null;
  #pass: GPUComputePassEncoder | null = null;
  #phase: Phase | null = null;
  #kernels = 0;
  #commands = 0;

  constructor(
    private readonly session: GpuSession,
    private readonly times: Record<Phase | "readback", number>,
    private readonly options: RecorderOptions,
  ) {
    this.#timer = options.profile && session.hasTimestamps ? new PassTimer(session, MOST_TIMED) : null;
  }

  /** Commands that were recorded so far: while it stays, so do the buffers that only commands write. */
  get commands(): number {
    return this.#commands;
  }

  /** Records the commands that `work` puts into a pass, which has timestamps and nothing else in it when profiling. */
  kernel(phase: Phase, work: (pass: GPUComputePassEncoder) => void): void {
    this.#commands++;
    const timer = this.#timer;
    if (timer === null || this.#timed.length === timer.capacity) {
      work(this.#passOf(phase));
    } else {
      this.#timed.push(phase);
      const alone = this.#outside().beginComputePass({ label: phase, timestampWrites: timer.next() });
      work(alone);
      alone.end();
    }
    if (++this.#kernels >= SUBMIT_AFTER) this.submit();
  }

  /** The pass that is being recorded; where somebody watches, one of this phase alone. */
  #passOf(phase: Phase): GPUComputePassEncoder {
    const { watcher } = this.session;
    if (watcher !== null && (watcher.apart || phase !== this.#phase)) this.#outside();
    if (this.#pass === null) {
      const timestampWrites = watcher?.begin(phase);
      this.#pass = this.#begun().beginComputePass({ label: phase, ...(timestampWrites && { timestampWrites }) });
      this.#phase = phase;
    }
    return this.#pass;
  }

  /** Copies bytes of a buffer to the beginning of another, as many as both hold unless told. */
  copy(from: GPUBuffer, to: GPUBuffer, first = 0, bytes = Math.min(from.size - first, to.size)): void {
    this.#commands++;
    if (bytes > 0) this.#outside().copyBufferToBuffer(from, first, to, 0, bytes);
  }

  clear(buffer: GPUBuffer): void {
    this.#commands++;
    this.#outside().clearBuffer(buffer);
  }

  submit(): void {
    if (this.#encoder === null) return;
    this.session.device.queue.submit([this.#outside().finish()]);
    this.#encoder = null;
    this.#kernels = 0;
  }

  /** Runs the recorded commands; resolves to the buffers' content. */
  readBack(buffers: readonly GPUBuffer[]): Promise<ArrayBuffer[]> {
    return this.decoded(buffers, copied);
  }

  /** Runs the recorded commands; resolves to what `decode` makes of the buffers' words, which are gone when it returns. */
  async decoded<Result>(
    buffers: readonly GPUBuffer[],
    decode: (words: readonly Uint32Array<ArrayBuffer>[]) => Result,
  ): Promise<Result> {
    const { now } = this.options;
    const from = now();
    const timed = this.#timed;
    if (timed.length > 0) this.#timer?.resolve(this.#outside());
    this.submit();
    const result = await decodeStorage(this.session, buffers, decode);
    let ofKernels = 0;
    if (timed.length > 0) {
      ((await this.#timer?.read()) ?? []).forEach((milliseconds, k) => {
        this.times[timed[k]] += milliseconds / 1000;
        ofKernels += milliseconds / 1000;
      });
      this.#timed = [];
    }
    // Timed kernels have entries of their own; some of them ran while the host was still recording.
    this.times.readback += Math.max(0, now() - from - ofKernels);
    return result;
  }

  destroy(): void {
    this.#timer?.destroy();
  }

  #begun(): GPUCommandEncoder {
    this.#encoder ??= this.session.device.createCommandEncoder({ label: "recorded" });
    return this.#encoder;
  }

  #outside(): GPUCommandEncoder {
    const encoder = this.#begun();
    this.#pass?.end();
    this.#pass = null;
    return encoder;
  }
}
