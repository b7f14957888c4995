/** Samples of four pairs judged on a GPU, many at once. */
import { createStorage, uploadUniform, writeStorage } from "../../../gpu/buffers.js";
import { type Dispatch, recordPass, runAndRead } from "../../../gpu/dispatch.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import type { PointPairs } from "./model.js";

/** Samples of one dispatch at most. */
export const MOST_SAMPLES = 8192;

/** One set of pairs on a device. */
export class GpuRansac {
  #dispatch: Dispatch | null = null;
  #run: GPUBuffer | null = null;

  private constructor(
    private readonly session: GpuSession,
    private readonly kernel: Kernel,
    private readonly count: number,
    private readonly buffers: Readonly<Record<"pairs" | "samples" | "scores", GPUBuffer>>,
  ) {}

  static async create(session: GpuSession, { x, y, u, v }: PointPairs): Promise<GpuRansac> {
    const kernel = await loadKernel(session, new URL("./score-samples.wgsl", import.meta.url));
    const n = x.length;
    // Whole numbers: what is left of an f32 after them is exact.
    const [mx, my, mu, mv] = [x, y, u, v].map((values) => Math.round(mean(values)));
    const pairs = new Float32Array(4 * n);
    for (let k = 0; k < n; k++) pairs.set([x[k] - mx, y[k] - my, u[k] - mu, v[k] - mv], 4 * k);
    const buffers = {
      pairs: createStorage(session, "pairs", 4 * n),
      samples: createStorage(session, "samples", 4 * MOST_SAMPLES),
      scores: createStorage(session, "scores", MOST_SAMPLES),
    };
    writeStorage(session, buffers.pairs, pairs);
    return new GpuRansac(session, kernel, n, buffers);
  }

  /** @param samples numbers of four pairs each, MOST_SAMPLES of them at most */
  upload(samples: Uint32Array, limit: number): void {
    const { session, kernel, buffers, count } = this;
    writeStorage(session, buffers.samples, samples);
    this.#run?.destroy();
    const record = { pairs: count, samples: samples.length / 4, limit };
    this.#run = uploadUniform(session, "samples", kernel.struct("SampleRun").pack([record]));
    this.#dispatch = { kernel, group: kernel.bind({ run: this.#run }, buffers), x: record.samples, y: 1 };
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    recordPass(encoder, "ransac", this.#dispatch === null ? [] : [this.#dispatch], timestampWrites);
  }

  /** Σ min(error there and back, limit) over all pairs, pixels², for each sample; above 1e38 for those that are not plausible. */
  async score(samples: Uint32Array, limit: number): Promise<Float32Array> {
    this.upload(samples, limit);
    const [bytes] = await runAndRead(this.session, "ransac", (encoder) => this.encode(encoder), [this.buffers.scores]);
    return new Float32Array(bytes, 0, samples.length / 4);
  }

  destroy(): void {
    for (const buffer of [...Object.values(this.buffers), this.#run]) buffer?.destroy();
  }
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
}
