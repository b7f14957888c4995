import { quantile } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { areaOf } from "./area.js";
import { type Divisions, findDivisions, NO_DIVISIONS } from "./divisions.js";
import { certaintyOf, fitDensity, fitStudentT } from "./fit-student.js";
import { countEnds, type Followed, follow, sampleChains, samplePairs, thinned } from "./follow.js";
import { GAPS_NOT_SOUGHT, type Gaps } from "./gaps.js";
import { bindDeviation, type MotionModel } from "./model.js";
import { medianSpacing } from "./nearest.js";
import { type CostRange, constantOdds, localOdds, type Odds, withDivisions } from "./odds.js";
import { floorOf } from "./rounding.js";
import { driftWithin, type StatedPriors, withPriors } from "./stated-priors.js";
import type { StudentT } from "./student.js";

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
  /** Fit ρ as well. On poor tracks this fit fails, so it is not made from the first solution. */
  readonly persistence: boolean;
  /** Their spans, and the least probability of a miss where links span several frames. */
  readonly gaps: Gaps;
  /** Whether targets that divide are looked for, and whether their divisions are priced too. */
  readonly divisions: "none" | "seen" | "priced";
  /** What the user states, in the place of an estimate. */
  readonly priors?: StatedPriors;
}

/** Values of ρ that are tried: with G_b of the later link as a factor. */
const PERSISTENCE = [1, 0.97, 0.9, 0.8, 0.6, 0.4, 0.2, 0, -0.2, -0.4];
/** Values of ω that are tried where velocities are measured. */
const VELOCITY_WEIGHTS = [0, 0.5, 1];

/** Samples by which ρ is chosen. */
const SAMPLES_OF_PERSISTENCE = 1_000;
/** Nats a sample by which another ρ must tell targets more surely than the likeliest ρ, where that is 0 or less. */
const SURER = 0.1;
/** The number of samples below which nothing is fitted. */
const FEWEST = 12;

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
 * The model that makes given tracks most likely, density by density, and the costs of starts and ends by place (odds.ts). Tracks are numbers,
 * one a detection, from 0; a track has at most one detection in a frame. Densities of links that span frames are fitted to the tracks
 * with frames left out.
 */
export function fitTracks(
  detections: Detections,
  track: Int32Array,
  before: MotionModel,
  { persistence, gaps, divisions: wanted, priors = {} }: FitOptions,
): MotionFit {
  const { frames, x } = detections;
  const followed = follow(detections, track);
  const pairs = samplePairs(followed, 1);
  if (pairs.length < FEWEST) return unfollowed(before, x.length, { from: "too few", pairs: pairs.length }, gaps);
  const spacing = medianSpacing(detections);
  const least = spacing > 0 ? spacing : 1;
  const { chains, ...densities } = fitDensities(detections, followed, before, spacing, gaps.spans, persistence, priors);
  // Where misses are only not ruled out, what is not seen has ended.
  const unseen = gaps.seen ? gaps.spans : 1;
  const counts = countEnds(detections, followed, unseen);
  const { width, height } = areaOf(detections, least);
  const area = width * height;
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
  const { odds, starts, ends } = localOdds(
    detections,
    least,
    track,
    followed,
    pricedDivisions,
    unseen === 1 ? 0 : model.missed,
    unseen,
    {
      births: priors.births === undefined ? null : model.births,
      clutter: priors.clutter === undefined || priors.clutter === 0 ? null : model.clutter,
    },
  );
  return {
    model,
    odds: withDivisions(odds, pricedDivisions),
    gaps,
    divisions: { ...divisions, priced },
    evidence: { from: "tracks", pairs: pairs.length, chains, starts, ends },
  };
}

