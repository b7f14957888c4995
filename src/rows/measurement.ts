import { z } from "zod";

/** The program, machine and time that made a result; every row has it. */
export const made = z.object({
  /** Of rmap, from its package.json. */
  version: z.string(),
  /**
   * Git revision of rmap's own checkout, with `+` for uncommitted changes; without a checkout the value of RMAP_REVISION (a GPU machine is
   * handed dist/ alone), else null.
   */
  revision: z.string().nullable(),
  node: z.string(),
  cpu: z.string(),
  /** Logical cores this process may use. */
  cores: z.int().min(0),
  /** Bytes of main memory. */
  memory: z.int().min(0),
  /** Operating system and processor architecture, as in linux-x64. */
  platform: z.string(),
  /** ISO 8601, UTC. */
  date: z.iso.datetime(),
});

/**
 * A measurement on a device by a version of the program. Its numbers are fields of each benchmark, for which a schema may extend this one.
 * Rows of earlier versions lack some of the fields that tell where they were made.
 */
export const measurement = z.looseObject({
  benchmark: z.string().min(1),
  /** Name of the adapter, or "cpu". */
  device: z.union([z.string(), z.looseObject({ actual: z.string() })]).optional(),
  ...made.partial().shape,
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
