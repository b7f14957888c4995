import { InputError } from "../../core/errors.js";
import { checkVectors, type MotionVector } from "./vectors.js";

/** How a state comes from those of the frame before: itself alone or a weighted sum with its neighbours, or the largest of them. */
export const COMBINATIONS = ["sum", "max"] as const;
export type Combination = (typeof COMBINATIONS)[number];

/** The recursion, as in Mazurek 2010, eqs. (1) and (2). */
export interface RecursionOptions {
  readonly vectors: readonly MotionVector[];
  /** Weight α of the past, between 0 and 1; its memory is 1/(1 − α) frames. */
  readonly alpha: number;
  /** D: frames a pass; there is an output every D frames. */
  readonly decimation: number;
  readonly combine: Combination;
  /** Share of a state that goes to the nearest other vectors in each frame: the Markov matrix of eq. (1b). */
  readonly switching: number;
}

/** Which states count as detections. */
export interface DetectionOptions {
  /** Expected false alarms an output frame; or, given `threshold`, not used. */
  readonly falseAlarms: number;
  /** Least z = P / σ_P, or null: from `falseAlarms`. */
  readonly threshold: number | null;
  /** A detection is the largest within this many pixels, along both axes. */
  readonly radius: number;
  /** σ of a pixel's noise, or null: of each frame, by its median absolute deviation. */
  readonly sigma: number | null;
  /** Positions by a parabola through the neighbours along each axis. */
  readonly subpixel: boolean;
}

export interface BeforeDetectOptions extends RecursionOptions, DetectionOptions {}

export const BEFORE_DETECT_DEFAULTS = {
  alpha: 0.95,
  decimation: 10,
  combine: "sum",
  switching: 0,
  falseAlarms: 1,
  threshold: null,
  radius: 2,
  sigma: null,
  subpixel: false,
} as const satisfies Omit<BeforeDetectOptions, "vectors">;

/** Whether states flow from vector to vector, so that σ_P has no closed form and frames cannot be skipped. */
export const couplesVectors = ({ combine, switching }: RecursionOptions): boolean => combine === "max" || switching > 0;

const between = (least: number, most: number) => (value: number) => value > least && value < most;
const whole = (least: number, most: number) => (value: number) =>
  Number.isInteger(value) && value >= least && value <= most;

/** @throws InputError naming the option that is out of its range */
export function checkBeforeDetect(options: BeforeDetectOptions): void {
  const { alpha, decimation, switching, combine, falseAlarms, threshold, radius, sigma } = options;
  const need = (name: string, value: number, holds: (value: number) => boolean, range: string) => {
    if (!holds(value)) throw new InputError(`before-detect option ${name}: ${value} is not ${range}; change it`);
  };
  checkVectors(options.vectors, "before-detect vectors");
  need("alpha", alpha, between(0, 1), "between 0 and 1, both excluded");
  need("decimation", decimation, whole(1, 1000), "an integer from 1 to 1000");
  need("switch", switching, (value) => value >= 0 && value < 1, "from 0 to below 1");
  need("radius", radius, whole(1, 100), "an integer from 1 to 100");
  if (threshold === null) need("false-alarms", falseAlarms, between(0, Number.POSITIVE_INFINITY), "above 0");
  else need("threshold", threshold, Number.isFinite, "a finite number");
  if (sigma !== null) need("sigma", sigma, between(0, Number.POSITIVE_INFINITY), "above 0");
  if (combine === "max" && switching > 0) {
    throw new InputError("before-detect: --combine max takes the largest neighbour and no share; leave --switch out");
  }
  if (couplesVectors(options) && options.vectors.length < 2) {
    throw new InputError("before-detect: one vector has no other to switch to; give more vectors, or --switch 0");
  }
}
