import type { Detections } from "../../core/detections.js";
import { marked } from "../../core/growing-array.js";
import { byRow, longestRow } from "../../core/rows.js";
import { type CandidateOptions, candidateLinks } from "./candidates.js";
import { runsOf } from "./continuations.js";
import {
  cheapest,
  expectedX,
  expectedY,
  laterX,
  laterY,
  pointsOf,
  putFalloffs,
  type Rule,
  rulesOf,
} from "./falloffs.js";
import { type Links, linkCosts, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/**
 * Multipliers and duals of the problem of links of one frame (docs/explanation/mathematics.md §2): v and Δ by edge, its links first, then deaths, then
 * births; α by tail and β by head.
 */
export interface Multipliers {
  readonly v: Float64Array;
  readonly delta: Float64Array;
  readonly rowDual: Float64Array;
  readonly columnDual: Float64Array;
}

/** Links over several frames join the problem up to this reduced cost, in nats. */
export const WORTH_A_TRY = 2;

/**
 * The links over several frames that join the problem of links of one frame, `consecutive`, by its multipliers; and the required links.
 * @returns the links, and the number of their candidates
 */
export function chooseOver(
  detections: Detections,
  consecutive: Links,
  model: MotionModel,
  costs: TrackCosts,
  multipliers: Multipliers,
  options: CandidateOptions,
): { readonly links: Links; readonly considered: number } {
  const spans = Array.from({ length: model.prior.length - 1 }, (_, n) => n + 2);
  const over = candidateLinks(detections, model, costs, spans, options);
  const reduced = reducedCosts(detections, consecutive, over, model, costs, multipliers);
  const isRequired = (e: number) => options.fixed?.next[over.tail[e]] === over.head[e];
  const joins = Uint8Array.from(reduced, (value, e) => (value < WORTH_A_TRY || isRequired(e) ? 1 : 0));
  return { links: pickLinks(over, marked(joins)), considered: over.tail.length };
}

/**
 * The saving that each link over several frames would need to change the dual's optimum,
 *
 *     C_e + min_h (D_he − Δ_h) + min_f (D_ef − v_f) − α_i − β_k,
 *
 * over the links and births h into its tail, the links and deaths f out of its head. Placeholders have no duals of their own.
 */
export function reducedCosts(
  detections: Detections,
  consecutive: Links,
  over: Links,
  model: MotionModel,
  costs: TrackCosts,
  multipliers: Multipliers,
): Float64Array {
  const { frames, frameStart } = detections;
  const { v, delta, rowDual, columnDual } = multipliers;
  const links = consecutive.tail.length;
  const lastFrame = frameStart[frames - 1];
  const before = leastBefore(consecutive, over, model, costs, delta);
  const after = leastAfter(consecutive, over, model, costs, v);
  const birthOf = (d: number) => links + lastFrame + d - frameStart[1];
  return linkCosts(over, costs).map((cost, e) => {
    const [i, k] = [over.tail[e], over.head[e]];
    const into = i < frameStart[1] ? 0 : Math.min(before[e], -delta[birthOf(i)]);
    const out = k >= lastFrame ? 0 : Math.min(after[e], -v[links + k]);
    return cost + into + out - rowDual[i] - columnDual[k];
  });
}

/** The largest value of the links at each detection. */
function mostAt(end: Int32Array, detections: number, value: (e: number) => number): Float64Array {
  const most = new Float64Array(detections).fill(Number.NEGATIVE_INFINITY);
  for (let e = 0; e < end.length; e++) most[end[e]] = Math.max(most[end[e]], value(e));
  return most;
}

// Within a rule costs compare as falloff times weight, so that pairs of links take no logarithm. Weights are relative to the link that saves most,
// lest they overflow.

/** min_h (D_he − Δ_h) over the links of one frame into the tail of each link e; Infinity where there is none. */
function leastBefore(
  consecutive: Links,
  over: Links,
  model: MotionModel,
  { single }: TrackCosts,
  delta: Float64Array,
): Float64Array {
  const { tail, span, prior, zx, zy } = over;
  const rules = rulesOf(model)[0];
  const most = mostAt(consecutive.head, single.length, (h) => delta[h]);
  const { rowStart, item } = byRow(consecutive.head, single.length);
  const widest = longestRow(rowStart);
  const expected = pointsOf(widest);
  const [weight, falloffs] = [new Float64Array(widest), new Float64Array(widest)];
  const least = new Float64Array(tail.length).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; e < tail.length; e++) {
    const i = tail[e];
    const rule = rules[span[e] - 1];
    const count = rowStart[i + 1] - rowStart[i];
    // Links of one tail and span follow one another, and share these.
    const isFirst = e === 0 || tail[e - 1] !== i || span[e - 1] !== span[e];
    for (let n = 0; isFirst && n < count; n++) {
      const h = item[rowStart[i] + n];
      expected.x[n] = expectedX(rule, consecutive.zx[h], consecutive.zy[h]);
      expected.y[n] = expectedY(rule, consecutive.zx[h], consecutive.zy[h]);
      weight[n] = Math.exp((most[i] - delta[h]) / rule.slope);
    }
    putFalloffs(rule, laterX(rule, zx[e]), laterY(rule, zx[e], zy[e]), expected, 0, count, falloffs);
    const n = cheapest(falloffs, count, weight, 0);
    if (n >= 0) least[e] = costOf(rule, falloffs[n] * weight[n]) - prior[e] - single[i] - most[i];
  }
  return least;
}

/** min_f (D_ef − v_f) over the links of one frame out of the head of each link e; Infinity where there is none. */
function leastAfter(
  consecutive: Links,
  over: Links,
  model: MotionModel,
  { single }: TrackCosts,
  v: Float64Array,
): Float64Array {
  const { tail, prior, zx, zy } = consecutive;
  const saves = (f: number) => v[f] + prior[f] + single[tail[f]];
  const most = mostAt(tail, single.length, saves);
  const runStart = runsOf(consecutive, single.length, 1);
  const falloffs = new Float64Array(longestRow(runStart));
  const [later, weight] = [pointsOf(tail.length), new Float64Array(tail.length)];
  const least = new Float64Array(over.tail.length).fill(Number.POSITIVE_INFINITY);
  rulesOf(model).forEach(([rule], a) => {
    if (a === 0) return;
    for (let f = 0; f < tail.length; f++) {
      later.x[f] = laterX(rule, zx[f]);
      later.y[f] = laterY(rule, zx[f], zy[f]);
      weight[f] = Math.exp((most[tail[f]] - saves(f)) / rule.slope);
    }
    for (let e = 0; e < least.length; e++) {
      if (over.span[e] !== a + 1) continue;
      const k = over.head[e];
      const [x, y] = [expectedX(rule, over.zx[e], over.zy[e]), expectedY(rule, over.zx[e], over.zy[e])];
      putFalloffs(rule, x, y, later, runStart[k], runStart[k + 1], falloffs);
      const n = cheapest(falloffs, runStart[k + 1] - runStart[k], weight, runStart[k]);
      if (n >= 0) least[e] = costOf(rule, falloffs[n] * weight[runStart[k] + n]) - most[k];
    }
  });
  return least;
}

function costOf({ peak, slope }: Rule, weighted: number): number {
  return peak + slope * Math.log(weighted);
}
