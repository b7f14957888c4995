import { z } from "zod";
import { measurement, spread } from "../../dist/rows/measurement.js";

/** One case of lab/lap/scipy.mjs: the CPU's LAP against SciPy's, one core each, milliseconds; ratio is ours over theirs. */
export const lapCpuRow = measurement.extend({
  benchmark: z.literal("lap-cpu"),
  n: z.int().min(1),
  /** Of the matrices. */
  kind: z.string(),
  ours: spread,
  scipy: spread,
  ratio: spread.extend({ min: z.number().positive(), median: z.number().positive() }),
  unit: z.literal("ms"),
  repetitions: z.int().min(1),
  versions: z.record(z.string(), z.string()),
  cpu: z.string(),
  date: z.iso.datetime(),
  revision: z.string().nullable(),
});

export type LapCpuRow = z.infer<typeof lapCpuRow>;
