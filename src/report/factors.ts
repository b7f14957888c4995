import { group } from "d3-array";
import { z } from "zod";
import type { RunRow } from "../rows/results.js";
import { latestOfEach } from "./latest.js";

/** The settings of a run, apart from its seed, in the order in which a label names them. */
type Factors = Readonly<Record<FactorName, number | string>>;

/** Settings by name, those of the program or fields of a sweep. */
export type Levels = Readonly<Record<string, number | string>>;

export const FACTOR_NAMES = [
  ..."input N T σ ε cost births path amplitude spread speed".split(" "),
  "velocity noise",
  "time step",
  "faults",
  ..."ascent device precision stop".split(" "),
] as FactorName[];

export type FactorName =
  | ("input" | "N" | "T" | "σ" | "ε" | "cost" | "births" | "path" | "amplitude" | "spread" | "speed")
  | ("velocity noise" | "time step" | "faults" | "ascent" | "device" | "precision" | "stop");

/** Settings whose value is clear without a name. */
const selfExplaining = new Set<string>(["input", "cost", "path", "ascent", "device", "precision"]);

const noise = z.object({ position: z.number(), velocity: z.number() });
const scenario = z.looseObject({
  source: z.looseObject({
    kind: z.string(),
    targets: z.number().optional(),
    path: z.string().optional(),
    degree: z.number().optional(),
    amplitude: z.number().optional(),
    spread: z.number().optional(),
    speed: z.array(z.number()).optional(),
    timeStep: z.number().optional(),
    noise: noise.optional(),
    faults: z.record(z.string(), z.number()).optional(),
    velocities: z.string().optional(),
    generator: z.string().optional(),
  }),
  pricing: z
    .looseObject({
      cost: z.union([z.string(), z.looseObject({ name: z.string().optional(), file: z.string().optional() })]),
      gate: z.union([
        z.string(),
        z.looseObject({ epsilon: z.number() }),
        z.looseObject({ radius: z.number() }),
        z.looseObject({ tripletEpsilon: z.number() }),
      ]),
      births: z.json(),
    })
    .nullish(),
  stop: z.json().optional(),
});

const absent = "–";

/** The settings of a run; "–" where it has none of a kind. */
export function factorsOf(row: RunRow): Factors {
  const read = scenario.safeParse(row.scenario);
  const source = read.data?.source;
  const pricing = read.data?.pricing;
  const drawn = source?.kind === "simulation" || source?.kind === "generator";
  return {
    input: drawn ? (source.generator ?? "simulation") : row.name,
    N: source?.targets ?? Math.round(row.detections / Math.max(1, row.frames)),
    T: row.frames,
    σ: source?.noise?.position ?? absent,
    "velocity noise": source?.noise?.velocity ?? absent,
    path: source?.path ? `${source.path}${source.degree ? ` of degree ${source.degree}` : ""}` : absent,
    amplitude: source?.amplitude ?? absent,
    spread: source?.spread ?? absent,
    speed: source?.speed?.join(" to ") ?? absent,
    "time step": source?.timeStep ?? absent,
    faults: faultsText(source?.faults, source?.velocities),
    ε: pricing ? gateText(pricing.gate) : absent,
    cost: pricing ? costText(pricing.cost) : "own costs",
    births: pricing ? plain(pricing.births) : absent,
    ascent: row.ascent,
    device: row.device.actual,
    precision: row.precision,
    stop: stopText(row.stop ?? read.data?.stop, row.times.total ?? Number.POSITIVE_INFINITY),
  };
}

function faultsText(faults: Readonly<Record<string, number>> | undefined, velocities: string | undefined): string {
  const named = Object.entries(faults ?? {}).map(([name, value]) => `${name} ${value}`);
  return [...(velocities === "none" ? ["no velocities"] : []), ...named].join(", ") || absent;
}

const stopRules = z
  .object({ gapPercent: z.number(), iterations: z.number(), seconds: z.number().nullable() })
  .partial();

/** A limit in seconds that a run did not reach had no effect, so it does not tell runs apart. */
function stopText(stop: unknown, total: number): string {
  const rules = stopRules.safeParse(stop);
  if (!rules.success) return plain(stop);
  const { gapPercent, iterations, seconds } = rules.data;
  const limit = typeof seconds === "number" && total >= seconds ? [`${seconds} s`] : [];
  return [
    ...(gapPercent === undefined ? [] : [`${gapPercent} %`]),
    ...(iterations === undefined ? [] : [`${iterations} iterations`]),
    ...limit,
  ].join(", ");
}

