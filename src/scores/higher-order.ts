import { type Comparison, onceEach } from "./comparison.js";
import { countTogether, isOneToOne, matchFrame } from "./matching.js";

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

/** Less the rounding of a similarity. */
const THRESHOLDS = Array.from({ length: 19 }, (_, k) => (k + 1) / 20 - Number.EPSILON);

export const higherOrder: (comparison: Comparison) => HigherOrder = onceEach((comparison) => {
  const { truth, answer, pairs } = comparison;
  const sizes = (points: { identity: Int32Array; identities: number }) => {
    const counts = new Float64Array(points.identities);
    for (let k = 0; k < points.identity.length; k++) counts[points.identity[k]]++;
    return counts;
  };
  const truthSize = sizes(truth);
  const answerSize = sizes(answer);
  const isMatched = alignedMatches(comparison, truthSize, answerSize);
  /** By number of thresholds: the matched pairs whose similarity reaches so many. */
  const reaching = new Float64Array(THRESHOLDS.length + 1);
  for (let pair = 0; pair < isMatched.length; pair++) {
    if (isMatched[pair] === 0) continue;
    let reached = THRESHOLDS.length;
    while (reached > 0 && similarity(pairs.distance[pair]) < THRESHOLDS[reached - 1]) reached--;
    reaching[reached]++;
  }
  const at = (threshold: number, found: number) => {
    const together = countTogether(
      comparison,
      (pair) => isMatched[pair] === 1 && similarity(pairs.distance[pair]) >= threshold,
    );
    let association = 0;
    together.count.forEach((count, n) => {
      const union = truthSize[together.truth[n]] + answerSize[together.answer[n]] - count;
      association += (count * count) / union;
    });
    const detA = found / Math.max(1, truth.frame.length + answer.frame.length - found);
    return { found, detA, assA: association / Math.max(1, found) };
  };
  const means = { hota: 0, detA: 0, assA: 0 };
  let last = { found: -1, detA: 0, assA: 0 };
  for (const [k, threshold] of THRESHOLDS.entries()) {
    const found = reaching.subarray(k + 1).reduce((sum, count) => sum + count, 0);
    // As many as at the threshold before are the same ones.
    if (found !== last.found) last = at(threshold, found);
    means.detA += last.detA / THRESHOLDS.length;
    means.assA += last.assA / THRESHOLDS.length;
    means.hota += Math.sqrt(last.detA * last.assA) / THRESHOLDS.length;
  }
  return means;
});

/** 1 for the pairs matched frame by frame by similarity times how well their identities go together over the whole recording. */
function alignedMatches(comparison: Comparison, truthSize: Float64Array, answerSize: Float64Array): Uint8Array {
  const { frames, pairs } = comparison;
  const isMatched = new Uint8Array(pairs.distance.length);
  const similarityOf = (pair: number): number => similarity(pairs.distance[pair]);
  // Where nothing competes, it does not matter how well identities go together.
  const worthOf = isOneToOne(comparison) ? similarityOf : alignedWorth(comparison, truthSize, answerSize);
  for (let p = 0; p < frames; p++) {
    matchFrame(comparison, p, worthOf, (pair) => {
      isMatched[pair] = 1;
    });
  }
  return isMatched;
}

function alignedWorth({ truth, answer, pairs }: Comparison, truthSize: Float64Array, answerSize: Float64Array) {
  const targetOf = (pair: number): number => truth.identity[pairs.truth[pair]];
  const trackOf = (pair: number): number => answer.identity[pairs.answer[pair]];
  const key = (pair: number): number => targetOf(pair) * answer.identities + trackOf(pair);
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
  return (pair: number): number => {
    const shared = potential.get(key(pair)) ?? 0;
    const all = truthSize[targetOf(pair)] + answerSize[trackOf(pair)] - shared;
    return (shared / all) * similarity(pairs.distance[pair]);
  };
}

function similarity(distance: number): number {
  return 1 - distance / 2;
}
