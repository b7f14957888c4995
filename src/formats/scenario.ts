import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type BirthDeath, MAX_COST } from "../costs/births.js";
import type { CostChoice } from "../costs/choice.js";
import { GATE_RANGE, type Gate } from "../costs/gate.js";
import { COST_NAMES } from "../costs/models/cost-models.js";
import { PRIORS } from "../costs/motion/stated-priors.js";
import { checkJson, fieldsOf, type PlacedJson, parsePlaced } from "../files/json-file.js";
import { nearest } from "../files/nearest.js";
import { refuse } from "../files/refusal.js";
import { jsonLimit, readBytes } from "../files/text-file.js";
import { ASCENTS, type AscentName } from "../map/dual/ascents.js";
import type { BeltParameters } from "../simulation/belt/belt.js";
import { FAULT_RANGES } from "../simulation/faults.js";
import {
  type FullSimulationParameters,
  MAX_DRAWN,
  SIMULATION_DEFAULTS,
  SIMULATION_RANGES,
  SPEED_RANGE,
} from "../simulation/parameters.js";
import { type ReadingOptions, readingOptions } from "./reading-options.js";
import { belt } from "./scenario-belt.js";
import { numberIn, numbersIn, SETTINGS, schemaOf } from "./settings.js";

/** Where a scenario's detections or costs come from. */
export type ScenarioSource =
  | ({ readonly kind: "simulation" } & FullSimulationParameters)
  | ({ readonly kind: "belt" } & Required<BeltParameters>)
  | {
      readonly kind: "detections";
      /** Absolute path of a recording in any format. */
      readonly file: string;
      /** Which velocities the costs see; null: those of the file if all rows have them, else estimated ones. */
      readonly velocities: "file" | "estimate" | null;
      /** How the file is read, where it does not show that. */
      readonly reading: ReadingOptions;
    }
  | {
      readonly kind: "instance";
      /** Absolute path of an instance folder. */
      readonly folder: string;
    }
  | {
      readonly kind: "generator";
      /** The dense costs with which the authors of [K23] time their engine, or uniform ones (docs/explanation/mathematics.md §7). */
      readonly generator: "authors" | "uniform";
      readonly targets: number;
      readonly frames: number;
    };

/** How detections become costs. */
export interface Pricing {
  readonly cost: CostChoice;
  readonly gate: Gate;
  readonly births: BirthDeath;
}

/** Limits on the solver; an undefined one has the solver's default. */
export interface SolveSettings {
  readonly ascent?: AscentName | undefined;
  readonly iterations?: number | undefined;
  /** Stop at this certified gap, in percent. */
  readonly gap?: number | undefined;
  /** Stop after this many seconds. */
  readonly time?: number | undefined;
  /** Stop when the bound has risen by less than this over five iterations, in percent: 0.1 in [K23]. */
  readonly rise?: number | undefined;
}

/** A scenario file with all defaults applied. */
export interface Scenario {
  readonly name: string;
  readonly description: string | null;
  readonly source: ScenarioSource;
  /** null where the source is an instance or a generator, which carry their own costs. */
  readonly pricing: Pricing | null;
  readonly solve: SolveSettings;
  readonly seed: number;
}

/** How a simulation is priced ([K23]), and how a recording, or a simulation with faults, is priced, unless the scenario states otherwise. */
export const SIMULATION_PRICING: Pricing = { cost: "spline", gate: { epsilon: 5 }, births: "none" };
export const RECORDING_PRICING: Pricing = { cost: "motion", gate: "auto", births: "auto" };

const names = <Name extends string>(registry: Record<Name, unknown>) => Object.keys(registry) as Name[];

const oneOf = (forms: string) => ({ error: `give ${forms}` });

