import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import type { FixedLinks } from "../../core/fixed-links.js";
import type { PricedProblem } from "../../map/instance/priced.js";
import type { BirthDeath } from "../births.js";
import { type Gate, gateReach } from "../gate.js";
import type { Counted } from "../sizes.js";
import { completeVelocities } from "../velocity.js";
import { carriedMultipliers, type Solved } from "./carried-multipliers.js";
import { constantOdds, type Odds, reestimate } from "./estimate.js";
import { firstEstimate } from "./first-estimate.js";
import { estimateGaps, type Gaps } from "./gaps.js";
import { candidateLinks, type Links, mergeLinks, NEAREST, repricedLinks, type TrackCosts } from "./links.js";
import type { MotionModel } from "./model.js";
import { type PricedMotion, priceMotion } from "./price-motion.js";
import { type Multipliers, WORTH_A_TRY, worthATry } from "./reduced-costs.js";
import { middleStretch, oddsAround, type Stretch } from "./stretch.js";
import { type StudentT, scaleOf } from "./student.js";
import { trackCosts } from "./track-costs.js";

/** Passes that are made where nothing else is asked for, and two more where detections were missed. */
export const DEFAULT_PASSES = 3;

/** The pass that first closes gaps: by then there are tracks that show them. */
const GAPS_FROM = 3;

/** In the pass over a whole long recording from which the last one is estimated, a detection has fewer candidates: its tracks are only counted. */
const ROUGH_NEAREST = 6;

/** What a result says of gaps where a run ended before the solve from whose multipliers they are closed. */
const STILL_OPEN = "gaps are left open, since the run was ended before they were closed";

/** A problem priced by a motion model, and the ways to the next. */
export interface MotionPass extends PricedProblem {
  /** From 1. */
  readonly pass: number;
  /** How many are made in all where that is stated, else null. */
  readonly passes: number | null;
  /** Whether no better costs are to be estimated from its tracks. */
  readonly last: boolean;
  /** First frame of the input's detections that it is about: all, or those of a stretch. */
  readonly firstFrame: number;
  readonly model: MotionModel;
  readonly odds: Odds;
  /** No start of a track costs more. */
  readonly dearest: number;
  /** Of the detections that it is about the one for each detection of the problem, −1 for one that was inserted for a missed detection. */
  readonly origin: Int32Array;
  /** Links that its tracks must keep to. */
  readonly fixed: FixedLinks | null;
  /** What was estimated and from what, a sentence each. */
  readonly estimates: readonly string[];
  /** The choices, a line each: how targets move, where tracks start and end, and which links take part. */
  readonly choices: MotionChoices;
  /** The problem with links over missed detections, from multipliers of this one; null where it has them, or none are missed. */
  readonly closeGaps: ((multipliers: Multipliers) => MotionPass) | null;
  /**
   * The problem priced anew from statistics of tracks of this one; `track` has the number of the track of each detection that it is about, from 0. It
   * begins with multipliers of this one, where these are given.
   */
  refine(track: Int32Array, multipliers?: Multipliers): MotionPass;
  /** Multipliers to begin with, by edge: links, deaths, births; null where every detection must be linked in every frame pair. */
  readonly start: Float64Array | null;
  /** The problem of the whole recording by the same estimates; null where it is that. */
  readonly whole: (() => MotionPass) | null;
}

export interface MotionChoices {
  readonly motion: string;
  readonly ends: string;
  readonly candidates: string;
}

export interface MotionParameters {
  readonly gate: Gate;
  readonly birthDeath: BirthDeath;
  /** Frames that a target may be missed in a row; null has it estimated. */
  readonly maxGap: number | null;
  /** Passes that are made; null for as many as the recording asks for. */
  readonly passes?: number | null | undefined;
  /** Whether targets that divide are looked for; they are not where births are stated [auto]. */
  readonly divisions?: DivisionsWanted | undefined;
  /** Links that are required or forbidden. */
  readonly fixed?: FixedLinks | null | undefined;
  /** Told of links and triplets before they are stored; throws where there is no room for them. */
  readonly counted?: Counted;
}

export type DivisionsWanted = "auto" | "none";

/** The detections of a pass, those of the recording, and where the former lie in it. */
interface Ground {
  readonly detections: Detections;
  readonly recording: Detections;
  /** null where they are the whole. */
  readonly stretch: Stretch | null;
  /** What the first passes of a long recording are about. */
  readonly learned: Stretch | null;
}

