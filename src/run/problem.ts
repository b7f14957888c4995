import { basename } from "node:path";
import type { Detections } from "../core/detections.js";
import { InputError } from "../core/errors.js";
import { COUNTED, type FrameNumbers } from "../core/frame-numbers.js";
import type { CarriedColumn } from "../formats/attribute-columns.js";
import type { Pins } from "../formats/candidate-graph.js";
import type { DetectionsFile, GraphNodes } from "../formats/detections.js";
import { readFixedLinks } from "../formats/fixed-links.js";
import { type Input, readRecording } from "../formats/input.js";
import { type InstanceFolder, readInstanceFolder } from "../formats/instance-folder.js";
import { mothersOf } from "../formats/mothers.js";
import type { Reading } from "../formats/reading.js";
import { readingOptions } from "../formats/reading-options.js";
import {
  type Pricing,
  RECORDING_PRICING,
  type Scenario,
  SIMULATION_PRICING,
  type SolveSettings,
} from "../formats/scenario.js";
import type { ResultRow } from "../rows/results.js";
import type { Mothers } from "../scores/comparison.js";
import { simulateAuthorsGenerator } from "../simulation/authors-generator.js";
import { simulateBelt } from "../simulation/belt/belt.js";
import { mostTargets, type SimulationParameters } from "../simulation/parameters.js";
import { uniformProblem } from "../simulation/uniform.js";
import { requireMemory, requireMemoryToDraw } from "./memory.js";
import { overridden, type ProblemOverrides, refusePricing, refuseSeed, requireStored } from "./overrides.js";
import { type Costs, type PriceOptions, price } from "./price.js";

/** A priced problem with everything known about its origin. */
export interface Problem extends Pick<Costs, "priced" | "linkPricing" | "motion"> {
  readonly name: string;
  /** Positions for tracks.csv and the picture, null where the costs came without. */
  readonly detections: Detections | null;
  /** True identity of each detection, or null. */
  readonly target: Int32Array | null;
  /** The mother of each target that begins where she divides; empty where the input does not say [empty]. */
  readonly mothers?: Mothers;
  /** Further columns of the input, for tracks.csv. */
  readonly carried?: readonly CarriedColumn[];
  /** The nodes of a graph behind the detections, and what it requires and forbids. */
  readonly nodes?: GraphNodes;
  readonly pins?: Pins;
  /** What was understood of the recording. */
  readonly reading?: Reading;
  /** Of its frames in the input, and so in all that is written. */
  readonly numbers: FrameNumbers;
  /** Length unit of the positions, or null. */
  readonly unit: string | null;
  /** The source from which the same problem is read or simulated again. */
  readonly source: ResultRow["scenario"];
  /** null where the costs came with the input. */
  readonly pricing: Pricing | null;
  /** null where nothing was drawn. */
  readonly seed: number | null;
  readonly settings: SolveSettings;
  /** Assumptions, estimates and omissions, a sentence each. */
  readonly notes: readonly string[];
  /** Seconds. */
  readonly times: { readonly generate: number; readonly price: number };
}

export interface ProblemOptions extends PriceOptions {
  /** Reads a scenario's recording, if not from its file. */
  readonly readRecording?: typeof readRecording;
  /** Called when other threads draw what is simulated, once or more often; this one goes on with it when that is done. */
  readonly drawing?: () => unknown;
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
  if (input.kind === "instance") return instanceProblem(input.instance, overrides, input.instance.name, {});
  if (input.kind === "detections") {
    const name = basename(input.recording.file).replace(/\.[^.]*$/, "");
    return recordingProblem(input.recording, RECORDING_PRICING, overrides, options, name, {});
  }
  const { scenario } = input;
  const { source } = scenario;
  if (source.kind === "instance") {
    const folder = readInstanceFolder(source.folder);
    return instanceProblem(folder, overrides, scenario.name, scenario.solve);
  }
  if (source.kind === "detections") {
    const recording = recordingOf(source, options.readRecording ?? readRecording);
    const estimate = source.velocities === "estimate" ? { estimateVelocities: true, ...overrides } : overrides;
    const pricing = scenario.pricing ?? RECORDING_PRICING;
    return recordingProblem(recording, pricing, estimate, options, scenario.name, scenario.solve);
  }
  const seed = overrides.seed ?? scenario.seed;
  return source.kind === "generator"
    ? generatedProblem(scenario, source, seed, overrides, options)
    : drawnProblem(scenario, source, seed, overrides, options);
}

/** Whether its detections are simulated, by other threads where they are many. */
export function isDrawn(input: Input): boolean {
  return input.kind === "scenario" && input.scenario.source.kind === "simulation";
}

/** The detections that an input will have, as far as it is known before it is made; else 0. */
export function expectedDetections(input: Input): number {
  if (input.kind === "detections") return input.recording.detections.x.length;
  if (input.kind === "scenario" && input.scenario.source.kind === "simulation")
    return mostTargets(input.scenario.source) * input.scenario.source.frames;
  return 0;
}

/** The recording of a scenario, which states what its file does not show. */
function recordingOf(
  { file, velocities, reading }: Scenario["source"] & { kind: "detections" },
  read: typeof readRecording,
): DetectionsFile {
  try {
    return read(file, velocities === "file" ? "required" : "if-complete", { ...reading, statedBy: "the scenario" });
  } catch (error) {
    if (error instanceof InputError && /--(columns|dt|z-scale|decimal|dates)\b/.test(error.message))
      error.message += ` (in a scenario these are keys of detections: ${Object.keys(readingOptions.shape).join(", ")})`;
    throw error;
  }
}

