/** Image sequences with dim targets whose tracks are known, on which track-before-detect is measured. */
import { InputError } from "../core/errors.js";
import type { TrueTarget } from "../core/found-target.js";
import { type NormalStream, type RandomStream, randomStreams } from "../core/random.js";
import type { NumberRange } from "../core/range.js";

export const SCENE_NOISES = ["gaussian", "rayleigh", "poisson"] as const;
/** gaussian: N(0, 1). rayleigh: |signal + complex N(0, 1)|, as a radar's amplitude. poisson: counts about `POISSON_MEAN`. */
export type SceneNoise = (typeof SCENE_NOISES)[number];

export interface ImageScene {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly targets: number;
  /** Peak amplitude over the standard deviation of the noise: one number for all targets, or several that targets take in turn. */
  readonly snr: number | readonly number[];
  /** σ of a target's Gaussian spot in pixels; 0: one pixel, the nearest. */
  readonly spot: number;
  /** One of these velocities, pixels a frame, each; or any up to a speed, evenly over the disc. */
  readonly velocities: readonly { readonly x: number; readonly y: number }[] | { readonly max: number };
  /** Degrees by which velocities turn in each frame. */
  readonly turn: number;
  /** Pixels by which targets stay inside the image. */
  readonly margin: number;
  /** First and last image of the targets, counted from 0. */
  readonly enter: number;
  readonly leave: number;
  readonly noise: SceneNoise;
}

/** The values that some numbers of a scene may take, in scene files and on the command line. */
export const SCENE_RANGES = {
  frames: { least: 1, most: 1_000_000, whole: true },
  targets: { least: 0, most: 10_000, whole: true },
  snr: { least: 0, most: 1e6 },
} as const satisfies Partial<Record<keyof ImageScene, NumberRange>>;

/** Background of Poisson noise in counts; its σ is the root of it. */
const POISSON_MEAN = 20;
/** Targets are further than this apart, in pixels along an axis, in every frame. */
const APART = 6;
const TRIES = 100_000;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly vx: number;
  readonly vy: number;
}

export interface DrawnScene {
  /** A row for each target in each frame that it is in. */
  readonly truth: readonly TrueTarget[];
  /** The frames in order, drawn as they are asked for; row by row from the top left. */
  frames(): Generator<Float32Array>;
}

/**
 * A scene: targets in straight lines or turning, amplitude snr · σ, in noise. The same seed gives the same scene.
 * @throws InputError where the targets do not fit into the image
 */
export function drawImageScene(scene: ImageScene, seed: number): DrawnScene {
  const streams = randomStreams(seed);
  const [places, pixels] = [streams.next().value, streams.next().value];
  const paths: Place[][] = [];
  for (let target = 0; target < scene.targets; target++) paths.push(drawPath(scene, places, paths));
  const snrs = typeof scene.snr === "number" ? [scene.snr] : scene.snr;
  const snrOf = (target: number) => snrs[target % snrs.length];
  const present = Math.max(0, scene.leave - scene.enter + 1);
  const truth = Array.from({ length: present }, (_, n) =>
    paths.map((path, target) => ({ frame: scene.enter + n, ...path[n], target, snr: snrOf(target) })),
  ).flat();
  return {
    truth,
    *frames() {
      const normals = pixels.normals();
      for (let frame = 0; frame < scene.frames; frame++) {
        const signal = new Float64Array(scene.width * scene.height);
        if (frame >= scene.enter && frame <= scene.leave) {
          paths.forEach((path, target) => {
            paint(signal, scene, path[frame - scene.enter], snrOf(target));
          });
        }
        yield noisy(signal, scene.noise, normals, pixels);
      }
    },
  };
}

function drawPath(scene: ImageScene, random: RandomStream, others: readonly Place[][]): Place[] {
  for (let n = 0; n < TRIES; n++) {
    const path = tryPath(scene, random);
    if (path.every((place) => isInside(scene, place)) && others.every((other) => staysApart(path, other))) return path;
  }
  throw new InputError(
    `scene: target ${others.length} finds no room among ${scene.width} × ${scene.height} pixels in ${TRIES} tries; give a larger image, fewer or slower targets, fewer frames or a smaller margin`,
  );
}

function tryPath({ width, height, enter, leave, spot, velocities, turn, margin }: ImageScene, random: RandomStream) {
  let [vx, vy] = drawVelocity(velocities, random);
  const start = (size: number) => {
    const at = random.uniform(margin, Math.max(margin, size - 1 - margin));
    return spot === 0 ? Math.round(at) : at;
  };
  let [x, y] = [start(width), start(height)];
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const path: Place[] = [];
  for (let frame = enter; frame <= leave; frame++) {
    path.push({ x, y, vx, vy });
    [vx, vy] = [cos * vx - sin * vy, sin * vx + cos * vy];
    [x, y] = [x + vx, y + vy];
  }
  return path;
}

function drawVelocity(velocities: ImageScene["velocities"], random: RandomStream): [number, number] {
  if (!("max" in velocities)) {
    const { x, y } = velocities[Math.floor(random.uniform(0, velocities.length))];
    return [x, y];
  }
  for (;;) {
    const [x, y] = [random.uniform(-1, 1), random.uniform(-1, 1)];
    if (x * x + y * y <= 1) return [velocities.max * x, velocities.max * y];
  }
}

function isInside({ width, height, margin }: ImageScene, { x, y }: Place): boolean {
  return x >= margin && x <= width - 1 - margin && y >= margin && y <= height - 1 - margin;
}

function staysApart(a: readonly Place[], b: readonly Place[]): boolean {
  return a.every(({ x, y }, n) => Math.max(Math.abs(x - b[n].x), Math.abs(y - b[n].y)) > APART);
}

function paint(signal: Float64Array, { width, height, spot }: ImageScene, { x, y }: Place, snr: number): void {
  const [column, row] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  const reach = spot === 0 ? 0 : Math.floor(4 * spot + 1);
  for (let py = Math.max(0, row - reach); py <= Math.min(height - 1, row + reach); py++) {
    for (let px = Math.max(0, column - reach); px <= Math.min(width - 1, column + reach); px++) {
      const square = (px - x) ** 2 + (py - y) ** 2;
      signal[py * width + px] += spot === 0 ? snr : snr * Math.exp(-square / (2 * spot * spot));
    }
  }
}

/** `signal` in units of the noise's σ, for Poisson noise the background's. */
function noisy(signal: Float64Array, noise: SceneNoise, normals: NormalStream, random: RandomStream): Float32Array {
  if (noise === "poisson") {
    return Float32Array.from(signal, (value) => drawPoisson(POISSON_MEAN + Math.sqrt(POISSON_MEAN) * value, random));
  }
  const real = new Float64Array(signal.length);
  normals.fill(real);
  if (noise === "gaussian") return Float32Array.from(signal, (value, i) => value + real[i]);
  const imaginary = new Float64Array(signal.length);
  normals.fill(imaginary);
  return Float32Array.from(signal, (value, i) => Math.sqrt((value + real[i]) ** 2 + imaginary[i] ** 2));
}

/** By inversion: the least count whose distribution function exceeds a uniform. */
function drawPoisson(mean: number, random: RandomStream): number {
  const uniform = random.uniform(0, 1);
  let probability = Math.exp(-Math.max(0, mean));
  let sum = probability;
  let count = 0;
  while (sum <= uniform && probability > 0) {
    count++;
    probability *= mean / count;
    sum += probability;
  }
  return count;
}
