import { marked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { pairsOf } from "./continuations.js";
import { type Links, pickLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";

/** A link or triplet is dropped only where it is worse than its alternative by more than this rounding. */
const CLEARLY = 1e-9;

/** Rounding of a limit never leaves out what is within it. */
const MARGIN = 1 + 1e-9;

/** What is taken off each continuation, by its earlier and by its later link [0]. */
interface Limits {
  readonly byEarlier?: Float64Array;
  readonly byLater?: Float64Array;
}

/** What the cheapest continuation into each later link, and out of each earlier one, saves beyond its limits: at most 0. */
export interface LeastCosts {
  readonly into: Float64Array;
  readonly out: Float64Array;
}

/** Each is found by comparing falloffs with the greatest one by which a continuation would be cheaper than the cheapest so far: that spares nearly all logarithms. */
export function leastCosts(
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  { byEarlier, byLater }: Limits = {},
): LeastCosts {
  const { rowStart, measure, fallen, steps, slope, offset } = pairsOf(earlier, later, model, costs);
  const [out, into] = [new Float64Array(earlier.tail.length), new Float64Array(later.tail.length)];
  const saved = byLater === undefined ? offset : offset.map((value, f) => value + byLater[f]);
  const factor = saved.map((value) => MARGIN * Math.exp(value / slope));
  const most = factor.slice();
  const ofPeak = steps.map((row) => row.map(({ peak }) => Math.exp(-peak / slope)));
  const highest = Math.max(...ofPeak.flat());
  let [at, greatest] = [-1, 0];
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  for (const e of byRow(earlier.head, rowStart.length - 1).item) {
    const [row, ofSpan, saving] = [steps[earlier.span[e] - 1], ofPeak[earlier.span[e] - 1], byEarlier?.[e] ?? 0];
    const own = Math.exp(saving / slope);
    let mostOut = own;
    const first = rowStart[earlier.head[e]];
    const end = rowStart[earlier.head[e] + 1];
    if (earlier.head[e] !== at) {
      [at, greatest] = [earlier.head[e], 0];
      for (let f = first; f < end; f++) greatest = Math.max(greatest, highest * factor[f]);
    }
    // No falloff is below 1.
    if (own * greatest < 1) continue;
    measure(e);
    for (let f = first; f < end; f++) {
      const b = later.span[f] - 1;
      const fall = fallen[f - first];
      if (fall > ofSpan[b] * Math.max(mostOut * factor[f], own * most[f])) continue;
      const beyond = row[b].peak + slope * Math.log(fall) - saving - saved[f];
      if (beyond < out[e]) {
        out[e] = beyond;
        mostOut = Math.exp((beyond + saving) / slope);
      }
      if (beyond < into[f]) {
        into[f] = beyond;
        most[f] = MARGIN * Math.exp((beyond + saved[f]) / slope);
      }
    }
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

/** Continuations of interest. */
export interface Continuations {
  /** Leaves the links f that may follow link e in `follower`, in order, and D_ef in `cost`; returns their number. */
  find(e: number): number;
  readonly follower: Uint32Array;
  readonly cost: Float64Array;
}

/**
 * The continuations that a best set of tracks may need: not those where cutting the later, or the earlier, link undercuts them with the cheapest on the other side.
 * Where tracks may not start and end, all of them.
 */
export function neededContinuations(
  links: Links,
  linkCost: Float64Array,
  { into, out }: LeastCosts,
  ends: Ends | null,
  model: MotionModel,
  costs: TrackCosts,
): Continuations {
  const { tail, head, span } = links;
  const { rowStart, measure, fallen, steps, slope, offset } = pairsOf(links, links, model, costs);
  const cut = linkCost.map((value, e) =>
    ends === null ? Number.POSITIVE_INFINITY : ends.death[tail[e]] + ends.birth[head[e]] - value + CLEARLY,
  );
  const mostOfLater = cut.map((value, f) => value - out[f]);
  const mostOfEarlier = cut.map((value, e) => value - into[e]);
  // That of a step of no peak.
  const farthest = offset.map((value, f) => MARGIN * Math.exp((value + mostOfLater[f]) / slope));
  const ofPeak = steps.map((row) => row.map(({ peak }) => Math.exp(-peak / slope)));
  const [follower, cost] = [new Uint32Array(fallen.length), new Float64Array(fallen.length)];
  const find = (e: number): number => {
    measure(e);
    const row = steps[span[e] - 1];
    const ofSpan = ofPeak[span[e] - 1];
    const first = rowStart[head[e]];
    const end = rowStart[head[e] + 1];
    let count = 0;
    for (let f = first; f < end; f++) {
      const b = span[f] - 1;
      if (fallen[f - first] > ofSpan[b] * farthest[f]) continue;
      const value = row[b].peak + slope * Math.log(fallen[f - first]) - offset[f];
      if (!(value <= mostOfLater[f] && value <= mostOfEarlier[e])) continue;
      follower[count] = f;
      cost[count++] = value;
    }
    return count;
  };
  return { find, follower, cost };
}

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
