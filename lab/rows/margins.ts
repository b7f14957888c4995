import { z } from "zod";
import { measurement } from "../../dist/rows/measurement.js";

const count = z.int().min(0);

/** Written by lab/exact/margins.mjs: how many links of the tracks of one input are wrong, by certified margin. */
export const marginsRow = measurement.extend({
  benchmark: z.literal("margins"),
  input: z.string(),
  kind: z.enum(["simulation", "recording"]),
  cost: z.string(),
  seed: z.int().min(0).nullable(),
  gapPercent: z.number().nullable(),
  /** Links with a margin above `above` and at most `most`; null for no limit. `predicted` is the sum of 1 / (1 + e^m) over them. */
  bins: z.array(
    z.strictObject({
      above: z.number().nullable(),
      most: z.number().nullable(),
      links: count,
      wrong: count,
      predicted: z.number().min(0),
    }),
  ),
});

export type MarginsRow = z.output<typeof marginsRow>;
