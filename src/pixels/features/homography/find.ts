import type { GpuSession } from "../../../gpu/session.js";
import { once } from "../../../gpu/workspace.js";
import { createGpuRansac, MOST_SAMPLES } from "./gpu-ransac.js";
import type { PointPairs } from "./model.js";
import {
  type FoundHomography,
  findHomographyOnCpu,
  HomographySearch,
  LEAST_SAMPLES,
  type RansacOptions,
} from "./ransac.js";

/**
 * A device's sums are f32: samples that it puts this share of the worst sum above the best so far are considered all the same. That is far more than
 * roundings change, so that the device finds what the CPU finds.
 */
const SLACK = 0.01;

/**
 * The homography that pairs agree with best, by RANSAC; null where no sample had more than its own four inliers. A device judges all samples at
 * once; those that it finds better than the best so far are judged again in f64, in their order, so that homography, inliers and number of
 * samples are those of the CPU.
 */
export async function findHomography(
  pairs: PointPairs,
  options: RansacOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<FoundHomography | null> {
  if (device === null) return findHomographyOnCpu(pairs, options);
  const search = new HomographySearch(pairs, options);
  if (!search.hasEnoughPairs) return null;
  const slack = SLACK * search.limit * pairs.x.length;
  return await once(createGpuRansac(device, pairs), async (gpu) => {
    let done = 0;
    while (done < search.most) {
      // The first samples tell how many are needed.
      const wanted = Math.min(done === 0 ? LEAST_SAMPLES : MOST_SAMPLES, search.most - done);
      const samples = Array.from({ length: wanted }, () => search.draw());
      const scores = await gpu.score(Uint32Array.from(samples.flat()), search.limit);
      for (let k = 0; k < wanted && done < search.most; k++, done++) {
        if (scores[k] < search.score + slack) search.consider(samples[k]);
      }
    }
    return search.finish(done);
  });
}
