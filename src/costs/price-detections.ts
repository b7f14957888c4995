import { usableCores } from "../core/cores.js";
import { type Detections, mapAxes, requireSpan } from "../core/detections.js";
import { InputError, invariant } from "../core/errors.js";
import type { Noise } from "../core/noise.js";
import { shared, sharedFloat64, sharedInt32, sharedUint32 } from "../core/shared-arrays.js";
import { inParallel } from "../core/team.js";
import type { PricedProblem, PricedStoredTriplets, PricedTriplets } from "../map/instance/priced.js";
import type { TripletRuleName, TripletRuleSource } from "../map/instance/triplet-rules.js";
import { type BirthDeath, constantBirthDeath, estimateBirthDeath, MAX_COST } from "./births.js";
import { type CostModel, ruleOf, tripletCostOf } from "./cost.js";
import { type Gate, gateReach, tripletReach } from "./gate.js";
import { messageOf } from "./message.js";
import { loadModel, type ModelSource, nameOf } from "./model-source.js";
import { type ParameterValues, parameterValues } from "./parameters.js";
import { BLOCKS, type LinkArrays, type Pricing, type PricingPass, price } from "./price.js";
import type { Counted, Sizes } from "./sizes.js";
import { completeVelocities } from "./velocity.js";
import { disagreement, secondThoughts } from "./written/samples.js";

export interface PricingParameters {
  readonly cost: ModelSource;
  /** The cost's parameters that differ from their defaults. */
  readonly parameters?: ParameterValues;
  readonly gate: Gate;
  readonly birthDeath: BirthDeath;
  /** Noise of the measurements where it is known; else costs that need it estimate it. */
  readonly noise?: Noise;
  /**
   * "implicit" keeps the numbers per link where the cost allows it, "csr" every triplet with its cost [implicit by a rule that has a name; by
   * a user's own as PricingOptions.stores says].
   */
  readonly triplets?: PricedTriplets["kind"] | undefined;
}

export type Ruled = (rule: TripletRuleName, mostInFrame: number) => void;

