import { deviation, maxIndex, sum } from "d3-array";
import type { StudentT } from "./student.js";

/**
 * How the displacements of a target over any number of frames belong together: its velocity is a stationary process that forgets itself
 * exponentially (G. E. Uhlenbeck, L. S. Ornstein, "On the theory of the Brownian motion", Physical Review 36, 1930), and its positions are measured with noise.
 * On an axis, in units of the velocity's variance, the displacement over a frames and the one over the next b frames have
 *
 *     var_a = 2 τ² (a/τ − 1 + e^(−a/τ)) + 2 r²,      cov_ab = τ² (1 − e^(−a/τ)) (1 − e^(−b/τ)) − r².
 *
 * τ → ∞ is constant velocity, and τ → 0 free diffusion.
 */
export interface Forgetting {
  /** τ, in frames. */
  readonly memory: number;
  /** r², in units of the covariance of two displacements of one frame without it: between 0 and 1, at which a displacement says nothing about the next one. */
  readonly noise: number;
}

/**
 * Where velocities are measured, displacements deviate from the mean of the velocities at both ends by what targets accelerated between them, and by the noise of positions. With white noise
 * of the acceleration, of density q, they have var_a = q a³/12 + 2 r² and cov_ab = −r²; here in units of var_1.
 */
export interface BetweenVelocities {
  readonly memory: null;
  /** 2 r². */
  readonly noise: number;
}

export type MotionLaw = Forgetting | BetweenVelocities;

/** Standing in for an infinite memory, with room for rounding. */
export const NEVER_FORGETS: Forgetting = { memory: 1000, noise: 0 };
export const NOISELESS_BETWEEN: BetweenVelocities = { memory: null, noise: 0 };

function forgotten({ memory }: Forgetting, frames: number): number {
  return -Math.expm1(-frames / memory);
}

function covariance(law: MotionLaw, a: number, b: number): number {
  if (law.memory === null) return 0 - 0.5 * law.noise;
  const square = law.memory * law.memory;
  return square * (forgotten(law, a) * forgotten(law, b) - law.noise * forgotten(law, 1) ** 2);
}

/** var_a. */
export function variance(law: MotionLaw, a: number): number {
  if (law.memory === null) return (1 - law.noise) * a ** 3 + law.noise;
  const square = law.memory * law.memory;
  return 2 * square * (a / law.memory - forgotten(law, a) + law.noise * forgotten(law, 1) ** 2);
}

/** ρ_ab: the displacement over b frames that is expected after that over a frames, as its multiple. */
export function persistenceOf(law: MotionLaw, a: number, b: number): number {
  return covariance(law, a, b) / variance(law, a);
}

/** The variance of the displacement over b frames about the expected one. */
export function remainder(law: MotionLaw, a: number, b: number): number {
  return variance(law, b) - covariance(law, a, b) ** 2 / variance(law, a);
}

/** A symmetric matrix in the plane. */
export interface Ellipse {
  readonly xx: number;
  readonly xy: number;
  readonly yy: number;
}

/** The same along all directions. */
export function evenly(factor: number): Ellipse {
  return { xx: factor, xy: 0, yy: factor };
}

/** One law in the plane: targets move more along one axis than across it, and noise is the same in all directions. So it has a greater part across. */
export interface PlaneLaw {
  readonly along: MotionLaw;
  readonly across: MotionLaw;
  /** Direction of the axis. */
  readonly cos: number;
  readonly sin: number;
}

/**
 * @param law along the axis
 * @param displacements of one frame: the scale of their density
 */
export function inPlane(law: MotionLaw, { xx, xy, yy }: Ellipse): PlaneLaw {
  if (law.memory === null) return { along: law, across: law, cos: 1, sin: 0 };
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = cos * cos * xx + 2 * cos * sin * xy + sin * sin * yy;
  const still = { ...law, noise: 0 };
  const moved = variance(still, 1);
  const noise = 2 * law.noise * covariance(still, 1, 1);
  // The velocity's variance across, in units of that along.
  const velocity = (((xx + yy - along) / along) * (moved + noise) - noise) / moved;
  return { along: law, across: { ...law, noise: velocity > law.noise ? law.noise / velocity : 1 }, cos, sin };
}