interface State {
  readonly pass: number;
  readonly model: MotionModel;
  readonly odds: Odds;
  readonly gaps: Gaps;
  readonly estimated: readonly string[];
  /** The links over several frames that were chosen in an earlier pass; null where none were. */
  readonly over: Over | null;
  /** How many targets seem to divide. */
  readonly divisions: number;
}

function looksForDivisions({ birthDeath, divisions = "auto" }: MotionParameters): boolean {
  return birthDeath === "auto" && divisions === "auto";
}

/** How many passes are made where targets do not divide. */
function usualPasses({ spans }: Gaps): number {
  return spans > 1 ? DEFAULT_PASSES + 2 : DEFAULT_PASSES;
}

/**
 * The pass that is solved to the end. It is one more where a stretch was learned from, since what differs by place and time shows only in tracks of the whole
 * recording, and where targets seem to divide: that is looked at again in better tracks, and priced.
 */
function lastPass({ passes }: MotionParameters, { learned }: Ground, { gaps, divisions }: State): number {
  return passes ?? usualPasses(gaps) + (learned !== null || divisions > 0 ? 1 : 0);
}

/** Links of one frame out of a detection at most. */
function nearestOf(parameters: MotionParameters, ground: Ground, state: State): number {
  const rough = ground.learned !== null && ground.stretch === null && state.pass < lastPass(parameters, ground, state);
  return rough ? ROUGH_NEAREST : NEAREST;
}

/** Links over several frames that take part, and how many were looked at. */
interface Over {
  /** The pass in which they were chosen. */
  readonly pass: number;
  readonly links: Links;
  readonly considered: number;
}

/**
 * The first pass: a model from detections alone. Of a long recording all passes but the last two are about a stretch of it, unless links are fixed that the
 * others have to know of.
 */
export function firstPass(recording: Detections, parameters: MotionParameters): MotionPass {
  const needsAll = parameters.passes === 1 || (parameters.fixed ?? null) !== null;
  const stretch = needsAll ? null : middleStretch(recording);
  const detections = stretch?.detections ?? recording;
  const { model, notes } = firstEstimate(detections);
  const odds = constantOdds(model, detections.x.length);
  const gaps = {
    spans: 1,
    missed: 0,
    note: "",
    summary: "missed detections were not looked for, which takes two passes and tracks that may end",
  };
  const state = { pass: 1, model, odds, gaps, estimated: notes, over: null, divisions: 0 };
  return pricePass({ detections, recording, stretch, learned: stretch }, parameters, state, null);
}

function pricePass(ground: Ground, parameters: MotionParameters, state: State, solved: Solved | null): MotionPass {
  const { detections } = ground;
  const { model } = state;
  const fixed = parameters.fixed ?? null;
  const costs = insistOn(fixed, trackCosts(detections, parameters.birthDeath, state));
  const reach = reachOf(detections, parameters.gate);
  const nearest = nearestOf(parameters, ground, state);
  const consecutive = candidateLinks(detections, model, costs, reach, [1], fixed, parameters.counted, nearest);
  const { over: kept } = state;
  if (kept !== null) {
    const all = mergeLinks(consecutive, repricedLinks(detections, kept.links, model));
    const wide = priceMotion(detections, model, costs, all, parameters.counted);
    return passOf(ground, parameters, state, costs, [consecutive.tail.length, kept.considered], wide, null, solved);
  }
  const priced = priceMotion(detections, model, costs, consecutive, parameters.counted);
  const spans = Array.from({ length: model.prior.length - 1 }, (_, n) => n + 2);
  const closeGaps = (multipliers: Multipliers): MotionPass => {
    const over = candidateLinks(detections, model, costs, reach, spans, fixed, parameters.counted);
    // Once and for all passes to come.
    const chosen = worthATry(detections, priced.kept, over, model, costs, multipliers, fixed);
    // Links of one frame that were dropped come back: one between two gaps may be needed now.
    const wide = priceMotion(detections, model, costs, mergeLinks(consecutive, chosen), parameters.counted);
    const considered = over.tail.length;
    const joined = { ...state, over: { pass: state.pass, links: chosen, considered } };
    return passOf(ground, parameters, joined, costs, [consecutive.tail.length, considered], wide, null, {
      problem: priced,
      v: multipliers.v,
      first: 0,
    });
  };
  return passOf(
    ground,
    parameters,
    state,
    costs,
    [consecutive.tail.length, 0],
    priced,
    spans.length > 0 ? closeGaps : null,
    solved,
  );
}

