/** Settings that scenarios and the command line have in common: what each does, and the values it takes. */
import { z } from "zod";

export interface Setting {
  readonly says: string;
  readonly least: number;
  readonly most: number;
  readonly whole?: true;
  /** Whether `least` itself is too little. */
  readonly above?: true;
}

const count = (says: string, least: number, most: number) => ({ says, least, most, whole: true }) as const;

/** Lengths beyond this leave no digits for differences. */
const MOST_LENGTH = 1e15;
const length = (says: string) => ({ says, least: 0, most: MOST_LENGTH });

export const SETTINGS = {
  targets: count("number of targets in every frame", 1, 100_000),
  frames: count("number of frames", 2, 1_000_000),
  noise: length("standard deviation of measured positions, per axis"),
  velocityNoise: length("standard deviation of measured velocities, per axis"),
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
export function schemaOf({ says, least, most, whole, above }: Setting): z.ZodNumber {
  const number = whole ? z.int() : z.number();
  return (above ? number.gt(least) : number.min(least)).max(most).describe(says);
}
