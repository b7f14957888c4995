import { quantile, sum } from "d3-array";
import type { Detections } from "../../core/detections.js";
import { fitDensity } from "./fit-student.js";
import { type Followed, sampleChains, samplePairs, thinned } from "./follow.js";
import {
  bestBetween,
  bestLaw,
  inPlane,
  type Judgement,
  type MotionLaw,
  matrixOf,
  NEVER_FORGETS,
  NOISELESS_BETWEEN,
  type PlaneLaw,
  persistenceOf,
  remainder,
  stretched,
  variance,
} from "./law.js";
import { bindDeviation, type MotionModel } from "./model.js";
import { floorOf } from "./rounding.js";
import { driftWithin, type StatedPriors } from "./stated-priors.js";
import { bindStudentT, minusLogDensity } from "./student.js";

/** Values of ω that are tried where velocities are measured. */
const VELOCITY_WEIGHTS = [0, 0.5, 1];
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
  const { x, y, vx } = detections;
  const pairs = samplePairs(followed);
  const [driftX, driftY] = [x, y].map((axis) => quantile(pairs, 0.5, ([i, j]) => axis[j] - axis[i]) ?? 0);
  const drift = driftWithin([driftX, driftY], priors);
  const typical = quantile(pairs, 0.5, ([i, j]) => Math.hypot(x[j] - x[i], y[j] - y[i])) ?? 0;
  const whole = sampleChains(followed, 1, 1);
  const changes = whole.map(([i, j, k]) => Math.hypot(x[i] - 2 * x[j] + x[k], y[i] - 2 * y[j] + y[k]));
  const floor = floorOf(detections, spacing, typical, changes, priors.noise);
  // A density per unit of area by which the median distance to the nearest detection is the spacing.
  const rivals = spacing > 0 ? Math.LN2 / (Math.PI * spacing * spacing) : 0;
  const enough = whole.length >= FEWEST;
  const tried = (vx === null || !enough ? [before.velocityWeight] : VELOCITY_WEIGHTS).map((velocityWeight) => {
    const z = bindDeviation(detections, { drift, velocityWeight });
    const first = pairs.map(([i, j]) => z(i, j, 1));
    const [zx, zy] = [0, 1].map((axis) => first.map((deviation) => deviation[axis]));
    const prior = fitDensity(zx, zy, floor).density;
    const chains = chainsOf(detections, followed, { drift, velocityWeight }, spans);
    const few = chains.map((some, n) => ({
      ...some,
      samples: thinned(some.samples, n === 0 ? SAMPLES_OF_LAW : SAMPLES_OF_SPANS),
    }));
    const judge = (law: MotionLaw) => judged(few, inPlane(law, prior), floor, rivals);
    const measured = velocityWeight > 0;
    const likelihood = (one: MotionLaw) => sum(judge(one).likelihoods);
    const found = () => (measured ? bestBetween(likelihood) : bestLaw(judge, spans > 2));
    const law = persistence && enough ? found() : measured ? NOISELESS_BETWEEN : NEVER_FORGETS;
    return { velocityWeight, prior, chains, law, likelihood: likelihood(law) };
  });
  const { law, velocityWeight, prior, chains } = tried.reduce((best, one) =>
    one.likelihood > best.likelihood ? one : best,
  );
  const plane = inPlane(law, prior);
  const step = enough ? fitDensity(...restsOf(chains.slice(0, 1), plane), floor).density : before.step[0][0];
  const all = Array.from({ length: spans }, (_, n) => n + 1);
  const wider = (of: (law: MotionLaw) => number) => matrixOf(plane, (one) => Math.sqrt(of(one)));
  return {
    drift,
    velocityWeight,
    prior: all.map((a) =>
      stretched(
        prior,
        wider((one) => variance(one, a) / variance(one, 1)),
        floor,
      ),
    ),
    step: all.map((a) =>
      all.map((b) =>
        stretched(
          step,
          wider((one) => remainder(one, a, b) / remainder(one, 1, 1)),
          floor,
        ),
      ),
    ),
    persistence: all.map((a) => all.map((b) => matrixOf(plane, (one) => persistenceOf(one, a, b)))),
    chains: whole.length,
  };
}

/** Deviations of two links that follow one another, of some spans. */
interface Chains {
  readonly a: number;
  readonly b: number;
  readonly samples: (readonly [ax: number, ay: number, bx: number, by: number])[];
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
      samples: sampleChains(followed, a, b).map(([i, j, k]) => [...z(i, j, a), ...z(j, k, b)] as const),
    })),
  );
}

/** What later links differ by from those that are expected after the earlier ones, each brought to the width of links of one frame. */
function restsOf(chains: readonly Chains[], plane: PlaneLaw): [number[], number[]] {
  const [x, y]: [number[], number[]] = [[], []];
  for (const { a, b, samples } of chains) {
    const rho = matrixOf(plane, (one) => persistenceOf(one, a, b));
    const times = matrixOf(plane, (one) => Math.sqrt(remainder(one, 1, 1) / remainder(one, a, b)));
    for (const [ax, ay, bx, by] of samples) {
      const zx = bx - rho.xx * ax - rho.xy * ay;
      const zy = by - rho.xy * ax - rho.yy * ay;
      x.push(times.xx * zx + times.xy * zy);
      y.push(times.xy * zx + times.yy * zy);
    }
  }
  return [x, y];
}

/** How well a law fits chains, with the likeliest tails: ln p of their later links, and ln p/(p + rivals). */
function judged(chains: readonly Chains[], plane: PlaneLaw, floor: number, rivals: number): Judgement {
  const [x, y] = restsOf(chains, plane);
  const bound = bindStudentT(fitDensity(x, y, floor, ROUGHLY).density);
  const [likelihoods, certainties] = [new Float64Array(x.length), new Float64Array(x.length)];
  let n = 0;
  for (const { a, b, samples } of chains) {
    const wider = matrixOf(plane, (one) => Math.sqrt(remainder(one, a, b) / remainder(one, 1, 1)));
    const area = wider.xx * wider.yy - wider.xy * wider.xy;
    for (const end = n + samples.length; n < end; n++) {
      likelihoods[n] = -minusLogDensity(bound, x[n], y[n]) - Math.log(area);
      certainties[n] = -Math.log1p(rivals * Math.exp(-likelihoods[n]));
    }
  }
  return { likelihoods, certainties };
}
