import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { InputError } from "../core/errors.js";
import { COST_NAMES, type CostName } from "../costs/models/cost-models.js";
import { reading } from "./named-files.js";

/** Parsers for option values; commander reports what they refuse with the option's name, and the exit code is 2. */

export const integer =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give an integer from ${least} to ${most}.`);
  };

export const seed = integer(0, 2 ** 32 - 1);
export const iterations = integer(1, 1e9);
/** Each thread has its own heap. */
export const threads = integer(1, 256);

/** Frames in a row that a target may be missed. */
export const gapFrames = integer(0, 20);

/** Passes of a cost that is estimated from tracks. */
export const passes = integer(1, 20);

/** Each has a process of its own. */
export const jobs = integer(1, 256);

export function finite(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new InvalidArgumentError("Give a finite number.");
  return value;
}

export function nonNegative(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError("Give a finite number of 0 or more.");
  return value;
}

export function queue(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== "") return text;
  throw new InvalidArgumentError("Give the address of a Redis server: redis://HOST[:PORT].");
}

/** Up to what a scenario takes. */
export function length(text: string): number {
  const value = nonNegative(text);
  if (value > 1e15) throw new InvalidArgumentError("Give a number up to 1e15.");
  return value;
}

export function positive(text: string): number {
  const value = nonNegative(text);
  if (value === 0) throw new InvalidArgumentError("Give a number above 0.");
  return value;
}

/** Any more or less makes velocities that f64 cannot hold. */
export function seconds(text: string): number {
  const value = nonNegative(text);
  if (value >= 1e-12 && value <= 1e12) return value;
  throw new InvalidArgumentError("Give 1e-12 to 1e12 seconds.");
}

/** "5" is an ε, "2.5m" would be a unit too many: a radius is given as radius=2.5. */
export function gate(
  text: string,
): { epsilon: number } | { radius: number } | { tripletEpsilon: number } | "none" | "auto" {
  if (text === "none" || text === "auto") return text;
  const triplets = /^triplets=(.*)$/.exec(text);
  if (triplets) return { tripletEpsilon: positive(triplets[1]) };
  const radius = /^radius=(.*)$/.exec(text);
  if (radius) return { radius: positive(radius[1]) };
  if (Number.isNaN(Number(text))) {
    throw new InvalidArgumentError("Give a number ε above 0, radius=LENGTH, triplets=ε, none or auto.");
  }
  return { epsilon: positive(text) };
}

/** A built-in cost by name, or a file that exports one: a path with a slash or the ending of a module. */
export const cost = reading(
  (text): CostName | { file: string } => {
    const name = COST_NAMES.find((one) => one === text);
    if (name !== undefined) return name;
    if (/[/\\]|\.[cm]?js$/.test(text)) return { file: text };
    throw new InvalidArgumentError(`Allowed choices are ${COST_NAMES.join(", ")}, and files as in ./mine.mjs.`);
  },
  (choice) => (typeof choice === "string" ? [] : [choice.file]),
);

/** "weight=2", added to those given before. */
export function costParameter(text: string, before: Record<string, number> = {}): Record<string, number> {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Give NAME=VALUE.");
  return { ...before, [name]: finite(value) };
}

export function births(text: string): "none" | "auto" | { birth: number; death: number } {
  if (text === "none" || text === "auto") return text;
  const costs = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (costs.length > 2 || !costs.every((cost) => Math.abs(cost) < 1e30)) {
    throw new InvalidArgumentError('Give "none", "auto", one cost, or BIRTH,DEATH, below 1e30.');
  }
  return { birth: costs[0], death: costs[costs.length - 1] };
}

export const defaultThreads = (): number => Math.min(availableParallelism(), 256);

const BENCH_SIZE = /^(\d{1,4})(?:x(\d{1,4}))?$/;

/** "50,100x20": 50 targets in 50 frames, and 100 in 20. */
export function benchSizes(text: string): { n: number; t: number }[] {
  return text.split(",").map((part) => {
    const match = BENCH_SIZE.exec(part.trim());
    const [n, t] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (n >= 2 && t >= 2) return { n, t };
    throw new InvalidArgumentError(
      "Give sizes from 2 to 9999, as in 50,100x20: 50 targets in 50 frames and 100 in 20.",
    );
  });
}

/** Frames of a window. */
export function windowSize(text: string): number | "auto" {
  return text === "auto" ? text : frameCount(text);
}

/** Frames, 2 or more. */
export function frameCount(text: string): number {
  const frames = Number(text);
  if (Number.isInteger(frames) && frames >= 2 && frames <= 1e6) return frames;
  throw new InvalidArgumentError("Give an integer from 2 to 1000000.");
}

/** Refuses those of the options that were given, since they would change nothing. */
export function refuseGiven(command: Command, names: readonly string[], why: string): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (names.includes(name) && command.getOptionValueSource(name) === "cli")
      throw new InputError(`${option.long}: ${why}`);
  }
}
