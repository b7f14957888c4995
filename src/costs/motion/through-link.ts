import { neededContinuations } from "./least-costs.js";
import { type Links, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/** A continuation of two links by their numbers. */
export interface Continuation {
  readonly earlier: number;
  readonly later: number;
  readonly cost: number;
}

/**
 * All continuations of a link with the links into its tail and out of its head, needed or not.
 * @param near increasing: these links and the link itself
 */
export function continuationsThrough(
  links: Links,
  e: number,
  near: Uint32Array,
  model: MotionModel,
  costs: TrackCosts,
): Continuation[] {
  const few = pickLinks(links, near);
  const none = new Float64Array(near.length);
  const { find, follower, cost } = neededContinuations(few, none, { into: none, out: none }, null, model, costs);
  return Array.from(near).flatMap((earlier, n) => {
    if (earlier !== e && links.head[earlier] !== links.tail[e]) return [];
    const count = find(n);
    return Array.from({ length: count }, (_, k) => ({ earlier, later: near[follower[k]], cost: cost[k] }));
  });
}
