import { InputError } from "../core/errors.js";
import type { FrameNumbers } from "../core/frame-numbers.js";
import { withParameters } from "../costs/choice.js";
import type { CostName } from "../costs/models/cost-models.js";
import type { StatedPriors } from "../costs/motion/stated-priors.js";
import type { ParameterValues } from "../costs/parameters.js";
import { optionOf } from "../files/refusal.js";
import type { ReadingOptions } from "../formats/reading-options.js";
import type { Pricing } from "../formats/scenario.js";
import type { PricedProblem } from "../map/instance/priced.js";
import { chooseCostFile, costName } from "./cost-source.js";
import type { PriceOverrides } from "./price.js";
import { requireComplete } from "./storage.js";

/** Settings by which the command line overrides a scenario, or which it chooses for a recording. */
export interface ProblemOverrides extends PriceOverrides {
  readonly seed?: number | undefined;
  /** A cost by name, or the path of a file that exports one. */
  readonly cost?: CostName | { readonly file: string } | undefined;
  readonly costParameter?: ParameterValues | undefined;
  /** Cost motion: what is known of the recording, in the place of estimates. */
  readonly prior?: StatedPriors | undefined;
  readonly gate?: Pricing["gate"] | undefined;
  readonly births?: Pricing["births"] | undefined;
  /** Have velocities estimated even where the recording has them. */
  readonly estimateVelocities?: boolean | undefined;
}

/** The same, and how the detections are read. */
export type SolveOverrides = ProblemOverrides & ReadingOptions;

export function overridden(pricing: Pricing, { cost, costParameter, prior, gate, births }: ProblemOverrides): Pricing {
  const asked = typeof cost === "object" ? chooseCostFile(cost.file) : cost;
  const choice = asked === undefined || asked === costName(pricing.cost) ? pricing.cost : asked;
  if (prior !== undefined && costName(choice) !== "motion") {
    throw new InputError("--prior: only cost motion estimates what a prior states; use --cost motion, or leave it out");
  }
  return {
    cost: withParameters(choice, { ...costParameter, ...prior }),
    gate: gate ?? pricing.gate,
    births: births ?? pricing.births,
  };
}

/** Costs that come with the input are stored as they are. */
export function requireStored(
  problem: PricedProblem,
  numbers: FrameNumbers,
  { triplets }: ProblemOverrides,
  what: string,
): void {
  if (triplets === "implicit") {
    throw new InputError(`--triplets implicit: ${what} comes with its triplets stored; use csr, or leave it out`);
  }
  if (triplets === "dense") requireComplete(problem, numbers, "give all costs, or use --triplets csr");
}

export function refuseSeed({ seed }: ProblemOverrides, what: string): void {
  if (seed !== undefined) throw new InputError(`--seed ${seed}: ${what} draws nothing; leave it out`);
}

/** Settings of the costs of detections. */
const PRICING = [
  "cost",
  "costParameter",
  "prior",
  "gate",
  "births",
  "links",
  "maxGap",
  "passes",
  "divisions",
  "estimateVelocities",
] as const;

export function refusePricing(overrides: ProblemOverrides, what: string): void {
  const given = PRICING.find((key) => overrides[key] !== undefined);
  if (given !== undefined) throw new InputError(`${optionOf(given)}: ${what} carries its own costs; leave it out`);
}
