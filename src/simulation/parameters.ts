import type { Noise } from "../core/noise.js";

/** The scenario of [K23] §IV-A; what is left out takes the default in brackets. */
export interface SimulationParameters {
  /** N, in every frame. */
  readonly targets: number;
  /** T ≥ 2. */
  readonly frames: number;
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
  /** Each path is moved by a random vector of the square [0, spread]² [2.5]. */
  readonly spread?: number;
  /** [position 0.1, velocity 0]. */
  readonly noise?: Noise;
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
