import { usableCores } from "../core/cores.js";
import { type Detections, mapAxes } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import type { Noise } from "../core/noise.js";
import { shared, sharedFloat64, sharedInt32, sharedUint32 } from "../core/shared-arrays.js";
import { inParallel } from "../core/team.js";
import type { PricedProblem, PricedStoredTriplets, PricedTriplets } from "../map/instance/priced.js";
import { type BirthDeath, constantBirthDeath, estimateBirthDeath, MAX_COST } from "./births.js";
import { type CostModel, tripletCostOf } from "./cost.js";
import { type Gate, gateReach, tripletReach } from "./gate.js";
import { loadModel, type ModelSource, messageOf, nameOf } from "./model-source.js";
import { type ParameterValues, parameterValues } from "./parameters.js";
import { BLOCKS, type LinkArrays, type Pricing, type PricingPass, price } from "./price.js";
import type { Counted } from "./sizes.js";
import { completeVelocities } from "./velocity.js";

export interface PricingParameters {
  readonly cost: ModelSource;
  /** The cost's parameters that differ from their defaults. */
  readonly parameters?: ParameterValues;
  readonly gate: Gate;
  readonly birthDeath: BirthDeath;
  /** Noise of the measurements where it is known; else costs that need it estimate it. */
  readonly noise?: Noise;
  /** "implicit" (the default) keeps the numbers per link where the cost allows it, "csr" every triplet with its cost. */
  readonly triplets?: PricedTriplets["kind"] | undefined;
}

export interface PricingOptions {
  /** Threads to use at most; 1 stays on the calling one [all cores]. The result does not depend on it. */
  readonly threads?: number;
  /** Work in nanoseconds, roughly, below which other threads are not worth their start [1e8]. */
  readonly poolFrom?: number;
  readonly progress?: (done: number, total: number) => void;
  /** Called with the counts before anything is allocated, and may refuse them by throwing; `triplets` is null before they are counted. */
  readonly counted?: Counted;
}

export interface PricedDetections extends PricedProblem {
  readonly triplets: PricedTriplets;
  /** The data from which the links were priced, enough to price them elsewhere too. */
  readonly pricing: Pricing;
  /** Assumptions and estimates, for the user to read. */
  readonly notes: readonly string[];
}

/** Largest number a Uint32Array can hold. */
const MOST = 0xffffffff;

/** Rough time of one step of each pass on one core, in nanoseconds; for triplets mostly the first touch of their memory. */
const NANOSECONDS = { detection: 500, link: 150, triplet: 30 };

/**
 * Prices every gated link and every continuation of two links. All arrays lie in shared memory.
 *
 * @throws InputError when the gate, the births or the cost's parameters are ill-stated, when a cost of the user's own fails or lacks an
 * attribute, or links or triplets do not fit 32-bit numbering
 */
export async function priceDetections(
  detections: Detections,
  parameters: PricingParameters,
  { threads = usableCores(), poolFrom = 1e8, progress, counted }: PricingOptions = {},
): Promise<PricedDetections> {
  if ((parameters.cost as string) === "motion") {
    throw new InputError(
      "cost motion: is estimated from tracks in several solves; call track() of rmap, or choose another cost",
    );
  }
  const model = await loadModel(parameters.cost, detections);
  const { pricing, notes } = prepare(detections, model, parameters);
  const count = detections.x.length;
  /** One of the three passes over `size` detections or links. */
  const runPass = async (pass: number, work: number, memory: PricingPass) => {
    const watch = progress && { progress: (done: number) => progress(pass * BLOCKS + done, 3 * BLOCKS) };
    const many = work >= poolFrom ? threads : 1;
    await guarded(parameters.cost, () =>
      inParallel(many, "#pricing-worker", memory, price(memory, model), BLOCKS, watch),
    );
  };

  const outDegree = sharedUint32(count);
  const countWork = NANOSECONDS.detection * count;
  await runPass(0, countWork, { ...pricing, size: count, pass: "count", outDegree });

  const outStart = runningSum(outDegree, "links", (degree) => degree);
  const linkCount = outStart[count];
  counted?.({ detections: count, links: linkCount, triplets: null });
  const links: LinkArrays = {
    outStart,
    tail: sharedInt32(linkCount),
    head: sharedInt32(linkCount),
    cost: sharedFloat64(linkCount),
    perLink: sharedFloat64(linkCount * model.width),
  };
  const linkWork = countWork + NANOSECONDS.link * linkCount;
  await runPass(1, linkWork, { ...pricing, size: count, pass: "links", links });
  requireFinite(parameters.cost, "pair cost", links.cost);
  requireFinite(parameters.cost, "number per link", links.perLink);

  const storeTriplets = async (): Promise<PricedStoredTriplets> => {
    const rowStart = runningSum(links.head, "triplets", (j) => outDegree[j]);
    const tripletCount = rowStart[linkCount];
    counted?.({ detections: count, links: linkCount, triplets: tripletCount });
    const triplets = { rowStart, successor: sharedUint32(tripletCount), cost: sharedFloat64(tripletCount) };
    const work = NANOSECONDS.triplet * tripletCount;
    await runPass(2, work, { ...pricing, size: linkCount, pass: "triplets", links, triplets });
    requireFinite(parameters.cost, "triplet cost", triplets.cost);
    return { kind: "csr", ...triplets };
  };
  const triplets: PricedTriplets =
    model.rule === null || pricing.tripletReach !== null || parameters.triplets === "csr"
      ? await storeTriplets()
      : { kind: "implicit", rule: model.rule, perLink: links.perLink };

  let { birthDeath } = parameters;
  if (birthDeath === "auto") {
    const { cost, note } = estimateBirthDeath(
      detections,
      links,
      tripletCostBetween(model, pricing, links),
      (share, step) => model.plausible?.(share, step, pricing.parameters) ?? { link: 0, triplet: 0 },
    );
    birthDeath = { birth: cost, death: cost };
    notes.push(note);
  }
  return {
    links: { frameStart: detections.frameStart, tail: links.tail, head: links.head, cost: links.cost },
    triplets,
    birthDeath: birthDeath === "none" ? null : constantBirthDeath(count, birthDeath.birth, birthDeath.death),
    pricing,
    notes,
  };
}

