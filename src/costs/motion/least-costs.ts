import { GrowingArray, marked, picked } from "../../core/growing-array.js";
import { byRow, rowStarts } from "../../core/rows.js";
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

/** With the earlier and the later link of that continuation, −1 where none saves. */
export interface FoundCosts extends LeastCosts {
  readonly intoFrom: Int32Array;
  readonly outTo: Int32Array;
}

/** Earlier links, each with later ones first … end − 1 that may follow it; where nothing is said, all that may. */
interface Sought {
  readonly earlier: Uint32Array;
  readonly within?: { readonly first: Uint32Array; readonly end: Uint32Array };
}

/** Continuations of two sets of links. */
export function leastCosts(
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  limits: Limits = {},
): FoundCosts {
  const none = (links: Links) => new Int32Array(links.tail.length).fill(-1);
  const [out, into] = [new Float64Array(earlier.tail.length), new Float64Array(later.tail.length)];
  const found = { into, out, intoFrom: none(later), outTo: none(earlier) };
  // Detection by detection, so that the links out of it stay in the cache while those into it are gone through.
  const sought = { earlier: byRow(earlier.head, costs.single.length).item };
  return search(found, sought, earlier, later, model, costs, limits);
}

/**
 * The same for some of a set of links, once it is known for all: what has lost its cheapest continuation is looked for anew.
 * @param places increasing: those of the links among all
 */
export function leastCostsOf(
  links: Links,
  places: Uint32Array,
  before: FoundCosts,
  model: MotionModel,
  costs: TrackCosts,
): FoundCosts {
  const place = new Int32Array(before.into.length).fill(-1);
  for (let n = 0; n < places.length; n++) place[places[n]] = n;
  const rowStart = rowStarts(links.tail, costs.single.length);
  const byHead = byRow(links.head, costs.single.length);
  const [earlier, first, end] = [0, 1, 2].map(() => new GrowingArray(Uint32Array));
  const add = (e: number, from: number, to: number): void => {
    earlier.push(e);
    first.push(from);
    end.push(to);
  };
  const kept = (values: Float64Array, other: Int32Array, seek: (e: number) => void) => {
    const [few, others] = [picked(values, places), picked(other, places)];
    for (let e = 0; e < others.length; e++) {
      if (others[e] < 0) continue;
      others[e] = place[others[e]];
      if (others[e] >= 0) continue;
      few[e] = 0;
      seek(e);
    }
    return [few, others] as const;
  };
  const [out, outTo] = kept(before.out, before.outTo, (e) =>
    add(e, rowStart[links.head[e]], rowStart[links.head[e] + 1]),
  );
  const [into, intoFrom] = kept(before.into, before.intoFrom, (f) => {
    for (let n = byHead.rowStart[links.tail[f]]; n < byHead.rowStart[links.tail[f] + 1]; n++)
      add(byHead.item[n], f, f + 1);
  });
  const sought = { earlier: earlier.values, within: { first: first.values, end: end.values } };
  return search({ into, out, intoFrom, outTo }, sought, links, links, model, costs, {});
}

/**
 * Puts what is cheaper than all that was found before into `found`. Falloffs are compared with the greatest one by which a continuation would be cheaper: that spares nearly
 * all logarithms.
 */
function search(
  found: FoundCosts,
  sought: Sought,
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  { byEarlier, byLater }: Limits,
): FoundCosts {
  const { into, out, intoFrom, outTo } = found;
  const { rowStart, measure, fallen, steps, slope, offset } = pairsOf(earlier, later, model, costs);
  const saved = byLater === undefined ? offset : offset.map((value, f) => value + byLater[f]);
  const factor = saved.map((value) => MARGIN * Math.exp(value / slope));
  const most = factor.map((value, f) => (into[f] < 0 ? MARGIN * Math.exp((into[f] + saved[f]) / slope) : value));
  const ofPeak = steps.map((row) => row.map(({ peak }) => Math.exp(-peak / slope)));
  const highest = Math.max(...ofPeak.flat());
  let [at, greatest] = [-1, 0];
  for (let n = 0; n < sought.earlier.length; n++) {
    const e = sought.earlier[n];
    const [row, ofSpan, saving] = [steps[earlier.span[e] - 1], ofPeak[earlier.span[e] - 1], byEarlier?.[e] ?? 0];
    const own = Math.exp(saving / slope);
    let mostOut = out[e] < 0 ? Math.exp((out[e] + saving) / slope) : own;
    const first = sought.within?.first[n] ?? rowStart[earlier.head[e]];
    const end = sought.within?.end[n] ?? rowStart[earlier.head[e] + 1];
    if (earlier.head[e] !== at) {
      [at, greatest] = [earlier.head[e], 0];
      for (let f = rowStart[at]; f < rowStart[at + 1]; f++) greatest = Math.max(greatest, highest * factor[f]);
    }
    // No falloff is below 1.
    if (own * greatest < 1) continue;
    measure(e, first, end);
    for (let f = first; f < end; f++) {
      const b = later.span[f] - 1;
      const fall = fallen[f - first];
      if (fall > ofSpan[b] * Math.max(mostOut * factor[f], own * most[f])) continue;
      const beyond = row[b].peak + slope * Math.log(fall) - saving - saved[f];
      if (beyond < out[e]) {
        out[e] = beyond;
        outTo[e] = f;
        mostOut = Math.exp((beyond + saving) / slope);
      }
      if (beyond < into[f]) {
        into[f] = beyond;
        intoFrom[f] = e;
        most[f] = MARGIN * Math.exp((beyond + saved[f]) / slope);
      }
    }
  }
  return found;
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
    const row = steps[span[e] - 1];
    const ofSpan = ofPeak[span[e] - 1];
    const first = rowStart[head[e]];
    const end = rowStart[head[e] + 1];
    measure(e, first, end);
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
