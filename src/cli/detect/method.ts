import type { Option } from "commander";
import type { DeviceChoice } from "../../gpu/adapter.js";

/** The arguments of every method besides its own options. */
export interface DetectFlags {
  readonly output?: string;
  readonly device: DeviceChoice;
  /** Options of the method, by the names commander gives them. */
  readonly [option: string]: unknown;
}

/** The result of a method: lines for people, and the object that --json prints. */
export interface Detected {
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A method of `rmap detect`: one file each, listed in methods.ts. */
export interface DetectMethod {
  /** A line for the help. */
  readonly description: string;
  /** Options only this method takes, or shares with some others: equal flags are shown once. */
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  run(inputs: readonly string[], flags: DetectFlags): Promise<Detected>;
}
