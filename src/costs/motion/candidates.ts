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
  const u = Float64Array.from(model.drift);
  const varies = model.velocityWeight !== 0 && detections.vx !== null && detections.vy !== null;
  const found = new Nearest(limited ? nearest : Number.POSITIVE_INFINITY, longestRow(frameStart));
  /** Finds the heads of links from i that span some frames, among detections first … end − 1. */
  const findHeads = (i: number, span: number, within: number, first: number, end: number): void => {
    const { a, b, c } = priors[span - 1];
    const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
    found.clear();
    for (let j = first; j < end; j++) {
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      if (fixed !== null && !mayLink(fixed, i, j)) continue;
      const must = fixed !== null && fixed.next[i] === j;
      if (!must && !(dx * dx + dy * dy < longest * longest)) continue;
      if (varies) expectation(i, j, u);
      const zx = dx - span * u[0];
      const zy = dy - span * u[1];
      const wx = a * zx;
      const wy = b * zx + c * zy;
      const q = wx * wx + wy * wy;
      if (must || q <= within) found.add(q, j);
    }
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
        findHeads(i, spans[s], within, frameStart[next], frameStart[next + 1]);
        const count = found.select();
        for (let n = 0; n < count; n++) {
          tail.push(i);
          head.push(found.item[n]);
        }
      }
      if (tail.length < told) continue;
      counted({ detections: x.length, links: tail.length, triplets: null });
      told = 2 * tail.length;
    }
  }
  return linksBy(detections, model, { tail: tail.values, head: head.values });
}

/** The items of the `most` smallest values, in the order in which they were added; of equal values the first ones. */
class Nearest {
  readonly item: Int32Array;
  private readonly value: Float64Array;
  private readonly order: Float64Array;
  private count = 0;

  /** @param room greatest number of values */
  constructor(
    private readonly most: number,
    room: number,
  ) {
    this.value = new Float64Array(room);
    this.item = new Int32Array(room);
    this.order = new Float64Array(room);
  }

  clear(): void {
    this.count = 0;
  }

  add(value: number, item: number): void {
    const n = this.count++;
    this.value[n] = value;
    this.item[n] = item;
  }

  /** Moves the kept items to the front; returns their number. */
  select(): number {
    const { value, item, order, most, count } = this;
    if (count <= most) return count;
    for (let n = 0; n < count; n++) order[n] = value[n];
    const limit = select(order.subarray(0, count), most - 1);
    let equal = most;
    for (let n = 0; n < count; n++) if (value[n] < limit) equal--;
    let kept = 0;
    for (let n = 0; n < count; n++) {
      if (value[n] > limit || (value[n] === limit && equal-- <= 0)) continue;
      item[kept++] = item[n];
    }
    return kept;
  }
}
