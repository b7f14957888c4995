import type { Detections } from "../../core/detections.js";
import type { BirthDeath } from "../../costs/births.js";
import { candidateLinks } from "../../costs/motion/candidates.js";
import type { DivisionLaw } from "../../costs/motion/division-law.js";
import { priceDivisions } from "../../costs/motion/divisions.js";
import { type Links, linksBy, mergeLinks } from "../../costs/motion/links.js";
import type { MotionModel } from "../../costs/motion/model.js";
import type { OddsOfDetections } from "../../costs/motion/odds.js";
import { DROP_ROUNDS, type PricedMotion, priceMotion } from "../../costs/motion/price-motion.js";
import { chooseOver, type Multipliers } from "../../costs/motion/reduced-costs.js";
import { type Extent, trackCosts } from "../../costs/motion/track-costs.js";

/**
 * Costs that are stated once for a whole recording, however long. The price of a stretch of frames depends on these, on the odds and the detections of the
 * frames around it and on the links over missed detections that were chosen there, and on nothing else (docs/explanation/mathematics.md §4.1).
 */
export interface StatedCosts {
  readonly model: MotionModel;
  readonly birthDeath: BirthDeath;
  /** Greatest length of a link per frame that it spans, null for the links that the model allows. */
  readonly radius: number | null;
  /** No start costs more, as far as the choice of links goes. */
  readonly maxBirthCost: number;
  /** null where targets do not seem to divide. */
  readonly division: DivisionLaw | null;
}

/** Links over several frames that were chosen to take part, by their detections, in order of (tail, span, head). */
export interface OverLinks {
  readonly tail: Int32Array;
  readonly head: Int32Array;
}

/** Frames around a stretch that its costs depend on: links reach over `spans` frames, and their neighbours decide which are dropped. */
export function contextOf({ model }: StatedCosts): number {
  // priceMotion drops links in rounds, and then triplets: each looks one link further.
  const rounds = DROP_ROUNDS + 1;
  return (rounds + 1) * model.prior.length + 1;
}

/** Prices a stretch of frames: its links of one frame, and those over several that were chosen. */
export function priceStretch(
  detections: Detections,
  odds: OddsOfDetections,
  statement: StatedCosts,
  extent: Extent,
  over: OverLinks,
): PricedMotion {
  const { model, division } = statement;
  const { costs, near } = consecutiveLinks(detections, odds, statement, extent);
  const divisions = division && priceDivisions(detections, near, model, costs, division);
  return priceMotion(detections, model, costs, mergeLinks(near, linksBy(detections, model, over)), () => {}, divisions);
}

/** The links of one frame of a stretch, and the choice of those over several by the multipliers of that problem, which has no divisions: they would only forbid some of these links. */
export function stretchWithoutGaps(
  detections: Detections,
  odds: OddsOfDetections,
  statement: StatedCosts,
  extent: Extent,
): { readonly priced: PricedMotion; readonly closeGaps: (multipliers: Multipliers) => Links } {
  const { model } = statement;
  const { costs, near, reach } = consecutiveLinks(detections, odds, statement, extent);
  const priced = priceMotion(detections, model, costs, near);
  const closeGaps = (multipliers: Multipliers): Links =>
    chooseOver(detections, priced.kept, model, costs, multipliers, { reach }).links;
  return { priced, closeGaps };
}

/** The links of one frame of a stretch, with the costs and the reach by which they are found. */
function consecutiveLinks(
  detections: Detections,
  odds: OddsOfDetections,
  { model, birthDeath, radius, maxBirthCost }: StatedCosts,
  extent: Extent,
) {
  const costs = { ...trackCosts(detections, birthDeath, { model, odds }, extent), maxBirthCost };
  const reach = radius === null ? null : new Float64Array(detections.x.length).fill(radius);
  return { costs, reach, near: candidateLinks(detections, model, costs, [1], { reach }) };
}
