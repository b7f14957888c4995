/**
 * A belt sorter's camera: bodies fall from a feeder on a belt, collide, roll and are seen from above (Maier et al. 2019, §6.1; the
 * feeder and the constants are of docs/explanation/sorting.md).
 */
import type { Detections } from "../../core/detections.js";
import { InputError } from "../../core/errors.js";
import { type RandomStream, randomStreams } from "../../core/random.js";
import { isIn, type NumberRange, requireInRange } from "../../core/range.js";
import { contactTime, dampingRatioOf } from "./contact.js";
import { bodyOf, type Material } from "./shapes.js";
import { World } from "./world.js";

/** SI units; BELT_DEFAULTS hold where a setting is left out. */
export interface BeltParameters {
  readonly materials: readonly Material[];
  /** Bodies fed a second, on average. */
  readonly rate: number;
  /** Frames of the camera. */
  readonly frames: number;
  /** Frames a second. */
  readonly frameRate?: number;
  /** Seconds the belt is fed before the first frame. */
  readonly filling?: number;
  readonly beltSpeed?: number;
  readonly width?: number;
  /** Where along the belt the camera looks. */
  readonly view?: readonly [number, number];
  /** Mean and standard deviation of the speed along the belt at which bodies are fed, and standard deviation across it. */
  readonly feedSpeed?: readonly [number, number, number];
  /** Mean height they are fed from; uniform within 30 %. */
  readonly feedHeight?: number;
  /** Of a bounce, 0.2 to 0.99. */
  readonly restitution?: number;
  /** N/m: soft enough to be fast, stiff enough that overlaps stay below a twentieth of a radius. */
  readonly stiffness?: number;
  readonly beltFriction?: number;
  readonly friction?: number;
  readonly rollingFriction?: number;
  /** kg/m³. */
  readonly density?: number;
  /** Steps of the simulation in the contact time of the lightest two bodies; 14 are enough. */
  readonly stepsPerContact?: number;
  /** Standard deviation of measured positions, per axis. */
  readonly noise?: number;
  /** Probability that a body is not seen in a frame. */
  readonly missed?: number;
}

export const BELT_DEFAULTS = {
  frameRate: 200,
  filling: 0.6,
  beltSpeed: 1.5,
  width: 0.2,
  view: [0.2, 0.4],
  feedSpeed: [1.2, 0.05, 0.03],
  feedHeight: 0.01,
  restitution: 0.5,
  stiffness: 5000,
  beltFriction: 0.5,
  friction: 0.3,
  rollingFriction: 0.05,
  density: 2500,
  stepsPerContact: 14,
  noise: 0,
  missed: 0,
} as const satisfies Partial<BeltParameters>;

const POSITIVE: NumberRange = { least: 0, most: 1e9, above: true };
const NON_NEGATIVE: NumberRange = { least: 0, most: 1e9 };

/** The values that the numbers of a belt may take, in scenarios as well. */
export const BELT_RANGES = {
  rate: { least: 0, most: 1e5, above: true },
  frames: { least: 2, most: 1_000_000, whole: true },
  frameRate: { least: 1, most: 1e4 },
  filling: { least: 0, most: 100 },
  beltSpeed: { least: 0, most: 20, above: true },
  width: { least: 0.013, most: 10 },
  feedHeight: { least: 0, most: 0.2, above: true },
  restitution: { least: 0.2, most: 0.99 },
  stiffness: POSITIVE,
  beltFriction: NON_NEGATIVE,
  friction: NON_NEGATIVE,
  rollingFriction: NON_NEGATIVE,
  density: POSITIVE,
  stepsPerContact: { least: 6, most: 1000 },
  noise: NON_NEGATIVE,
  missed: { least: 0, most: 1, below: true },
} as const satisfies Partial<Record<keyof BeltParameters, NumberRange>>;

export const MATERIAL_RANGES = {
  diameter: { least: 1e-4, most: 0.05 },
  share: POSITIVE,
} as const satisfies Partial<Record<keyof Material, NumberRange>>;

/** Of the speed along the belt, and of the standard deviations along and across it, at which bodies are fed. */
export const FEED_SPEED_RANGES = [{ least: -20, most: 20 }, NON_NEGATIVE, NON_NEGATIVE] as const;

/** Of where the view begins, and where it ends. */
export const VIEW_RANGES = [NON_NEGATIVE, { least: 0, most: 10, above: true }] as const;

/** Numbers about the simulation itself, besides the camera's measurements. */
export interface BeltRun {
  /** Targets are numbered as they first come into view. */
  readonly detections: Detections;
  /** Deepest overlap of two bodies, of the smaller radius. */
  readonly deepestOverlap: number;
  /** Bodies fed, and those for which no free place was found. */
  readonly fed: number;
  readonly notFed: number;
}

const GRAVITY = 9.81;
/** Length of the feeder along the belt and its distance from the walls, metres. */
const FEEDER_LENGTH = 0.008;
const FEEDER_MARGIN = 0.006;
/** Places tried for a body before it is given up. */
const TRIES = 30;
/** Beyond the view, until a body is forgotten. */
const BEYOND = 0.01;

/**
 * Simulates a belt. The rows of a frame come in random order, so that the order holds no information. Noise and misses are drawn from
 * streams of their own, so that changing them does not change how the bodies move.
 * @param progress called with the frames done
 * @throws InputError for parameters out of range
 */
