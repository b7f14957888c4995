/** Samples of four pairs judged on a GPU, many at once. */
import type { GpuSession } from "../../../gpu/session.js";
import { loadKernel } from "../../../gpu/wgsl/kernel.js";
import { Workspace } from "../../../gpu/workspace.js";
import type { PointPairs } from "./model.js";

/** Samples of one dispatch at most. */
export const MOST_SAMPLES = 8192;

/** One set of pairs on a device. */
export async function createGpuRansac(session: GpuSession, { x, y, u, v }: PointPairs) {
  const kernel = await loadKernel(session, new URL("./score-samples.wgsl", import.meta.url));
  const count = x.length;
  // Whole numbers: their difference from an f32 is exact.
  const [mx, my, mu, mv] = [x, y, u, v].map((values) => Math.round(mean(values)));
  const pairs = new Float32Array(4 * count);
  for (let k = 0; k < count; k++) pairs.set([x[k] - mx, y[k] - my, u[k] - mu, v[k] - mv], 4 * k);
  const work = new Workspace(session, "ransac");
  work.upload("pairs", pairs);
  work.storage("samples", 4 * MOST_SAMPLES);
  work.storage("scores", MOST_SAMPLES);
  return {
    /**
     * Σ min(error there and back, limit) over all pairs, pixels², for each sample; above 1e38 for those that are not plausible.
     * @param samples numbers of four pairs each, MOST_SAMPLES of them at most
     */
    score(samples: Uint32Array, limit: number): Promise<Float32Array> {
      const n = samples.length / 4;
      work.upload("samples", samples);
      work.uniform("run", kernel.struct("SampleRun"), { pairs: count, samples: n, limit });
      return work.run(
        (encoder) => work.record(encoder, [{ kernel, groups: [n] }]),
        [{ name: "scores", bytes: 4 * n }],
        ([scores]) => new Float32Array(scores.slice().buffer),
      );
    },
    destroy: () => work.destroy(),
  };
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
}