/** The same estimates for all detections of the recording; there links over several frames are chosen anew. */
function priceWhole(ground: Ground, parameters: MotionParameters, state: State, solved: Solved | null): MotionPass {
  const { recording, stretch } = ground;
  if (stretch === null) return pricePass(ground, parameters, state, solved);
  const odds = { ...state.odds, ...oddsAround(recording, stretch.first, state.odds) };
  const whole = { ...ground, detections: recording, stretch: null };
  return pricePass(whole, parameters, { ...state, odds, over: null }, solved && { ...solved, first: stretch.first });
}

/** @param considered links of one frame, and over several, that were looked at */
function passOf(
  ground: Ground,
  parameters: MotionParameters,
  state: State,
  { dearest }: TrackCosts,
  [near, far]: readonly [number, number],
  priced: PricedMotion,
  closeGaps: MotionPass["closeGaps"],
  solved: Solved | null,
): MotionPass {
  const { links, triplets, birthDeath, origin, kept, considered } = priced;
  const { detections, stretch } = ground;
  const { pass, model, odds, gaps, estimated, divisions } = state;
  const over = kept.span.reduce((sum, span) => sum + (span > 1 ? 1 : 0), 0);
  const consecutive = kept.span.length - over;
  // A detection between has one triplet, which is no continuation of links.
  const between = kept.span.reduce((sum, span) => sum + span - 1, 0);
  const stored = (triplets?.kind === "csr" ? triplets.cost.length : 0) - between;
  const nearest = nearestOf(parameters, ground, state);
  const which = parameters.gate === "auto" ? `the ${nearest} likeliest of each detection` : "those within the gate";
  return {
    links,
    triplets,
    birthDeath,
    origin,
    pass,
    passes: parameters.passes ?? null,
    last: stretch === null && pass >= lastPass(parameters, ground, state),
    firstFrame: stretch?.firstFrame ?? 0,
    model,
    odds,
    dearest,
    fixed: parameters.fixed ?? null,
    choices: {
      motion: `${detections.vx === null ? "positions alone, " : ""}pass ${pass}: ${describe(model)}`,
      ends: `${describeOdds(parameters.birthDeath, odds)}; ${closeGaps === null ? gaps.summary : STILL_OPEN}${
        model.missed > 0 ? `, ${(100 * model.missed).toPrecision(2)} % of detections being missed` : ""
      }${divisions > 0 && pass > usualPasses(gaps) ? `; ${divisions} targets divide, their tracks end there and two start` : ""}`,
      candidates: `${consecutive} of ${near} links (${which}) and ${stored} of ${considered} triplets${
        birthDeath === null ? "" : ", the rest being no cheaper than an end and a start"
      }${far > 0 ? `; ${over} of ${far} links over missed frames, those within ${WORTH_A_TRY} nats of paying in pass ${state.over?.pass}` : ""}`,
    },
    estimates: [...estimated, ...(gaps.note === "" ? [] : [gaps.note]), ...howLearned(ground)],
    start: birthDeath && carriedMultipliers(priced, solved),
    closeGaps,
    whole: stretch === null ? null : () => priceWhole(ground, parameters, state, null),
    refine(track, multipliers) {
      const estimates = birthDeath !== null && pass + 1 === GAPS_FROM;
      const seen = estimates ? estimateGaps(detections, track, model, parameters.maxGap) : { ...gaps, track };
      const { spans, missed, note, summary } = seen;
      const next: Gaps = { spans, missed, note, summary };
      const usual = usualPasses(next);
      const {
        model: better,
        odds: local,
        divisions,
        notes,
      } = reestimate(detections, seen.track, model, {
        persistence: pass >= 2,
        divisions: !looksForDivisions(parameters) || pass + 1 < usual ? "none" : pass + 1 === usual ? "seen" : "priced",
        ...next,
      });
      const refined = {
        pass: pass + 1,
        model: better,
        odds: local,
        gaps: next,
        estimated: notes,
        over: state.over,
        divisions,
      };
      const enough = pass + 1 >= (parameters.passes ?? usual);
      const begin =
        multipliers === undefined || birthDeath === null ? null : { problem: priced, v: multipliers.v, first: 0 };
      return enough ? priceWhole(ground, parameters, refined, begin) : pricePass(ground, parameters, refined, begin);
    },
  };
}