/** The drift, ω, and the densities with their ρ by the spans of the links; and the number of chains of two links of one frame. */
function fitDensities(
  detections: Detections,
  followed: Followed,
  before: MotionModel,
  spacing: number,
  spans: number,
  persistence: boolean,
  priors: StatedPriors,
): Pick<MotionModel, "drift" | "velocityWeight" | "prior" | "step" | "persistence"> & { readonly chains: number } {
  const { x, y, vx } = detections;
  const pairs = samplePairs(followed, 1);
  const [driftX, driftY] = [x, y].map((axis) => quantile(pairs, 0.5, ([i, j]) => axis[j] - axis[i]) ?? 0);
  const drift = driftWithin([driftX, driftY], priors);
  const typical = quantile(pairs, 0.5, ([i, j]) => Math.hypot(x[j] - x[i], y[j] - y[i])) ?? 0;
  const changes = sampleChains(followed, 1, 1).map(([i, j, k]) =>
    Math.hypot(x[i] - 2 * x[j] + x[k], y[i] - 2 * y[j] + y[k]),
  );
  const floor = floorOf(detections, spacing, typical, changes, priors.noise);
  const fitStep = bindStepFit(detections, followed, drift, floor, spacing, persistence);
  const steps = (vx === null ? [0] : VELOCITY_WEIGHTS).flatMap((weight) => fitStep(weight, 1, 1) ?? []);
  const one = steps.length > 0 ? steps.reduce((a, b) => (b.logLikelihood > a.logLikelihood ? b : a)) : null;
  const velocityWeight = one?.velocityWeight ?? before.velocityWeight;
  const base = one?.density ?? before.step[0][0];
  const rho = one?.rho ?? before.persistence[0][0];
  const z = bindDeviation(detections, { drift, velocityWeight });
  const prior: StudentT[] = [];
  const step: StudentT[][] = [];
  const persistences: number[][] = [];
  for (let a = 1; a <= spans; a++) {
    const first = samplePairs(followed, a).map(([i, j]) => z(i, j, a));
    const [zx, zy] = [0, 1].map((axis) => first.map((deviation) => deviation[axis]));
    prior.push(first.length < FEWEST ? stretched(prior[0], a) : fitDensity(zx, zy, floor).density);
    const fits = Array.from({ length: spans }, (_, n) => (a + n === 1 ? one : fitStep(velocityWeight, a, n + 1)));
    // Without samples a step grows as white noise of the acceleration has it: the variance of z_b − z_a b / a goes with b² (a + b).
    step.push(fits.map((fit, n) => fit?.density ?? stretched(base, (n + 1) * Math.sqrt((a + n + 1) / 2))));
    persistences.push(fits.map((fit, n) => fit?.rho ?? rho * (n + 1)));
  }
  return { drift, velocityWeight, prior, step, persistence: persistences, chains: one?.chains ?? 0 };
}

/** Fits step_ab to z_b − ρ_ab z_a / a for one ω and all ρ that are tried; null where there are too few samples. */
function bindStepFit(
  detections: Detections,
  followed: Followed,
  drift: readonly [number, number],
  floor: number,
  spacing: number,
  persistence: boolean,
) {
  // A density per unit of area by which the median distance to the nearest detection is the spacing.
  const rivals = spacing > 0 ? Math.LN2 / (Math.PI * spacing * spacing) : 0;
  return (velocityWeight: number, a: number, b: number) => {
    const chains = sampleChains(followed, a, b);
    if (chains.length < FEWEST) return null;
    const z = bindDeviation(detections, { drift, velocityWeight });
    const sampled = chains.map(([i, j, k]) => [...z(i, j, a), ...z(j, k, b)]);
    const rest = (some: typeof sampled, rho: number): [number[], number[]] => [
      some.map(([ax, , bx]) => bx - (rho * b * ax) / a),
      some.map(([, ay, , by]) => by - (rho * b * ay) / a),
    ];
    // One t and a part of the samples find ρ; a mixture costs many times as much to fit, and is fitted once ρ is known.
    const few = thinned(sampled, SAMPLES_OF_PERSISTENCE);
    const tried = (persistence ? PERSISTENCE : [velocityWeight > 0 ? 0 : 1]).map((rho) => {
      const [x, y] = rest(few, rho);
      const { density, logLikelihood } = fitStudentT(x, y, floor);
      return { rho, logLikelihood, certainty: certaintyOf(density, x, y, rivals) };
    });
    const likeliest = tried.reduce((best, fit) => (fit.logLikelihood > best.logLikelihood ? fit : best));
    const surest = tried.reduce((best, fit) => (fit.certainty > best.certainty ? fit : best));
    // The likelihood of many targets that stand outweighs that of a few that walk, though those are told at any ρ.
    const surer = likeliest.rho <= 0 && surest.certainty > likeliest.certainty + SURER * few.length;
    const { rho } = surer ? surest : likeliest;
    const [x, y] = rest(sampled, rho);
    return { velocityWeight, rho: rho * b, chains: chains.length, ...fitDensity(x, y, floor) };
  };
}

function stretched(density: StudentT, factor: number): StudentT {
  const { xx, xy, yy } = density;
  const square = factor * factor;
  return { ...density, xx: xx * square, xy: xy * square, yy: yy * square };
}
