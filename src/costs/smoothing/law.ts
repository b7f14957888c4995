/**
 * The law by which tracks are smoothed: velocities are a stationary Ornstein–Uhlenbeck process about a drift, and positions are measured with noise. On
 * an axis the velocity v has variance V and correlation e^(−t/τ) after t frames; the way over t frames is the integral of drift + v, and a measured position is off by a
 * normal number of variance r². τ → ∞ is constant velocity, τ → 0 free diffusion. What smooths takes the law as these numbers, whoever fitted it.
 */
export interface VelocityLaw {
  /** Mean velocity by axis, length a frame. */
  readonly drift: readonly number[];
  /** V, of the velocity about the drift, on an axis. */
  readonly variance: number;
  /** τ, in frames. */
  readonly memory: number;
  /** r², of a measured position, on an axis. */
  readonly noise: number;
}

/** How velocity and place go on over a number of frames, in units of V: x ← x + carry · v, v ← keep · v, with normal changes of these covariances. */
export interface Transition {
  readonly carry: number;
  readonly keep: number;
  readonly xx: number;
  readonly xv: number;
  readonly vv: number;
}

export function transition(memory: number, frames: number): Transition {
  const h = frames / memory;
  const lost = -Math.expm1(-h);
  const carry = memory * lost;
  return {
    carry,
    keep: 1 - lost,
    xx: memory * memory * Math.max(0, 2 * h - 2 * lost - lost * lost),
    xv: carry * lost,
    vv: -Math.expm1(-2 * h),
  };
}

/** Detections of one track in order of time; frames are whole numbers that count one by one. */
export interface Path {
  readonly frame: ArrayLike<number>;
  /** Positions by axis. */
  readonly axes: readonly ArrayLike<number>[];
}

/** Detections that a fit is about at most, of tracks evenly picked: three numbers need no more. */
const MOST = 20_000;
/** Least and greatest memory in frames: beyond them the law is free diffusion, or a constant velocity, to the last digits of a track. */
const MEMORY = [0.05, 1000] as const;
/** Least and greatest noise as a share of V a frame²: beyond them positions are exact, or hardly anything moves. */
const NOISE = [1e-6, 1e4] as const;
/** Whether the noise is the least that is looked for: the tracks show none. */
export function isExact({ variance, noise }: VelocityLaw): boolean {
  return noise <= NOISE[0] * variance * (1 + FINEST);
}

/** Places of a first look along each of the two, and the step of their logarithms at which the search ends. */
const LOOKS = 12;
const FINEST = 1e-3;

/**
 * The likeliest law for given tracks, missed frames as they are: the likelihood is that of a Kalman filter over each track, all axes alike. V follows in closed
 * form from the two other numbers, which a search over their logarithms finds.
 * @returns null where no track has three detections, from which noise and motion could be told apart
 */
export function fitVelocityLaw(paths: readonly Path[]): VelocityLaw | null {
  const long = paths.filter(({ frame }) => frame.length > 2);
  if (long.length === 0) return null;
  const every = Math.ceil(long.reduce((sum, { frame }) => sum + frame.length, 0) / MOST);
  const some = long.filter((_, n) => n % every === 0);
  const drift = driftOf(some);
  const profile = (at: readonly [number, number]) => profileOf(some, drift, Math.exp(at[0]), Math.exp(at[1]));
  const [lnMemory, lnNoise] = climb(profile);
  const [memory, noise] = [Math.exp(lnMemory), Math.exp(lnNoise)];
  const { variance } = profileOf(some, drift, memory, noise);
  return { drift, variance, memory, noise: noise * variance };
}

/** The displacement of all tracks over their frames. */
function driftOf(paths: readonly Path[]): number[] {
  const sum = (of: (path: Path, last: number) => number) =>
    paths.reduce((total, path) => total + of(path, path.frame.length - 1), 0);
  const frames = sum(({ frame }, last) => frame[last] - frame[0]);
  return paths[0].axes.map((_, axis) => sum(({ axes }, last) => axes[axis][last] - axes[axis][0]) / frames);
}

/** The likelihood of tracks and the likeliest V, for a memory and a noise in units of V. */
function profileOf(paths: readonly Path[], drift: readonly number[], memory: number, noise: number) {
  const transitions = new Map<number, Transition>();
  let [squares, logs, count] = [0, 0, 0];
  for (const { frame, axes } of paths) {
    let [xx, xv, vv] = [noise, 0, 1];
    const [place, velocity] = [axes.map((values) => values[0]), axes.map(() => 0)];
    for (let n = 1; n < frame.length; n++) {
      const span = frame[n] - frame[n - 1];
      const step = transitions.get(span) ?? transition(memory, span);
      transitions.set(span, step);
      const { carry, keep } = step;
      const [pxx, pxv] = [xx + 2 * carry * xv + carry * carry * vv + step.xx, keep * (xv + carry * vv) + step.xv];
      const pvv = keep * keep * vv + step.vv;
      const total = pxx + noise;
      const [gainX, gainV] = [pxx / total, pxv / total];
      for (let axis = 0; axis < axes.length; axis++) {
        const expected = place[axis] + span * drift[axis] + carry * velocity[axis];
        const off = axes[axis][n] - expected;
        squares += (off * off) / total;
        place[axis] = expected + gainX * off;
        velocity[axis] = keep * velocity[axis] + gainV * off;
      }
      logs += axes.length * Math.log(total);
      count += axes.length;
      [xx, xv, vv] = [pxx * (1 - gainX), pxv * (1 - gainX), pvv - gainV * pxv];
    }
  }
  const variance = squares / count;
  return { variance, logLikelihood: variance > 0 ? -0.5 * (logs + count * Math.log(variance)) : 0 };
}

/** The logarithms of memory and noise with the greatest likelihood: the best of a grid, and from there uphill by ever smaller steps. */
function climb(
  profile: (at: readonly [number, number]) => { readonly logLikelihood: number },
): readonly [number, number] {
  const bounds = [MEMORY, NOISE].map(([least, most]) => [Math.log(least), Math.log(most)]);
  const sides = bounds.map(([least, most]) => (most - least) / LOOKS);
  const grid = Array.from({ length: (LOOKS + 1) ** 2 }, (_, n) => {
    const at = [Math.floor(n / (LOOKS + 1)), n % (LOOKS + 1)].map((k, axis) => bounds[axis][0] + k * sides[axis]);
    return { at: at as [number, number], ...profile(at as [number, number]) };
  });
  let best = grid.reduce((one, other) => (other.logLikelihood > one.logLikelihood ? other : one));
  for (let scale = 0.5; scale * Math.max(...sides) > FINEST; ) {
    const [a, b] = sides.map((side) => scale * side);
    const around = [
      [a, 0],
      [-a, 0],
      [0, b],
      [0, -b],
      [a, b],
      [-a, -b],
      [a, -b],
      [-a, b],
    ].map(([da, db]) => {
      const at = [best.at[0] + da, best.at[1] + db].map((value, axis) =>
        Math.min(bounds[axis][1], Math.max(bounds[axis][0], value)),
      ) as [number, number];
      return { at, ...profile(at) };
    });
    const next = around.reduce((one, other) => (other.logLikelihood > one.logLikelihood ? other : one), best);
    if (next === best) scale /= 2;
    best = next;
  }
  return best.at;
}
