import { basename } from "node:path";
import type { Detections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import { COUNTED, type FrameNumbers } from "../core/frame-numbers.js";
import { parametersOf, withParameters } from "../costs/choice.js";
import { nameOf, notesOf } from "../costs/model-source.js";
import type { CostName } from "../costs/models/cost-models.js";
import { type ParameterValues, parameterValues } from "../costs/parameters.js";
import type { Pricing as LinkPricing } from "../costs/price.js";
import { priceDetections } from "../costs/price-detections.js";
import type { Counted } from "../costs/sizes.js";
import type { CarriedColumn } from "../formats/attribute-columns.js";
import { type DetectionsFile, readDetections } from "../formats/detections.js";
import { readFixedLinks } from "../formats/fixed-links.js";
import type { Input } from "../formats/input.js";
import { type InstanceFolder, readInstanceFolder } from "../formats/instance-folder.js";
import {
  type Pricing,
  RECORDING_PRICING,
  type Scenario,
  SIMULATION_PRICING,
  type SolveSettings,
} from "../formats/scenario.js";
import type { PricedProblem } from "../map/instance/priced.js";
import type { ResultRow } from "../rows/results.js";
import { simulateAuthorsGenerator } from "../simulation/authors-generator.js";
import { simulateBelt } from "../simulation/belt/belt.js";
import { mostTargets } from "../simulation/parameters.js";
import { uniformProblem } from "../simulation/uniform.js";
import { chooseCostFile, costName, modelSource } from "./cost-source.js";
import { requireMemory, requireMemoryToDraw } from "./memory.js";
import { type DivisionsWanted, firstPass, type MotionPass } from "./motion-passes.js";
import { requireComplete, requireDenseFits, type TripletStorage } from "./storage.js";

/** Settings by which the command line overrides a scenario, or which it chooses for a recording. */
export interface ProblemOverrides {
  readonly seed?: number | undefined;
  /** A cost by name, or the path of a file that exports one. */
  readonly cost?: CostName | { readonly file: string } | undefined;
  readonly costParameter?: ParameterValues | undefined;
  readonly gate?: Pricing["gate"] | undefined;
  readonly births?: Pricing["births"] | undefined;
  /** Have velocities estimated even where the recording has them. */
  readonly estimateVelocities?: boolean | undefined;
  /** Cost motion: frames in a row that a target may be missed [estimated]. */
  readonly maxGap?: number | undefined;
  /** Cost motion: passes that estimate it [as many as the recording asks for]; 1 takes the first estimate as it is. */
  readonly passes?: number | undefined;
  /** Cost motion: whether targets that divide are looked for [auto]. */
  readonly divisions?: DivisionsWanted | undefined;
  /** A file of links that are required or forbidden. */
  readonly links?: string | undefined;
  /** How triplets are held [implicit where the costs are computed, csr where they came with the input]. */
  readonly triplets?: TripletStorage | undefined;
}

/** A priced problem with everything known about its origin. */
export interface Problem {
  readonly name: string;
  readonly priced: PricedProblem;
  /** The data from which its links were priced, null where the costs came without detections. */
  readonly linkPricing: LinkPricing | null;
  /** The first pass of costs that are estimated from tracks; null where the costs do not depend on tracks. */
  readonly motion: MotionPass | null;
  /** Positions for tracks.csv and the picture, null where the costs came without. */
  readonly detections: Detections | null;
  /** True identity of each detection, or null. */
  readonly target: Int32Array | null;
  /** Further columns of the input, for tracks.csv. */
  readonly carried?: readonly CarriedColumn[];
  /** Of its frames in the input, and so in all that is written. */
  readonly numbers: FrameNumbers;
  /** Length unit of the positions, or null. */
  readonly unit: string | null;
  /** What to read or simulate to get the same problem again. */
  readonly source: ResultRow["scenario"];
  /** null where the costs came with the input. */
  readonly pricing: Pricing | null;
  /** null where nothing was drawn. */
  readonly seed: number | null;
  readonly settings: SolveSettings;
  /** What was assumed, estimated or left out, a sentence each. */
  readonly notes: readonly string[];
  /** Seconds. */
  readonly times: { readonly generate: number; readonly price: number };
}

export interface ProblemOptions {
  readonly threads: number;
  /** Seconds since some fixed time. */
  readonly now: () => number;
  readonly progress?: (done: number, total: number) => void;
  /** Called with the counts before anything is priced, and may refuse them by rejecting. */
  readonly sized?: (frameStart: Uint32Array, triplets: "implicit" | "csr") => Promise<void>;
  /** Bytes the run may take [those of the machine]. */
  readonly memory?: number | undefined;
  /** Where a scenario's recording comes from, if not from its file. */
  readonly readRecording?: typeof readDetections;
}

/**
 * Makes the priced problem of a scenario, a recording or an instance folder.
 * @throws InputError for overrides that do not fit the input, and whatever reading and pricing find
 */
export async function makeProblem(
  input: Input,
  overrides: ProblemOverrides,
  options: ProblemOptions,
): Promise<Problem> {
  if (input.kind === "instance") return instanceProblem(input.instance, overrides, options, input.instance.name, {});
  if (input.kind === "detections") {
    const name = basename(input.recording.file).replace(/\.[^.]*$/, "");
    return recordingProblem(input.recording, RECORDING_PRICING, overrides, options, name, {});
  }
  const { scenario } = input;
  const { source } = scenario;
  if (source.kind === "instance") {
    const folder = readInstanceFolder(source.folder);
    return instanceProblem(folder, overrides, options, scenario.name, scenario.solve);
  }
  if (source.kind === "detections") {
    const read = options.readRecording ?? readDetections;
    const recording = read(source.file, source.velocities === "file" ? "required" : "if-complete");
    const estimate = source.velocities === "estimate" ? { estimateVelocities: true, ...overrides } : overrides;
    const pricing = scenario.pricing ?? RECORDING_PRICING;
    return recordingProblem(recording, pricing, estimate, options, scenario.name, scenario.solve);
  }
  const seed = overrides.seed ?? scenario.seed;
  if (source.kind === "belt") return beltProblem(scenario, source, seed, overrides, options);
  return source.kind === "generator"
    ? generatedProblem(scenario, source, seed, overrides, options)
    : simulatedProblem(scenario, source, seed, overrides, options);
}

async function simulatedProblem(
  scenario: Scenario,
  source: Scenario["source"] & { kind: "simulation" },
  seed: number,
  overrides: ProblemOverrides,
  options: ProblemOptions,
): Promise<Problem> {
  if (overrides.estimateVelocities && source.velocities !== "none") {
    throw new InputError(
      '--estimate-velocities: this simulation measures its velocities; say "velocities": "none" in its scenario',
    );
  }
  // Loaded only here: the library that finds the roots of its paths takes longer to load than a recording to solve.
  const { simulate } = await import("../simulation/trajectories.js");
  const begin = options.now();
  requireMemoryToDraw(mostTargets(source), source.frames, options.memory);
  const detections = simulate(source, seed);
  const generate = options.now() - begin;
  const pricing = overridden(scenario.pricing ?? SIMULATION_PRICING, overrides);
  const costs = await price(detections, pricing, source.noise, overrides, COUNTED, options);
  return drawnProblem(scenario, { detections, unit: null, pricing, costs, seed, generate });
}

async function beltProblem(
  scenario: Scenario,
  source: Scenario["source"] & { kind: "belt" },
  seed: number,
  overrides: ProblemOverrides,
  options: ProblemOptions,
): Promise<Problem> {
  const begin = options.now();
  const { detections } = simulateBelt(source, seed);
  const generate = options.now() - begin;
  const pricing = overridden(scenario.pricing ?? RECORDING_PRICING, overrides);
  const costs = await price(detections, pricing, undefined, overrides, COUNTED, options);
  return drawnProblem(scenario, { detections, unit: "m", pricing, costs, seed, generate });
}

/** A scenario's problem after its detections were drawn, in `generate` seconds, and priced. */
function drawnProblem(
  { name, source, solve }: Scenario,
  drawn: Pick<Problem, "unit" | "pricing" | "seed"> & {
    readonly detections: Detections;
    readonly costs: Awaited<ReturnType<typeof price>>;
    readonly generate: number;
  },
): Problem {
  const { detections, unit, pricing, seed, costs, generate } = drawn;
  const { priced, linkPricing, motion, notes, seconds } = costs;
  return {
    name,
    priced,
    linkPricing,
    motion,
    detections,
    target: detections.target,
    numbers: COUNTED,
    unit,
    source: JSON.parse(JSON.stringify(source)),
    pricing,
    seed,
    settings: solve,
    notes,
    times: { generate, price: seconds },
  };
}

async function generatedProblem(
  scenario: Scenario,
  source: Scenario["source"] & { kind: "generator" },
  seed: number,
  overrides: ProblemOverrides,
  { now, threads, sized, memory }: ProblemOptions,
): Promise<Problem> {
  const { generator, targets, frames } = source;
  refusePricing(overrides, `the ${generator} generator`);
  const [detections, links] = [targets * frames, targets ** 2 * (frames - 1)];
  requireMemory({ detections, links, triplets: targets ** 3 * (frames - 2) }, memory);
  await sized?.(
    Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets),
    "csr",
  );
  const begin = now();
  const drawn =
    generator === "authors"
      ? await simulateAuthorsGenerator(targets, frames, seed, { threads })
      : uniformProblem(targets, frames, seed);
  requireStored(drawn, COUNTED, overrides, `the ${generator} generator`);
  return {
    name: scenario.name,
    priced: drawn,
    linkPricing: null,
    motion: null,
    detections: null,
    target: "target" in drawn ? (drawn.target as Int32Array) : null,
    numbers: COUNTED,
    unit: null,
    source: { ...source },
    pricing: null,
    seed,
    settings: scenario.solve,
    notes: [],
    times: { generate: now() - begin, price: 0 },
  };
}

