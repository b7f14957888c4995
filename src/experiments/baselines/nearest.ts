import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { bindExpectation } from "../../costs/motion/model.js";
import { nearestLinks } from "../../costs/motion/nearest.js";
import { voteDisplacement } from "../../track/vote.js";

/** The expected displacement of links, and the mutually nearest pairs about it: the baselines know nothing else of a recording. */
export interface Nearest {
  /** Expected displacement of a link from i to j, written to `into`. */
  readonly expectation: (i: number, j: number, into: Float64Array) => void;
  /** The detection of the next frame that is each other's nearest about the expectation, −1 for none. */
  readonly next: Int32Array;
  /** Deviation of those pairs; where `next` is −1 it means nothing. */
  readonly zx: Float64Array;
  readonly zy: Float64Array;
}

/** Share of the mutually nearest pairs that the gate lets pass. */
const GATED = 0.99;

/** Frames whose displacements vote for a drift, at most, from the middle. */
const VOTING = 20;

/** Mutually nearest pairs about the measured velocities, where there are any, or about a drift. */
export function nearestPairs(detections: Detections, drift: readonly [number, number]): Nearest {
  const model = { drift, velocityWeight: detections.vx === null ? 0 : 1 };
  const { next, z } = nearestLinks(detections, model, [0, detections.frames]);
  return { expectation: bindExpectation(detections, model), next, zx: z[0], zy: z[1] };
}

/** The 99th percentile of the deviations of mutually nearest pairs; where all are 0, or there are none, the least positive number. */
export function gateOf({ next, zx, zy }: Nearest): number {
  const sizes: number[] = [];
  next.forEach((j, i) => {
    if (j >= 0) sizes.push(Math.hypot(zx[i], zy[i]));
  });
  return Math.max(quantile(sizes, GATED) ?? 0, Number.MIN_VALUE) * (1 + 1e-9);
}

/** The displacement a frame that most pairs of detections share. */
export function votedDrift({ frames, frameStart, x, y }: Detections): readonly [number, number] {
  const first = Math.max(0, Math.floor((frames - VOTING) / 2));
  const chosen = Array.from({ length: Math.min(VOTING, frames) }, (_, n) => first + n);
  return voteDisplacement(
    chosen.map((p) => ({
      x: x.slice(frameStart[p], frameStart[p + 1]),
      y: y.slice(frameStart[p], frameStart[p + 1]),
    })),
  ).displacement;
}
