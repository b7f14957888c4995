import { z } from "zod";
import { made, type RowKind, spread } from "../kind.js";

/** Written by lab/ascent/ascent.mjs: so many iterations of an ascent on one problem, certified. */
export const ascentRow = z.looseObject({
  benchmark: z.literal("ascent"),
  problem: z.string(),
  ascent: z.string(),
  iterations: z.int().min(0),
  /** Seconds. */
  seconds: spread,
  certified: z.literal(true),
  lowerBound: z.number(),
  gapPercent: z.number().min(0),
  device: z.looseObject({ actual: z.string() }),
  ...made,
});

export const ascentKind: RowKind<z.output<typeof ascentRow>> = {
  name: "ascent",
  title: "Iterations of an ascent",
  schema: ascentRow,
  columns: [
    { title: "problem", of: ({ problem }) => problem },
    { title: "ascent", of: ({ ascent }) => ascent },
    { title: "device", of: ({ device }) => device.actual },
    { title: "iterations", of: ({ iterations }) => iterations },
    { title: "milliseconds", of: ({ seconds }) => 1000 * seconds.median },
    { title: "certified gap, %", of: ({ gapPercent }) => gapPercent },
  ],
};
