import { extname } from "node:path";
import type { z } from "zod";
import { jsonLimit, parseJson } from "../files/json-file.js";
import { refuse } from "../files/refusal.js";
import { plainText, readBytes } from "../files/text-file.js";
import { baselineRow } from "./baselines.js";
import { BENCHMARKS, benchRow } from "./bench.js";
import { benchmarkOf, type Measurement, measurement } from "./measurement.js";
import { type RunRow, runRow } from "./results.js";

/** A row and its place in the files. */
export interface Placed<Row> {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly row: Row;
}

/** Schemas of measurements by benchmark; others are read as `measurement` has them. */
export type Schemas = Readonly<Record<string, z.ZodType<Measurement>>>;

/** Those of the program's own benchmarks. */
export const SCHEMAS: Schemas = {
  ...Object.fromEntries(BENCHMARKS.map((name) => [name, benchRow])),
  baselines: baselineRow,
};

export function isRun(placed: Placed<RunRow | Measurement>): placed is Placed<RunRow> {
  return !("benchmark" in placed.row);
}

export function isMeasurement(placed: Placed<RunRow | Measurement>): placed is Placed<Measurement> {
  return !isRun(placed);
}

/** The measurements of these benchmarks, whose schemas have read them. */
export function measurementsOf<Row extends Measurement>(
  rows: readonly Placed<RunRow | Measurement>[],
  benchmarks: readonly Row["benchmark"][],
): Row[] {
  const wanted: readonly string[] = benchmarks;
  const found = rows.filter(isMeasurement).filter(({ row }) => wanted.includes(row.benchmark));
  return found.map(({ row }) => row as Row);
}

/**
 * Reads the rows of a JSON Lines file, or the one of a result.json: a row that names a benchmark is a measurement, any other a run.
 * @throws InputError naming file, line, key and value
 */
export function readMixedRows(file: string, schemas = SCHEMAS): Placed<RunRow | Measurement>[] {
  if (extname(file).toLowerCase() === ".json") {
    return [readRow(file, 1, plainText(file, readBytes(file, jsonLimit)).toString("utf8"), schemas)];
  }
  const lines = plainText(file, readBytes(file)).toString("utf8").split(/\r?\n/);
  const rows = lines.flatMap((line, n) => (line.trim() === "" ? [] : [readRow(file, n + 1, line, schemas)]));
  if (rows.length === 0) refuse(file, "holds no rows", "name a file that rmap wrote with --append, sweep or bench");
  return rows;
}

function readRow(file: string, line: number, text: string, schemas: Schemas): Placed<RunRow | Measurement> {
  const value = parsed(text);
  const benchmark = typeof value === "object" && value !== null ? benchmarkOf(value) : null;
  const schema: z.ZodType<RunRow | Measurement> =
    benchmark === null ? runRow : Object.hasOwn(schemas, String(benchmark)) ? schemas[String(benchmark)] : measurement;
  const named = benchmark === null ? value : { ...(value as object), benchmark };
  const { success, data } = schema.safeParse(named);
  // Blank lines are put before it so that messages name the right line.
  const row = success ? data : parseJson(file, Buffer.from("\n".repeat(line - 1) + text), schema);
  return { file, line, row };
}

/** undefined where it is no JSON; reading it by the schema then gives the reason. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
