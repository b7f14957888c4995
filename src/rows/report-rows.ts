import { extname } from "node:path";
import { z } from "zod";

import { refuse } from "../files/refusal.js";
import { jsonLimit, plainText, readBytes } from "../files/text-file.js";
import { baselineRow } from "./baselines.js";
import { BENCHMARKS, benchRow } from "./bench.js";
import { benchmarkOf, type Measurement, measurement } from "./measurement.js";
import { type Placed, type RunRow, rowOf, rowsOf, runRow } from "./results.js";

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
  const schemaOf = (value: unknown): z.ZodType<RunRow | Measurement> => {
    const benchmark = typeof value === "object" && value !== null ? benchmarkOf(value) : null;
    if (benchmark === null) return runRow;
    const schema = Object.hasOwn(schemas, String(benchmark)) ? schemas[String(benchmark)] : measurement;
    return z.preprocess((row) => ({ ...(row as object), benchmark }), schema);
  };
  if (extname(file).toLowerCase() === ".json") {
    return [rowOf(file, 1, plainText(file, readBytes(file, jsonLimit)).toString("utf8"), schemaOf)];
  }
  const rows = rowsOf(file, readBytes(file), schemaOf);
  if (rows.length === 0) refuse(file, "holds no rows", "name a file that rmap wrote with --append, sweep or bench");
  return rows;
}
