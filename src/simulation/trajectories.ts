import { axesOf, type Detections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { Noise } from "../core/noise.js";
import { type RandomStream, randomStreams } from "../core/random.js";
import { requireInRange } from "../core/range.js";
import { sharedFloat64, sharedInt32 } from "../core/shared-arrays.js";
import { openCrew } from "../core/team.js";
import type { Work } from "../core/team-work.js";
import { type AllFaults, completeFaults, detect, poisson, tailFactor, turnWalk } from "./faults.js";
import { emptyTrajectory, keysOf, type LivingTrack, type Trajectory, tilted } from "./living-tracks.js";
import {
  type FullSimulationParameters,
  NOISE_RANGE,
  SIMULATION_DEFAULTS,
  SIMULATION_RANGES,
  type SimulationParameters,
  SPEED_RANGE,
} from "./parameters.js";
import { firstCrossing, type Path, pathAt, polynomialPath, splinePath } from "./path.js";

/** Points below which other threads are not worth their start, and targets that a thread takes at a time. */
const THREADS_FROM = 50_000;
const TARGETS_IN_BLOCK = 16;

/**
 * Simulated detections with their targets ([K23] §IV-A). A target walks its path from x = 0 at constant speed V: the next point
 * is the path's first intersection with the circle of radius V δt around the current one. The walk is then turned about the
 * origin by a uniform angle and moved by a vector with both coordinates uniform on [0, spread); its velocity has length V and
 * the direction of the path's tangent. In space it is tilted at random as well, and moved along z. Noise goes on top, and the detections of each frame are shuffled.
 *
 * Target n draws from sub-stream n + 1 of the seed alone: first its path, speed, angle and shift, then four normals a frame
 * whatever the noise, or six in space. So another noise or more frames leave the true polynomial paths as they are.
 *
 * @throws InputError for parameters out of range
 */
export function simulate(parameters: SimulationParameters, seed: number): Detections {
  if (parameters.faults) return measured(parameters, simulateFaults(parameters, seed));
  const memory = walksMemory(parameters, seed);
  const work = bindWalks(memory);
  memory.items.forEach((items, task) => {
    for (let item = 0; item < items; item++) work(task, item, 0);
  });
  return measured(parameters, memory.detections);
}

/**
 * The same on up to `threads` threads, where there are no faults.
 * @param drawing called once other threads have items, and awaited between those of the calling one
 */
export async function simulateOnThreads(
  parameters: SimulationParameters,
  seed: number,
  threads: number,
  drawing: () => unknown = () => {},
): Promise<Detections> {
  if (parameters.faults) return simulate(parameters, seed);
  const memory = walksMemory(parameters, seed);
  const many = parameters.targets * parameters.frames < THREADS_FROM ? 1 : threads;
  const crew = openCrew(many, "#walks-worker", memory, bindWalks(memory));
  try {
    for (const [task, items] of memory.items.entries())
      await crew.run(task, items, 0, { first: drawing, progress: drawing });
  } finally {
    crew.close();
  }
  return measured(parameters, memory.detections);
}

/** The detections as they are measured. */
function measured({ velocities }: SimulationParameters, detections: Detections): Detections {
  if (velocities !== "none") return detections;
  const { vz: _, ...positions } = detections;
  return { ...positions, vx: null, vy: null };
}

/** What threads draw, in shared memory. */
export interface WalksMemory {
  readonly parameters: SimulationParameters;
  readonly seed: number;
  /** By task. */
  readonly items: readonly number[];
  /** The measured walks of all targets, one after another. */
  readonly walks: Trajectory;
  /** All targets in all frames, each frame in an order of its own. */
  readonly detections: Trajectory &
    Pick<Detections, "frames" | "frameStart" | "timeStep"> & { readonly target: Int32Array };
}

function walksMemory(parameters: SimulationParameters, seed: number): WalksMemory {
  const { targets, frames, dimensions, timeStep } = withDefaults(parameters);
  const shared = () =>
    Object.fromEntries(
      keysOf(dimensions === 3).map((key) => [key, sharedFloat64(targets * frames)]),
    ) as unknown as Trajectory;
  const frameStart = Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets);
  return {
    ...{ parameters, seed, items: [1 + Math.ceil(targets / TARGETS_IN_BLOCK), frames] },
    walks: shared(),
    detections: { frames, frameStart, ...shared(), target: sharedInt32(targets * frames), timeStep },
  };
}

