/**
 * A homography from matches of which some are wrong: RANSAC (Fischler & Bolles 1981) over homographies of four, judged by the truncated symmetric
 * error (Torr & Zisserman 2000). A device judges many samples at once (gpu-ransac.ts); which of them is taken is decided here.
 */
import { InputError } from "../../../core/errors.js";
import { type RandomStream, randomStreams } from "../../../core/random.js";
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
export const LEAST_SAMPLES = 200;

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
