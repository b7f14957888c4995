import type { Detections } from "../../core/detections.js";
import type { BirthDeath } from "../births.js";
import { candidateLinks } from "./links.js";
import type { MotionModel } from "./model.js";
import { DROP_ROUNDS, type PricedMotion, priceMotion } from "./price-motion.js";
import { type Extent, trackCosts } from "./track-costs.js";

/**
 * Costs that are fixed once for a whole recording, however long: a model and what starts and ends cost at each detection. What a stretch
 * of frames is priced at depends on these and on the detections of the frames around it, and on nothing else (docs/windows.md).
 */
export interface Statement {
  readonly model: MotionModel;
  readonly birthDeath: BirthDeath;
  /** Greatest length of a link per frame that it spans, null for what the model allows. */
  readonly radius: number | null;
  /** No start costs more, as far as the choice of links goes. */
  readonly dearest: number;
}

/** Frames around a stretch that its costs depend on: links reach over `spans` frames, and what is dropped depends on their neighbours. */
export function contextOf({ model }: Statement): number {
  // priceMotion drops links in so many rounds, and then triplets: each looks one link further.
  const rounds = DROP_ROUNDS + 1;
  return (rounds + 1) * model.prior.length + 1;
}

/**
 * Prices a stretch of frames. Links over missed detections take part as those of one frame do, without the choice by multipliers of
 * passes.ts, so that neighbouring stretches agree on them.
 * @param odds of each detection; length detections
 */
export function priceStretch(
  detections: Detections,
  odds: { readonly birth: Float64Array; readonly ends: Float64Array },
  { model, birthDeath, radius, dearest }: Statement,
  extent: Extent,
): PricedMotion {
  const costs = { ...trackCosts(detections, birthDeath, { model, odds }, extent), dearest };
  const reach = radius === null ? null : new Float64Array(detections.x.length).fill(radius);
  const spans = model.prior.map((_, n) => n + 1);
  return priceMotion(detections, model, costs, candidateLinks(detections, model, costs, reach, spans));
}