const simulation = z
  .strictObject({
    targets: schemaOf(SETTINGS.targets),
    frames: schemaOf(SETTINGS.frames),
    dimensions: z.union([z.literal(2), z.literal(3)], oneOf("2 or 3")).optional(),
    path: z.enum(["polynomial", "spline"]).default(SIMULATION_DEFAULTS.path),
    degree: z.union([z.literal(3), z.literal(4)], oneOf("3 or 4")).optional(),
    amplitude: numberIn(SIMULATION_RANGES.amplitude).default(SIMULATION_DEFAULTS.amplitude),
    speed: z.tuple([numberIn(SPEED_RANGE), numberIn(SPEED_RANGE)]).default([...SIMULATION_DEFAULTS.speed]),
    timeStep: numberIn(SIMULATION_RANGES.timeStep).default(SIMULATION_DEFAULTS.timeStep),
    spread: numberIn(SIMULATION_RANGES.spread).default(SIMULATION_DEFAULTS.spread),
    noise: z
      .strictObject({
        position: schemaOf(SETTINGS.noise).default(SIMULATION_DEFAULTS.noise.position),
        velocity: schemaOf(SETTINGS.velocityNoise).default(SIMULATION_DEFAULTS.noise.velocity),
      })
      .prefault({}),
    velocities: z.enum(["measured", "none"]).optional(),
    faults: z.strictObject(numbersIn(FAULT_RANGES)).partial().optional(),
  })
  .check(({ value, issues }) => {
    const issue = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    if (value.speed[0] > value.speed[1]) issue(["speed"], "give the least speed first");
    if (value.path === "spline" && value.degree !== undefined) issue(["degree"], 'leave it out where path is "spline"');
    const all = value.targets + (value.faults?.births ?? 0) * value.frames;
    if (all * value.frames > MAX_DRAWN) issue(["targets"], "keep targets · frames at 1e8 or less, births counted");
  });

const cost = z.union(
  [
    z.enum(COST_NAMES),
    z.strictObject({ name: z.enum(COST_NAMES), parameters: z.record(z.string(), z.number()).default({}) }),
    z.strictObject({
      pair: z.string(),
      triplet: z.string(),
      numbers: z.record(z.string(), z.string()).optional(),
      parameters: z.record(z.string(), z.number()).optional(),
    }),
  ],
  oneOf(
    `${COST_NAMES.map((name) => JSON.stringify(name)).join(", ")}, {"name": …, "parameters": {NAME: number}} or {"pair": formula, "triplet": formula, "numbers": {NAME: formula}}`,
  ),
);
const price = numberIn({ least: -MAX_COST, most: MAX_COST, above: true, below: true });
export const births = z.union(
  [z.enum(["none", "auto"]), z.strictObject({ birth: price, death: price })],
  oneOf('"none", "auto" or {"birth": cost, "death": cost} with both below 1e30 in size'),
);

/** What is known of a recording, as the option --prior states it. */
export const priors = z.strictObject(numbersIn(PRIORS)).partial();

export const gate = z.union(
  [
    z.strictObject({ epsilon: numberIn(GATE_RANGE) }),
    z.strictObject({ radius: numberIn(GATE_RANGE) }),
    z.strictObject({ tripletEpsilon: numberIn(GATE_RANGE) }),
    z.enum(["none", "auto"]),
  ],
  oneOf('{"epsilon": number above 0}, {"radius": length above 0}, {"tripletEpsilon": …}, "none" or "auto"'),
);

