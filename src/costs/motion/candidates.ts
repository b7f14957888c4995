import type { Detections } from "../../core/detections.js";
import { type FixedLinks, mayLink } from "../../core/fixed-links.js";
import { GrowingArray } from "../../core/growing-array.js";
import { longestRow } from "../../core/rows.js";
import { select } from "../../core/select.js";
import { gridsOfFrames } from "../cell-grid.js";
import { bindStudentT, minusLogDensity, squareWithin } from "../density/student.js";
import type { Counted } from "../sizes.js";
import { type Links, linksBy, type TrackCosts } from "./links.js";
import { bindExpectation, type MotionModel } from "./model.js";

/** A detection has at most this number of candidates a span, those with the highest prior. */
export const NEAREST = 24;

/** Frames of fewer detections are looked through. */
const FEW = 64;

/** Factor by which the squares are greater within which the nearest ones are looked for first than those in which they were found before. */
const LITTLE_MORE = 1.5;

/** Share of the numbers that a place is computed of by which rounding moves it at most. */
const ROUNDING = 2 ** -48;

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
  const { frames, frameStart, x, y, z } = detections;
  const expectation = bindExpectation(detections, model);
  const priors = model.prior.map(bindStudentT);
  const bestStep = minusLogDensity(bindStudentT(model.step[0][0]), 0, 0);
  const limited = ends !== null && reach === null;
  const u = new Float64Array(3);
  const near = bindNear(detections, model, reach, fixed !== null);
  const room = longestRow(frameStart);
  const [heads, squares, order] = [new Int32Array(room), new Float64Array(room), new Float64Array(room)];
  /** Puts the heads of links from i to a frame, which span some frames, and the squares of their whitened distances into `heads` and `squares`; returns their number. */
  const headsWithin = (i: number, span: number, within: number, frame: number): number => {
    const { a, b, c, d, e, f } = priors[span - 1];
    const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
    let count = 0;
    const looked = near(i, span, within, frame);
    for (let n = 0; n < looked.length; n++) {
      const j = looked[n];
      const dx = x[j] - x[i];
      const dy = y[j] - y[i];
      const dz = z === undefined ? 0 : z[j] - z[i];
      if (fixed !== null && !mayLink(fixed, i, j)) continue;
      const must = fixed !== null && fixed.next[i] === j;
      if (!must && !(dx * dx + dy * dy + dz * dz < longest * longest)) continue;
      expectation(i, j, u);
      const zx = dx - span * u[0];
      const zy = dy - span * u[1];
      const zz = dz - span * u[2];
      const wx = a * zx;
      const wy = b * zx + c * zy;
      const wz = d * zx + e * zy + f * zz;
      const q = wx * wx + wy * wy + wz * wz;
      if (!must && !(q <= within)) continue;
      squares[count] = q;
      heads[count++] = j;
    }
    return count;
  };
  /** Squares within which the nearest ones were found last, a little more: there they are looked for first. */
  const usual = priors.map(() => 1);
  /** Leaves the nearest heads of links from i to a frame in `heads`; returns their number. */
  const findHeads = (i: number, span: number, most: number, frame: number): number => {
    let within = limited ? Math.min(usual[span - 1], most) : most;
    let count = headsWithin(i, span, within, frame);
    while (within < most && count < nearest) {
      within = Math.min(4 * within, most);
      count = headsWithin(i, span, within, frame);
    }
    if (!limited || count <= nearest) return count;
    // Of those as far as the last of the nearest ones, the first.
    order.set(squares.subarray(0, count));
    const last = select(order.subarray(0, count), nearest - 1);
    if (last > 0) usual[span - 1] = LITTLE_MORE * last;
    let equal = nearest;
    for (let n = 0; n < count; n++) if (squares[n] < last) equal--;
    let kept = 0;
    for (let n = 0; n < count; n++)
      if (squares[n] < last || (squares[n] === last && equal-- > 0)) heads[kept++] = heads[n];
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
        const count = findHeads(i, spans[s], within, next);
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

/**
 * The detections of a frame to which links from i may lead, and others near them, in order: by a grid of the plane, since no link within the gate is longer than `reach`, and none within the
 * squared whitened distance is farther along an axis from where its detection is expected than the density's own scale along it allows. What a detection's own velocity says of that moves it in the grid.
 * @param all whether all of a frame are to be looked through
 */
function bindNear(detections: Detections, model: MotionModel, reach: Float64Array | null, all: boolean) {
  const { frameStart, x, y, vx, vy, timeStep } = detections;
  const { drift, velocityWeight: weight, prior } = model;
  const measured = vx !== null && vy !== null && weight !== 0;
  const isAnyUnknown = measured && (vx.some(Number.isNaN) || vy.some(Number.isNaN));
  const each = Int32Array.from(x.keys());
  const half = measured && reach === null ? 0.5 * weight * timeStep : 0;
  const moved = (axis: Float64Array, v: Float64Array | null, by: number) =>
    half === 0 || v === null ? axis : axis.map((at, d) => at + by * half * v[d]);
  const placesOf = (by: number) => ({ x: moved(x, vx, by), y: moved(y, vy, by) });
  const spans = prior.map((_, n) => ({
    from: placesOf(n + 1),
    gridOf: gridsOfFrames({ frameStart, ...placesOf(-n - 1) }),
  }));
  return (i: number, span: number, within: number, frame: number): Int32Array => {
    if (all || isAnyUnknown || frameStart[frame + 1] - frameStart[frame] < FEW)
      return each.subarray(frameStart[frame], frameStart[frame + 1]);
    const { from, gridOf } = spans[span - 1];
    const grid = gridOf(frame);
    const { tail, xx, yy } = prior[span - 1];
    const share = span * (1 - (measured ? weight : 0));
    const [px, py] = reach === null ? [from.x[i] + share * drift[0], from.y[i] + share * drift[1]] : [x[i], y[i]];
    const rounding = ROUNDING * Math.max(Math.abs(x[i]), Math.abs(y[i]), Math.abs(px), Math.abs(py));
    const wide = (scale: number) =>
      reach === null ? Math.sqrt(Math.max(0, within) * tail * scale) + rounding : span * reach[i];
    const count = grid.near(px, py, 0, wide(xx), wide(yy));
    return grid.found.subarray(0, count);
  };
}
