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
  const [similarities, keys] = [matches.map((pair) => similarity(pairs.distance[pair])), matches.map(key)];
  const at = (threshold: number, found: number) => {
    const together = new Map<number, number>();
    keys.forEach((pair, n) => {
      if (similarities[n] >= threshold) together.set(pair, (together.get(pair) ?? 0) + 1);
    });
    let association = 0;
    for (const [pair, count] of together) {
      const union = truthSize[Math.floor(pair / answer.identities)] + answerSize[pair % answer.identities] - count;
      association += (count * count) / union;
    }
    const detA = found / Math.max(1, truth.frame.length + answer.frame.length - found);
    return { found, detA, assA: association / Math.max(1, found) };
  };
  const means = { hota: 0, detA: 0, assA: 0 };
  let last = { found: -1, detA: 0, assA: 0 };
  for (const alpha of THRESHOLDS) {
    const threshold = alpha - Number.EPSILON;
    const found = similarities.reduce((count, s) => count + Number(s >= threshold), 0);
    // As many as at the threshold before are the same ones.
    if (found !== last.found) last = at(threshold, found);
    means.detA += last.detA / THRESHOLDS.length;
    means.assA += last.assA / THRESHOLDS.length;
    means.hota += Math.sqrt(last.detA * last.assA) / THRESHOLDS.length;
  }
  return means;
});

/** Pairs matched frame by frame by similarity times how well their identities go together over the whole recording. */
function alignedMatches(
  { frames, truth, answer, pairs }: Comparison,
  truthSize: Float64Array,
  answerSize: Float64Array,
  key: (pair: number) => number,
): number[] {
  const potential = new Map<number, number>();
  const ofTruth = new Float64Array(truth.frame.length);
  const ofAnswer = new Float64Array(answer.frame.length);
  for (let pair = 0; pair < pairs.distance.length; pair++) {
    ofTruth[pairs.truth[pair]] += similarity(pairs.distance[pair]);
    ofAnswer[pairs.answer[pair]] += similarity(pairs.distance[pair]);
  }
  for (let pair = 0; pair < pairs.distance.length; pair++) {
    const s = similarity(pairs.distance[pair]);
    const all = ofTruth[pairs.truth[pair]] + ofAnswer[pairs.answer[pair]] - s;
    if (all > 0) potential.set(key(pair), (potential.get(key(pair)) ?? 0) + s / all);
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
