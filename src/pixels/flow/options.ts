import { InputError } from "../../core/errors.js";

/**
 * Number formats. f32: all in 32 bits. f16s: u − u⁰, u⁰, ∇I and r are stored as f16 and p as 16-bit snorm, and computed with in
 * f32. f16: the same numbers but p are stored as f16 and every operation of the iterations rounds to f16.
 */
export const FLOW_PRECISIONS = ["f32", "f16s", "f16"] as const;
export type FlowPrecision = (typeof FLOW_PRECISIONS)[number];

export interface FlowOptions {
  readonly levels: number;
  readonly warps: number;
  /** Iterations per warp. */
  readonly iterations: number;
  /** Size of a level over that of the next finer one. */
  readonly zoom: number;
  /** Weight of the data term against the total variation. */
  readonly lambda: number;
  /** Coupling of the data term and the regularisation. */
  readonly theta: number;
  /** Step of the dual ascent; at most ¼ for convergence. */
  readonly tau: number;
  /** Side of the median window applied to u before every warp; 0: none. */
  readonly median: number;
  /** Standard deviation in px of the Gaussian before the pyramid is built. */
  readonly presmooth: number;
  /** Stop a warp once the mean of |Δu|² in an iteration is below its square; 0: never. Looked at every 10 iterations. */
  readonly epsilon: number;
}

const shared = { zoom: 0.5, lambda: 0.15, theta: 0.3, tau: 0.25, presmooth: 0.8, epsilon: 0 };

/** `paper`: what Romera et al. 2023 time. `quality`: the settings of Sánchez et al. 2013, and a median. */
export const FLOW_PRESETS: Readonly<Record<"paper" | "quality", FlowOptions>> = {
  paper: { ...shared, levels: 3, warps: 1, iterations: 50, median: 0 },
  quality: { ...shared, levels: 5, warps: 5, iterations: 30, median: 5 },
};
export type FlowPreset = keyof typeof FLOW_PRESETS;

/** Side lengths of the median window. */
const MEDIANS: readonly number[] = [0, 3, 5];

const bounds: Readonly<Record<keyof FlowOptions, readonly [least: number, most: number]>> = {
  levels: [1, 32],
  warps: [1, 1000],
  iterations: [0, 1e6],
  zoom: [0.1, 0.95],
  lambda: [1e-6, 1e6],
  theta: [1e-6, 1e3],
  tau: [1e-6, 0.25],
  median: [0, 5],
  presmooth: [0, 10],
  epsilon: [0, 1e3],
};
const integers: readonly (keyof FlowOptions)[] = ["levels", "warps", "iterations", "median"];

/** Throws InputError naming the first option that is out of its range. */
export function checkFlowOptions(options: FlowOptions): void {
  for (const [name, [least, most]] of Object.entries(bounds) as [keyof FlowOptions, readonly [number, number]][]) {
    const value = options[name];
    if (!(value >= least && value <= most) || (integers.includes(name) && !Number.isInteger(value))) {
      throw new InputError(`flow option ${name}: ${value} is not ${least} to ${most}; change it`);
    }
  }
  if (!MEDIANS.includes(options.median)) {
    throw new InputError(`flow option median: ${options.median} is not one of ${MEDIANS.join(", ")}; change it`);
  }
}
