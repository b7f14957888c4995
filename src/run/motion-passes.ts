import type { Detections } from "../core/detections.js";
import type { FixedLinks } from "../core/fixed-links.js";
import { picked } from "../core/growing-array.js";
import type { BirthDeath } from "../costs/births.js";
import { type Gate, gateReach } from "../costs/gate.js";
import { candidateLinks, NEAREST } from "../costs/motion/candidates.js";
import { priceDivisions } from "../costs/motion/divisions.js";
import { firstFit } from "../costs/motion/first-fit.js";
import { fitTracks, type MotionFit } from "../costs/motion/fit.js";
import { estimateGaps, type Gaps } from "../costs/motion/gaps.js";
import { type Links, linksBy, mergeLinks, type TrackCosts } from "../costs/motion/links.js";
import { oddsAround } from "../costs/motion/odds.js";
import { type PricedMotion, priceMotion } from "../costs/motion/price-motion.js";
import { chooseOver, type Multipliers } from "../costs/motion/reduced-costs.js";
import type { StatedPriors } from "../costs/motion/stated-priors.js";
import { insistOn, trackCosts } from "../costs/motion/track-costs.js";
import { middleStretch, type Stretch } from "../costs/places/stretch.js";
import type { Counted } from "../costs/sizes.js";
import { completeVelocities } from "../costs/velocity.js";
import { carriedMultipliers, type Solved } from "./carried-multipliers.js";
import { motionNumbers, statement } from "./motion-statement.js";

/** Passes by default: one less where no gap is to be closed, and one more where detections were missed more often than by chance, or for a long recording. */
export const DEFAULT_PASSES = 4;

/** The pass that first closes gaps: by then there are tracks that show them. */
export const GAPS_FROM = 3;

/** Candidates of a long recording, which tell its law and its tracks as well as more of them. */
const LONG_NEAREST = 12;

/** Candidates in the pass over a whole long recording from which the last one is estimated: its tracks are only counted. */
const ROUGH_NEAREST = 6;

export interface MotionParameters {
  readonly gate: Gate;
  readonly birthDeath: BirthDeath;
  /** Frames that a target may be missed in a row; null has it estimated. */
  readonly maxGap: number | null;
  /** Number of passes; null for as many as the recording asks for. */
  readonly passes?: number | null | undefined;
  /** Whether targets that divide are looked for, and priced; neither where births are stated [auto]. */
  readonly divisions?: DivisionsWanted | undefined;
  /** What the user states, in the place of an estimate. */
  readonly priors?: StatedPriors;
  /** Links that are required or forbidden. */
  readonly fixed?: FixedLinks | null | undefined;
  /** Told of links and triplets before they are stored; throws where there is no room for them. */
  readonly counted?: Counted;
}

export type DivisionsWanted = "auto" | "none";

/** A fit, and the detections that are priced by it. */
interface Fitted {
  /** From 1. */
  readonly pass: number;
  readonly parameters: MotionParameters;
  readonly recording: Detections;
  /** The part of a long recording that the first passes are about, and the part that this one is about; null for all of it. */
  readonly learned: Stretch | null;
  readonly stretch: Stretch | null;
  readonly fit: MotionFit;
  /** Links over several frames that were chosen to take part, in which pass, and the number of their candidates; null before. */
  readonly over: { readonly pass: number; readonly links: Links; readonly considered: number } | null;
}

/** A problem priced by a fit, and all that the next one is made of. */
export interface MotionPass extends Fitted {
  readonly costs: TrackCosts;
  /** Candidates of one frame. */
  readonly near: Links;
  readonly priced: PricedMotion;
  /** Multipliers to begin with, by edge: links, deaths, births; null where every detection must be linked in every frame pair. */
  readonly begin: Float64Array | null;
}

/**
 * The first pass: a fit to detections alone. Of a long recording all passes but the last two are about a stretch of it, unless links are fixed that the
 * others have to know of.
 */
export function firstPass(recording: Detections, parameters: MotionParameters): MotionPass {
  const needsAll = parameters.passes === 1 || (parameters.fixed ?? null) !== null;
  const stretch = needsAll ? null : middleStretch(recording);
  const fitted = firstFit(stretch?.detections ?? recording, parameters.priors);
  return price({ pass: 1, parameters, recording, learned: stretch, stretch, fit: fitted, over: null }, null);
}

/** Whether links over several frames are still to be chosen, by the multipliers of a solve without them. */
export function gapsAreOpen({ over, fit }: MotionPass): boolean {
  return over === null && fit.model.prior.length > 1;
}

/**
 * Whether links over several frames are to be closed by a solve of this pass. In a long recording only those of the last pass are: for the others the ends that find a start are joined, or missed
 * detections are so rare that the tracks without them serve to estimate the next costs.
 */
