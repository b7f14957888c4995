import { type Comparison, onceEach } from "./comparison.js";
import { largestMatching } from "./matching.js";

/**
 * HOTA and its two parts (J. Luiten et al., "HOTA: a higher order metric for evaluating multi-object tracking", International Journal of Computer Vision 129, 2021),
 * computed as TrackEval does: the similarity of two points at distance d is 1 − d/(2c), c the reach; thresholds α are 0.05, 0.10, … 0.95,
 * and each number is the mean over them. Fractions.
 */
export interface HigherOrder {
  readonly hota: number;
  readonly detA: number;
  readonly assA: number;
}

const THRESHOLDS = Array.from({ length: 19 }, (_, k) => (k + 1) / 20);

export const higherOrder: (comparison: Comparison) => HigherOrder = onceEach((comparison) => {
  const { truth, answer, pairs } = comparison;
  const sizes = (points: { identity: Int32Array; identities: number }) => {
    const counts = new Float64Array(points.identities);
    for (const identity of points.identity) counts[identity]++;
    return counts;
  };
  const truthSize = sizes(truth);
  const answerSize = sizes(answer);
  const key = (pair: number) =>
    truth.identity[pairs.truth[pair]] * answer.identities + answer.identity[pairs.answer[pair]];
  const matches = alignedMatches(comparison, truthSize, answerSize, key);
  const means = { hota: 0, detA: 0, assA: 0 };
  for (const threshold of THRESHOLDS) {
    const together = new Map<number, number>();
    let found = 0;
    for (const pair of matches) {
      if (similarity(pairs.distance[pair]) < threshold - Number.EPSILON) continue;
      found++;
      together.set(key(pair), (together.get(key(pair)) ?? 0) + 1);
    }
    let association = 0;
    for (const [pair, count] of together) {
      const union = truthSize[Math.floor(pair / answer.identities)] + answerSize[pair % answer.identities] - count;
      association += (count * count) / union;
    }
    const detA = found / Math.max(1, truth.frame.length + answer.frame.length - found);
    const assA = association / Math.max(1, found);
    means.detA += detA / THRESHOLDS.length;
    means.assA += assA / THRESHOLDS.length;
    means.hota += Math.sqrt(detA * assA) / THRESHOLDS.length;
  }
  return means;
});

/** Pairs matched frame by frame by similarity times how well their identities go together over the whole recording. */
function alignedMatches(
  { frames, pairs }: Comparison,
  truthSize: Float64Array,
  answerSize: Float64Array,
  key: (pair: number) => number,
): number[] {
  const potential = new Map<number, number>();
  for (let p = 0; p < frames; p++) {
    const ofTruth = new Map<number, number>();
    const ofAnswer = new Map<number, number>();
    for (let pair = pairs.frameStart[p]; pair < pairs.frameStart[p + 1]; pair++) {
      const s = similarity(pairs.distance[pair]);
      ofTruth.set(pairs.truth[pair], (ofTruth.get(pairs.truth[pair]) ?? 0) + s);
      ofAnswer.set(pairs.answer[pair], (ofAnswer.get(pairs.answer[pair]) ?? 0) + s);
    }
    for (let pair = pairs.frameStart[p]; pair < pairs.frameStart[p + 1]; pair++) {
      const s = similarity(pairs.distance[pair]);
      const all = (ofTruth.get(pairs.truth[pair]) ?? 0) + (ofAnswer.get(pairs.answer[pair]) ?? 0) - s;
      if (all > 0) potential.set(key(pair), (potential.get(key(pair)) ?? 0) + s / all);
    }
  }
  const matches: number[] = [];
  for (let p = 0; p < frames; p++) {
    const entries = Array.from({ length: pairs.frameStart[p + 1] - pairs.frameStart[p] }, (_, n) => {
      const pair = pairs.frameStart[p] + n;
      const shared = potential.get(key(pair)) ?? 0;
      const all =
        truthSize[Math.floor(key(pair) / answerSize.length)] + answerSize[key(pair) % answerSize.length] - shared;
      const worth = (shared / all) * similarity(pairs.distance[pair]);
      return { row: pairs.truth[pair], column: pairs.answer[pair], worth, pair };
    });
    for (const { pair } of largestMatching(entries)) matches.push(pair);
  }
  return matches;
}

function similarity(distance: number): number {
  return 1 - distance / 2;
}
