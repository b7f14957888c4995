import { z } from "zod";
import { measurement, spread } from "./measurement.js";

const count = z.int().min(0);
const seconds = z.number().min(0);

/** Of `rmap bench` against the naive engine. */
export const BENCHMARKS = ["lap", "distribution", "solve"] as const;

/**
 * One size of `rmap bench`: the enhanced engine against the naive engine on the same device, in one run, and against the CPU
 * engine on all cores where that was timed. A row may carry more keys. A time whose answer was not certified is no row.
 */
export const benchRow = measurement.extend({
  benchmark: z.enum(BENCHMARKS),
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
  date: z.iso.datetime(),
});

export type BenchRow = z.infer<typeof benchRow>;
