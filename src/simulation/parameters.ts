import type { Noise } from "../core/noise.js";
import { MAX_LENGTH, type NumberRange } from "../core/range.js";
import type { Faults } from "./faults.js";

/** The scenario of [K23] §IV-A; a field that is left out has the default in brackets. */
export interface SimulationParameters {
  /** N, in every frame. */
  readonly targets: number;
  /** T ≥ 2. */
  readonly frames: number;
  /** In space each target follows its path in a plane of its own, turned and moved at random [2]. */
  readonly dimensions?: 2 | 3 | undefined;
  /** A polynomial with random coefficients, or a cubic spline through random knots [polynomial]. */
  readonly path?: "polynomial" | "spline";
  /** Of the polynomial [3]. */
  readonly degree?: 3 | 4;
  /** A: bound of the polynomial's constant coefficient, or of the knots' heights [4]. */
  readonly amplitude?: number;
  /** Least and greatest speed V; each target keeps its own [1, 2]. */
  readonly speed?: readonly [number, number];
  /** δt [1]. */
  readonly timeStep?: number;
  /** Each path is moved by a random vector of the square [0, spread]², or of the cube [2.5]. */
  readonly spread?: number;
  /** [position 0.1, velocity 0]. */
  readonly noise?: Noise;
  /** "none": positions alone are measured ["measured"]. */
  readonly velocities?: "measured" | "none" | undefined;
  /** Targets that come, go, turn and are missed, and detections that are false [none]. */
  readonly faults?: Faults | undefined;
}

/** The parameters with all defaults filled in, except for parts that are off by default. */
export type FullSimulationParameters = Required<Omit<SimulationParameters, "dimensions" | "velocities" | "faults">> &
  Pick<SimulationParameters, "dimensions" | "velocities" | "faults">;

/** The values that the numbers may take, in scenarios as well. */
export const SIMULATION_RANGES = {
  targets: { least: 1, most: 100_000, whole: true },
  frames: { least: 2, most: 1_000_000, whole: true },
  amplitude: { least: 0, most: MAX_LENGTH },
  timeStep: { least: 0, most: MAX_LENGTH, above: true },
  spread: { least: 0, most: MAX_LENGTH },
} as const satisfies Readonly<Record<string, NumberRange>>;

/** Of the least and of the greatest speed. */
export const SPEED_RANGE: NumberRange = { least: 0, most: MAX_LENGTH, above: true };

export const NOISE_RANGE: NumberRange = { least: 0, most: MAX_LENGTH };

/** Detections that a simulation draws at most. */
export const MAX_DRAWN = 1e8;

/** About how many targets there are in all. */
export function mostTargets({ targets, frames, faults }: SimulationParameters): number {
  return targets + Math.ceil((faults?.births ?? 0) * frames);
}

export const SIMULATION_DEFAULTS = {
  path: "polynomial",
  degree: 3,
  amplitude: 4,
  speed: [1, 2],
  timeStep: 1,
  spread: 2.5,
  noise: { position: 0.1, velocity: 0 },
} as const satisfies Partial<SimulationParameters>;