export function simulateBelt(parameters: BeltParameters, seed: number, progress?: (frames: number) => void): BeltRun {
  const full = withDefaults(parameters);
  const { materials, frames, frameRate, filling, view, width, noise, missed } = full;
  const streams = randomStreams(seed);
  const [feeding, shuffling, measuring] = [streams.next().value, streams.next().value, streams.next().value];
  const bodies = materials.map((material) => bodyOf(material, full.density));
  const lightest = bodies.reduce((least, body) => Math.min(least, body.mass), Infinity);
  const wanted = contactTime(lightest / 2, full.stiffness) / full.stepsPerContact;
  const perFrame = Math.ceil(1 / (frameRate * wanted));
  const timeStep = 1 / (frameRate * perFrame);
  const fillingFrames = Math.ceil(filling * frameRate);
  const world = new World({ ...full, gravity: GRAVITY, timeStep, dampingRatio: dampingRatioOf(full.restitution) });
  const feeder = new Feeder(full, bodies, feeding);
  const seen = new Seen();
  for (let frame = -fillingFrames; frame < frames; frame++) {
    if (frame >= 0) {
      const order = Uint32Array.from({ length: world.bodies }, (_, b) => b).filter(
        (b) =>
          world.position[3 * b] >= view[0] &&
          world.position[3 * b] < view[1] &&
          world.position[3 * b + 1] >= 0 &&
          world.position[3 * b + 1] < width,
      );
      shuffling.shuffle(order);
      for (const b of order) {
        if (missed > 0 && measuring.uniform(0, 1) < missed) continue;
        const [dx, dy] = noise > 0 ? [noise * measuring.normal(), noise * measuring.normal()] : [0, 0];
        seen.add(world.position[3 * b] + dx, world.position[3 * b + 1] + dy, world.identity[b]);
      }
      seen.close();
      progress?.(frame + 1);
    }
    for (let step = 0; step < perFrame; step++) {
      feeder.feed(world);
      world.step(view[1] + BEYOND);
    }
  }
  return {
    detections: seen.detections(1 / frameRate),
    deepestOverlap: world.deepest,
    fed: feeder.fed,
    notFed: feeder.notFed,
  };
}

/** Poisson arrivals at random places, none where another body is. */
class Feeder {
  fed = 0;
  notFed = 0;
  #next = 0;
  readonly #reach: number;

  constructor(
    readonly parameters: Required<BeltParameters>,
    readonly bodies: readonly ReturnType<typeof bodyOf>[],
    readonly random: RandomStream,
  ) {
    this.#reach = Math.max(...bodies.map(({ radius }) => radius));
  }

  feed(world: World): void {
    const { random, parameters } = this;
    const { rate, width, feedSpeed, feedHeight } = parameters;
    while (world.time >= this.#next) {
      this.#next -= Math.log(1 - random.uniform(0, 1)) / rate;
      const body = this.bodies[this.#draw()];
      let placed = false;
      for (let trial = 0; trial < TRIES && !placed; trial++) {
        const at = [
          random.uniform(0, FEEDER_LENGTH),
          random.uniform(FEEDER_MARGIN, width - FEEDER_MARGIN),
          feedHeight * random.uniform(0.7, 1.3) + this.#reach,
        ];
        const velocity = [feedSpeed[0] + feedSpeed[1] * random.normal(), feedSpeed[2] * random.normal(), 0];
        placed = world.add(body, at, velocity, random.uniform(0, 2 * Math.PI));
      }
      if (placed) this.fed++;
      else this.notFed++;
    }
  }

  /** A material by its share. */
  #draw(): number {
    const { materials } = this.parameters;
    let left = this.random.uniform(0, 1) * materials.reduce((sum, { share }) => sum + share, 0);
    const drawn = materials.findIndex(({ share }) => {
      left -= share;
      return left < 0;
    });
    return drawn < 0 ? materials.length - 1 : drawn;
  }
}

/** The camera's measurements, frame by frame. */
class Seen {
  readonly #x: number[] = [];
  readonly #y: number[] = [];
  readonly #target: number[] = [];
  readonly #frameStart = [0];
  readonly #number = new Map<number, number>();

  add(x: number, y: number, identity: number): void {
    this.#x.push(x);
    this.#y.push(y);
    const known = this.#number.get(identity) ?? this.#number.size;
    this.#number.set(identity, known);
    this.#target.push(known);
  }

  close(): void {
    this.#frameStart.push(this.#x.length);
  }

  detections(timeStep: number): Detections {
    return {
      frames: this.#frameStart.length - 1,
      frameStart: Uint32Array.from(this.#frameStart),
      x: Float64Array.from(this.#x),
      y: Float64Array.from(this.#y),
      vx: null,
      vy: null,
      target: Int32Array.from(this.#target),
      timeStep,
    };
  }
}

function withDefaults(parameters: BeltParameters): Required<BeltParameters> {
  const full: Required<BeltParameters> = { ...BELT_DEFAULTS, ...parameters };
  const { materials, view, feedSpeed } = full;
  if (materials.length === 0) throw new InputError("belt: materials is []; give at least one");
  for (const material of materials) requireInRange("belt: ", material, MATERIAL_RANGES);
  requireInRange("belt: ", full, BELT_RANGES);
  feedSpeed.forEach((value, n) => {
    requireInRange("belt: ", { [`feedSpeed[${n}]`]: value }, { [`feedSpeed[${n}]`]: FEED_SPEED_RANGES[n] });
  });
  if (!(view.every((end, n) => isIn(end, VIEW_RANGES[n])) && view[0] < view[1]))
    throw new InputError(`belt: view is ${JSON.stringify(view)}; give its start and end in metres, up to 10`);
  return full;
}