function gateText(gate: string | { epsilon?: unknown; radius?: unknown; tripletEpsilon?: unknown }): number | string {
  if (typeof gate === "string") return gate === "none" ? "no gate" : gate;
  if (gate.tripletEpsilon !== undefined) return `${gate.tripletEpsilon}, triplets`;
  return typeof gate.epsilon === "number" ? gate.epsilon : `radius ${gate.radius}`;
}

interface StatedCost {
  readonly name?: string | undefined;
  readonly file?: string | undefined;
  readonly parameters?: unknown;
  readonly [key: string]: unknown;
}

/** A cost with all that tells it from others: the parameters that were set, a file's version, the formulas. */
function costText(cost: string | StatedCost): string {
  if (typeof cost === "string") return cost;
  const { name, file, parameters, pair, triplet, numbers, sha256 } = cost;
  const set = [numbers, parameters].filter((part) => part !== undefined).map((part) => ` ${JSON.stringify(part)}`);
  const version = typeof sha256 === "string" ? ` ${sha256.slice(0, 8)}` : "";
  return `${name ?? (file === undefined ? `${pair}; ${triplet}` : `${file}${version}`)}${set.join("")}`;
}

function plain(value: unknown): string {
  if (value === undefined || value === null) return absent;
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([key, part]) => `${key} ${part}`)
    .join(", ");
}

/** Factors in which the runs differ. */
export function varyingFactors(all: readonly Factors[], except: readonly FactorName[] = []): FactorName[] {
  return FACTOR_NAMES.filter((name) => !except.includes(name) && all.some((f) => f[name] !== all[0][name]));
}

/** The factors as a label: "N 20 · σ 0.1 · spline". */
export function labelOf(factors: Levels, names: readonly string[]): string {
  return names.map((name) => wordsOf(name, factors[name])).join(" · ") || "all runs";
}

function wordsOf(name: string, value: number | string): string {
  if (selfExplaining.has(name) || value === "no gate") return String(value);
  return `${name} ${value}`;
}

/** Numbers in order, then words. */
export function compareLevels(a: number | string, b: number | string): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function compareFactors(a: Factors, b: Factors): number {
  for (const name of FACTOR_NAMES) {
    const order = compareLevels(a[name], b[name]);
    if (order !== 0) return order;
  }
  return 0;
}

/** A run with its settings read. */
export interface KnownRun {
  readonly row: RunRow;
  readonly factors: Factors;
}

/** Runs that differ in one setting and the seed only, by that setting. */
export interface Line {
  readonly factors: Levels;
  readonly points: readonly { readonly x: number | string; readonly runs: readonly KnownRun[] }[];
}

export interface Lines {
  readonly lines: readonly Line[];
  /** Settings that tell the lines apart. */
  readonly varying: readonly string[];
}

/** Groups of runs that agree in all settings but `free`, in order of the settings. */
export function groupRuns(runs: readonly KnownRun[], free: readonly FactorName[]): KnownRun[][] {
  const fixed = FACTOR_NAMES.filter((name) => !free.includes(name));
  const groups = group(runs, ({ factors }) => JSON.stringify(fixed.map((name) => factors[name])));
  return [...groups.values()].sort(([a], [b]) => compareFactors(a.factors, b.factors));
}

/** Lines over `x` with at least two of its values. Runs are never pooled over anything but the seed. */
export function linesOver(runs: readonly KnownRun[], x: FactorName): Lines {
  const lines = groupRuns(runs, [x])
    .map((own) => ({
      factors: own[0].factors,
      points: [...group(own, ({ factors }) => factors[x])]
        .map(([level, runs]) => ({ x: level, runs }))
        .sort((a, b) => compareLevels(a.x, b.x)),
    }))
    .filter(({ points }) => points.length > 1);
  return {
    lines,
    varying: varyingFactors(
      lines.map(({ factors }) => factors as Factors),
      [x],
    ),
  };
}

/** Of runs made more than once with the same settings and seed, the last. */
export function lastOfEach(runs: readonly KnownRun[]): KnownRun[] {
  return latestOfEach(
    runs,
    ({ row }) => [row.name, row.scenario, row.ascent, row.device.actual, row.precision, row.seed, row.stop],
    ({ row }) => row.date,
  );
}
