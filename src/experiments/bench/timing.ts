import type { GpuSession } from "../../gpu/session.js";
import { GpuLapBatch } from "../../lap/gpu-batch.js";

/** Seconds over the repetitions. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly repetitions: number;
}

export function spreadOf(seconds: readonly number[]): Spread {
  const sorted = [...seconds].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted[sorted.length - 1], repetitions: sorted.length };
}

export function scaled({ median, min, max, repetitions }: Spread, by: number): Spread {
  return { median: by * median, min: by * min, max: by * max, repetitions };
}

export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

export interface RepeatOptions {
  readonly repetitions: number;
  /** Seconds for all runs together. */
  readonly limit: number;
}

/**
 * Seconds that `measure` reports, run after run. The first run warms up and does not count, unless a second one would pass the
 * limit: then it is the measurement. No further run begins that would pass it either.
 */
export async function repeated(measure: () => Promise<number>, { repetitions, limit }: RepeatOptions): Promise<Spread> {
  const first = await measure();
  const seconds: number[] = [];
  for (
    let spent = first;
    seconds.length < repetitions && spent + first <= limit;
    spent += seconds[seconds.length - 1]
  ) {
    seconds.push(await measure());
  }
  return spreadOf(seconds.length > 0 ? seconds : [first]);
}

/**
 * An idle GPU lowers its clocks within a second; so much work before a timing brings them back (lab/notes/gpu.md). Between timings that
 * follow each other, less keeps them up.
 */
export const BUSY = { seconds: 1, keepUpSeconds: 0.2, followSeconds: 2 } as const;
const BUSY_SIZE = 50;
const BUSY_LAPS = 264;

/** Work to keep a GPU's clocks up; none on a software adapter, which has none. */
export class BusyWork {
  #ended = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly session: GpuSession,
    private readonly now: () => number,
    private readonly batch: GpuLapBatch | null,
  ) {}

  static async create(session: GpuSession, now: () => number): Promise<BusyWork> {
    if (session.description.kind === "software") return new BusyWork(session, now, null);
    const limit = new Float32Array(BUSY_LAPS * BUSY_SIZE).fill(Number.POSITIVE_INFINITY);
    const sizes = new Uint32Array(BUSY_LAPS).fill(BUSY_SIZE);
    const shape = { rows: sizes, columns: sizes, rowLimit: limit, columnLimit: limit, entries: null };
    const batch = await GpuLapBatch.create(session, shape);
    // Any costs without structure will do.
    batch.writeDense(Float32Array.from({ length: limit.length * BUSY_SIZE }, (_, k) => (k * 7919) % 10007));
    return new BusyWork(session, now, batch);
  }

  async run(): Promise<void> {
    if (this.batch === null) return;
    const { device } = this.session;
    const begin = this.now();
    const seconds = begin - this.#ended < BUSY.followSeconds ? BUSY.keepUpSeconds : BUSY.seconds;
    while (this.now() - begin < seconds) {
      const encoder = device.createCommandEncoder({ label: "busy" });
      const pass = encoder.beginComputePass({ label: "busy" });
      for (let turn = 0; turn < 50; turn++) this.batch.encodeSolve(pass, { warm: false });
      pass.end();
      device.queue.submit([encoder.finish()]);
      await this.session.finished();
    }
    this.#ended = this.now();
  }

  destroy(): void {
    this.batch?.destroy();
  }
}