async function recordingProblem(
  recording: DetectionsFile,
  chosen: Pricing,
  overrides: ProblemOverrides,
  options: ProblemOptions,
  name: string,
  settings: SolveSettings,
): Promise<Problem> {
  refuseSeed(overrides, "a recording");
  const pricing = overridden(chosen, overrides);
  const measured = recording.detections;
  const estimated = overrides.estimateVelocities === true && measured.vx !== null;
  const detections = estimated ? { ...measured, vx: null, vy: null } : measured;
  const costs = await price(detections, pricing, undefined, overrides, recording.numbers, options);
  const source = detections.vx === null ? [] : ["Velocities as measured in the input."];
  return {
    name,
    priced: costs.priced,
    linkPricing: costs.linkPricing,
    motion: costs.motion,
    detections: measured,
    target: measured.target,
    numbers: recording.numbers,
    unit: recording.unit,
    ...(recording.carried && { carried: recording.carried }),
    source: { kind: "detections", file: recording.file, velocitiesEstimated: detections.vx === null },
    pricing,
    seed: null,
    settings,
    notes: [...recording.notes, ...source, ...costs.notes],
    times: { generate: 0, price: costs.seconds },
  };
}

async function instanceProblem(
  { problem, recording, folder, notes }: InstanceFolder,
  overrides: ProblemOverrides,
  { sized }: ProblemOptions,
  name: string,
  settings: SolveSettings,
): Promise<Problem> {
  refuseSeed(overrides, "an instance");
  await sized?.(problem.links.frameStart, "csr");
  refusePricing(overrides, "an instance");
  requireStored(problem, recording?.numbers ?? COUNTED, overrides, "an instance");
  return {
    name,
    priced: problem,
    linkPricing: null,
    motion: null,
    detections: recording?.detections ?? null,
    target: recording?.detections.target ?? null,
    numbers: recording?.numbers ?? COUNTED,
    unit: recording?.unit ?? null,
    ...(recording?.carried && { carried: recording.carried }),
    source: { kind: "instance", folder },
    pricing: null,
    seed: null,
    settings,
    notes: [...notes, ...(recording?.notes ?? [])],
    times: { generate: 0, price: 0 },
  };
}

