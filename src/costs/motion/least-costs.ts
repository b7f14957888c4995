import { marked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { type Continuations, continuationsOf, MARGIN, pairsOf } from "./continuations.js";
import type { Links, TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { falloff, hasFallen } from "./student.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
const CLEARLY = 1e-9;

/** What the cheapest continuation into each later link, and out of each earlier one, saves beyond its limits: at most 0. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
}

/** What is taken off each continuation, by its earlier and by its later link [0]. */
interface Limits {
  readonly byEarlier?: Float64Array;
  readonly byLater?: Float64Array;
}

export function leastCosts(
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  { byEarlier = new Float64Array(earlier.tail.length), byLater = new Float64Array(later.tail.length) }: Limits = {},
): LeastCosts {
  const { slope, offset, squares, eachRun } = pairsOf(earlier, later, model, costs);
  const farthest = offset.map((value, f) => Math.exp((value + byLater[f]) / slope));
  const out = new Float64Array(earlier.tail.length);
  const into = new Float64Array(later.tail.length);
  // The least falloffs so far, as shares of those at which a continuation saves nothing: only one that is less than either needs its logarithm.
  const shareInto = new Float64Array(later.tail.length).fill(1);
  let shareOut = 1;
  const detections = 1 + earlier.head.reduce((most, k) => Math.max(most, k), -1);
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  for (const e of byRow(earlier.head, detections).item) {
    shareOut = 1;
    eachRun(e, (density, begin, end) => {
      const { peak } = density;
      const within = MARGIN * Math.exp((byEarlier[e] - peak) / slope);
      for (let f = begin; f < end; f++) {
        const square = squares[f - begin];
        const limit = within * farthest[f];
        if (hasFallen(density, square, limit * Math.max(shareOut, shareInto[f]))) continue;
        const fallen = falloff(density, square);
        const beyond = peak + slope * Math.log(fallen) - offset[f] - byEarlier[e] - byLater[f];
        if (beyond < out[e]) {
          out[e] = beyond;
          shareOut = (MARGIN * fallen) / limit;
        }
        if (beyond < into[f]) {
          into[f] = beyond;
          shareInto[f] = (MARGIN * fallen) / limit;
        }
      }
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
  return continuationsOf(links, model, costs, mostOfEarlier, mostOfLater);
}
