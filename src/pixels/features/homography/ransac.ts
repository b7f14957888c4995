/**
 * A homography from matches of which some are wrong: RANSAC (Fischler & Bolles 1981) over homographies of four, judged by the truncated symmetric
 * error (Torr & Zisserman 2000). A device judges many samples at once (score-samples.wgsl); which of them is taken is decided here.
 */
import { InputError } from "../../../core/errors.js";
import { type RandomStream, randomStreams } from "../../../core/random.js";
import type { GpuSession } from "../../../gpu/session.js";
import { loadKernel } from "../../../gpu/wgsl/kernel.js";
import { once, Workspace } from "../../../gpu/workspace.js";
import { count, type Homography, inliersOf, linearHomography, type PointPairs, truncatedError } from "./model.js";
import { refineOnInliers } from "./refine.js";

export interface RansacOptions {
  /** Largest root mean square of the errors there and back of an inlier, pixels. */
  readonly threshold: number;
  readonly seed: number;
  /** Samples are drawn until one of them was without an outlier with this probability, judging by the inliers found. */
  readonly confidence: number;
  readonly samples: number;
}

export const RANSAC_DEFAULTS: RansacOptions = { threshold: 3, seed: 1, confidence: 0.999, samples: 10_000 };

/**
 * Least number of samples. A sample without an outlier is not always a good one: four points close together with some noise agree with most pairs
 * nearby and with few far off.
 */
const LEAST_SAMPLES = 200;

export interface FoundHomography {
  readonly h: Homography;
  /** 1 for pairs within the threshold. */
  readonly inlier: Uint8Array;
  readonly inliers: number;
  readonly samples: number;
}

/** Samples that every search draws one after the other from its seed, and the best homography among those that it has considered. */
export class HomographySearch {
  readonly #stream: RandomStream;
  #best: { readonly h: Homography; readonly score: number; readonly inliers: number } | null = null;
  #most: number;

  /** @throws InputError for a threshold that is none */
  constructor(
    private readonly pairs: PointPairs,
    private readonly options: RansacOptions,
  ) {
    const { threshold } = options;
    if (!(threshold > 0)) throw new InputError(`threshold ${threshold}: give pixels above 0`);
    this.#stream = randomStreams(options.seed).next().value;
    this.#most = options.samples;
  }

  /** Least sum of squared errors there and back of an outlier, pixels². */
  get limit(): number {
    return 2 * this.options.threshold ** 2;
  }

  /** Whether a fifth pair could speak for a homography at all. */
  get hasEnoughPairs(): boolean {
    return this.pairs.x.length >= 5;
  }

  /** Samples to consider, as far as is known. */
  get most(): number {
    return this.#most;
  }

  /** Of the best homography so far: Σ min(error, limit), pixels². */
  get score(): number {
    return this.#best?.score ?? Number.POSITIVE_INFINITY;
  }

  /** Numbers of four different pairs. */
  draw(): number[] {
    const n = this.pairs.x.length;
    const four: number[] = [];
    while (four.length < 4) {
      const k = Math.floor(this.#stream.uniform(0, n));
      if (!four.includes(k)) four.push(k);
    }
    return four;
  }

  /** Takes the homography of four pairs where it is better than all before. */
  consider(four: readonly number[]): void {
    const { pairs, limit } = this;
    if (!isPlausible(pairs, four)) return;
    const h = linearHomography(pairs, four);
    if (h === null) return;
    const score = truncatedError(pairs, h, limit);
    if (score >= this.score) return;
    const inliers = count(inliersOf(pairs, h, limit));
    this.#best = { h, score, inliers };
    const allRight = (inliers / pairs.x.length) ** 4;
    const enough = allRight < 1 ? Math.ceil(Math.log(1 - this.options.confidence) / Math.log(1 - allRight)) : 1;
    this.#most = Math.min(this.options.samples, Math.max(LEAST_SAMPLES, enough));
  }

  /** The best, refined on its inliers; null where no sample had more than its own four. */
  finish(samples: number): FoundHomography | null {
    const { pairs, limit } = this;
    if (this.#best === null || this.#best.inliers <= 4) return null;
    const h = refineOnInliers(pairs, this.#best.h, limit);
    const inlier = inliersOf(pairs, h, limit);
    return { h, inlier, inliers: count(inlier), samples };
  }
}

/** The homography that pairs agree with best; null where no sample had more than its own four inliers. */
export function findHomographyOnCpu(pairs: PointPairs, options: RansacOptions): FoundHomography | null {
  const search = new HomographySearch(pairs, options);
  if (!search.hasEnoughPairs) return null;
  let samples = 0;
  for (; samples < search.most; samples++) search.consider(search.draw());
  return search.finish(samples);
}

/** No three on a line, and every triangle turns the same way in both images: a camera does not see a plane from behind. */
function isPlausible({ x, y, u, v }: PointPairs, four: readonly number[]): boolean {
  for (let skip = 0; skip < 4; skip++) {
    const [a, b, c] = four.filter((_, k) => k !== skip);
    const here = (x[b] - x[a]) * (y[c] - y[a]) - (x[c] - x[a]) * (y[b] - y[a]);
    const there = (u[b] - u[a]) * (v[c] - v[a]) - (u[c] - u[a]) * (v[b] - v[a]);
    if (Math.abs(here) < 1 || Math.abs(there) < 1 || here < 0 !== there < 0) return false;
  }
  return true;
}

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
