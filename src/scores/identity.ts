import { type Comparison, onceEach } from "./comparison.js";
import { countTogether, largestMatching } from "./matching.js";

/**
 * IDF1, IDP and IDR (E. Ristani et al., "Performance measures and a data set for multi-target, multi-camera tracking", ECCV workshops 2016): one track for each target
 * over the whole recording, chosen so that most points agree.
 */
export interface IdentityCounts {
  /** Points of the truth whose track is the one of their target. */
  readonly found: number;
  readonly truth: number;
  readonly answer: number;
}

export const identityCounts: (comparison: Comparison) => IdentityCounts = onceEach((comparison) => {
  const { truth, answer, pairs } = comparison;
  const together = countTogether(comparison, (pair) => pairs.distance[pair] <= 1);
  const entries = together.count.map((worth, n) => ({ row: together.truth[n], column: together.answer[n], worth }));
  const found = largestMatching(entries).reduce((sum, { worth }) => sum + worth, 0);
  return { found, truth: truth.frame.length, answer: answer.frame.length };
});
