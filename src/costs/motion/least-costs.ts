import { marked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import type { Continuations } from "./continuations.js";
import type { Links, TrackCosts } from "./links.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
const CLEARLY = 1e-9;

/** The cheapest continuation into each later link, and out of each earlier one; Infinity where there is none. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
}

/** What is taken off each continuation, by its earlier and by its later link [0]. */
export interface Paid {
  readonly byEarlier?: Float64Array;
  readonly byLater?: Float64Array;
}

export function leastCosts(
  earlier: Links,
  later: Links,
  continuations: Continuations,
  { byEarlier = new Float64Array(earlier.tail.length), byLater = new Float64Array(later.tail.length) }: Paid = {},
): LeastCosts {
  const out = new Float64Array(earlier.tail.length).fill(Number.POSITIVE_INFINITY);
  const into = new Float64Array(later.tail.length).fill(Number.POSITIVE_INFINITY);
  const detections = 1 + earlier.head.reduce((most, k) => Math.max(most, k), -1);
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  for (const e of byRow(earlier.head, detections).item) {
    continuations(e, (f, cost) => {
      out[e] = Math.min(out[e], cost - byLater[f]);
      into[f] = Math.min(into[f], cost - byEarlier[e]);
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
  const least = cost.map((value, e) => value + Math.min(0, into[e]) + Math.min(0, out[e]));
  return marked(least.map((value, e) => (value < death[tail[e]] + birth[head[e]] + CLEARLY ? 1 : 0)));
}

/** The continuations that a best set of tracks may need: not those where cutting the later, or the earlier, link undercuts them with the cheapest on the other side. */
export function neededContinuations(
  { tail, head }: Links,
  cost: Float64Array,
  { into, out }: LeastCosts,
  { birth, death }: Ends,
  continuations: Continuations,
): Continuations {
  const cut = cost.map((value, e) => death[tail[e]] + birth[head[e]] - value + CLEARLY);
  const mostOfLater = cut.map((value, f) => value - Math.min(0, out[f]));
  const mostOfEarlier = cut.map((value, e) => value - Math.min(0, into[e]));
  return (e, visit) =>
    continuations(e, (f, value) => {
      if (value <= mostOfLater[f] && value <= mostOfEarlier[e]) visit(f, value);
    });
}
