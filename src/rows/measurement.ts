import { z } from "zod";

/**
 * A measurement on a device by a version of the program. Its numbers are fields of each benchmark, for which a schema may extend this one.
 * Rows of earlier versions lack some of the fields that tell where they were made.
 */
export const measurement = z.looseObject({
  benchmark: z.string().min(1),
  /** Name of the adapter, or "cpu". */
  device: z.union([z.string(), z.looseObject({ actual: z.string() })]).optional(),
  version: z.string().optional(),
  revision: z.string().nullable().optional(),
  node: z.string().optional(),
  cpu: z.string().optional(),
  cores: z.int().min(0).optional(),
  memory: z.int().min(0).optional(),
  platform: z.string().optional(),
  date: z.iso.datetime().optional(),
});

export type Measurement = z.output<typeof measurement>;

/** Seconds or milliseconds over repetitions. */
export const spread = z.looseObject({ median: z.number().min(0), min: z.number().min(0), max: z.number().min(0) });

/** The benchmark that an object from a row file names, as this or an earlier version wrote it; null for a run, which names none. */
export function benchmarkOf(row: object): unknown {
  if ("benchmark" in row) return row.benchmark;
  if ("bench" in row) return row.bench;
  if ("lp" in row && "mip" in row) return "relaxation";
  return "size" in row && "laps" in row ? "lap-gpu" : null;
}
