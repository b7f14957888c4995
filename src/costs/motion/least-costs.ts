import { marked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { type Continuations, continuationsOf, type Limits } from "./continuations.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
const CLEARLY = 1e-9;

/** What the cheapest continuation into each later link, and out of each earlier one, saves beyond its limits: at most 0. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
}

/** @param limits what is taken off each continuation, by its earlier and by its later link [0] */
export function leastCosts(
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  limits: Limits = {},
): LeastCosts {
  const continuations = continuationsOf(earlier, later, model, costs, limits);
  const { byEarlier = new Float64Array(earlier.tail.length), byLater = new Float64Array(later.tail.length) } = limits;
  const out = new Float64Array(earlier.tail.length);
  const into = new Float64Array(later.tail.length);
  const detections = 1 + earlier.head.reduce((most, k) => Math.max(most, k), -1);
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  for (const e of byRow(earlier.head, detections).item) {
    continuations(e, (f, cost) => {
      const beyond = cost - byEarlier[e] - byLater[f];
      if (beyond < out[e]) out[e] = beyond;
      if (beyond < into[f]) into[f] = beyond;
    });
  }
  return { into, out };
}

type Ends = NonNullable<TrackCosts["ends"]>;

/** The links that a best set of tracks may need (docs/explanation/motion.md §3). */
export function neededLinks(
  { tail, head }: Links,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: Ends,
): Uint32Array {
  const least = cost.map((value, e) => value + into[e] + out[e]);
  return marked(least.map((value, e) => (value < death[tail[e]] + birth[head[e]] + CLEARLY ? 1 : 0)));
}

/** The continuations that a best set of tracks may need: not those where cutting the later, or the earlier, link undercuts them with the cheapest on the other side. */
export function neededContinuations(
  links: Links,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: Ends,
  model: MotionModel,
  costs: TrackCosts,
): Continuations {
  const { tail, head } = links;
  const cut = cost.map((value, e) => death[tail[e]] + birth[head[e]] - value + CLEARLY);
  const mostOfLater = cut.map((value, f) => value - out[f]);
  const mostOfEarlier = cut.map((value, e) => value - into[e]);
  const continuations = continuationsOf(links, links, model, costs, { byLater: mostOfLater });
  return (e, visit) =>
    continuations(e, (f, value) => {
      if (value <= mostOfLater[f] && value <= mostOfEarlier[e]) visit(f, value);
    });
}
