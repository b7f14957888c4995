import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const milliseconds = z.looseObject({ median: z.number(), least: z.number(), most: z.number() });

/** Written by lab/lap/gpu.mjs and lab/lap/scipy-cores.py: a batch of LAPs with uniform costs on one device. */
export const lapGpuRow = z.looseObject({
  benchmark: z.enum(["lap-gpu", "lap-scipy-cores"]).optional(),
  device: z.string().optional(),
  size: z.int().min(1),
  laps: z.int().min(1),
  /** `median` itself in rows of SciPy on the host's cores, which starts cold always. */
  milliseconds: z.looseObject({
    median: z.number().optional(),
    cold: milliseconds.optional(),
    warmChanged: milliseconds.optional(),
  }),
  ...made,
});

export const lapGpuKind: RowKind<z.output<typeof lapGpuRow>> = {
  name: "lap-gpu",
  title: "LAPs with uniform costs on a device",
  schema: lapGpuRow,
  recognises: (row) => "size" in row && "laps" in row && "milliseconds" in row,
  columns: [
    { title: "device", of: ({ device }) => device ?? "CPU, SciPy" },
    { title: "LAPs", of: ({ laps, size }) => `${laps} of ${size} × ${size}` },
    { title: "cold, ms", of: ({ milliseconds }) => milliseconds.cold?.median ?? milliseconds.median ?? null },
    { title: "warm, n costs changed, ms", of: ({ milliseconds }) => milliseconds.warmChanged?.median ?? null },
  ],
};
