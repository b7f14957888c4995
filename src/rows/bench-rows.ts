import { z } from "zod";
import { appendLine } from "./results.js";

const count = z.int().min(0);
const seconds = z.number().min(0);

/** Over the repetitions; seconds unless the field says otherwise. */
const spread = z.looseObject({ median: seconds, min: seconds, max: seconds });

/** Where a row was made, as in a result row. */
const made = {
  version: z.string().optional(),
  revision: z.string().nullable().optional(),
  node: z.string().optional(),
  cpu: z.string().optional(),
  cores: count.optional(),
  platform: z.string().optional(),
  date: z.iso.datetime(),
};

/**
 * One size of `rmap bench`: the enhanced engine against the naive engine on the same device, in one run, and against the CPU
 * engine on all cores where that was timed. A row may carry more keys. A time whose answer was not certified is no row.
 */
export const benchRow = z.looseObject({
  benchmark: z.enum(["lap", "distribution", "solve"]),
  /** N and T. */
  n: count.min(1),
  t: count.min(1),
  naiveSeconds: spread,
  enhancedSeconds: spread,
  /** Of `lap`: how the naive engine takes the LAPs. */
  laps: z.string().optional(),
  /** The CPU engine on `threads` cores: what one would take instead. */
  cpuSeconds: spread.nullable().optional(),
  /** Of `solve`: seconds of its iterations by step, for the engines whose steps are waited for. */
  stepSeconds: z.record(z.string(), z.record(z.string(), seconds).nullable()).optional(),
  /** Naive over enhanced, median of the repetitions' own ratios or ratio of the medians. */
  ratio: z.number().positive(),
  /** The adapter's name, or "cpu". */
  device: z.string().min(1),
  certified: z.literal(true),
  repetitions: count.min(1).optional(),
  threads: count.optional(),
  ...made,
});

export type BenchRow = z.infer<typeof benchRow>;

/** Appends one row to a JSON Lines file, checked first. */
export function appendBenchRow(file: string, row: BenchRow): void {
  appendLine(file, JSON.stringify(benchRow.parse(row)));
}

const milliseconds = z.looseObject({ median: z.number().min(0), min: z.number().min(0), max: z.number().min(0) });

/** One case of bench/lap/scipy.mjs: the CPU's LAP against SciPy's, one core each, milliseconds; ratio is ours over theirs. */
export const lapCpuRow = z.looseObject({
  benchmark: z.literal("lap-cpu"),
  n: count.min(1),
  /** Of the matrices. */
  kind: z.string(),
  ours: milliseconds,
  scipy: milliseconds,
  ratio: milliseconds.extend({ min: z.number().positive(), median: z.number().positive() }),
  unit: z.literal("ms"),
  repetitions: count.min(1),
  versions: z.record(z.string(), z.string()),
  cpu: z.string(),
  date: z.iso.datetime(),
  revision: z.string().nullable(),
});

export type LapCpuRow = z.infer<typeof lapCpuRow>;
