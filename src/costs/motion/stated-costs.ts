import { type Detections, frameOfDetections } from "../../core/detections.js";
import type { BirthDeath } from "../births.js";
import { candidateLinks, type Links, mergeLinks, repricedLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { DROP_ROUNDS, type PricedMotion, priceMotion } from "./price-motion.js";
import { type Multipliers, worthATry } from "./reduced-costs.js";
import { type Extent, trackCosts } from "./track-costs.js";

/**
 * Costs that are fixed once for a whole recording, however long: a model and what starts and ends cost at each detection. What a stretch
 * of frames is priced at depends on these, on the detections of the frames around it and on the links over missed ones that were chosen there, and on nothing else (docs/windows.md).
 */
export interface Statement {
  readonly model: MotionModel;
  readonly birthDeath: BirthDeath;
  /** Greatest length of a link per frame that it spans, null for what the model allows. */
  readonly radius: number | null;
  /** No start costs more, as far as the choice of links goes. */
  readonly dearest: number;
}

/** Of each detection of a stretch; length detections. */
export interface StretchOdds {
  readonly birth: Float64Array;
  readonly ends: Float64Array;
}

/** Links over several frames that were chosen to take part, by their detections, in order of (tail, span, head). */
export interface OverLinks {
  readonly tail: Int32Array;
  readonly head: Int32Array;
}

/** Frames around a stretch that its costs depend on: links reach over `spans` frames, and what is dropped depends on their neighbours. */
export function contextOf({ model }: Statement): number {
  // priceMotion drops links in so many rounds, and then triplets: each looks one link further.
  const rounds = DROP_ROUNDS + 1;
  return (rounds + 1) * model.prior.length + 1;
}

/** Prices a stretch of frames: its links of one frame, and those over several that were chosen. */
export function priceStretch(
  detections: Detections,
  odds: StretchOdds,
  statement: Statement,
  extent: Extent,
  over: OverLinks,
): PricedMotion {
  const { model } = statement;
  const costs = costsOf(detections, odds, statement, extent);
  const consecutive = linksOf(detections, statement, costs, [1]);
  const frame = frameOfDetections(detections.frameStart);
  const span = Uint8Array.from(over.tail, (i, e) => frame[over.head[e]] - frame[i]);
  const links = mergeLinks(consecutive, repricedLinks(detections, { ...over, span }, model));
  return priceMotion(detections, model, costs, links);
}

/** The links of one frame of a stretch, and the choice of those over several by the multipliers of that problem. */
export function stretchWithoutGaps(
  detections: Detections,
  odds: StretchOdds,
  statement: Statement,
  extent: Extent,
): { readonly priced: PricedMotion; readonly closeGaps: (multipliers: Multipliers) => Links } {
  const { model } = statement;
  const costs = costsOf(detections, odds, statement, extent);
  const priced = priceMotion(detections, model, costs, linksOf(detections, statement, costs, [1]));
  const closeGaps = (multipliers: Multipliers): Links => {
    const spans = Array.from({ length: model.prior.length - 1 }, (_, n) => n + 2);
    const over = linksOf(detections, statement, costs, spans);
    return worthATry(detections, priced.kept, over, model, costs, multipliers);
  };
  return { priced, closeGaps };
}

function costsOf(
  detections: Detections,
  odds: StretchOdds,
  { model, birthDeath, dearest }: Statement,
  extent: Extent,
): TrackCosts {
  return { ...trackCosts(detections, birthDeath, { model, odds }, extent), dearest };
}

function linksOf(
  detections: Detections,
  { model, radius }: Statement,
  costs: TrackCosts,
  spans: readonly number[],
): Links {
  const reach = radius === null ? null : new Float64Array(detections.x.length).fill(radius);
  return candidateLinks(detections, model, costs, reach, spans);
}
