import type { Detections } from "../../core/detections.js";
import { type FixedLinks, mayLink } from "../../core/fixed-links.js";
import { GrowingArray } from "../../core/growing-array.js";
import { longestRow } from "../../core/rows.js";
import { select } from "../../core/select.js";
import { CellGrid } from "../cell-grid.js";
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
  const near = fixed === null ? bindNear(detections, model, reach) : null;
  const room = longestRow(frameStart);
  const [heads, squares, order] = [new Int32Array(room), new Float64Array(room), new Float64Array(room)];
  /** Puts the heads of links from i to a frame, which span some frames, and the squares of their whitened distances into `heads` and `squares`; returns their number. */
  const headsWithin = (i: number, span: number, within: number, frame: number, isFew: boolean): number => {
    const { a, b, c, d, e, f } = priors[span - 1];
    const longest = reach === null ? Number.POSITIVE_INFINITY : span * reach[i];
    let count = 0;
    const [first, end] = [frameStart[frame], frameStart[frame + 1]];
    const found = isFew ? null : (near?.(i, span, within, frame) ?? null);
    const looked = found?.length ?? end - first;
    for (let n = 0; n < looked; n++) {
      const j = found?.[n] ?? first + n;
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
    const isFew = near === null || frameStart[frame + 1] - frameStart[frame] < FEW;
    let within = isFew || !limited ? most : Math.min(usual[span - 1], most);
    let count = headsWithin(i, span, within, frame, isFew);
    while (within < most && count < nearest) {
      within = Math.min(4 * within, most);
      count = headsWithin(i, span, within, frame, isFew);
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
 * squared whitened distance is farther along an axis from where its detection is expected than the density's own scale along it allows.
 */
function bindNear(detections: Detections, model: MotionModel, reach: Float64Array | null) {
  const { frameStart, x, y } = detections;
  const expectation = bindExpectation(detections, model);
  const extremes = bindExtremes(detections);
  const u = new Float64Array(3);
  const grids = new Map<number, CellGrid>();
  const gridOf = (frame: number): CellGrid => {
    const known = grids.get(frame);
    if (known !== undefined) return known;
    const grid = new CellGrid({ x, y }, frameStart[frame], frameStart[frame + 1]);
    grids.set(frame, grid);
    grids.delete(frame - model.prior.length - 1);
    return grid;
  };
  return (i: number, span: number, within: number, frame: number): Int32Array => {
    const grid = gridOf(frame);
    if (reach !== null) return nearOf(grid, x[i], y[i], span * reach[i]);
    let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const j of extremes(frame)) {
      expectation(i, j, u);
      [west, east] = [Math.min(west, u[0]), Math.max(east, u[0])];
      [south, north] = [Math.min(south, u[1]), Math.max(north, u[1])];
    }
    const { tail, xx, yy } = model.prior[span - 1];
    const [px, py] = [x[i] + (span * (west + east)) / 2, y[i] + (span * (south + north)) / 2];
    const along = (span * (east - west)) / 2 + Math.sqrt(Math.max(0, within) * tail * xx);
    const across = (span * (north - south)) / 2 + Math.sqrt(Math.max(0, within) * tail * yy);
    const numbers = [x[i], y[i], px, py, span * west, span * east, span * south, span * north];
    const rounding = ROUNDING * numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    return nearOf(grid, px, py, along + rounding, across + rounding);
  };
}

function nearOf(grid: CellGrid, px: number, py: number, reach: number, reachAcross = reach): Int32Array {
  const count = grid.near(px, py, 0, reach, reachAcross);
  return grid.found.subarray(0, count);
}

/** The detections of a frame between whose velocities along the axes of the plane those of all others lie, and those of which some have none. */
function bindExtremes({ frameStart, vx, vy }: Detections): (frame: number) => readonly number[] {
  const known = new Map<number, readonly number[]>();
  return (frame) => {
    let found = known.get(frame);
    if (found !== undefined) return found;
    const [first, end] = [frameStart[frame], frameStart[frame + 1]];
    const of = (v: Float64Array | null): number[] => {
      if (v === null) return [first];
      let [least, most, without] = [-1, -1, -1];
      for (let d = first; d < end; d++) {
        if (Number.isNaN(v[d])) without = d;
        else {
          if (least < 0 || v[d] < v[least]) least = d;
          if (most < 0 || v[d] > v[most]) most = d;
        }
      }
      return [least, most, without].filter((d) => d >= 0);
    };
    found = [...new Set([...of(vx), ...of(vy)])];
    known.set(frame, found);
    return found;
  };
}
