import type { Detections } from "../../core/detections.js";
import { continuationsOf, eachAfter } from "./continuations.js";
import { type Links, linkCosts, mergeLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

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
  { v, delta, rowDual, columnDual }: Multipliers,
): Float64Array {
  const { frames, frameStart, x } = detections;
  const links = consecutive.tail.length;
  const lastFrame = frameStart[frames - 1];
  const all = mergeLinks(consecutive, over);
  const continuations = continuationsOf(x.length, all, model, costs);
  // Numbers of the consecutive links among all, and of those over several frames.
  const own = new Int32Array(all.tail.length).fill(-1);
  const wide: number[] = [];
  let n = 0;
  all.span.forEach((span, e) => {
    if (span === 1) own[e] = n++;
    else wide.push(e);
  });
  const before = new Float64Array(all.tail.length).fill(Number.POSITIVE_INFINITY);
  const after = new Float64Array(all.tail.length).fill(Number.POSITIVE_INFINITY);
  for (let e = 0; e < all.tail.length; e++) {
    const isOwn = own[e] >= 0;
    eachAfter(continuations, e, null, (f, cost) => {
      if (isOwn && own[f] < 0) before[f] = Math.min(before[f], cost - delta[own[e]]);
      if (!isOwn && own[f] >= 0) after[e] = Math.min(after[e], cost - v[own[f]]);
    });
  }
  const cost = linkCosts(all, costs);
  const birthOf = (d: number) => links + lastFrame + d - frameStart[1];
  return Float64Array.from(wide, (e) => {
    const [i, k] = [all.tail[e], all.head[e]];
    const into = i < frameStart[1] ? 0 : Math.min(before[e], -delta[birthOf(i)]);
    const out = k >= lastFrame ? 0 : Math.min(after[e], -v[links + k]);
    return cost[e] + into + out - rowDual[i] - columnDual[k];
  });
}
