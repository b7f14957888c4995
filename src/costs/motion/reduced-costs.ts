import type { Detections } from "../../core/detections.js";
import { filled, marked } from "../../core/growing-array.js";
import { type CandidateOptions, candidateLinks } from "./candidates.js";
import { leastCosts } from "./least-costs.js";
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
export const WORTH_A_TRY = 4;

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
  const joins = filled(new Uint8Array(reduced.length), (e) => (reduced[e] < WORTH_A_TRY || isRequired(e) ? 1 : 0));
  return { links: pickLinks(over, marked(joins)), considered: over.tail.length };
}

/**
 * The saving that each link over several frames would need to change the dual's optimum,
 *
 *     C_e + min_h (D_he − Δ_h) + min_f (D_ef − v_f) − α_i − β_k,
 *
 * over the links and births h into its tail, the links and deaths f out of its head, where that is below WORTH_A_TRY, and otherwise that or more. Placeholders have no duals of their own.
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
  const { v, delta, rowDual, columnDual } = withoutSlack(detections, consecutive, costs, multipliers);
  const links = consecutive.tail.length;
  const lastFrame = frameStart[frames - 1];
  const birthOf = (d: number) => links + lastFrame + d - frameStart[1];
  const { into } = leastCosts(consecutive, over, model, costs, {
    byEarlier: delta.subarray(0, links).map((value, h) => value - delta[birthOf(consecutive.head[h])]),
  });
  const before = linkCosts(over, costs).map((cost, e) => {
    const [i, k] = [over.tail[e], over.head[e]];
    return cost + (i < frameStart[1] ? 0 : into[e] - delta[birthOf(i)]) - rowDual[i] - columnDual[k];
  });
  const worth = before.map((value) => WORTH_A_TRY - value);
  const { out } = leastCosts(over, consecutive, model, costs, { byEarlier: worth, byLater: v.subarray(0, links) });
  return before.map((value, e) => {
    if (over.head[e] >= lastFrame) return value;
    return value + Math.min(out[e] < 0 ? out[e] + worth[e] : Number.POSITIVE_INFINITY, -v[links + over.head[e]]);
  });
}

/** Multipliers of the same bound by which no edge is dearer than the X-LAPs' duals: what is dearer takes up less of what it is followed by, or of what it follows. */
function withoutSlack(
  { frames, frameStart }: Detections,
  consecutive: Links,
  costs: TrackCosts,
  { v, delta, rowDual, columnDual }: Multipliers,
): Multipliers {
  const links = consecutive.tail.length;
  const deaths = links + frameStart[frames - 1];
  const cost = linkCosts(consecutive, costs);
  const slack = filled(new Float64Array(v.length), (e) => {
    const both = v[e] + delta[e];
    if (e < links) return cost[e] + both - rowDual[consecutive.tail[e]] - columnDual[consecutive.head[e]];
    const [i, j] = [e - links, e - deaths + frameStart[1]];
    return both + (e < deaths ? (costs.ends?.death[i] ?? 0) - rowDual[i] : (costs.ends?.birth[j] ?? 0) - columnDual[j]);
  });
  const less = (values: Float64Array) => values.map((value, e) => value - Math.max(0, slack[e]));
  return { v: less(v), delta: less(delta), rowDual, columnDual };
}
