import type { Detections } from "../../core/detections.js";
import { type FixedLinks, mayLink } from "../../core/fixed-links.js";
import { GrowingArray } from "../../core/growing-array.js";
import { longestRow } from "../../core/rows.js";
import { select } from "../../core/select.js";
import type { Counted } from "../sizes.js";
import { type Links, linksBy, type TrackCosts } from "./links.js";
import { bindExpectation, type MotionModel } from "./model.js";
import { bindStudentT, minusLogDensity, squareWithin } from "./student.js";

/** A detection has at most this number of candidates a span, those with the highest prior. */
export const NEAREST = 24;

/** Links from which their number is told, and again whenever it has doubled. */
const FIRST_TOLD = 1024;

export interface CandidateOptions {
  /** Greatest length of a link from each detection, per frame that it spans; null for the links that the model allows [null]. */
  readonly reach?: Float64Array | null;
  /** Links that are required, which pass every gate, and forbidden ones. */
  readonly fixed?: FixedLinks | null;
  readonly counted?: Counted | undefined;
  /** Candidates of a detection and span at most, where there is no reach [NEAREST]. */
  readonly nearest?: number;
}

/** Links from each detection to the frames `spans` later: all within reach, or the nearest that may be worth their cost. */
export function candidateLinks(
  detections: Detections,
  model: MotionModel,
  { ends, maxBirthCost }: TrackCosts,
  spans: readonly number[],
  { reach = null, fixed = null, counted = () => {}, nearest = NEAREST }: CandidateOptions = {},
): Links {
  const { frames, frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const bestStep = minusLogDensity(bindStudentT(model.step[0][0]), 0, 0);
  const limited = ends !== null && reach === null;
  const u = new Float64Array(2);
  const room = longestRow(frameStart);
  const [heads, squares, order] = [new Int32Array(room), new Float64Array(room), new Float64Array(room)];
  /** Puts the heads of links from i that span some frames, among detections first … end − 1, into `heads`; returns their number. */
  const findHeads = (i: number, span: number, within: number, first: number, end: number): number => {
    const { a, b, c } = priors[span - 1];
    const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
    let count = 0;
    for (let j = first; j < end; j++) {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      if (fixed !== null && !mayLink(fixed, i, j)) continue;
      const must = fixed !== null && fixed.next[i] === j;
      if (!must && !(dx * dx + dy * dy < longest * longest)) continue;
      expectation(i, j, u);
      const zx = dx - span * u[0];
      const zy = dy - span * u[1];
      const wx = a * zx;
      const wy = b * zx + c * zy;
      const q = wx * wx + wy * wy;
      if (!must && !(q <= within)) continue;
      squares[count] = q;
      heads[count++] = j;
    }
    if (!limited || count <= nearest) return count;
    // Of those as far as the last of the nearest ones, the first.
    order.set(squares.subarray(0, count));
    const most = select(order.subarray(0, count), nearest - 1);
    let equal = nearest;
    for (let n = 0; n < count; n++) if (squares[n] < most) equal--;
    let kept = 0;
    for (let n = 0; n < count; n++)
      if (squares[n] < most || (squares[n] === most && equal-- > 0)) heads[kept++] = heads[n];
    return kept;
  };
  const [tail, head] = [new GrowingArray(Int32Array), new GrowingArray(Int32Array)];
  let told = FIRST_TOLD;
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = frameStart[p]; i < frameStart[p + 1]; i++) {
      // A link saves an end and a start. Each neighbour may save as much, less the best continuation; half of that is granted.
      const cut = ends === null ? Number.POSITIVE_INFINITY : ends.death[i] + maxBirthCost;
      const most = cut + 0.5 * Math.max(0, cut - bestStep);
      for (let s = 0; s < spans.length && p + spans[s] < frames; s++) {
        const next = p + spans[s];
        const within = limited ? squareWithin(priors[spans[s] - 1], most) : Number.POSITIVE_INFINITY;
        const count = findHeads(i, spans[s], within, frameStart[next], frameStart[next + 1]);
        for (let n = 0; n < count; n++) {
          tail.push(i);
          head.push(heads[n]);
        }
      }
      if (tail.length < told) continue;
      counted({ detections: x.length, links: tail.length, triplets: null });
      told = 2 * tail.length;
    }
  }
  return linksBy(detections, model, { tail: tail.values, head: head.values });
}