async function price(
  detections: Detections,
  pricing: Pricing,
  noise: { readonly position: number; readonly velocity: number } | undefined,
  { triplets: storage, maxGap, passes, divisions, links: linksFile }: ProblemOverrides,
  numbers: FrameNumbers,
  { threads, progress, now, sized, memory }: ProblemOptions,
) {
  const begin = now();
  const { cost: choice, gate, births } = pricing;
  const cost = await modelSource(choice);
  const counted: Counted = (sizes) => requireMemory(sizes, memory);
  if (cost === "motion") {
    parameterValues("motion", {}, parametersOf(choice));
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
    await sized?.(detections.frameStart, "csr");
    const fixed = linksFile === undefined ? null : readFixedLinks(linksFile, detections.frameStart, numbers);
    const gap = fixed === null ? 0 : fixed.longest - 1;
    if (maxGap !== undefined && gap > maxGap) {
      throw new InputError(
        `--max-gap ${maxGap}: ${linksFile} requires a link that leaves out frames; give at least ${gap}`,
      );
    }
    if (births === "none" && maxGap !== undefined && maxGap > 0) {
      throw new InputError(
        "--max-gap: with --births none every detection is linked from each frame to the next; leave one of them out",
      );
    }
    if (births !== "auto" && divisions === "auto") {
      throw new InputError(
        "--divisions auto: divisions are priced beside births that are estimated; leave --births out, or give --divisions none",
      );
    }
    const most = maxGap ?? (gap > 0 ? gap : null);
    const motion = firstPass(detections, { gate, birthDeath: births, maxGap: most, passes, divisions, fixed, counted });
    const notes =
      fixed === null ? [] : [`Links fixed by the user: ${fixed.required} required, ${fixed.ruledOut} forbidden.`];
    return { priced: motion.priced, linkPricing: null, motion, notes, seconds: now() - begin };
  }
  if (linksFile !== undefined) {
    throw new InputError(`--links: cost ${nameOf(cost)} takes no fixed links; use --cost motion`);
  }
  if (maxGap !== undefined) {
    throw new InputError(
      `--max-gap: cost ${nameOf(cost)} links consecutive frames alone; use --cost motion, or leave it out`,
    );
  }
  if (passes !== undefined) throw new InputError("--passes: only cost motion estimates in passes; leave it out");
  if (divisions !== undefined) {
    throw new InputError(
      `--divisions: cost ${nameOf(cost)} does not know of targets that divide; use --cost motion, or leave it out`,
    );
  }
  const triplets = storage === "dense" ? "csr" : storage;
  const parameters = {
    cost,
    parameters: parametersOf(choice),
    gate,
    birthDeath: births,
    triplets,
    ...(noise && { noise }),
  };
  if (storage === "dense") requireDenseFits(detections.frameStart);
  await sized?.(detections.frameStart, triplets === "csr" ? "csr" : "implicit");
  const priced = await priceDetections(detections, parameters, { threads, counted, ...(progress && { progress }) });
  if (storage === "dense") requireComplete(priced, numbers, "use --gate none, or --triplets csr");
  if (storage === "implicit" && priced.triplets.kind !== "implicit") {
    throw new InputError(
      `--triplets implicit: cost ${nameOf(cost)} is no function of numbers per link; use --triplets csr`,
    );
  }
  return {
    priced,
    linkPricing: priced.pricing,
    motion: null,
    notes: [...notesOf(cost), ...priced.notes],
    seconds: now() - begin,
  };
}

