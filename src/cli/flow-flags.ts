import { InvalidArgumentError } from "commander";
import { SAMPLE_TYPES, type SampleType } from "../files/images/samples.js";
import type { DeviceChoice } from "../gpu/adapter.js";
import { FLOW_PRESETS, type FlowOptions, type FlowPrecision, type FlowPreset } from "../pixels/flow/options.js";
import type { FlowCase } from "../simulation/flow-pairs.js";

/** The options of `rmap flow`. */
export interface FlowFlags extends Partial<FlowOptions> {
  readonly preset: FlowPreset;
  readonly output?: string;
  readonly png?: string;
  readonly truth?: string;
  readonly border: number;
  readonly detections?: string;
  readonly window: number;
  readonly fill?: "drift";
  readonly score?: true;
  readonly make?: FlowCase;
  readonly seed: number;
  readonly scheme?: "tiled";
  readonly depth?: number;
  readonly precision: FlowPrecision;
  readonly device: DeviceChoice;
  readonly size?: { readonly width: number; readonly height: number };
  readonly type?: SampleType;
  readonly profile?: true;
  readonly json?: true;
  readonly quiet?: true;
}

/** The preset with what the flags change. */
export function flowOptions(flags: FlowFlags): FlowOptions {
  const preset = FLOW_PRESETS[flags.preset];
  const names = Object.keys(preset) as (keyof FlowOptions)[];
  return Object.fromEntries(names.map((name) => [name, flags[name] ?? preset[name]])) as unknown as FlowOptions;
}

export function size(text: string): { width: number; height: number } {
  const match = /^(\d{1,6})x(\d{1,6})$/.exec(text);
  if (match !== null) return { width: Number(match[1]), height: Number(match[2]) };
  throw new InvalidArgumentError("Give WIDTHxHEIGHT, as in 640x480.");
}

/** Of --scheme, which had more values. */
export function tiledOnly(text: string): "tiled" {
  if (text === "tiled") return text;
  throw new InvalidArgumentError(
    "tiled is the one scheme of rmap flow; those of the paper are run by node lab/flow/speed.mjs table. Leave --scheme out.",
  );
}

export const RAW_TYPES: readonly string[] = SAMPLE_TYPES;