/** What the first passes were about, where that was not all. */
function howLearned({ learned }: Ground): string[] {
  if (learned === null) return [];
  const { frames, x } = learned.detections;
  return [
    `Gaps, and the costs of the first passes, estimated from ${x.length} detections of the ${frames} frames in the middle.`,
  ];
}

/** What not to use a required link costs more than anything that it could save, in nats, beside what starts and ends cost. */
const INSISTENCE = 1e4;

/**
 * With its competitors gone, a required link is used, or its tail ends a track and its head starts one: these cost so much more. Sets of tracks that
 * have all required links cost what they cost without, so bounds hold for them as they are.
 */
function insistOn(fixed: FixedLinks | null, costs: TrackCosts): TrackCosts {
  if (fixed === null || costs.ends === null) return costs;
  const [birth, death] = [costs.ends.birth.slice(), costs.ends.death.slice()];
  const most = (values: Float64Array) => values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const more = INSISTENCE + 4 * (most(birth) + most(death));
  fixed.next.forEach((j, i) => {
    if (j < 0) return;
    death[i] += more;
    birth[j] += more;
  });
  return { ...costs, ends: { birth, death } };
}

/** Greatest length of a link from each detection where the user states a gate; null leaves it to the model. */
function reachOf(detections: Detections, gate: Gate): Float64Array | null {
  if (gate === "auto") return null;
  const { detections: moving, typicalSpeed } = completeVelocities(detections);
  return gateReach(moving, gate, typicalSpeed);
}

/** Starts and ends, as stated or by odds. */
function describeOdds(birthDeath: BirthDeath, { birth, ends }: Odds): string {
  if (birthDeath === "none") return "no track starts or ends inside";
  if (birthDeath !== "auto") return `starts cost ${birthDeath.birth}, ends ${birthDeath.death} as stated`;
  const range = (values: Float64Array) => {
    const [low, high] = [0.05, 0.95].map((q) => (quantile(values, q) ?? 0).toPrecision(3));
    return low === high ? low : `${low} to ${high}`;
  };
  return `starts cost ${range(birth)}, ends ${range(ends.map((p) => -Math.log(p)))} nats by place`;
}

/** The model in a line. */
function describe({ drift, velocityWeight, prior, step, persistence }: MotionModel): string {
  const digits = (value: number) => String(Number(value.toPrecision(3)));
  const density = (t: StudentT) => {
    const wide = t.wide && `, ${digits(100 * t.wide.share)} % of them ${digits(t.wide.times)} times as wide`;
    return `${digits(scaleOf(t))} (ν = ${t.tail}${wide ?? ""})`;
  };
  const expected =
    velocityWeight > 0
      ? `${velocityWeight} of the measured velocity`
      : `the drift (${drift.map(digits).join(", ")}) a frame`;
  return `links about ${expected}, scale ${density(prior[0])}; each next one about ${digits(persistence[0][0])} of the one before, scale ${density(step[0][0])}`;
}

/** The model's numbers, for result.json. */
export function motionNumbers(model: MotionModel): Record<string, number> {
  const numbers: Record<string, number> = {
    driftX: model.drift[0],
    driftY: model.drift[1],
    velocityWeight: model.velocityWeight,
    births: model.births,
    ends: model.ends,
    missed: model.missed,
    clutter: model.clutter,
  };
  const add = (name: string, { tail, xx, xy, yy, wide }: StudentT) =>
    Object.assign(
      numbers,
      { [`${name}.tail`]: tail, [`${name}.xx`]: xx, [`${name}.xy`]: xy, [`${name}.yy`]: yy },
      wide && { [`${name}.wideShare`]: wide.share, [`${name}.wideTimes`]: wide.times },
    );
  model.prior.forEach((prior, a) => {
    add(`prior${a + 1}`, prior);
  });
  model.step.forEach((row, a) => {
    row.forEach((step, b) => {
      add(`step${a + 1}${b + 1}`, step);
      numbers[`persistence${a + 1}${b + 1}`] = model.persistence[a][b];
    });
  });
  return numbers;
}
