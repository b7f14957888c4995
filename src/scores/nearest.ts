import { type Comparison, onceEach } from "./comparison.js";
import { largestMatching } from "./matching.js";

/** Partner of each point by position alone, whatever its identity; −1 where it has none. */
export interface Nearest {
  readonly answerOf: Int32Array;
  readonly truthOf: Int32Array;
}

/**
 * The matching frame by frame that GOSPA and OSPA are defined by: least Σ min(d, c)² with d the distance and c the reach, so that a match is worth 1 − (d/c)², and points at the reach or beyond it are not matched.
 */
export const nearest: (comparison: Comparison) => Nearest = onceEach((comparison) => {
  const answerOf = new Int32Array(comparison.truth.frame.length).fill(-1);
  const truthOf = new Int32Array(comparison.answer.frame.length).fill(-1);
  for (let p = 0; p < comparison.frames; p++) {
    for (const { row, column } of largestMatching(worths(comparison, p))) {
      answerOf[row] = column;
      truthOf[column] = row;
    }
  }
  return { answerOf, truthOf };
});

/** Per frame: points of truth and of the answer, and Σ 1 − (d/c)² over the matched ones. */
export interface FrameMatch {
  readonly truth: number;
  readonly answer: number;
  readonly matched: number;
  readonly worth: number;
}

export const frameMatches: (comparison: Comparison) => readonly FrameMatch[] = onceEach((comparison) => {
  const { answerOf } = nearest(comparison);
  const sizes = (frame: Uint32Array) => {
    const counts = new Uint32Array(comparison.frames);
    for (const p of frame) counts[p]++;
    return counts;
  };
  const truth = sizes(comparison.truth.frame);
  const answer = sizes(comparison.answer.frame);
  return Array.from({ length: comparison.frames }, (_, p) => {
    const matched = worths(comparison, p).filter(({ row, column }) => answerOf[row] === column);
    return {
      truth: truth[p],
      answer: answer[p],
      matched: matched.length,
      worth: matched.reduce((sum, { worth }) => sum + worth, 0),
    };
  });
});

function worths({ pairs }: Comparison, p: number) {
  return Array.from({ length: pairs.frameStart[p + 1] - pairs.frameStart[p] }, (_, n) => {
    const pair = pairs.frameStart[p] + n;
    return { row: pairs.truth[pair], column: pairs.answer[pair], worth: 1 - pairs.distance[pair] ** 2 };
  });
}
