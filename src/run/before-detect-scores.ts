/** Detections of track-before-detect against true targets, and against what theory promises. */
import { InputError } from "../core/errors.js";
import type { TrueTarget } from "../core/found-target.js";
import type { OutputFrame } from "../pixels/before-detect/detect.js";
import { noiseOfState, probabilityOfDetection } from "../pixels/before-detect/noise.js";
import { type BeforeDetectOptions, couplesVectors } from "../pixels/before-detect/options.js";
import { type FoundScores, scoreDetections } from "../scores/found-targets.js";

export interface BeforeDetectTruth {
  readonly file: string;
  readonly targets: readonly TrueTarget[];
  /** How near a hit is, in pixels. */
  readonly reach: number;
  /** First image that is scored, from 0. */
  readonly from: number;
}

export interface ScoredDetections {
  readonly scores: FoundScores;
  /** The mean P_d that theory gives for point targets on vectors in white noise, over the same targets and frames; null where it gives none. */
  readonly theory: number | null;
  /** Output frames that were scored. */
  readonly frames: number;
}

/** @throws InputError where there is nothing to score */
export function scoreBeforeDetect(
  outputs: readonly OutputFrame[],
  { file, targets, reach, from }: BeforeDetectTruth,
  options: BeforeDetectOptions,
  prefilter: number,
): ScoredDetections {
  const scored = outputs.filter(({ frame }) => frame >= from);
  if (scored.length === 0)
    throw new InputError(`${file}: there is no output frame from ${from} on to score; give more frames`);
  const hasTheory = !couplesVectors(options) && prefilter === 0;
  return {
    scores: scoreDetections(scored, targets, reach),
    theory: hasTheory ? meanProbability(scored, targets, options.alpha) : null,
    frames: scored.length,
  };
}

function meanProbability(
  outputs: readonly OutputFrame[],
  targets: readonly TrueTarget[],
  alpha: number,
): number | null {
  const entered = new Map<number, number>();
  for (const { target, frame } of targets) entered.set(target, Math.min(frame, entered.get(target) ?? frame));
  let sum = 0;
  let count = 0;
  for (const { frame, threshold } of outputs) {
    for (const one of targets) {
      if (one.frame !== frame) continue;
      if (one.snr === null) return null;
      const age = frame - (entered.get(one.target) ?? 0) + 1;
      sum += probabilityOfDetection(one.snr, alpha, frame + 1, threshold, age);
      count++;
    }
  }
  return count === 0 ? null : sum / count;
}

/** σ of the frames by the noise of the last state; null where the state has none. */
export function sigmaOfFrames(last: OutputFrame | undefined, alpha: number): number | null {
  if (last === undefined || last.sigma === null) return null;
  return last.sigma / noiseOfState(1, alpha, last.frame + 1);
}
