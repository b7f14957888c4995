/** Assumptions of a run about the motion, by its options or its first frames. */
import { InputError } from "../core/errors.js";
import type { ClosedFrame } from "../track/stream.js";
import type { TrackerSettings, View } from "../track/tracker.js";
import { AGREEING, voteDisplacement } from "../track/vote.js";
import type { CommonMotion, TrackOptions } from "./track-options.js";
import { NONE, visible } from "./visible.js";

/** d_max where it is not told, of the median nearest-neighbour distance. */
export const REACH_SHARE = 0.75;

/** Share of the measurements that must agree on a displacement for it to be taken for that of all. */
const FEWEST_AGREEING = 0.5;

/**
 * Of the common displacement: how far from its prediction a new track is looked for. Chosen on belts of odd seeds with misses, where 0.5 to 0.6 leave a sixth of the
 * errors; below 0.6 the slowest cylinders of SIMULATED_dem break. It is no less than the distance within which displacements agree in the vote: what moves slower
 * than that may go any way, and a displacement near 0 would leave no reach at all.
 */
const FIRST_REACH = 0.6;

/**
 * Kalman noise before it can be estimated, the least noise afterwards, and the standard deviation of new tracks' velocities, as shares of the displacement; and the shares of
 * d_max that none of them is below.
 */
const NOISE = {
  q: 0.01,
  r: 0.003,
  leastQ: 0.002,
  leastR: 0.0015,
  sigma: 0.1,
  ofReach: 0.001,
  sigmaOfReach: 0.1,
  sigmaAtRest: 0.5,
} as const;

/**
 * The common motion, by the options and the votes of the first frames; the votes, where they decided the displacement; and notes for the user.
 * @throws InputError where d_max is not told and no frame has two measurements
 */
export function commonMotion(
  frames: readonly ClosedFrame[],
  options: TrackOptions,
): { motion: CommonMotion; votes: number | null; notes: string[] } {
  const voted = voteDisplacement(
    frames.flatMap((frame, k) => {
      const isApart = k > 0 && frame.frame > frames[k - 1].frame + 1;
      const seen = visible(frame, options.view);
      return isApart ? [{ x: NONE, y: NONE }, seen] : [seen];
    }),
  );
  const { nearest, votes, possible } = voted;
  const reach = options.reach ?? (nearest === null ? null : REACH_SHARE * nearest);
  if (reach === null || !(reach > 0)) {
    throw new InputError(
      `the first ${frames.length} frames have no two measurements apart from each other, so that d_max cannot be told; give --d-max`,
    );
  }
  if (options.displacement !== null) {
    return { motion: { reach, displacement: options.displacement, nearest }, votes: null, notes: [] };
  }
  if (votes >= FEWEST_AGREEING * possible) {
    return { motion: { reach, displacement: voted.displacement, nearest }, votes, notes: [] };
  }
  const note = `No common displacement (${votes} of ${possible} measurements agree on one): new tracks start at rest; --displacement states one.`;
  return { motion: { reach, displacement: [0, 0], nearest }, votes, notes: [note] };
}

/** The tracker's settings for that motion. */
export function trackerSettings(
  { reach, displacement, nearest }: CommonMotion,
  { noise, score }: TrackOptions,
  view: View | null,
): TrackerSettings {
  const step = Math.hypot(...displacement);
  const least = (share: number) => Math.max(share * step, NOISE.ofReach * reach);
  return {
    reach,
    firstReach: step === 0 ? Infinity : Math.max(FIRST_REACH * step, AGREEING * (nearest ?? 0)),
    velocity: displacement,
    velocitySigma: step === 0 ? NOISE.sigmaAtRest * reach : Math.max(NOISE.sigma * step, NOISE.sigmaOfReach * reach),
    noise: noise ?? { q: least(NOISE.q), r: least(NOISE.r) },
    estimateNoise: noise === null,
    leastNoise: { q: least(NOISE.leastQ), r: least(NOISE.leastR) },
    score,
    view,
  };
}
