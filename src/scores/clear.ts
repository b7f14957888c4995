import { type Comparison, onceEach } from "./comparison.js";
import { matchFrame } from "./matching.js";

/**
 * The matching of the CLEAR MOT metrics (K. Bernardin, R. Stiefelhagen, "Evaluating multiple object tracking performance", EURASIP Journal on
 * Image and Video Processing, 2008), as TrackEval works it out: frame by frame, a pair that was matched in the frame before stays matched where it can, the rest
 * by similarity.
 */
export interface ClearCounts {
  readonly truth: number;
  readonly found: number;
  readonly false: number;
  /** A point whose target was matched to another track when it was last matched. */
  readonly switches: number;
  /** Times that a target is found again after points of it that were not found. */
  readonly fragments: number;
}

/** The worth of keeping the match of the frame before: more than all similarities of one frame together. */
const STAY = 1000;

export const clearCounts: (comparison: Comparison) => ClearCounts = onceEach((comparison) => {
  const { frames, truth, answer, pairs } = comparison;
  const targetOf = (pair: number): number => truth.identity[pairs.truth[pair]];
  const trackOf = (pair: number): number => answer.identity[pairs.answer[pair]];
  /** Track that each target was last matched to, and in which frame. */
  const lastTrack = new Int32Array(truth.identities).fill(-1);
  const lastFrame = new Int32Array(truth.identities).fill(-2);
  const lost = new Uint8Array(truth.identities);
  /** A frame without points of the truth, or of the answer, is no time step: the matches before it still count as those of the frame before. */
  let before = -1;
  let [point, answered] = [0, 0];
  let [found, switches, fragments] = [0, 0, 0];
  for (let p = 0; p < frames; p++) {
    const [first, firstAnswered] = [point, answered];
    while (point < truth.frame.length && truth.frame[point] === p) point++;
    while (answered < answer.frame.length && answer.frame[answered] === p) answered++;
    if (point === first || answered === firstAnswered) continue;
    const worthOf = (pair: number): number => {
      if (pairs.distance[pair] > 1) return 0;
      const target = targetOf(pair);
      const stays = lastTrack[target] === trackOf(pair) && lastFrame[target] === before;
      return 1 - pairs.distance[pair] / 2 + (stays ? STAY : 0);
    };
    matchFrame(comparison, p, worthOf, (pair) => {
      const [target, track] = [targetOf(pair), trackOf(pair)];
      found++;
      if (lastTrack[target] >= 0 && lastTrack[target] !== track) switches++;
      if (lost[target] === 1) fragments++;
      lost[target] = 0;
      lastTrack[target] = track;
      lastFrame[target] = p;
    });
    for (let k = first; k < point; k++) {
      const target = truth.identity[k];
      if (lastTrack[target] >= 0 && lastFrame[target] !== p) lost[target] = 1;
    }
    before = p;
  }
  return {
    truth: truth.frame.length,
    found,
    false: answer.frame.length - found,
    switches,
    fragments,
  };
});