const schema = z
  .strictObject({
    name: z.string().min(1).max(200),
    description: z.string().optional(),
    simulation: simulation.optional(),
    belt: belt.optional(),
    detections: z
      .strictObject({
        file: z.string().min(1),
        velocities: z.enum(["file", "estimate"]).optional(),
        ...readingOptions.shape,
      })
      .optional(),
    instance: z.strictObject({ folder: z.string().min(1) }).optional(),
    generator: z
      .strictObject({
        kind: z.enum(["authors", "uniform"]),
        targets: numberIn({ ...SETTINGS.targets, most: 10_000 }),
        frames: schemaOf(SETTINGS.frames),
      })
      .optional(),
    cost: cost.optional(),
    gate: gate.optional(),
    births: births.optional(),
    solve: z
      .strictObject({
        ascent: z.enum(names(ASCENTS)).optional(),
        iterations: schemaOf(SETTINGS.iterations).optional(),
        gap: schemaOf(SETTINGS.gap).optional(),
        time: schemaOf(SETTINGS.time).optional(),
        rise: schemaOf(SETTINGS.rise).optional(),
      })
      .prefault({}),
    seed: schemaOf(SETTINGS.seed).default(1),
  })
  .check(({ value, issues }) => {
    const issue = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    const [first, second] = sources.filter((source) => value[source] !== undefined);
    if (first === undefined) issue([], `give one of ${sources.join(", ")}`);
    else if (second !== undefined) issue([second], `keep one of ${first} and ${second}`);
    if (first !== "instance" && first !== "generator") return;
    for (const key of ["cost", "gate", "births"] as const) {
      if (value[key] !== undefined) issue([key], `leave it out: ${first} carries its own costs`);
    }
  });

const sources = ["simulation", "belt", "detections", "instance", "generator"] as const;

/**
 * Reads a scenario: JSON with a name, one of simulation, belt, detections, instance and generator, and perhaps cost, gate, births,
 * solve and seed. Paths in it are relative to its folder. Unknown keys and values out of range are InputErrors naming line,
 * JSON path, value and remedy.
 */
export function readScenario(file: string): Scenario {
  return parseScenario(file, readBytes(file, jsonLimit));
}

/** readScenario on the bytes of a file. */
export function parseScenario(file: string, bytes: Uint8Array): Scenario {
  const { value, place } = parsePlaced(file, bytes);
  refuseOtherJson(file, value);
  return checkScenario(value, place, dirname(file));
}

/** JSON of other programs has none of a scenario's keys, nor one that is like them. */
function refuseOtherJson(file: string, value: unknown): void {
  const known = Object.keys(schema.shape);
  const keys = Object.keys(value ?? {});
  if (keys.length === 0 || keys.some((key) => nearest(key, known) !== null)) return;
  refuse(file, "is JSON, but no scenario", "name a scenario, or make a table of detections: frame,x,y");
}

/** The scenario that a JSON value states; paths in it are relative to `folder`. */
export function checkScenario(value: unknown, place: PlacedJson["place"], folder: string): Scenario {
  const given = checkJson(value, schema, place);
  const source = sourceOf(given, folder);
  const priced = source.kind !== "instance" && source.kind !== "generator";
  const plain = source.kind === "simulation" && source.faults === undefined && source.velocities !== "none";
  const usual = plain ? SIMULATION_PRICING : RECORDING_PRICING;
  return {
    name: given.name,
    description: given.description ?? null,
    source,
    pricing: priced
      ? { cost: given.cost ?? usual.cost, gate: given.gate ?? usual.gate, births: given.births ?? usual.births }
      : null,
    solve: given.solve,
    seed: given.seed,
  };
}

/** JSON Schema of a scenario, for editors. */
export const scenarioJsonSchema = () => z.toJSONSchema(schema, { io: "input" });

/** Dotted paths of all keys of a scenario. */
export function scenarioFields(): string[] {
  return fieldsOf(schema);
}

function sourceOf(given: z.output<typeof schema>, folder: string): ScenarioSource {
  if (given.simulation) {
    return { kind: "simulation", ...given.simulation, degree: given.simulation.degree ?? SIMULATION_DEFAULTS.degree };
  }
  if (given.belt) return { kind: "belt", ...given.belt };
  if (given.detections) {
    const { file, velocities, ...reading } = given.detections;
    return { kind: "detections", file: resolve(folder, file), velocities: velocities ?? null, reading };
  }
  if (given.instance) return { kind: "instance", folder: resolve(folder, given.instance.folder) };
  const { kind: generator, targets, frames } = given.generator as NonNullable<typeof given.generator>;
  return { kind: "generator", generator, targets, frames };
}
