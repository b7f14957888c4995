import { quantile, sum } from "d3-array";
import { axesOf, type Detections, distanceBetween } from "../../core/detections.js";
import { fitDensity } from "../density/fit-student.js";
import { bindStudentT, determinantOf, lessTimes, minusLogDensity, type StudentT, times } from "../density/student.js";
import { floorOf } from "../places/rounding.js";
import { type Followed, sampleChains, samplePairs, thinned } from "./follow.js";
import {
  alongAxes,
  bestBetween,
  bestLaw,
  type Judgement,
  type LawOfAxes,
  type MotionLaw,
  matrixOf,
  NEVER_FORGETS,
  NOISELESS_BETWEEN,
  persistenceOf,
  remainder,
  stretched,
  variance,
} from "./law.js";
import { bindDeviation, type MotionModel } from "./model.js";
import { driftWithin, type StatedPriors } from "./stated-priors.js";

/** Values of ω that are tried where velocities are measured. */
const VELOCITY_WEIGHTS = [0, 1];
/** Samples by which the law is chosen: of chains of links of one frame, and of each other two spans. */
const SAMPLES_OF_LAW = 1_000;
const SAMPLES_OF_SPANS = 250;
/** Gain of the log-likelihood, in nats, below which a density is good enough to judge a law by. By 0.001, which costs have, nine of ten inputs of lab/notes/motion-law.md have the same tracks, and take up to 1.3 s more. */
const ROUGHLY = 0.05;
/** The number of samples below which nothing is fitted. */
export const FEWEST = 12;

/**
 * The drift, ω, and the densities by the spans of the links, all by one law; and the number of chains of two links of one frame. The law is the one by which the targets of the
 * chains are told most surely from other detections. The likelihood of many targets that stand would outweigh that of a few that walk, though those are told by any law. Where velocities are measured they tell who
 * walks: there, and between values of ω, the likelihood decides.
 * @param persistence whether the law is fitted as well
 */
export function fitDensities(
  detections: Detections,
  followed: Followed,
  before: MotionModel,
  spacing: number,
  spans: number,
  persistence: boolean,
  priors: StatedPriors,
): Pick<MotionModel, "drift" | "velocityWeight" | "prior" | "step" | "persistence"> & { readonly chains: number } {
  const { vx } = detections;
  const axes = axesOf(detections);
  const pairs = samplePairs(followed);
  const medians = axes.map((axis) => quantile(pairs, 0.5, ([i, j]) => axis[j] - axis[i]) ?? 0);
  const drift = driftWithin(medians, priors);
  const distance = distanceBetween(detections, detections);
  const typical = quantile(pairs, 0.5, ([i, j]) => distance(i, j)) ?? 0;
  const whole = sampleChains(followed, 1, 1);
  const changes = whole.map(([i, j, k]) => Math.hypot(...axes.map((axis) => axis[i] - 2 * axis[j] + axis[k])));
  const floor = floorOf(detections, spacing, typical, changes, priors.noise);
  // A density per unit of area or volume by which the median distance to the nearest detection is the spacing.
  const within = axes.length === 2 ? Math.PI * spacing * spacing : (4 / 3) * Math.PI * spacing ** 3;
  const rivals = spacing > 0 ? Math.LN2 / within : 0;
  const enough = whole.length >= FEWEST;
  const tried = (vx === null || !enough ? [before.velocityWeight] : VELOCITY_WEIGHTS).map((velocityWeight) => {
    const z = bindDeviation(detections, { drift, velocityWeight });
    const first = pairs.map(([i, j]) => z(i, j, 1));
    const deviations = axes.map((_, axis) => first.map((deviation) => deviation[axis]));
    const prior = fitDensity(deviations, floor).density;
    const chains = chainsOf(detections, followed, { drift, velocityWeight }, spans);
    const few = chains.map((some, n) => ({
      ...some,
      samples: thinned(some.samples, n === 0 ? SAMPLES_OF_LAW : SAMPLES_OF_SPANS),
    }));
    const judge = (law: MotionLaw) => judged(few, alongAxes(law, prior), floor, rivals);
    const measured = velocityWeight > 0;
    const likelihood = (one: MotionLaw) => sum(judge(one).likelihoods);
    const found = () => (measured ? bestBetween(likelihood) : bestLaw(judge, spans > 2));
    const law = persistence && enough ? found() : measured ? NOISELESS_BETWEEN : NEVER_FORGETS;
    return { velocityWeight, prior, chains, law, likelihood: likelihood(law) };
  });
  const { law, velocityWeight, prior, chains } = tried.reduce((best, one) =>
    one.likelihood > best.likelihood ? one : best,
  );
  const lawOfAxes = alongAxes(law, prior);
  const step = enough ? fitDensity(restsOf(chains.slice(0, 1), lawOfAxes), floor).density : before.step[0][0];
  return { drift, velocityWeight, ...overFrames(lawOfAxes, prior, step, spans, floor), chains: whole.length };
}

