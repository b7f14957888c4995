import type { Detections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { FixedLinks } from "../core/fixed-links.js";
import type { FrameNumbers } from "../core/frame-numbers.js";
import type { Noise } from "../core/noise.js";
import { parametersOf } from "../costs/choice.js";
import { type ModelSource, nameOf } from "../costs/model-source.js";
import { type PriorName, type StatedPriors, statedPriors } from "../costs/motion/stated-priors.js";
import type { Pricing as LinkPricing } from "../costs/price.js";
import { priceDetections, type Ruled } from "../costs/price-detections.js";
import type { Counted, Sizes } from "../costs/sizes.js";
import { readFixedLinks } from "../formats/fixed-links.js";
import type { Pricing } from "../formats/scenario.js";
import type { PricedProblem } from "../map/instance/priced.js";
import { modelSource } from "./cost-source.js";
import { fits, requireMemory } from "./memory.js";
import { type DivisionsWanted, firstPass, GAPS_FROM, type MotionPass } from "./motion-passes.js";
import { requireComplete, type TripletStorage } from "./storage.js";

/** Settings beside the cost, the gate and the births. */
export interface PriceOverrides {
  /** Cost motion: frames in a row that a target may be missed [estimated]. */
  readonly maxGap?: number | undefined;
  /** Cost motion: passes that estimate it [as many as the recording asks for]; 1 takes the first estimate as it is. */
  readonly passes?: number | undefined;
  /** Cost motion: whether targets that divide are looked for [auto]. */
  readonly divisions?: DivisionsWanted | undefined;
  /** Cost motion: a file of links that are required or forbidden. */
  readonly links?: string | undefined;
  /** How triplets are held [implicit where the costs are computed, csr where they came with the input]. */
  readonly triplets?: TripletStorage | undefined;
}

export interface PriceOptions {
  readonly threads: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly progress?: (done: number, total: number) => void;
  /** As PricingOptions. */
  readonly ruled?: Ruled;
  /** Bytes the run may take [those of the machine]. */
  readonly memory?: number | undefined;
  /** What solves them, which may not be open yet, and is opened where the answer matters [the CPU]. */
  readonly solver?: Solver | (() => Promise<Solver>);
}

/** What pricing needs to know of the device that solves. */
export interface Solver {
  /** Whether it is expected to be done sooner where it computes the triplets that a user's function prices than where they are stored; `triplets` is their number. */
  computesTriplets(sizes: Sizes): boolean | Promise<boolean>;
}

const CPU: Solver = { computesTriplets: () => false };

/** The costs of detections, and where they come from. */
export interface Costs {
  readonly priced: PricedProblem;
  /** The data from which links were priced, null where a GPU cannot price them again. */
  readonly linkPricing: LinkPricing | null;
  /** The first pass of costs that are estimated from tracks, else null. */
  readonly motion: MotionPass | null;
  readonly notes: readonly string[];
  readonly seconds: number;
}

/** @throws InputError for settings that do not fit the cost or each other */
export async function price(
  detections: Detections,
  pricing: Pricing,
  noise: Noise | undefined,
  overrides: PriceOverrides,
  numbers: FrameNumbers,
  options: PriceOptions,
): Promise<Costs> {
  const begin = options.now();
  const source = await modelSource(pricing.cost);
  const { solver: opened = CPU } = options;
  // No cost that has a name asks what solves it.
  const solver = typeof opened === "object" ? opened : typeof source === "object" ? await opened() : CPU;
  const costs =
    source === "motion"
      ? await priceTracks(detections, pricing, overrides, numbers, options)
      : await priceLinks(detections, pricing, source, noise, overrides, numbers, { ...options, solver });
  return { ...costs, seconds: options.now() - begin };
}

/** By cost motion. */
async function priceTracks(
  detections: Detections,
  { cost, gate, births }: Pricing,
  overrides: PriceOverrides,
  numbers: FrameNumbers,
  { memory }: PriceOptions,
): Promise<Omit<Costs, "seconds">> {
  const { triplets: storage, maxGap, passes, divisions, links } = overrides;
  const priors = statedPriors(parametersOf(cost));
  refusePriors(priors, births, maxGap);
  if (typeof gate === "object" && "tripletEpsilon" in gate) {
    throw new InputError(
      "gate: tripletEpsilon is a rule for simulated costs; give cost motion an epsilon, a radius or none",
    );
  }
  if (storage === "implicit" || storage === "dense") {
    throw new InputError(
      `--triplets ${storage}: cost motion stores those triplets that some best tracks may need; use csr, or leave it out`,
    );
  }
  const fixed = links === undefined ? null : readFixedLinks(links, detections.frameStart, numbers);
  const gap = fixed === null ? 0 : fixed.longest - 1;
  if (maxGap !== undefined && gap > maxGap) {
    throw new InputError(`--max-gap ${maxGap}: ${links} requires a link that leaves out frames; give at least ${gap}`);
  }
  if (gap > 0 && passes !== undefined && passes < GAPS_FROM) {
    throw new InputError(
      `--passes ${passes}: ${links} requires a link that leaves out frames, as pass ${GAPS_FROM} is the first to make; give at least ${GAPS_FROM}`,
    );
  }
  if (births === "none" && (maxGap ?? gap) > 0) {
    throw new InputError(
      `${gap > 0 ? links : "--max-gap"}: with --births none every detection is linked from each frame to the next; leave one of them out`,
    );
  }
  if (births !== "auto" && divisions === "auto") {
    throw new InputError(
      "--divisions auto: divisions are priced beside births that are estimated; leave --births out, or give --divisions none",
    );
  }
  const counted: Counted = (sizes) => requireMemory(sizes, memory);
  const most = maxGap ?? (gap > 0 ? gap : null);
  const motion = firstPass(detections, {
    gate,
    birthDeath: births,
    maxGap: most,
    passes,
    divisions,
    priors,
    fixed,
    counted,
  });
  return { priced: motion.priced, linkPricing: null, motion, notes: fixed === null ? [] : fixedNotes(fixed, passes) };
}

/** Refuses priors that would have no effect. */
function refusePriors(priors: StatedPriors, births: Pricing["births"], maxGap: number | undefined): void {
  const without = (names: readonly PriorName[], option: string, why: string): void => {
    const idle = names.find((name) => priors[name] !== undefined);
    if (idle !== undefined) throw new InputError(`prior ${idle}: with ${option} ${why}; leave one of them out`);
  };
  if (births === "none")
    without(["missed", "clutter", "births"], "--births none", "every detection is of a target that stays");
  else if (births !== "auto")
    without(["clutter", "births"], "--births", "the costs of starts and ends are stated already");
  if (maxGap === 0) without(["missed"], "--max-gap 0", "no target is missed");
}

function fixedNotes({ required, ruledOut }: FixedLinks, passes: number | undefined): string[] {
  const counted = `Links fixed by the user: ${required} required, ${ruledOut} forbidden.`;
  // The first pass looks at detections alone, and so prices the same with the links and without.
  if (passes === 1) return [counted];
  return [
    counted,
    "The costs are estimated from tracks that keep to these links, so the cost of the tracks cannot be compared with that of a solve without them.",
  ];
}

/** By a cost that is a function of links. */
async function priceLinks(
  detections: Detections,
  { cost: choice, gate, births }: Pricing,
  cost: ModelSource,
  noise: Noise | undefined,
  overrides: PriceOverrides,
  numbers: FrameNumbers,
  { threads, progress, ruled, memory, solver }: PriceOptions & { readonly solver: Solver },
): Promise<Omit<Costs, "seconds">> {
  refuseTrackOptions(overrides, nameOf(cost));
  const { triplets: storage } = overrides;
  const triplets = storage === "dense" ? "csr" : storage;
  const parameters = parametersOf(choice);
  const counted: Counted = (sizes) => requireMemory(sizes, memory);
  const priced = await priceDetections(
    detections,
    { cost, parameters, gate, birthDeath: births, triplets, ...(noise && { noise }) },
    {
      threads,
      counted,
      stores: async (sizes) => fits(sizes, memory) && !(await solver.computesTriplets(sizes)),
      ...(progress && { progress }),
      ...(ruled && { ruled }),
    },
  );
  if (storage === "dense") requireComplete(priced, numbers, "use --gate none, or --triplets csr");
  return { priced, linkPricing: priced.pricing, motion: null, notes: priced.notes };
}

/** Refuses the options of cost motion. */
function refuseTrackOptions({ links, maxGap, passes, divisions }: PriceOverrides, cost: string): void {
  const refusals = [
    [links, `--links: cost ${cost} takes no fixed links; use --cost motion`],
    [maxGap, `--max-gap: cost ${cost} links consecutive frames alone; use --cost motion, or leave it out`],
    [passes, "--passes: only cost motion estimates in passes; leave it out"],
    [divisions, `--divisions: cost ${cost} does not know of targets that divide; use --cost motion, or leave it out`],
  ] as const;
  for (const [given, message] of refusals) if (given !== undefined) throw new InputError(message);
}
