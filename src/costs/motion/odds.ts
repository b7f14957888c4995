import { quantile } from "d3-array";
import { type Detections, frameOfDetections, type Places } from "../../core/detections.js";
import { filled } from "../../core/growing-array.js";
import { type Area, areaOf } from "../places/area.js";
import {
  densityAt,
  localDensity,
  localShares,
  type PlaceDensity,
  type PlaceShares,
  shareAt,
  squaresOf,
} from "../places/shares.js";
import type { Divisions } from "./divisions.js";
import type { Followed } from "./follow.js";
import type { MotionModel } from "./model.js";

/** The cost of a track's start, in nats, the probability of an end, and the cost of a false detection; null where that is the model's everywhere. */
interface OddsHere {
  readonly birth: number;
  readonly ends: number;
  readonly clutter: number | null;
}

/** The same at each detection; length detections. */
export interface OddsOfDetections {
  readonly birth: Float64Array;
  readonly ends: Float64Array;
  readonly clutter: Float64Array | null;
}

/** Numbers alone, so that a fit can be stored and sent. */
export interface Odds extends OddsOfDetections {
  /** By which odds follow for detections of other frames: the same everywhere, or by place. */
  readonly elsewhere: OddsHere | OddsByPlace;
}

export interface OddsByPlace {
  readonly area: Area;
  readonly starts: PlaceShares;
  readonly ends: PlaceShares;
  readonly clutter: PlaceShares | null;
  readonly density: PlaceDensity;
}

/** The spread of costs over detections, from the 5th to the 95th percentile, and the strength of the shares behind them (shares.ts). */
export interface CostRange {
  readonly low: number;
  readonly high: number;
  readonly strength: number;
}

/** The same everywhere. */
export function constantOdds({ births, ends }: MotionModel, detections: number): Odds {
  const birth = -Math.log(births);
  return {
    birth: new Float64Array(detections).fill(birth),
    ends: new Float64Array(detections).fill(ends),
    clutter: null,
    elsewhere: { birth, ends, clutter: null },
  };
}

/**
 * Odds by the shares of starts and ends in the tracks around each detection. A track that is first seen soon after the recording's beginning may be one that was missed until
 * then, and one that is last seen shortly before its end may be missed since: these are neither starts nor ends.
 * @param missed probability of a miss
 * @param spans frames within which a target is seen again
 * @param stated starts, and false detections, per frame and unit of area where they are stated: their means, of which places have shares
 */
export function localOdds(
  detections: Detections,
  spacing: number,
  track: Int32Array,
  { previous, next }: Followed,
  divisions: Divisions,
  missed: number,
  spans: number,
  stated: { readonly births: number | null; readonly clutter: number | null },
): { readonly odds: Odds; readonly starts: CostRange; readonly ends: CostRange } {
  const { frames, frameStart } = detections;
  const area = areaOf(detections, spacing);
  // Divisions have odds of their own.
  const divides = new Set(divisions.all.flatMap(({ mother, daughters }) => [mother, ...daughters]));
  const squares = squaresOf(detections, area);
  const isCounted = (d: number) => previous[d] >= 0 || next[d] >= 0;
  const lacks = (neighbour: Int32Array) => marksOf(track, (d) => neighbour[d] < 0 && !divides.has(d));
  const { around, places } = localDensity(squares, frames, area, track);
  const shares = (event: Uint8Array, counted: Uint8Array, mean: number | null) => {
    const { share, ...counts } = localShares(squares, track, event, counted);
    const times = mean === null ? 1 : mean / ((counts.everywhere * places.total) / places.exposure);
    return { share, byPlace: { ...counts, times } };
  };
  const begun = marksOf(track, (d) => isCounted(d) && d >= frameStart[Math.min(spans, frames)]);
  const starts = shares(lacks(previous), begun, stated.births);
  const open = marksOf(track, (d) => isCounted(d) && d < frameStart[Math.max(0, frames - spans)]);
  const ends = shares(lacks(next), open, null);
  const frame = frameOfDetections(frameStart);
  const late = (d: number) => (frame[d] > 0 && frame[d] < spans ? missed ** frame[d] : 0);
  const birth = starts.share.map((share, d) => -Math.log((starts.byPlace.times * share + late(d)) * around[d]));
  // False detections may lie only where a sensor looks: of their stated mean a place has the share of its tracks of one detection. Spread evenly over the recording,
  // they tempted tracks of two targets among nine of them: lab/notes/priors.md.
  const single = marksOf(track, (d) => !isCounted(d));
  const inside = marksOf(track, (d) => frameStart[1] <= d && d < frameStart[frames - 1]);
  const singles = stated.clutter === null ? null : shares(single, inside, stated.clutter);
  const clutter = singles?.share.map((share, d) => -Math.log(singles.byPlace.times * share * around[d])) ?? null;
  const byPlace = { starts: starts.byPlace, ends: ends.byPlace, clutter: singles?.byPlace ?? null };
  return {
    odds: { birth, ends: ends.share, clutter, elsewhere: { area, ...byPlace, density: places } },
    starts: { ...rangeOf(birth), strength: byPlace.starts.strength },
    ends: { ...rangeOf(ends.share.map((share) => -Math.log(share))), strength: byPlace.ends.strength },
  };
}

function marksOf(track: Int32Array, isMarked: (d: number) => boolean): Uint8Array {
  return filled(new Uint8Array(track.length), (d) => (isMarked(d) ? 1 : 0));
}

/** The 5th and the 95th percentile; 0 of none. */
export function rangeOf(values: Float64Array): { readonly low: number; readonly high: number } {
  return { low: quantile(values, 0.05) ?? 0, high: quantile(values, 0.95) ?? 0 };
}

/** The odds at a place, for a detection that they were not learned from. */
export function oddsAt(elsewhere: Odds["elsewhere"], x: number, y: number, z = 0): OddsHere {
  if (!("area" in elsewhere)) return elsewhere;
  const { area, starts, ends, clutter, density } = elsewhere;
  const around = densityAt(density, area, x, y, z);
  const cost = (shares: PlaceShares) => -Math.log(shareAt(shares, area, x, y, z) * around);
  return { birth: cost(starts), ends: shareAt(ends, area, x, y, z), clutter: clutter && cost(clutter) };
}

/**
 * Odds of detections, some of which the odds were learned from: these are known, and all others follow from their places.
 * @param first the first of those learned from; negative where it comes before all
 */
export function oddsAround({ x, y, z }: Places, first: number, odds: Odds): OddsOfDetections {
  const [birth, ends] = [new Float64Array(x.length), new Float64Array(x.length)];
  const clutter = odds.clutter && new Float64Array(x.length);
  for (let d = 0; d < x.length; d++) {
    const known = d >= first && d < first + odds.birth.length;
    const here = known
      ? { birth: odds.birth[d - first], ends: odds.ends[d - first], clutter: odds.clutter?.[d - first] ?? null }
      : oddsAt(odds.elsewhere, x[d], y[d], z?.[d] ?? 0);
    birth[d] = here.birth;
    ends[d] = here.ends;
    if (clutter !== null) clutter[d] = here.clutter as number;
  }
  return { birth, ends, clutter };
}
