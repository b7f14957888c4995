/** Parsers of option values. Commander reports what they refuse with the option's name, and the exit code is 2. */
import { InvalidArgumentError } from "commander";
import type { NumberRange } from "../../core/range.js";

export const integer =
  (least: number, most: number, or = "") =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give an integer from ${least} to ${most}${or}.`);
  };

export const integerOr =
  <Word extends string>(word: Word, least: number, most: number) =>
  (text: string): number | Word =>
    text === word ? word : integer(least, most, `, or ${word}`)(text);

/** The side of a square with a middle pixel. */
export const oddSide =
  (least: number, most: number) =>
  (text: string): number => {
    const side = integer(least, most)(text);
    if (side % 2 === 1) return side;
    throw new InvalidArgumentError("Give an odd number.");
  };

/** The number of a text; NaN for an empty one, which Number takes for 0. */
const numberOf = (text: string) => (text.trim() === "" ? Number.NaN : Number(text));

export function finite(text: string): number {
  const value = numberOf(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError("Give a finite number.");
  return value;
}

export function nonNegative(text: string): number {
  const value = numberOf(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError("Give a finite number of 0 or more.");
  return value;
}

export function positive(text: string): number {
  const value = nonNegative(text);
  if (value === 0) throw new InvalidArgumentError("Give a number above 0.");
  return value;
}

/** A number that scenarios state as well. */
export function setting({ least, most, whole, above }: NumberRange): (text: string) => number {
  if (whole) return integer(least, most);
  return (text) => {
    const value = above ? positive(text) : nonNegative(text);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a number ${least > 0 ? `from ${least} to` : "up to"} ${most}.`);
  };
}

/** σ of a Gaussian in pixels: one that is far wider than images leaves nothing of them. */
export const sigma = setting({ least: 0, most: 1000, above: true });

/** `count` numbers, separated by commas. */
export function numbers(text: string, count: number): number[] {
  const parts = text.split(",").map(numberOf);
  if (parts.length === count && parts.every(Number.isFinite)) return parts;
  throw new InvalidArgumentError(`Give ${count} numbers, separated by commas.`);
}

/** Pixels of an image. */
export function size(text: string): { width: number; height: number } {
  const match = /^(\d{1,6})x(\d{1,6})$/.exec(text);
  if (match !== null) return { width: Number(match[1]), height: Number(match[2]) };
  throw new InvalidArgumentError("Give WIDTHxHEIGHT, as in 640x480.");
}

/** Frames, 2 or more. */
export function frameCount(text: string): number {
  const frames = Number(text);
  if (Number.isInteger(frames) && frames >= 2 && frames <= 1e6) return frames;
  throw new InvalidArgumentError("Give an integer from 2 to 1000000.");
}