/** A function of the law of each axis, as a matrix. */
export function matrixOf({ along, across, cos, sin }: PlaneLaw, of: (law: MotionLaw) => number): Ellipse {
  const other = of(across);
  const apart = of(along) - other;
  return { xx: other + cos * cos * apart, xy: cos * sin * apart, yy: other + sin * sin * apart };
}

/** The density of samples that are multiplied by a matrix; no scale along an axis is below the floor. */
export function stretched(density: StudentT, by: Ellipse, floor: number): StudentT {
  const { xx, xy, yy } = density;
  const [ax, ay] = [by.xx * xx + by.xy * xy, by.xx * xy + by.xy * yy];
  const [bx, bb] = [by.xy * xx + by.yy * xy, by.xy * xy + by.yy * yy];
  const least = floor * floor;
  const [wide, high] = [ax * by.xx + ay * by.xy, bx * by.xy + bb * by.yy];
  return { ...density, xx: Math.max(least, wide), xy: ax * by.xy + ay * by.yy, yy: Math.max(least, high) };
}

/**
 * Memories that are tried first, in frames, and noises; then their neighbours, by a factor that becomes less in each round. Where velocities hardly change, what is left over
 * grows with the spans as the least noise says beside the longest memory.
 */
const MEMORIES = [0.3, 1, 3, 10, 30, 100, 1000];
const NOISES = [0, 0.0001, 0.001, 0.01, 0.03, 0.1, 0.3, 1];
const ROUNDS = 3;

/** How likely a law makes each of some chains, and how surely it tells their targets from other detections, in nats. */
export interface Judgement {
  readonly likelihoods: Float64Array;
  readonly certainties: Float64Array;
}

type Judged<Law> = Judgement & { readonly law: Law };

/**
 * The law that tells targets most surely; the likeliest one where that is clearly likelier, and not clearly less sure. Where all targets are told by any law, the few wrong
 * links in the tracks have all the say in how surely.
 * @param overlap whether most chains are of several frames a link, so that they overlap: then standard errors say little, and the surest law is taken
 */
export function bestLaw(judge: (law: Forgetting) => Judgement, overlap: boolean): Forgetting {
  const judged = MEMORIES.flatMap((memory) =>
    NOISES.map((noise) => ({ law: { memory, noise }, ...judge({ memory, noise }) })),
  );
  const surest = refined(judged, judge, "certainties");
  if (overlap) return surest.law;
  const likeliest = refined(judged, judge, "likelihoods");
  const isSurer = isClearlyMore(surest.certainties, likeliest.certainties);
  const isLikelier = isClearlyMore(likeliest.likelihoods, surest.likelihoods);
  return (isLikelier && !isSurer ? likeliest : surest).law;
}

/** The best one of some laws, and then of its neighbours. */
function refined(
  judged: readonly Judged<Forgetting>[],
  judge: (law: Forgetting) => Judgement,
  by: keyof Judgement,
): Judged<Forgetting> {
  let best = judged[maxIndex(judged, (one) => sum(one[by]))];
  for (let n = 1; n <= ROUNDS; n++) {
    const factor = 3 ** (2 ** -n);
    const { memory, noise } = best.law;
    for (const times of [1 / factor, factor]) {
      const [longer, more] = [Math.min(1000, memory * times), Math.min(1, noise * times)];
      for (const law of [
        { memory: longer, noise },
        { memory, noise: more },
        { memory: longer, noise: more },
      ]) {
        const one = { law, ...judge(law) };
        if (sum(one[by]) > sum(best[by])) best = one;
      }
    }
  }
  return best;
}

/** A sum of differences is more than chance explains beyond this many standard errors. */
const CLEARLY = 2;

function isClearlyMore(one: Float64Array, other: Float64Array): boolean {
  const more = one.map((value, n) => value - other[n]);
  return sum(more) > CLEARLY * Math.sqrt(more.length) * (deviation(more) ?? 0);
}

/** Parts of the variance of one frame that the noise of positions may have beside measured velocities. */
const NOISES_BETWEEN = [0, 0.25, 0.5, 0.75, 1];

/** The same where velocities are measured. */
export function bestBetween(criterion: (law: BetweenVelocities) => number): BetweenVelocities {
  const laws = NOISES_BETWEEN.map((noise): BetweenVelocities => ({ memory: null, noise }));
  return laws[maxIndex(laws, criterion)];
}
