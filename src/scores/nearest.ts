import { type Comparison, onceEach } from "./comparison.js";
import { countTogether, isOneToOne, matchFrame } from "./matching.js";

/** Partner of each point by position alone, whatever its identity; −1 where it has none. */
export interface Nearest {
  readonly answerOf: Int32Array;
  readonly truthOf: Int32Array;
}

/**
 * The matching frame by frame that GOSPA and OSPA are defined by: least Σ min(d, c)² with d the distance and c the reach, so that a match is worth 1 − (d/c)², and points at the reach or beyond it are not matched.
 * Where points coincide, several are least; of them it is the one of identities that are within reach of each other in the most frames.
 */
export const nearest: (comparison: Comparison) => Nearest = onceEach((comparison) => {
  const answerOf = new Int32Array(comparison.truth.frame.length).fill(-1);
  const truthOf = new Int32Array(comparison.answer.frame.length).fill(-1);
  const { pairs } = comparison;
  const worthOf = isOneToOne(comparison) ? worthIn(comparison) : withTies(comparison);
  for (let p = 0; p < comparison.frames; p++) {
    matchFrame(comparison, p, worthOf, (pair) => {
      answerOf[pairs.truth[pair]] = pairs.answer[pair];
      truthOf[pairs.answer[pair]] = pairs.truth[pair];
    });
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
  const { pairs } = comparison;
  const { answerOf } = nearest(comparison);
  const worthOf = worthIn(comparison);
  const sizes = (frame: Uint32Array) => {
    const counts = new Uint32Array(comparison.frames);
    for (let k = 0; k < frame.length; k++) counts[frame[k]]++;
    return counts;
  };
  const truth = sizes(comparison.truth.frame);
  const answer = sizes(comparison.answer.frame);
  return Array.from({ length: comparison.frames }, (_, p) => {
    let [matched, worth] = [0, 0];
    for (let pair = pairs.frameStart[p]; pair < pairs.frameStart[p + 1]; pair++) {
      if (answerOf[pairs.truth[pair]] !== pairs.answer[pair]) continue;
      matched++;
      worth += worthOf(pair);
    }
    return { truth: truth[p], answer: answer[p], matched, worth };
  });
});

/** Below all differences that distances make. */
const TIE = 1e-9;

function withTies(comparison: Comparison): (pair: number) => number {
  const { truth, answer, pairs, frames } = comparison;
  const keyOf = (target: number, track: number) => target * answer.identities + track;
  const together = countTogether(comparison, (pair) => pairs.distance[pair] < 1);
  const tie = new Map(together.count.map((count, n) => [keyOf(together.truth[n], together.answer[n]), count / frames]));
  const worthOf = worthIn(comparison);
  return (pair) => {
    const [target, track] = [truth.identity[pairs.truth[pair]], answer.identity[pairs.answer[pair]]];
    return worthOf(pair) + TIE * (tie.get(keyOf(target, track)) ?? 0);
  };
}

const worthIn =
  ({ pairs }: Comparison) =>
  (pair: number): number =>
    1 - pairs.distance[pair] ** 2;
