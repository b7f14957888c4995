/** Options of the library's functions: what they are, and the check of what a program gives. */

import { z } from "zod";
import { usableCores } from "../../core/cores.js";
import { COST_NAMES, type CostName } from "../../costs/models/cost-models.js";
import { checkJson, dotted } from "../../files/json-file.js";
import { births, gate, priors } from "../../formats/scenario.js";
import { MOST_PARALLEL, SETTINGS, schemaOf } from "../../formats/settings.js";
import { DEVICE_CHOICES, type DeviceChoice } from "../../gpu/adapter.js";
import { ASCENTS, type AscentName } from "../../map/dual/ascents.js";
import type { HistoryRow } from "../../map/solution.js";
import type { ProblemOverrides } from "../overrides.js";
import { TRIPLET_STORAGES } from "../storage.js";

/** Where a function computes. The device is opened and closed inside of it. */
export interface DeviceOptions {
  /** auto takes a GPU if there is one, else the CPU ["auto"]. */
  readonly device?: DeviceChoice | undefined;
}

/** The options of `rmap solve`, under the same names. */
export interface SolveOptions extends DeviceOptions, ProblemOverrides {
  /** A cost by name, or the path of a file that exports one ["motion"]. */
  readonly cost?: CostName | { readonly file: string } | undefined;
  /** Worker threads; the result does not depend on them [all cores]. */
  readonly threads?: number | undefined;
  /** Stop at this certified gap, in percent; 0 asks for a proof [0.05 for cost motion, else 0.01]. */
  readonly gap?: number | undefined;
  /** Stop after this number of iterations of the ascent [2000]. */
  readonly iterations?: number | undefined;
  /** Give an answer after this number of seconds [no limit]. */
  readonly time?: number | undefined;
  /** Dual ascent ["bundle"]. */
  readonly ascent?: AscentName | undefined;
  /** Go on until the tracks are proved optimal, which needs the package highs [false]. */
  readonly exact?: boolean | undefined;
  /** auto: add cuts where the ascent stalls above the gap ["auto"]. */
  readonly cuts?: "auto" | "none" | undefined;
  /** Ends the ascent; what is known by then is certified. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each iteration. */
  readonly progress?: ((row: HistoryRow) => void) | undefined;
}

export interface TrackOptions extends SolveOptions {
  /** Time between two frames, for measured velocities [1]. */
  readonly dt?: number | undefined;
}

export const deviceOptions = z.strictObject({ device: z.enum(DEVICE_CHOICES).optional() });

const isSignal = (value: unknown) => typeof (value as AbortSignal | null)?.aborted === "boolean";

const solveOptions = z.strictObject({
  ...deviceOptions.shape,
  threads: z.int().min(1).max(MOST_PARALLEL).optional(),
  cost: z
    .union([z.enum(COST_NAMES), z.strictObject({ file: z.string().min(1) })], {
      error: `give one of ${COST_NAMES.join(", ")}, or {"file": path}`,
    })
    .optional(),
  costParameter: z.record(z.string(), z.number()).optional(),
  prior: priors.optional(),
  gate: gate.optional(),
  births: births.optional(),
  estimateVelocities: z.boolean().optional(),
  triplets: z.enum(TRIPLET_STORAGES).optional(),
  maxGap: z.int().min(0).max(20).optional(),
  passes: z.int().min(1).max(20).optional(),
  divisions: z.enum(["auto", "none"]).optional(),
  links: z.string().min(1).optional(),
  seed: schemaOf(SETTINGS.seed).optional(),
  ascent: z.enum(Object.keys(ASCENTS) as [AscentName]).optional(),
  iterations: schemaOf(SETTINGS.iterations).optional(),
  gap: schemaOf(SETTINGS.gap).optional(),
  time: schemaOf(SETTINGS.time).optional(),
  exact: z.boolean().optional(),
  cuts: z.enum(["auto", "none"]).optional(),
  signal: z.custom<never>(isSignal, "give an AbortSignal").optional(),
  progress: z.custom<never>((value) => typeof value === "function", "give a function").optional(),
});
const trackOptions = z.strictObject({ ...solveOptions.shape, dt: z.number().positive().optional() });

/** @throws InputError that names the function, the option, its value and the remedy */
export function checkOptions(place: string, options: unknown, schema: z.ZodType): void {
  checkJson(options, schema, (path) => (path.length === 0 ? `${place}, options` : `${place}, ${dotted(path)}`));
}

export const checkSolveOptions = (options: SolveOptions) => checkOptions("solve", options, solveOptions);
export const checkTrackOptions = (options: TrackOptions) => checkOptions("track", options, trackOptions);

/** The number of threads that is asked for, or one for each core. */
export const threadsOf = ({ threads }: SolveOptions): number => threads ?? Math.min(usableCores(), MOST_PARALLEL);