/** Simulated detections, priced. */
async function drawnProblem(
  { name, source: stated, solve, pricing: chosen }: Scenario,
  source: Scenario["source"] & { kind: "simulation" | "belt" },
  seed: number,
  overrides: ProblemOverrides,
  options: ProblemOptions,
): Promise<Problem> {
  const isBelt = source.kind === "belt";
  if (!isBelt && overrides.estimateVelocities && source.velocities !== "none") {
    throw new InputError(
      '--estimate-velocities: this simulation measures its velocities; say "velocities": "none" in its scenario',
    );
  }
  const begin = options.now();
  const detections = isBelt ? simulateBelt(source, seed).detections : await simulated(source, seed, options);
  const pricing = overridden(chosen ?? (isBelt ? RECORDING_PRICING : SIMULATION_PRICING), overrides);
  const generate = options.now() - begin;
  const noise = isBelt ? undefined : source.noise;
  const { seconds, ...costs } = await price(detections, pricing, noise, overrides, COUNTED, options);
  return {
    name,
    ...costs,
    detections,
    target: detections.target,
    numbers: COUNTED,
    unit: isBelt ? "m" : null,
    source: JSON.parse(JSON.stringify(stated)),
    pricing,
    seed,
    settings: solve,
    times: { generate, price: seconds },
  };
}

async function simulated(parameters: SimulationParameters, seed: number, { memory, threads, drawing }: ProblemOptions) {
  // Loaded only here: the library that finds the roots of its paths takes longer to load than a recording to solve.
  const { simulateOnThreads } = await import("../simulation/trajectories.js");
  requireMemoryToDraw(mostTargets(parameters), parameters.frames, memory);
  return simulateOnThreads(parameters, seed, threads, drawing);
}

async function generatedProblem(
  scenario: Scenario,
  source: Scenario["source"] & { kind: "generator" },
  seed: number,
  overrides: ProblemOverrides,
  { now, threads, memory }: ProblemOptions,
): Promise<Problem> {
  const { generator, targets, frames } = source;
  refusePricing(overrides, `the ${generator} generator`);
  const [detections, links] = [targets * frames, targets ** 2 * (frames - 1)];
  requireMemory({ detections, links, triplets: targets ** 3 * (frames - 2) }, memory);
  const begin = now();
  const drawn =
    generator === "authors"
      ? await simulateAuthorsGenerator(targets, frames, seed, { threads })
      : uniformProblem(targets, frames, seed);
  requireStored(drawn, COUNTED, overrides, `the ${generator} generator`);
  return {
    ...UNPRICED,
    name: scenario.name,
    priced: drawn,
    target: "target" in drawn ? (drawn.target as Int32Array) : null,
    source: { ...source },
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
  const { priced, linkPricing, motion, notes, seconds } = costs;
  const source = detections.vx === null ? [] : [originOfVelocities(recording.metadata.get("velocity"))];
  return {
    name,
    ...{ priced, linkPricing, motion },
    ...fromRecording(recording),
    source: { kind: "detections", file: recording.file, velocitiesEstimated: detections.vx === null },
    pricing,
    seed: null,
    settings,
    notes: [...recording.notes, ...source, ...notes],
    times: { generate: 0, price: seconds },
  };
}

/** Velocities that were made of the true tracks know of them, and are no measurements. */
function originOfVelocities(stated: string | undefined): string {
  if (stated === undefined || !/differen[ct]|derivative|true|gradient/i.test(stated))
    return "Velocities as measured in the input.";
  return `Velocities of the input are not measured: its header says "${stated}". They know of the tracks that are looked for; --estimate-velocities leaves them out.`;
}

async function instanceProblem(
  { problem: given, recording, folder, notes, graph }: InstanceFolder,
  overrides: ProblemOverrides,
  name: string,
  settings: SolveSettings,
): Promise<Problem> {
  const { links, ...others } = overrides;
  const numbers = recording?.numbers ?? COUNTED;
  refuseSeed(overrides, "an instance");
  refusePricing(graph === undefined ? overrides : others, graph === undefined ? "an instance" : "a graph");
  const frameStart = recording?.detections.frameStart;
  const fixed =
    graph === undefined || links === undefined || frameStart === undefined
      ? null
      : graph.fix(readFixedLinks(links, frameStart, numbers));
  const problem = fixed?.problem ?? given;
  const pins = fixed?.pins ?? graph?.pins;
  requireStored(problem, numbers, overrides, "an instance");
  return {
    ...UNPRICED,
    name,
    priced: problem,
    ...(recording && fromRecording(recording)),
    ...(pins && { pins }),
    source: { kind: "instance", folder },
    seed: null,
    settings,
    notes: [...notes, ...(recording?.notes ?? [])],
    times: { generate: 0, price: 0 },
  };
}

/** A problem whose costs came with the input, and no detections. */
const UNPRICED = {
  ...{ linkPricing: null, motion: null, pricing: null },
  ...{ detections: null, target: null, numbers: COUNTED, unit: null },
} as const;

/** The part of a problem that a recording gives. */
function fromRecording(recording: DetectionsFile) {
  const { detections, numbers, unit, carried, reading, nodes } = recording;
  const target = detections.target;
  return {
    detections,
    target,
    ...(target && { mothers: mothersOf(recording.file, recording) }),
    numbers,
    unit,
    ...(carried && { carried }),
    ...(reading && { reading }),
    ...(nodes && { nodes }),
  };
}
