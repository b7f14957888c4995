import type { Detections } from "../../core/detections.js";
import { areaOf, sizeOf } from "../places/area.js";
import { type Divisions, findDivisions, NO_DIVISIONS } from "./divisions.js";
import { FEWEST, fitDensities, withSpans } from "./fit-law.js";
import { countEnds, follow, samplePairs } from "./follow.js";
import { GAPS_NOT_SOUGHT, type Gaps } from "./gaps.js";
import type { MotionModel } from "./model.js";
import { medianSpacing } from "./nearest.js";
import { type CostRange, constantOdds, localOdds, type Odds } from "./odds.js";
import { type StatedPriors, withPriors } from "./stated-priors.js";

/** A motion model and everything learned beside it: numbers alone, from which candidates, prices and words follow. */
export interface MotionFit {
  readonly model: MotionModel;
  readonly odds: Odds;
  readonly gaps: Gaps;
  /** How targets seem to divide, and whether that is priced too. */
  readonly divisions: Divisions & { readonly priced: boolean };
  readonly evidence: Evidence;
}

/** The number of links, and of chains of two links, that a model was fitted to, and the costs by place. */
export type Evidence =
  | { readonly from: "nearest"; readonly pairs: number; readonly chains: number; readonly voted: boolean }
  | {
      readonly from: "tracks";
      readonly pairs: number;
      readonly chains: number;
      readonly starts: CostRange;
      readonly ends: CostRange;
    }
  | { readonly from: "too few"; readonly pairs: number };

export interface FitOptions {
  /** Fit the law as well. On poor tracks this fit fails, so it is not made from the first solution. */
  readonly persistence: boolean;
  /** Their spans, and the least probability of a miss where links span several frames. */
  readonly gaps: Gaps;
  /** Whether targets that divide are looked for, and whether their divisions are priced too. */
  readonly divisions: "none" | "seen" | "priced";
  /** What the user states, in the place of an estimate. */
  readonly priors?: StatedPriors;
}

/** A fit from detections alone, before there are tracks. */
export function unfollowed(
  model: MotionModel,
  detections: number,
  evidence: Evidence,
  gaps = GAPS_NOT_SOUGHT,
): MotionFit {
  return {
    model,
    odds: constantOdds(model, detections),
    gaps,
    divisions: { ...NO_DIVISIONS, priced: false },
    evidence,
  };
}

/**
 * The model of given tracks, with densities by one law (fit-law.ts), and the costs of starts and ends by place (odds.ts). Tracks are numbers,
 * one a detection, from 0; a track has at most one detection in a frame.
 */
export function fitTracks(
  detections: Detections,
  track: Int32Array,
  before: MotionModel,
  { persistence, gaps, divisions: wanted, priors = {} }: FitOptions,
): MotionFit {
  const { frames, x } = detections;
  const followed = follow(detections, track);
  const pairs = samplePairs(followed);
  if (pairs.length < FEWEST) {
    const { asked, spans, missed } = gaps;
    const model = asked === null || spans === 1 ? before : { ...withSpans(before, spans), missed };
    return unfollowed(model, x.length, { from: "too few", pairs: pairs.length }, gaps);
  }
  const spacing = medianSpacing(detections);
  const least = spacing > 0 ? spacing : 1;
  const { chains, ...densities } = fitDensities(detections, followed, before, spacing, gaps.spans, persistence, priors);
  // Where misses are only not ruled out, what is not seen has ended.
  const unseen = gaps.seen ? gaps.spans : 1;
  const counts = countEnds(detections, followed, unseen);
  const area = sizeOf(areaOf(detections, least));
  const estimated: MotionModel = {
    ...densities,
    births: (counts.starts + 0.5) / (Math.max(1, frames - unseen) * area),
    ends: (counts.ends + 0.5) / (counts.mayEnd + 20),
    missed: gaps.spans === 1 ? 0 : Math.max(gaps.missed, counts.missed / (counts.mayEnd + 1)),
    clutter: (counts.singles + 0.5) / (Math.max(1, frames - 2) * area),
  };
  const model = withPriors(estimated, priors, area, gaps.returns !== null);
  const divisions = wanted === "none" ? NO_DIVISIONS : findDivisions(detections, followed, model);
  const priced = wanted === "priced";
  const pricedDivisions = priced ? divisions : NO_DIVISIONS;
  const { births, clutter = 0 } = priors;
  const stated = { births: births === undefined ? null : model.births, clutter: clutter === 0 ? null : model.clutter };
  const missed = unseen === 1 ? 0 : model.missed;
  const { odds, starts, ends } = localOdds(detections, least, track, followed, pricedDivisions, missed, unseen, stated);
  return {
    model,
    odds,
    gaps,
    divisions: { ...divisions, priced },
    evidence: { from: "tracks", pairs: pairs.length, chains, starts, ends },
  };
}
