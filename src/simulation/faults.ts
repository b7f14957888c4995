import { axesOf, type Detection, type Detections, joinFrames } from "../core/detections.js";
import type { RandomStream } from "../core/random.js";
import { MAX_LENGTH, type NumberRange, requireInRange } from "../core/range.js";
import { anyDirection, type FieldBox, fieldOfTracks, type LivingTrack, type Trajectory } from "./living-tracks.js";

/** Faults of real detectors, and behaviour of real targets; each is 0, or off, where it is left out. */
export interface Faults {
  /** Probability that a target that is there is not detected in a frame. */
  readonly missed?: number | undefined;
  /** Mean number of false detections a frame, Poisson, uniform over the box that holds all true positions. */
  readonly clutter?: number | undefined;
  /** Mean number of targets that start a frame after the first, Poisson; they start as those of the first frame do. */
  readonly births?: number | undefined;
  /** Probability that a target of one frame is gone in the next, for good. */
  readonly deaths?: number | undefined;
  /** A target nearer than this to one of a lower number that is there is hidden behind it, a length. */
  readonly occlusion?: number | undefined;
  /** ν, a positive integer: the noise of positions is Student's t in the plane, or in space, with scale noise.position; 0 leaves it normal. */
  readonly tails?: number | undefined;
  /** Probability that a target turns in a frame, */
  readonly turns?: number | undefined;
  /** by an angle uniform between ± this, in degrees [90]. */
  readonly turnAngle?: number | undefined;
}

export type AllFaults = { readonly [Name in keyof Faults]-?: number };

export const FAULT_NAMES = ["missed", "clutter", "births", "deaths", "occlusion", "tails", "turns"] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** The most draws that a Poisson number takes. */
const MAX_MEAN = 10_000;

const TURN_ANGLE = 90;

/** The values that faults may have, in scenarios as well. */
export const FAULT_RANGES: Readonly<Record<keyof Faults, NumberRange>> = {
  missed: { least: 0, most: 1, below: true },
  clutter: { least: 0, most: MAX_MEAN },
  births: { least: 0, most: MAX_MEAN },
  deaths: { least: 0, most: 1, below: true },
  occlusion: { least: 0, most: MAX_LENGTH },
  tails: { least: 0, most: 100, whole: true },
  turns: { least: 0, most: 1 },
  turnAngle: { least: 0, most: 180 },
};

/** Every fault with its value. @throws InputError for one out of range */
export function completeFaults(faults: Faults): AllFaults {
  const stated = Object.fromEntries(Object.entries(faults).filter(([, value]) => value !== undefined));
  const full: AllFaults = {
    missed: 0,
    clutter: 0,
    births: 0,
    deaths: 0,
    occlusion: 0,
    tails: 0,
    turns: 0,
    turnAngle: TURN_ANGLE,
    ...stated,
  };
  requireInRange("simulation: faults.", full, FAULT_RANGES);
  return full;
}

/** A Poisson number: how many unit-rate arrivals there are before `mean`. Of logarithms, so that no product underflows. */
export function poisson(mean: number, random: RandomStream): number {
  let count = -1;
  for (let time = 0; time <= mean; count++) time -= Math.log(1 - random.uniform(0, 1));
  return count;
}

/**
 * Turns the walk of a target: in each frame it turns with the given probability, and all of the walk from there on turns about where it is.
 * Steps keep their length. Draws two numbers a frame, turned or not.
 */
export function turnWalk(
  { x, y, vx, vy }: LivingTrack["walk"],
  { turns, turnAngle }: AllFaults,
  random: RandomStream,
): void {
  let [cos, sin] = [1, 0];
  let [fromX, fromY] = [x[0], y[0]];
  for (let p = 0; p < x.length; p++) {
    const [dx, dy] = [x[p] - fromX, y[p] - fromY];
    [fromX, fromY] = [x[p], y[p]];
    if (cos !== 1 || sin !== 0) {
      x[p] = x[p - 1] + cos * dx - sin * dy;
      y[p] = y[p - 1] + sin * dx + cos * dy;
    }
    const happens = random.uniform(0, 1) < turns;
    const angle = (random.uniform(-turnAngle, turnAngle) * Math.PI) / 180;
    if (happens) {
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      [cos, sin] = [cos * c - sin * s, sin * c + cos * s];
    }
    [vx[p], vy[p]] = [cos * vx[p] - sin * vy[p], sin * vx[p] + cos * vy[p]];
  }
}

/**
 * Factor on a normal deviation that makes it one of Student's t with ν degrees of freedom: √(ν/χ²), χ² a sum of ν squares of normals. The same
 * for all axes makes the t elliptical.
 */
export function tailFactor(tails: number, random: RandomStream): number {
  if (tails === 0) return 1;
  let square = 0;
  for (let n = 0; n < tails; n++) square += random.normal() ** 2;
  return Math.sqrt(tails / square);
}

/**
 * The detections of all frames: targets that are there, neither missed nor hidden, and false ones, shuffled within each frame.
 * @param speed least and greatest, of the velocities of false detections too
 */
export function detect(
  tracks: readonly LivingTrack[],
  { frames, timeStep, speed }: { frames: number; timeStep: number; speed: readonly [number, number] },
  faults: AllFaults,
  { clutter: random, shuffler }: { readonly clutter: RandomStream; readonly shuffler: RandomStream },
): Detections {
  const box = fieldOfTracks(tracks);
  const seen: Detection[][] = [];
  for (let p = 0; p < frames; p++) {
    const there = tracks.filter(({ first, last }) => first <= p && p <= last);
    const found = there.filter(
      ({ detected, first }, n) => detected[p - first] && !hidden(there, n, p, faults.occlusion),
    );
    const all = found.map((track) => measured(track, p));
    const clutter = poisson(faults.clutter, random);
    for (let n = 0; n < clutter; n++) all.push(falseDetection(box, speed, random));
    const order = Uint32Array.from(all.keys());
    shuffler.shuffle(order);
    seen.push(Array.from(order, (n) => all[n]));
  }
  return joinFrames(seen, timeStep);
}

/** Whether a target of a lower number is nearer than `radius`, by their true positions. */
function hidden(there: readonly LivingTrack[], n: number, p: number, radius: number): boolean {
  if (radius === 0) return false;
  const axes = axesOf(there[n].walk).map((axis) => axis[p - there[n].first]);
  return there.slice(0, n).some(({ walk, first }) => {
    const apart = axesOf(walk).map((axis, k) => axis[p - first] - axes[k]);
    return apart.reduce((square, along) => square + along * along, 0) < radius * radius;
  });
}

function measured({ walk, noise, first, target }: LivingTrack, p: number): Detection {
  const n = p - first;
  const of = (key: keyof Trajectory) => (walk[key]?.[n] ?? 0) + (noise[key]?.[n] ?? 0);
  const inSpace = walk.z && { z: of("z"), vz: of("vz") };
  return { x: of("x"), y: of("y"), vx: of("vx"), vy: of("vy"), ...inSpace, target };
}

function falseDetection(box: FieldBox, [slowest, fastest]: readonly [number, number], random: RandomStream): Detection {
  const [x, y, z] = box.map(([least, most]) => random.uniform(least, most));
  const length = random.uniform(slowest, fastest);
  if (z !== undefined) {
    const [vx, vy, vz] = anyDirection(length, random);
    return { x, y, z, vx, vy, vz, target: -1 };
  }
  const { cos, sin } = random.direction();
  return { x, y, vx: length * cos, vy: length * sin, target: -1 };
}