/** What a model of links of one frame says of links over more of them, where there are too few links to fit a law to. */
export function withSpans(model: MotionModel, spans: number): MotionModel {
  const { velocityWeight, prior, step } = model;
  const law = alongAxes(velocityWeight > 0 ? NOISELESS_BETWEEN : NEVER_FORGETS, prior[0]);
  return { ...model, ...overFrames(law, prior[0], step[0][0], spans, [0, 0, 0]) };
}

/** Densities by spans, by a law and those of links of one frame. */
function overFrames(law: LawOfAxes, prior: StudentT, step: StudentT, spans: number, floor: readonly number[]) {
  const all = Array.from({ length: spans }, (_, n) => n + 1);
  const widened = (density: StudentT, of: (one: MotionLaw) => number) =>
    stretched(
      density,
      matrixOf(law, (one) => Math.sqrt(of(one))),
      floor,
    );
  return {
    prior: all.map((a) => widened(prior, (one) => variance(one, a) / variance(one, 1))),
    step: all.map((a) => all.map((b) => widened(step, (one) => remainder(one, a, b) / remainder(one, 1, 1)))),
    persistence: all.map((a) => all.map((b) => matrixOf(law, (one) => persistenceOf(one, a, b)))),
  };
}

/** Deviations of two links that follow one another, of some spans. */
interface Chains {
  readonly a: number;
  readonly b: number;
  readonly samples: (readonly [earlier: readonly number[], later: readonly number[]])[];
}

/** Chains of each two spans, those of one frame first. */
function chainsOf(
  detections: Detections,
  followed: Followed,
  model: Pick<MotionModel, "drift" | "velocityWeight">,
  spans: number,
): Chains[] {
  const z = bindDeviation(detections, model);
  const all = Array.from({ length: spans }, (_, n) => n + 1);
  return all.flatMap((a) =>
    all.map((b) => ({
      a,
      b,
      samples: sampleChains(followed, a, b).map(([i, j, k]) => [z(i, j, a), z(j, k, b)] as const),
    })),
  );
}

/** What later links differ by from those that are expected after the earlier ones, by axis, each brought to the width of links of one frame. */
function restsOf(chains: readonly Chains[], axes: LawOfAxes): Float64Array[] {
  const count = sum(chains, ({ samples }) => samples.length);
  const rests = axes.map(() => new Float64Array(count));
  let n = 0;
  for (const { a, b, samples } of chains) {
    const rho = matrixOf(axes, (one) => persistenceOf(one, a, b));
    const narrower = matrixOf(axes, (one) => Math.sqrt(remainder(one, 1, 1) / remainder(one, a, b)));
    for (const [earlier, later] of samples) {
      const rest = times(narrower, lessTimes(later, rho, earlier));
      for (let axis = 0; axis < rests.length; axis++) rests[axis][n] = rest[axis];
      n++;
    }
  }
  return rests;
}

/** How well a law fits chains, with the likeliest tails: ln p of their later links, and ln p/(p + rivals). */
function judged(chains: readonly Chains[], axes: LawOfAxes, floor: readonly number[], rivals: number): Judgement {
  const rests = restsOf(chains, axes);
  const [x, y, z] = rests;
  const bound = bindStudentT(fitDensity(rests, floor, ROUGHLY).density);
  const [likelihoods, certainties] = [new Float64Array(x.length), new Float64Array(x.length)];
  let n = 0;
  for (const { a, b, samples } of chains) {
    const wider = matrixOf(axes, (one) => Math.sqrt(remainder(one, a, b) / remainder(one, 1, 1)));
    const area = determinantOf(wider);
    for (const end = n + samples.length; n < end; n++) {
      likelihoods[n] = -minusLogDensity(bound, x[n], y[n], z?.[n]) - Math.log(area);
      certainties[n] = -Math.log1p(rivals * Math.exp(-likelihoods[n]));
    }
  }
  return { likelihoods, certainties };
}