export function awaitsGaps(pass: MotionPass): boolean {
  return gapsAreOpen(pass) && (pass.learned === null || isLast(pass));
}

/** Whether no better costs are to be estimated from its tracks. */
function isLast(pass: MotionPass): boolean {
  return pass.stretch === null && pass.pass >= lastPass(pass);
}

/** Whether costs are those of all passes. */
export function isDone(pass: MotionPass): boolean {
  return isLast(pass) && !gapsAreOpen(pass);
}

/** What is to be said where passes were left out. */
export function noteLeftOut(pass: MotionPass): string[] {
  if (isDone(pass)) return [];
  return [`Costs are those of pass ${pass.pass}, as the run was to end: more time may give others, and other tracks.`];
}

/** The problem with links over missed detections. */
export function closeGaps(pass: MotionPass, multipliers: Multipliers): MotionPass {
  // Links of one frame that were dropped come back: one between two gaps may be needed now.
  const solved = { problem: pass.priced, v: multipliers.v, first: 0 };
  return priceLinks({ ...pass, over: overBy(pass, multipliers) }, pass.near, pass.costs, solved);
}

/** Links over missed detections, chosen once and for all passes to come by multipliers of the problem without. */
function overBy(pass: MotionPass, multipliers: Multipliers): NonNullable<Fitted["over"]> {
  const { parameters, fit, costs, priced } = pass;
  const { fixed = null, counted } = parameters;
  const detections = detectionsOf(pass);
  const nearest = nearestOver(pass);
  const options = { reach: reachOf(detections, parameters.gate), fixed, counted, nearest };
  const ofDetections = withoutTwins(priced, multipliers);
  return { pass: pass.pass, ...chooseOver(detections, priced.kept, fit.model, costs, ofDetections, options) };
}

/** The multipliers of a problem of links of one frame, as it would number them without twins. */
function withoutTwins({ links, origin, edgeOf, motherOf }: PricedMotion, multipliers: Multipliers): Multipliers {
  if (motherOf === undefined) return multipliers;
  const { frameStart, tail } = links;
  const [second, last] = [frameStart[1], frameStart[frameStart.length - 2]];
  const real = Uint32Array.from(origin.keys()).filter((at) => origin[at] >= 0);
  const deaths = real.filter((at) => at < last).map((at) => tail.length + at);
  const births = real.filter((at) => at >= second).map((at) => tail.length + last + at - second);
  const edges = Uint32Array.from([edgeOf, deaths, births].flatMap((some) => Array.from(some)));
  const { v, delta, rowDual, columnDual } = multipliers;
  return {
    ...{ v: picked(v, edges), delta: picked(delta, edges) },
    ...{ rowDual: picked(rowDual, real), columnDual: picked(columnDual, real) },
  };
}

/**
 * The problem priced anew by a fit to tracks of this one, of the whole recording where it is time for that.
 * @param track number of the track of each detection that the pass is about, from 0
 * @param multipliers of this pass, with which the next one begins
 */
export function refine(pass: MotionPass, track: Int32Array, multipliers: Multipliers | null = null): MotionPass {
  const { parameters, fit: before, priced } = pass;
  const { divisions = "auto", priors = {} } = parameters;
  const detections = detectionsOf(pass);
  const next = pass.pass + 1;
  const seeksGaps = priced.birthDeath !== null && next === GAPS_FROM;
  const joins = gapsAreOpen(pass) && before.gaps.seen;
  const asked = seeksGaps ? parameters.maxGap : before.gaps.spans - 1;
  const estimated =
    seeksGaps || joins
      ? estimateGaps(detections, track, before.model, asked, priors.missed)
      : { gaps: before.gaps, track };
  const seen = seeksGaps ? estimated : { ...estimated, gaps: before.gaps };
  const usual = usualPasses(seen.gaps, pass.learned);
  const seeksDivisions = parameters.birthDeath === "auto" && divisions !== "none" && next >= usual;
  const fitted = fitTracks(detections, seen.track, before.model, {
    persistence: pass.pass >= 2,
    gaps: seen.gaps,
    priors,
    divisions: !seeksDivisions ? "none" : next === usual ? "seen" : "priced",
  });
  const solved =
    multipliers === null || priced.birthDeath === null ? null : { problem: priced, v: multipliers.v, first: 0 };
  const refined = { ...pass, pass: next, fit: fitted };
  if (pass.stretch !== null && next >= (parameters.passes ?? usual)) return priceWhole(refined, pass.stretch, solved);
  const over = multipliers !== null && gapsAreOpen(pass) ? overBy(pass, multipliers) : pass.over;
  return price({ ...refined, over }, solved);
}

