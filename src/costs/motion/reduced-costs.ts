import type { Detections } from "../../core/detections.js";
import type { FixedLinks } from "../../core/fixed-links.js";
import { marked } from "../../core/growing-array.js";
import { rulesOf, runsOf } from "./continuations.js";
import { incomingOf } from "./least-costs.js";
import { type Links, linkCosts, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { spread } from "./student.js";

/**
 * Multipliers and duals of the problem of links of one frame (docs/algorithm.md §2): v and Δ by edge, its links first, then deaths, then
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

/** The links over several frames that join a problem of links of one frame, `consecutive`, by the multipliers of that; and those that are required. */
export function worthATry(
  detections: Detections,
  consecutive: Links,
  over: Links,
  model: MotionModel,
  costs: TrackCosts,
  multipliers: Multipliers,
  fixed: FixedLinks | null = null,
): Links {
  const reduced = reducedCosts(detections, consecutive, over, model, costs, multipliers);
  const joins = (value: number, e: number) => value < WORTH_A_TRY || fixed?.next[over.tail[e]] === over.head[e];
  return pickLinks(over, marked(Uint8Array.from(reduced, (value, e) => (joins(value, e) ? 1 : 0))));
}

/**
 * The amount that each link over several frames would have to save to change the dual's optimum,
 *
 *     C_e + min_h (D_he − Δ_h) + min_f (D_ef − v_f) − α_i − β_k,
 *
 * over the links and births h into its tail, the links and deaths f out of its head. The detections between have no duals of their own.
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

// Within a rule costs compare as the spread times a weight, so that pairs of links take no logarithm. Weights are relative to the link that saves most, lest they overflow.

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
  const { start, link } = incomingOf(consecutive.head, single.length);
  const widest = start.reduce((room, end, d) => (d === 0 ? 0 : Math.max(room, end - start[d - 1])), 0);
  const [fromX, fromY, weight] = [new Float64Array(widest), new Float64Array(widest), new Float64Array(widest)];
  const least = new Float64Array(tail.length);
  /** The links first … end − 1, which leave i and span as many frames. */
  const scan = (first: number, end: number): void => {
    const i = tail[first];
    const rule = rules[span[first] - 1];
    const { a, b, c, rho, peak, slope } = rule;
    const count = start[i + 1] - start[i];
    for (let n = 0; n < count; n++) {
      const h = link[start[i] + n];
      fromX[n] = a * rho * consecutive.zx[h];
      fromY[n] = b * rho * consecutive.zx[h] + c * rho * consecutive.zy[h];
      weight[n] = Math.exp((most[i] - delta[h]) / slope);
    }
    for (let e = first; e < end; e++) {
      const x = a * zx[e];
      const y = b * zx[e] + c * zy[e];
      let cheapest = Number.POSITIVE_INFINITY;
      for (let n = 0; n < count; n++) {
        const u = x - fromX[n];
        const w = y - fromY[n];
        const value = spread(rule, u * u + w * w) * weight[n];
        if (value < cheapest) cheapest = value;
      }
      least[e] = count === 0 ? cheapest : peak + slope * Math.log(cheapest) - prior[e] - single[i] - most[i];
    }
  };
  for (let first = 0; first < tail.length; ) {
    let end = first + 1;
    while (end < tail.length && tail[end] === tail[first] && span[end] === span[first]) end++;
    scan(first, end);
    first = end;
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
  const links = consecutive.tail.length;
  const saves = (f: number) => v[f] + consecutive.prior[f] + single[consecutive.tail[f]];
  const most = mostAt(consecutive.tail, single.length, saves);
  const runStart = runsOf(consecutive, single.length, 1);
  const least = new Float64Array(over.tail.length).fill(Number.POSITIVE_INFINITY);
  const [toX, toY, weight] = [new Float64Array(links), new Float64Array(links), new Float64Array(links)];
  const scan = (s: number): void => {
    const rule = rulesOf(model)[s - 1][0];
    const { a, b, c, rho, peak, slope } = rule;
    for (let f = 0; f < links; f++) {
      toX[f] = a * consecutive.zx[f];
      toY[f] = b * consecutive.zx[f] + c * consecutive.zy[f];
      weight[f] = Math.exp((most[consecutive.tail[f]] - saves(f)) / slope);
    }
    for (let e = 0; e < least.length; e++) {
      if (over.span[e] !== s) continue;
      const k = over.head[e];
      const x = a * rho * over.zx[e];
      const y = b * rho * over.zx[e] + c * rho * over.zy[e];
      let cheapest = Number.POSITIVE_INFINITY;
      for (let f = runStart[k]; f < runStart[k + 1]; f++) {
        const u = toX[f] - x;
        const w = toY[f] - y;
        const value = spread(rule, u * u + w * w) * weight[f];
        if (value < cheapest) cheapest = value;
      }
      if (cheapest < Number.POSITIVE_INFINITY) least[e] = peak + slope * Math.log(cheapest) - most[k];
    }
  };
  for (let s = 2; s <= model.prior.length; s++) scan(s);
  return least;
}
