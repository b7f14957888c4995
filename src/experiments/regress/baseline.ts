import { dirname } from "node:path";
import { z } from "zod";
import { checkJson, type PlacedJson, parsePlaced } from "../../files/json-file.js";
import { refuse } from "../../files/refusal.js";
import { jsonLimit, readBytes } from "../../files/text-file.js";
import { writeWhole } from "../../files/whole-file.js";
import type { ResultRow } from "../../rows/results.js";
import { LINEAGE_METRICS, LINEAGE_NAMES, type LineageMetric } from "../../scores/lineages.js";
import { METRIC_NAMES, METRICS, type MetricName } from "../../scores/metrics.js";
import { checkFields, readBase } from "../sweep/file.js";
import { InputFiles, makeTask } from "../sweep/plan.js";
import type { Task } from "../sweep/task.js";

const amount = z.number().min(0);

/** A key for every metric, none of them required. */
function perMetric<Value extends z.ZodType>(value: Value) {
  const keys = [...METRIC_NAMES, ...LINEAGE_NAMES].map((name) => [name, value.optional()] as const);
  return Object.fromEntries(keys) as Record<MetricName | LineageMetric, z.ZodOptional<Value>>;
}

const measured = z.strictObject({
  status: z.string().min(1),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  gapPercent: amount.nullable(),
  ...perMetric(z.number().nullable()),
});

const schema = z
  .strictObject({
    description: z.string().optional(),
    tolerance: z.strictObject({
      /** Of the lower bound and of the tracks' cost, relative to their size. */
      bound: amount,
      /** In percentage points. */
      gap: amount,
      /** The tolerance of each metric that is compared, in its unit; a metric not named here is not compared. */
      ...perMetric(amount),
    }),
    cases: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(200),
          scenario: z.union([z.string().min(1), z.record(z.string(), z.json())], {
            error: "give the path of a scenario, or a scenario { … }",
          }),
          set: z.record(z.string(), z.json()).optional(),
          expected: measured.optional(),
        }),
      )
      .min(1),
  })
  .check(({ value, issues }) => {
    const issue = (path: PropertyKey[], message: string) =>
      issues.push({ code: "custom", input: value, path, message });
    const first = new Map<string, number>();
    value.cases.forEach(({ name }, n) => {
      if (first.has(name)) issue(["cases", n, "name"], `is the name of case ${first.get(name)} already; give another`);
      first.set(name, n);
    });
  });

/** The numbers of a run that are compared: the best so far, which every later version must reach. */
export type Measured = z.output<typeof measured>;
type Baseline = z.output<typeof schema>;
export type Tolerance = Baseline["tolerance"];

export interface BaselineCase {
  readonly name: string;
  readonly expected: Measured | null;
  readonly task: Task;
}

export interface BaselineFile {
  readonly baseline: Baseline;
  readonly cases: readonly BaselineCase[];
}

/**
 * Reads a baseline: tolerances, and cases that are scenarios (or paths of them, relative to the file) with some fields set. A
 * case stops by gap or iterations and not by time, so that every machine comes to the same numbers.
 */
export function readBaseline(file: string): BaselineFile {
  const { value, place } = parsePlaced(file, readBytes(file, jsonLimit));
  const baseline = checkJson(value, schema, place);
  const files = new InputFiles();
  const folder = dirname(file);
  const cases = baseline.cases.map(({ name, scenario, set = {}, expected }, n): BaselineCase => {
    const here: PlacedJson["place"] = (path) => place(["cases", n, ...path]);
    const base = readBase(scenario, { folder, place: (path) => here(["scenario", ...path]) });
    const { seed, ...fields } = set;
    checkFields(Object.keys(fields), (field) => here(["set", field]));
    const settings = Object.entries(set).map(([field, value]) => ({ field, value, path: ["set", field] }));
    const named = { ...base, value: { name, ...base.value } };
    const task = makeTask(named, settings, here, files);
    const solve = task.scenario.solve;
    if (solve !== null && typeof solve === "object" && "time" in solve) {
      refuse(here([]), "stops by time", "state solve.iterations instead: a time stops elsewhere on every machine");
    }
    return { name, expected: expected ?? null, task };
  });
  return { baseline, cases };
}

/** Writes the baseline with the measured numbers of each case, in their order. */
export function writeBaseline(file: string, baseline: Baseline, all: readonly Measured[]): void {
  const cases = baseline.cases.map((each, n) => ({ ...each, expected: all[n] }));
  writeWhole(file, `${JSON.stringify({ ...baseline, cases }, null, 2)}\n`);
}

/** One quantity of one case that changed by more than its tolerance. */
export interface Difference {
  /** "status", "lower bound", "tracks", "gap", or the label of a metric. */
  readonly quantity: string;
  readonly recorded: number | string | null;
  readonly now: number | string | null;
  /** The limit that would still have passed; null where only the recorded value passes. */
  readonly limit: number | null;
  readonly worse: boolean;
}

/** The numbers of a run that a baseline with these tolerances records. */
export function measure(row: ResultRow, tolerance: Tolerance): Measured {
  const { status, lowerBound, upperBound, gapPercent } = row;
  const known: Partial<Record<MetricName | LineageMetric, number | null | undefined>> = {
    ...row.scores,
    ...row.lineages,
  };
  const metrics = Object.fromEntries(compared(tolerance).map(({ name }) => [name, known[name] ?? null]));
  return { status, lowerBound, upperBound, gapPercent, ...metrics };
}

/** The metrics that have a tolerance and a better side, those of lineages among them. */
function compared(tolerance: Tolerance) {
  const all = [
    ...METRIC_NAMES.map((name) => ({ name, label: METRICS[name].label, better: METRICS[name].better })),
    ...LINEAGE_NAMES.map((name) => ({ name, label: LINEAGE_METRICS[name].label, better: "more" as const })),
  ];
  return all.filter(({ name, better }) => tolerance[name] !== undefined && better !== null);
}

/**
 * The numbers that differ from the recorded ones by more than the tolerance, better or worse. A lower bound is worse when it is lower;
 * the tracks' cost, and the gap when they are higher, a score by its metric; a number that is not known any more is worse, too.
 */
export function compare(recorded: Measured, now: Measured, tolerance: Tolerance): Difference[] {
  const relative = (value: number | null) => tolerance.bound * Math.abs(value ?? 0);
  const checks = [
    { quantity: "lower bound", key: "lowerBound", sign: -1, allowed: relative(recorded.lowerBound) },
    { quantity: "tracks", key: "upperBound", sign: 1, allowed: relative(recorded.upperBound) },
    { quantity: "gap", key: "gapPercent", sign: 1, allowed: tolerance.gap },
    ...compared(tolerance).map(({ name: key, label, better }) => {
      return { quantity: label, key, sign: better === "less" ? 1 : -1, allowed: tolerance[key] ?? 0 };
    }),
  ] as const;
  const differences: Difference[] = [];
  if (now.status === "failed" && recorded.status !== "failed") {
    differences.push({ quantity: "status", recorded: recorded.status, now: now.status, limit: null, worse: true });
  }
  for (const { quantity, key, sign, allowed } of checks) {
    const [before, after] = [recorded[key] ?? null, now[key] ?? null];
    if (before === null && after === null) continue;
    // Which of the two is known is the better one.
    const change =
      before === null ? Number.NEGATIVE_INFINITY : after === null ? Number.POSITIVE_INFINITY : sign * (after - before);
    if (Math.abs(change) <= allowed) continue;
    const limit = before === null ? null : before + sign * allowed;
    differences.push({ quantity, recorded: before, now: after, limit, worse: change > 0 });
  }
  return differences;
}
