import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const milliseconds = z.looseObject({ median: z.number(), least: z.number(), most: z.number() });

/** Written by lab/lap/warm.mjs: the X-LAPs of an ascent, cold and warm after each of its first steps. */
export const lapWarmRow = z.looseObject({
  benchmark: z.literal("lap-warm"),
  device: z.string(),
  problem: z.string(),
  ascent: z.string(),
  size: z.int().min(1),
  laps: z.int().min(1),
  milliseconds: z.looseObject({ cold: milliseconds, warm: milliseconds }),
  ...made,
});

export const lapWarmKind: RowKind<z.output<typeof lapWarmRow>> = {
  name: "lap-warm",
  title: "X-LAPs after an ascent's steps",
  schema: lapWarmRow,
  columns: [
    { title: "problem", of: ({ problem }) => problem },
    { title: "ascent", of: ({ ascent }) => ascent },
    { title: "device", of: ({ device }) => device },
    { title: "LAPs", of: ({ laps, size }) => `${laps} of ${size} × ${size}` },
    { title: "cold, ms", of: ({ milliseconds }) => milliseconds.cold.median },
    { title: "warm, ms", of: ({ milliseconds }) => milliseconds.warm.median },
  ],
};
