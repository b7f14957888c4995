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
  const joins = filled(new Uint8Array(reduced.length), (e) => (reduced[e] < WORTH_A_TRY || isRequired(e) ? 1 : 0));
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
  { frames, frameStart }: Detections,
  consecutive: Links,
  over: Links,
  model: MotionModel,
  costs: TrackCosts,
  { v, delta, rowDual, columnDual }: Multipliers,
): Float64Array {
  const links = consecutive.tail.length;
  const lastFrame = frameStart[frames - 1];
  const birthOf = (d: number) => links + lastFrame + d - frameStart[1];
  const { into } = leastCosts(consecutive, over, model, costs, {
    byEarlier: filled(new Float64Array(links), (h) => delta[h] - delta[birthOf(consecutive.head[h])]),
  });
  const { out } = leastCosts(over, consecutive, model, costs, {
    byLater: filled(new Float64Array(links), (f) => v[f] - v[links + consecutive.tail[f]]),
  });
  return linkCosts(over, costs).map((cost, e) => {
    const [i, k] = [over.tail[e], over.head[e]];
    const before = i < frameStart[1] ? 0 : into[e] - delta[birthOf(i)];
    const after = k >= lastFrame ? 0 : out[e] - v[links + k];
    return cost + before + after - rowDual[i] - columnDual[k];
  });
}