export interface PricingOptions {
  /** Threads to use at most; 1 stays on the calling one [all cores]. The result does not depend on it. */
  readonly threads?: number;
  /** Work in nanoseconds, roughly, below which other threads are not worth their start [1e8]. */
  readonly poolFrom?: number;
  readonly progress?: (done: number, total: number) => void;
  /** Called where triplets will be computed by a rule that has a name, before links are counted, with the most detections of a frame. */
  readonly ruled?: Ruled;
  /** Called with the counts before anything is allocated, and may refuse them by throwing; `triplets` is null before they are counted. */
  readonly counted?: Counted;
  /** Whether triplets that a user's function or formula prices are stored, by their number [where they can be numbered]. */
  readonly stores?: (sizes: Sizes) => boolean | Promise<boolean>;
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
  options: PricingOptions = {},
): Promise<PricedDetections> {
  const { threads = usableCores(), poolFrom = 1e8, progress, counted, stores = () => true } = options;
  if ((parameters.cost as string) === "motion") {
    throw new InputError(
      "cost motion: is estimated from tracks in several solves; call track() of rmap, or choose another cost",
    );
  }
  requireSpan(detections);
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

  const { rule: named } = model;
  if (typeof named === "string" && pricing.tripletReach === null && parameters.triplets !== "csr")
    options.ruled?.(named, mostInFrame(detections));
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

  const rule = ruleOf(model, pricing.parameters, pricing.detections.timeStep);
  const bound = model.bind(pricing.detections, pricing.constants, pricing.parameters);
  const why = await guarded(parameters.cost, async () => rule && disagreement(rule, bound, links));
  if (why !== null)
    return priceDetections(detections, { ...parameters, cost: untranslated(parameters.cost, why) }, options);
  const storeTriplets = async (): Promise<PricedStoredTriplets> => {
    const rowStart = runningSum(links.head, "triplets", (j) => outDegree[j]);
    const tripletCount = rowStart[linkCount];
    counted?.({ detections: count, links: linkCount, triplets: tripletCount });
    const triplets = { rowStart, successor: sharedUint32(tripletCount), cost: sharedFloat64(tripletCount) };
    const work = NANOSECONDS.triplet * tripletCount;
    await runPass(2, work, { ...pricing, size: linkCount, pass: "triplets", links, triplets });
    requireFinite(parameters.cost, "triplet cost", triplets.cost);
    const isGated = pricing.tripletReach !== null;
    await requireSame(parameters.cost, () =>
      isGated ? null : secondThoughts(bound, tripletCostOf(rule, bound), model.width, links, triplets),
    );
    return { kind: "csr", ...triplets };
  };
  const storage = await storageOf(rule, pricing, parameters, { outDegree, head: links.head }, stores);
  const triplets: PricedTriplets =
    rule === null || storage.kind === "csr"
      ? await storeTriplets()
      : { kind: "implicit", rule, perLink: links.perLink };
  notes.push(...storage.notes);

  let { birthDeath } = parameters;
  if (birthDeath === "auto") {
    const tripletCost = tripletCostOf(rule, bound);
    const { cost, note } = estimateBirthDeath(
      detections,
      links,
      (e, f) => tripletCost(links.perLink, model.width * e, model.width * f),
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

/** How triplets are held, and why where that is not as it could be. */
async function storageOf(
  rule: TripletRuleSource | null,
  { tripletReach, cost }: Pricing,
  { triplets }: PricingParameters,
  { outDegree, head }: { readonly outDegree: Uint32Array; readonly head: Int32Array },
  stores: NonNullable<PricingOptions["stores"]>,
): Promise<{ readonly kind: PricedTriplets["kind"]; readonly notes: readonly string[] }> {
  const why = tripletReach === null ? whyNoRule(cost) : "the gate of triplets makes some of them dearer";
  if (triplets === "implicit" && (rule === null || tripletReach !== null))
    throw new InputError(`--triplets implicit: ${why}; use --triplets csr`);
  if (tripletReach !== null || triplets === "csr") return { kind: "csr", notes: [] };
  if (rule === null) return { kind: "csr", notes: nameOf(cost) === cost ? [] : [`Triplets are stored: ${why}.`] };
  if (typeof rule === "string" || triplets === "implicit") return { kind: "implicit", notes: [] };
  const count = head.reduce((sum, j) => sum + outDegree[j], 0);
  const sizes = { detections: outDegree.length, links: head.length, triplets: count };
  const isStored = count <= MOST && (await stores(sizes));
  return isStored
    ? {
        kind: "csr",
        notes: ["Triplets are stored, which a CPU is faster with; --triplets implicit takes less memory."],
      }
    : { kind: "implicit", notes: [] };
}

function whyNoRule(cost: ModelSource): string {
  const isRefused = typeof cost === "object" && "triplet" in cost && typeof cost.triplet === "string";
  return isRefused ? (cost.triplet as string) : `cost ${nameOf(cost)} states no rule for them`;
}

/** A cost whose triplets V8 prices by the function of its file. */
function untranslated(cost: ModelSource, why: string): ModelSource {
  invariant(typeof cost === "object" && "url" in cost, () => "only files have functions of their own");
  return { ...cost, triplet: why };
}

function mostInFrame({ frameStart }: Detections): number {
  return frameStart.reduce((most, start, p) => Math.max(most, start - (frameStart[p - 1] ?? 0)), 0);
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
async function guarded<Result>(cost: ModelSource, work: () => Promise<Result>): Promise<Result> {
  if (typeof cost === "string") return work();
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError && error.message.startsWith("cost ")) throw error;
    throw new InputError(`cost ${nameOf(cost)}: failed while it priced: ${messageOf(error)}; correct it`);
  }
}

/** Refuses a user's cost that depends on anything but its arguments: no proof of its numbers could be checked. */
async function requireSame(cost: ModelSource, differs: () => string | null): Promise<void> {
  if (typeof cost === "string") return;
  const what = await guarded(cost, async () => differs());
  if (what === null) return;
  throw new InputError(`cost ${nameOf(cost)}: ${what}; let a cost depend on its arguments alone`);
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
