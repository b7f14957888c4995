/** Settings that scenarios and the command line have in common: what each does, and the values it takes. */
import { z } from "zod";
import type { NumberRange } from "../core/range.js";
import { NOISE_RANGE, SIMULATION_RANGES } from "../simulation/parameters.js";

export interface Setting extends NumberRange {
  readonly says: string;
}

const count = (says: string, least: number, most: number) => ({ says, least, most, whole: true }) as const;

/** Worker threads, each with a heap of its own, or processes of one run at most. */
export const MOST_PARALLEL = 256;

export const SETTINGS = {
  targets: { says: "number of targets in every frame", ...SIMULATION_RANGES.targets },
  frames: { says: "number of frames", ...SIMULATION_RANGES.frames },
  noise: { says: "standard deviation of measured positions, per axis", ...NOISE_RANGE },
  velocityNoise: { says: "standard deviation of measured velocities, per axis", ...NOISE_RANGE },
  seed: count("seed of what is drawn", 0, 2 ** 32 - 1),
  iterations: count("stop after this many iterations of the ascent", 1, 1e9),
  gap: { says: "stop at this certified gap, in percent; 0 asks for a proof", least: 0, most: 100 },
  time: { says: "give an answer after this many seconds", least: 0, most: 1e9, above: true },
  rise: {
    says: "stop when the bound has risen by less than this over five iterations, in percent",
    least: 0,
    most: 100,
    above: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** As JSON states the setting. */
export function schemaOf(setting: Setting): z.ZodNumber {
  return numberIn(setting).describe(setting.says);
}

/** A number of JSON. */
export function numberIn({ least, most, whole, above, below }: NumberRange): z.ZodNumber {
  const number = whole ? z.int() : z.number();
  const from = above ? number.gt(least) : number.min(least);
  return below ? from.lt(most) : from.max(most);
}

/** A number for each name, in the order of the ranges. */
export function numbersIn<Name extends string>(ranges: Readonly<Record<Name, NumberRange>>) {
  const all = Object.entries<NumberRange>(ranges).map(([name, range]) => [name, numberIn(range)]);
  return Object.fromEntries(all) as Record<Name, z.ZodNumber>;
}
