import { type Comparison, onceEach } from "./comparison.js";
import { largestMatching } from "./matching.js";

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

export const identityCounts: (comparison: Comparison) => IdentityCounts = onceEach(({ truth, answer, pairs }) => {
  const together = new Map<number, { row: number; column: number; worth: number }>();
  for (let pair = 0; pair < pairs.truth.length; pair++) {
    if (pairs.distance[pair] > 1) continue;
    const row = truth.identity[pairs.truth[pair]];
    const column = answer.identity[pairs.answer[pair]];
    const key = row * answer.identities + column;
    const entry = together.get(key);
    if (entry) entry.worth++;
    else together.set(key, { row, column, worth: 1 });
  }
  const found = largestMatching([...together.values()]).reduce((sum, { worth }) => sum + worth, 0);
  return { found, truth: truth.frame.length, answer: answer.frame.length };
});