/** The problem of the whole recording by the same fit. */
export function wholeOf(pass: MotionPass): MotionPass {
  return pass.stretch === null ? pass : priceWhole(pass, pass.stretch, null);
}

/** The fields of a result about costs that were estimated from tracks. */
export function motionFields(pass: MotionPass) {
  const { fit, parameters, near, over, learned } = pass;
  const { choices, estimates } = statement(fit, {
    pass: pass.pass,
    positionsAlone: pass.recording.vx === null,
    birthDeath: parameters.birthDeath,
    gapsOpen: gapsAreOpen(pass),
    nearest: parameters.gate === "auto" ? nearestOf(pass) : null,
    near: near.tail.length,
    over,
    priced: pass.priced,
    priors: parameters.priors ?? {},
    learned: learned && { detections: learned.detections.x.length, frames: learned.detections.frames },
  });
  return { motion: { passes: pass.pass, ...motionNumbers(fit.model) }, choices: { ...choices }, estimates };
}

/** Targets that seem to divide without that being priced. */
export function unpricedDivisions({ fit: { divisions } }: MotionPass): number {
  return divisions.priced ? 0 : divisions.all.length;
}

/** Passes that are made where targets do not divide; of a long recording, up to the one over all of it. */
function usualPasses({ spans, seen }: Gaps, learned: Stretch | null): number {
  return spans === 1 ? DEFAULT_PASSES - 1 : DEFAULT_PASSES + (seen && learned === null ? 1 : 0);
}

/**
 * The pass that is solved to the end. It is one more where a stretch was learned from, since differences by place and time show only in tracks of the whole
 * recording, and where targets seem to divide: that is looked at again in better tracks, and priced.
 */
function lastPass({ parameters, learned, fit }: Fitted): number {
  const more = learned !== null || fit.divisions.all.length > 0;
  return parameters.passes ?? usualPasses(fit.gaps, learned) + (more ? 1 : 0);
}

/** Links of one frame out of a detection at most. */
function nearestOf(fitted: Fitted): number {
  const { pass, learned, stretch } = fitted;
  if (learned === null) return NEAREST;
  return stretch === null && pass < lastPass(fitted) ? ROUGH_NEAREST : LONG_NEAREST;
}

/** Candidates of each span from two frames on. Those of a long recording are its last pass's: with 12 of them a school lost 1 % of IDF1, and 5 with 6. */
function nearestOver(pass: MotionPass): number {
  return pass.learned === null || isLast(pass) || pass.fit.gaps.seen ? NEAREST : ROUGH_NEAREST;
}

function detectionsOf({ recording, stretch }: Fitted): Detections {
  return stretch?.detections ?? recording;
}

/** Greatest length of a link from each detection where the user states a gate; null leaves it to the model. */
function reachOf(detections: Detections, gate: Gate): Float64Array | null {
  if (gate === "auto") return null;
  const { detections: moving, typicalSpeed } = completeVelocities(detections);
  return gateReach(moving, gate, typicalSpeed);
}

/** The same fit for all detections of the recording; there links over several frames are chosen anew. */
function priceWhole(fitted: Fitted, stretch: Stretch, solved: Solved | null): MotionPass {
  const { recording, fit } = fitted;
  const odds = { ...fit.odds, ...oddsAround(recording, stretch.first, fit.odds) };
  const whole = { ...fitted, stretch: null, fit: { ...fit, odds }, over: null };
  return price(whole, solved && { ...solved, first: stretch.first });
}

/** The problem that a fit prices, and where its solve begins. */
export function price(fitted: Fitted, solved: Solved | null): MotionPass {
  const { parameters, fit } = fitted;
  const { fixed = null, birthDeath, gate, counted } = parameters;
  const detections = detectionsOf(fitted);
  const costs = insistOn(fixed, trackCosts(detections, birthDeath, fit));
  const options = { reach: reachOf(detections, gate), fixed, counted, nearest: nearestOf(fitted) };
  const near = candidateLinks(detections, fit.model, costs, [1], options);
  return priceLinks(fitted, near, costs, solved);
}

function priceLinks(fitted: Fitted, near: Links, costs: TrackCosts, solved: Solved | null): MotionPass {
  const { parameters, fit, over } = fitted;
  const detections = detectionsOf(fitted);
  const links = over === null ? near : mergeLinks(near, linksBy(detections, fit.model, over.links));
  const { law, priced: arePriced } = fit.divisions;
  const divisions = arePriced && law !== null ? priceDivisions(detections, near, fit.model, costs, law) : null;
  const priced = priceMotion(detections, fit.model, costs, links, parameters.counted, divisions);
  const begin = priced.birthDeath && carriedMultipliers(priced, solved);
  return { ...fitted, costs, near, priced, begin };
}