/** Moves the detections to shared memory, with velocities, and fixes the gate and the cost's constants. */
function prepare(
  detections: Detections,
  model: CostModel,
  { cost, gate, noise, parameters: given = {} }: PricingParameters,
): { pricing: Pricing; notes: string[] } {
  const parameters = parameterValues(nameOf(cost), model.parameters ?? {}, given);
  requireAttributes(nameOf(cost), model, detections);
  const { detections: moving, typicalSpeed, notes } = completeVelocities(detections);
  const reach = gateReach(moving, gate, typicalSpeed);
  const { constants, notes: assumptions } = model.calibrate?.(moving, reach, noise ?? null) ?? {
    constants: [],
    notes: [],
  };
  const frameStart = sharedUint32(moving.frameStart.length);
  frameStart.set(moving.frameStart);
  const placed = mapAxes(moving, shared);
  const { z, vz } = placed;
  const attributes = new Map(Array.from(moving.attributes ?? [], ([name, values]) => [name, shared(values)]));
  // Formulas read them by these names.
  for (const [name, values] of Object.entries({ z, vz })) if (values !== undefined) attributes.set(name, values);
  const ofTriplets = tripletReach(moving, gate);
  const gated = ofTriplets === null ? [] : ["Triplets out of the gate cost 10⁶ more; no link is left out."];
  const inPlace = { ...placed, frameStart, attributes, target: null };
  return {
    pricing: { detections: inPlace, reach: shared(reach), tripletReach: ofTriplets, cost, constants, parameters },
    notes: [...notes, ...assumptions, ...gated],
  };
}

/** D_ef of two links as a function. */
function tripletCostBetween(model: CostModel, { detections, constants, parameters }: Pricing, { perLink }: LinkArrays) {
  const triplet = tripletCostOf(model, model.bind(detections, constants, parameters));
  return (e: number, f: number) => triplet(perLink, model.width * e, model.width * f);
}

function requireAttributes(cost: string, { attributes = [] }: CostModel, detections: Detections): void {
  for (const name of attributes) {
    if (detections.attributes?.has(name) || (name === "z" && detections.z) || (name === "vz" && detections.z)) continue;
    const has = [...(detections.attributes?.keys() ?? [])].join(", ") || "none";
    throw new InputError(
      `cost ${cost} reads the attribute ${name}, and the detections have ${has}; add a column ${name}`,
    );
  }
}

/** Turns an exception of a user's cost into an InputError. */
async function guarded(cost: ModelSource, work: () => Promise<void>): Promise<void> {
  if (typeof cost === "string") return work();
  try {
    await work();
  } catch (error) {
    throw new InputError(`cost ${nameOf(cost)}: failed while it priced: ${messageOf(error)}; correct it`);
  }
}

/** Refuses a value that a user's cost returned for a link or triplet where it is not finite or too large. */
function requireFinite(cost: ModelSource, what: string, values: Float64Array): void {
  if (typeof cost === "string") return;
  const at = values.findIndex((value) => !(Math.abs(value) < MAX_COST));
  if (at < 0) return;
  throw new InputError(`cost ${nameOf(cost)}: ${what} ${at} is ${values[at]}; let all be numbers below 1e30 in size`);
}

/** 0, then the sums of the first 1, 2, … values. */
function runningSum(of: ArrayLike<number>, what: string, value: (v: number) => number): Uint32Array {
  const sums = sharedUint32(of.length + 1);
  let sum = 0;
  for (let i = 0; i < of.length; i++) {
    sum += value(of[i]);
    if (sum > MOST) throw new InputError(`more than ${MOST} ${what} pass the gate: choose a narrower one`);
    sums[i + 1] = sum;
  }
  return sums;
}