/** The first task draws: its first item the orders of all frames, and each other one a block of targets. The second one puts a frame into its order. */
export function bindWalks(memory: WalksMemory): Work {
  const draw = drawWalks(memory);
  return (task, item) => {
    if (task === 1) arrange(memory, item);
    else if (item === 0) drawOrders(memory);
    else draw(item - 1);
  };
}

/** A thread takes blocks in order, and passes over the streams of the targets of others. */
function drawWalks({ parameters, seed, walks }: WalksMemory): (block: number) => void {
  const { targets, frames, noise, dimensions } = withDefaults(parameters);
  const streams = randomStreams(seed);
  // The first one shuffles.
  streams.next();
  let passed = 0;
  return (block) => {
    const first = block * TARGETS_IN_BLOCK;
    for (; passed < first; passed++) streams.next();
    for (; passed < Math.min(targets, first + TARGETS_IN_BLOCK); passed++) {
      const random = streams.next().value;
      const walk = trajectory(parameters, random);
      const deviation = drawNoise(frames, noise, dimensions === 3, random);
      for (const key of keysOf(dimensions === 3)) {
        const [from, noises, to] = [walk[key], deviation[key], walks[key]] as Float64Array[];
        for (let p = 0; p < frames; p++) to[passed * frames + p] = from[p] + noises[p];
      }
    }
  };
}

function drawOrders({ parameters, seed, detections }: WalksMemory): void {
  const { targets, frames } = withDefaults(parameters);
  const shuffler = randomStreams(seed).next().value;
  const order = new Uint32Array(targets);
  for (let p = 0; p < frames; p++) {
    for (let n = 0; n < targets; n++) order[n] = n;
    shuffler.shuffle(order);
    detections.target.set(order, p * targets);
  }
}

function arrange({ parameters, walks, detections }: WalksMemory, p: number): void {
  const { frames, dimensions } = withDefaults(parameters);
  const { target, frameStart } = detections;
  for (const key of keysOf(dimensions === 3)) {
    const [from, to] = [walks[key], detections[key]] as Float64Array[];
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) to[d] = from[target[d] * frames + p];
  }
}

/**
 * Targets with faults. Numbers drawn for one fault change no other: a target draws its path and noise as without faults, then three numbers a frame for
 * misses and deaths and turns, whether these occur or not, and the tails of its noise last. Births and false detections have a
 * stream each.
 */
function simulateFaults(parameters: SimulationParameters, seed: number): Detections {
  const full = withDefaults(parameters);
  const { targets, frames } = full;
  const faults = completeFaults(parameters.faults ?? {});
  const streams = randomStreams(seed);
  const shuffler = streams.next().value;
  const tracks: LivingTrack[] = [];
  for (let n = 0; n < targets; n++) tracks.push(livingTrack(full, faults, n, 0, streams.next().value));
  const births = streams.next().value;
  const clutter = streams.next().value;
  for (let p = 1; p < frames; p++) {
    const started = poisson(faults.births, births);
    for (let n = 0; n < started; n++) {
      tracks.push(livingTrack(full, faults, tracks.length, p, streams.next().value));
    }
  }
  return detect(tracks, full, faults, { clutter, shuffler });
}

function livingTrack(
  full: FullSimulationParameters,
  faults: AllFaults,
  target: number,
  first: number,
  random: RandomStream,
): LivingTrack {
  const { frames: all, noise, dimensions } = full;
  const frames = all - first;
  const inPlane = trajectory({ ...full, frames: Math.max(2, frames), dimensions: 2 }, random);
  const deviation = drawNoise(frames, noise, dimensions === 3, random);
  const detected: boolean[] = [];
  let last = all - 1;
  for (let p = 0; p < frames; p++) {
    detected.push(random.uniform(0, 1) >= faults.missed);
    const dies = random.uniform(0, 1) < faults.deaths;
    if (dies) last = Math.min(last, first + p);
  }
  turnWalk(inPlane, faults, random);
  for (let p = 0; p < frames; p++) {
    const factor = tailFactor(faults.tails, random);
    for (const axis of axesOf(deviation)) axis[p] *= factor;
  }
  const walk = dimensions === 3 ? inSpace(inPlane, full, random) : inPlane;
  return { target, first, last, walk, noise: deviation, detected };
}