function overridden(pricing: Pricing, { cost, costParameter, gate, births }: ProblemOverrides): Pricing {
  const asked = typeof cost === "object" ? chooseCostFile(cost.file) : cost;
  const choice = asked === undefined || asked === costName(pricing.cost) ? pricing.cost : asked;
  return {
    cost: withParameters(choice, costParameter ?? {}),
    gate: gate ?? pricing.gate,
    births: births ?? pricing.births,
  };
}

/** Costs that come with the input are stored as they are. */
function requireStored(
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

function refuseSeed({ seed }: ProblemOverrides, what: string): void {
  if (seed !== undefined) throw new InputError(`--seed ${seed}: ${what} draws nothing; leave it out`);
}

function refusePricing(
  { cost, costParameter, gate, births, estimateVelocities, maxGap, passes, divisions, links }: ProblemOverrides,
  what: string,
): void {
  const given = {
    "--cost": cost,
    "--cost-parameter": costParameter,
    "--gate": gate,
    "--births": births,
    "--links": links,
    "--max-gap": maxGap,
    "--passes": passes,
    "--divisions": divisions,
    "--estimate-velocities": estimateVelocities,
  };
  for (const [option, value] of Object.entries(given)) {
    if (value !== undefined) throw new InputError(`${option}: ${what} carries its own costs; leave it out`);
  }
}
