import { InputError } from "../../core/errors.js";
import { isIn, MAX_LENGTH, type NumberRange, rangeText } from "../../core/range.js";
import { type StudentT, scaled, traceOf } from "../density/student.js";
import type { ParameterValues } from "../parameters.js";
import type { MotionModel } from "./model.js";

/** A prior: what a user knows of a recording, in the place of an estimate. */
interface Prior extends NumberRange {
  readonly says: string;
}

const mean = { least: 0, most: 1e9 };

/** By name, as `--prior` and the parameters of cost motion state them. */
export const PRIORS = {
  noise: {
    says: "standard deviation of a measured position on an axis, in the file's unit",
    ...{ least: 0, most: MAX_LENGTH, above: true },
  },
  missed: {
    says: "probability that a target that is there is not detected in a frame",
    ...{ least: 0, most: 1, above: true, below: true },
  },
  clutter: { says: "mean number of false detections a frame", ...mean },
  births: { says: "mean number of targets that appear a frame", ...mean, above: true },
  speed: {
    says: "root mean square speed of the targets, in the file's unit per frame",
    ...{ least: 0, most: MAX_LENGTH, above: true },
  },
} as const satisfies Readonly<Record<string, Prior>>;

export type PriorName = keyof typeof PRIORS;
export const PRIOR_NAMES = Object.keys(PRIORS) as PriorName[];

/** Those that are stated; all others are estimated. */
export type StatedPriors = { readonly [Name in PriorName]?: number | undefined };

/** The problem of a value, with its remedy; null where there is none. */
export function priorProblem(name: PriorName, value: number, text = String(value)): string | null {
  if (isIn(value, PRIORS[name])) return null;
  const none = name === "missed" && value === 0 ? "; --max-gap 0 says that none is missed" : "";
  return `${name} is ${text}; give ${rangeText(PRIORS[name])}${none}`;
}

/**
 * The parameters of cost motion as priors.
 * @throws InputError for one that there is not, and for a value out of range
 */
export function statedPriors(parameters: ParameterValues): StatedPriors {
  for (const [name, value] of Object.entries(parameters)) {
    if (!Object.hasOwn(PRIORS, name)) {
      const known = PRIOR_NAMES.map((one) => `${one} (${PRIORS[one].says})`).join(", ");
      throw new InputError(
        `cost motion: ${JSON.stringify(name)} is no parameter; its parameters are the priors ${known}`,
      );
    }
    const problem = priorProblem(name as PriorName, value);
    if (problem !== null) throw new InputError(`cost motion: ${problem}`);
  }
  return parameters;
}

/**
 * The model with what is stated of it. Misses count only where links span several frames. A speed replaces the scale of prior_G, whose shape stays as it was fitted; its variance on an axis is then
 * G² times that of the velocity about the drift, and twice that of a stated noise.
 * @param gapsSought whether links span the frames that targets are missed in: before, a target starts anew after each, and the estimate of that is added to the births
 */
export function withPriors(model: MotionModel, priors: StatedPriors, area: number, gapsSought: boolean): MotionModel {
  const { missed, clutter, births } = priors;
  return {
    ...model,
    prior: model.prior.map((density, n) => withSpeed(density, model.drift, n + 1, priors)),
    ...(births !== undefined && { births: births / area + (gapsSought ? 0 : model.births) }),
    ...(clutter !== undefined && { clutter: clutter / area }),
    ...(missed !== undefined && model.prior.length > 1 && { missed }),
  };
}

/** A displacement that is longer than the stated speed is no drift: then there is none. */
export function driftWithin(
  drift: MotionModel["drift"],
  { speed = Number.POSITIVE_INFINITY }: StatedPriors,
): MotionModel["drift"] {
  return Math.hypot(...drift) <= speed ? drift : drift.map(() => 0);
}

/** Of the stated mean square speed at least this share is no drift: a drift by mistake must not forbid all other motion. */
const LEAST_SHARE = 0.1;
/** A heavier tail than the lightest that is fitted (fit-student.ts) may have no variance. */
const TAIL = 4;

function withSpeed(
  density: StudentT,
  drift: MotionModel["drift"],
  frames: number,
  { speed, noise = 0 }: StatedPriors,
): StudentT {
  if (speed === undefined) return density;
  const ofDrift = drift.reduce((square, along) => square - along * along, speed * speed);
  const square = Math.max(LEAST_SHARE * speed * speed, ofDrift);
  const share = 1 / drift.length;
  const variance = share * frames * frames * square + 2 * noise * noise;
  const factor = (((TAIL - 2) / TAIL) * variance) / (share * traceOf(density));
  return { tail: TAIL, ...scaled(density, factor) };
}

/** What was stated and what was estimated, in a sentence; none where nothing was stated. */
export function priorWords(priors: StatedPriors): string[] {
  const stated = PRIOR_NAMES.filter((name) => priors[name] !== undefined);
  if (stated.length === 0) return [];
  const others = PRIOR_NAMES.filter((name) => priors[name] === undefined);
  const rest = others.length === 0 ? "nothing of these is estimated" : `estimated: ${others.join(", ")}`;
  return [`Stated: ${stated.map((name) => `${name} ${priors[name]}`).join(", ")}; ${rest}.`];
}