/** Deviations of the measurements of one target: four normals a frame, whatever the noise, and two more in space. */
function drawNoise(frames: number, { position, velocity }: Noise, space: boolean, random: RandomStream): Trajectory {
  const noise = emptyTrajectory(frames, space);
  for (let p = 0; p < frames; p++) {
    noise.x[p] = position * random.normal();
    noise.y[p] = position * random.normal();
    noise.vx[p] = velocity * random.normal();
    noise.vy[p] = velocity * random.normal();
    if (noise.z && noise.vz) [noise.z[p], noise.vz[p]] = [position * random.normal(), velocity * random.normal()];
  }
  return noise;
}

/** One target's true trajectory, turned and moved, without noise. */
export function trajectory(parameters: SimulationParameters, random: RandomStream): Trajectory {
  const full = withDefaults(parameters);
  const { frames, path: kind, degree, amplitude, speed, timeStep, spread, dimensions } = full;
  const reach = speed[1] * timeStep * frames;
  const path = kind === "spline" ? splinePath(reach, amplitude, random) : polynomialPath(degree, amplitude, random);
  const v = random.uniform(speed[0], speed[1]);
  const { cos, sin } = random.direction();
  const dx = random.uniform(0, spread);
  const dy = random.uniform(0, spread);
  const track = walk(path, v, timeStep, frames);
  for (let p = 0; p < frames; p++) {
    const { x, y, vx, vy } = track;
    [x[p], y[p]] = [cos * x[p] - sin * y[p] + dx, sin * x[p] + cos * y[p] + dy];
    [vx[p], vy[p]] = [cos * vx[p] - sin * vy[p], sin * vx[p] + cos * vy[p]];
  }
  return dimensions === 3 ? inSpace(track, full, random) : track;
}

/** A walk in the plane, tilted and at a depth as scattered as its beginnings are in the plane. */
function inSpace(walk: Trajectory, { amplitude, spread }: FullSimulationParameters, random: RandomStream): Trajectory {
  const z = random.uniform(0, spread) + random.uniform(-amplitude, amplitude);
  return tilted(walk, z, random);
}

/** The walk along a path from x = 0: consecutive points lie speed · timeStep apart, velocities are tangents of length speed. */
export function walk(path: Path, speed: number, timeStep: number, frames: number): Trajectory {
  const { x, y, vx, vy } = emptyTrajectory(frames, false);
  for (let p = 0; p < frames; p++) {
    if (p > 0) x[p] = firstCrossing(path, x[p - 1], speed * timeStep);
    const { y: height, slope } = pathAt(path, x[p]);
    y[p] = height;
    vx[p] = speed / Math.sqrt(1 + slope * slope);
    vy[p] = slope * vx[p];
  }
  return { x, y, vx, vy };
}

function withDefaults(parameters: SimulationParameters): FullSimulationParameters {
  const full = { ...SIMULATION_DEFAULTS, ...parameters };
  const [slowest, fastest] = full.speed;
  requireInRange("simulation: ", full, SIMULATION_RANGES);
  const speeds = { "least speed": slowest, "greatest speed": fastest };
  const fasterRange = { least: slowest, most: SPEED_RANGE.most };
  requireInRange("simulation: the ", speeds, { "least speed": SPEED_RANGE, "greatest speed": fasterRange });
  requireInRange("simulation: noise.", full.noise, { position: NOISE_RANGE, velocity: NOISE_RANGE });
  if (full.degree !== 3 && full.degree !== 4) throw new InputError(`simulation: degree is ${full.degree}; give 3 or 4`);
  return full;
}
