import { deviation, maxIndex, sum } from "d3-array";
import { eigenOf, isDeep, type Matrix, rowsOf, type StudentT, times } from "../density/student.js";

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

/** One law for all directions: targets move most along one axis, and noise is the same in all directions. So it has a greater part across. */
export type LawOfAxes = readonly {
  readonly law: MotionLaw;
  /** The direction of an axis, of unit length; in the plane the second axis is at a right angle to the first. */
  readonly direction: readonly number[];
}[];

/**
 * @param law along the axis
 * @param displacements of one frame: the scale of their density
 */
export function alongAxes(law: MotionLaw, displacements: Matrix): LawOfAxes {
  const even = law.memory === null;
  if (isDeep(displacements)) {
    const axes = eigenOf(displacements);
    const across = (value: number) => (even ? law : lawAcross(law, value / axes[0].value));
    return axes.map(({ value, vector }, n) => ({ law: n === 0 ? law : across(value), direction: vector }));
  }
  const { xx, xy, yy } = displacements;
  const angle = even ? 0 : 0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = cos * cos * xx + 2 * cos * sin * xy + sin * sin * yy;
  const other = even ? law : lawAcross(law, (xx + yy - along) / along);
  return [
    { law, direction: [cos, sin] },
    { law: other, direction: [-sin, cos] },
  ];
}

/** @param share of the variance of displacements along the axis that there is across */
function lawAcross(law: Forgetting, share: number): Forgetting {
  const still = { ...law, noise: 0 };
  const moved = variance(still, 1);
  const noise = 2 * law.noise * covariance(still, 1, 1);
  // The velocity's variance across, in units of that along.
  const velocity = (share * (moved + noise) - noise) / moved;
  return { ...law, noise: velocity > law.noise ? law.noise / velocity : 1 };
}

/** A function of the law of each axis, as a matrix. */
export function matrixOf(axes: LawOfAxes, of: (law: MotionLaw) => number): Matrix {
  const values = axes.map(({ law }) => of(law));
  if (axes.length === 3) {
    const entry = (a: number, b: number) =>
      axes.reduce((sum, { direction }, n) => sum + values[n] * direction[a] * direction[b], 0);
    return { xx: entry(0, 0), xy: entry(0, 1), yy: entry(1, 1), xz: entry(0, 2), yz: entry(1, 2), zz: entry(2, 2) };
  }
  const [cos, sin] = axes[0].direction;
  const other = values[1];
  const apart = values[0] - other;
  return { xx: other + cos * cos * apart, xy: cos * sin * apart, yy: other + sin * sin * apart };
}

/** The density of samples that are multiplied by a matrix; no scale along an axis is below its floor. */
export function stretched(density: StudentT, by: Matrix, floor: readonly number[]): StudentT {
  // Row a of B S B is B times the row a of B S.
  const all = rowsOf(by).map((row) => times(by, times(density, row)));
  const atLeast = (axis: number) => Math.max(floor[axis] * floor[axis], all[axis][axis]);
  const deep = isDeep(density) && { xz: all[0][2], yz: all[1][2], zz: atLeast(2) };
  return { ...density, xx: atLeast(0), xy: all[0][1], yy: atLeast(1), ...deep };
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
