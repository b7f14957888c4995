import { marked } from "../../core/growing-array.js";
import { byRow } from "../../core/rows.js";
import { pairsOf } from "./continuations.js";
import type { Links, TrackCosts } from "./links.js";
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

/**
 * The least of sums of logarithms is that of the products of what they are the logarithms of: that spares nearly all logarithms. Each factor is taken against its least one at the detection between,
 * so that it is 1 or more, and where it leaves the range of numbers another one is less.
 */
export function leastCosts(
  earlier: Links,
  later: Links,
  model: MotionModel,
  costs: TrackCosts,
  { byEarlier, byLater }: Limits = {},
): LeastCosts {
  const { rowStart, measure, fallen, steps, slope, offset } = pairsOf(earlier, later, model, costs);
  const [out, into] = [new Float64Array(earlier.tail.length), new Float64Array(later.tail.length)];
  const room = fallen.length;
  const [saving, factor, cheapest] = [new Float64Array(room), new Float64Array(room), new Float64Array(room)];
  const [before, fallenThen] = [new Int32Array(room), new Float64Array(room)];
  const least = Math.min(...steps.flat().map(({ peak }) => peak));
  const ofPeak = steps.map((row) => row.map(({ peak }) => Math.exp((peak - least) / slope)));
  const { span } = later;
  const beyond = (e: number, f: number, fall: number): number => {
    const { peak } = steps[earlier.span[e] - 1][span[f] - 1];
    const cost = peak + slope * Math.log(fall) - offset[f];
    return Math.min(0, cost - (byEarlier?.[e] ?? 0) - (byLater?.[f] ?? 0));
  };
  const { rowStart: intoStart, item: linksInto } = byRow(earlier.head, rowStart.length - 1);
  for (let j = 0; j + 1 < rowStart.length; j++) {
    const first = rowStart[j];
    const count = rowStart[j + 1] - first;
    if (count === 0 || intoStart[j] === intoStart[j + 1]) continue;
    let most = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < count; n++) {
      saving[n] = offset[first + n] + (byLater?.[first + n] ?? 0);
      if (saving[n] > most) most = saving[n];
    }
    for (let n = 0; n < count; n++) factor[n] = Math.exp((most - saving[n]) / slope);
    cheapest.fill(Number.POSITIVE_INFINITY, 0, count);
    let mostOfEarlier = byEarlier === undefined ? 0 : Number.NEGATIVE_INFINITY;
    for (let m = intoStart[j]; byEarlier !== undefined && m < intoStart[j + 1]; m++)
      mostOfEarlier = Math.max(mostOfEarlier, byEarlier[linksInto[m]]);
    for (let m = intoStart[j]; m < intoStart[j + 1]; m++) {
      const e = linksInto[m];
      measure(e);
      const ofEarlier = byEarlier === undefined ? 1 : Math.exp((mostOfEarlier - byEarlier[e]) / slope);
      const ofSpan = ofPeak[earlier.span[e] - 1];
      let bestOut = Number.POSITIVE_INFINITY;
      let after = 0;
      for (let n = 0; n < count; n++) {
        const fall = fallen[n] * ofSpan[span[first + n] - 1];
        if (fall * factor[n] < bestOut) {
          bestOut = fall * factor[n];
          after = n;
        }
        if (fall * ofEarlier < cheapest[n]) {
          cheapest[n] = fall * ofEarlier;
          before[n] = e;
          fallenThen[n] = fallen[n];
        }
      }
      out[e] = beyond(e, first + after, fallen[after]);
    }
    for (let n = 0; n < count; n++)
      if (cheapest[n] < Number.POSITIVE_INFINITY) into[first + n] = beyond(before[n], first + n, fallenThen[n]);
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
