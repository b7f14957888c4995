import { z } from "zod";
import type { RowKind } from "../kind.js";

const milliseconds = z.looseObject({ median: z.number().min(0), min: z.number().min(0), max: z.number().min(0) });

/** One case of lab/lap/scipy.mjs: the CPU's LAP against SciPy's, one core each, milliseconds; ratio is ours over theirs. */
export const lapCpuRow = z.looseObject({
  benchmark: z.literal("lap-cpu"),
  n: z.int().min(1),
  /** Of the matrices. */
  kind: z.string(),
  ours: milliseconds,
  scipy: milliseconds,
  ratio: milliseconds.extend({ min: z.number().positive(), median: z.number().positive() }),
  unit: z.literal("ms"),
  repetitions: z.int().min(1),
  versions: z.record(z.string(), z.string()),
  cpu: z.string(),
  date: z.iso.datetime(),
  revision: z.string().nullable(),
});

export type LapCpuRow = z.infer<typeof lapCpuRow>;

export const lapCpuKind: RowKind<LapCpuRow> = {
  name: "lap-cpu",
  title: "LAPs on the CPU against SciPy",
  schema: lapCpuRow,
  columns: [
    { title: "matrices", of: ({ kind }) => kind },
    { title: "size", of: ({ n }) => n },
    { title: "ours, ms", of: ({ ours }) => ours.median },
    { title: "SciPy, ms", of: ({ scipy }) => scipy.median },
    { title: "ours over SciPy", of: ({ ratio }) => ratio.median },
  ],
};
