import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by lab/flow/accuracy.mjs: errors of optical flow on pairs with a true one. */
export const flowAccuracyRow = z.looseObject({
  benchmark: z.literal("flow-accuracy"),
  /** Middlebury's name, or case and seed of a made pair. */
  pair: z.string(),
  preset: z.enum(["paper", "quality"]),
  iterations: z.int().min(0),
  device: z.string(),
  precision: z.enum(["f32", "f16s", "f16"]),
  scheme: z.string(),
  /** px. */
  epe: z.number(),
  /** Degrees. */
  aae: z.number(),
  r1: z.number(),
  valid: z.number(),
  /** From the flow in f32: mean and 99.9 % of |Δu| and what EPE moved by, px; null for f32 itself. */
  difference: z.looseObject({ mean: z.number(), p999: z.number(), epe: z.number() }).nullable(),
  /** Whether it is within the limit that is known for it; null where none is. */
  within: z.boolean().nullable(),
  ...made,
});

export const flowAccuracyKind: RowKind<z.output<typeof flowAccuracyRow>> = {
  name: "flow-accuracy",
  title: "Errors of optical flow",
  schema: flowAccuracyRow,
  columns: [
    { title: "pair", of: ({ pair }) => pair },
    { title: "preset", of: ({ preset }) => preset },
    { title: "iterations", of: ({ iterations }) => iterations },
    { title: "format", of: ({ precision }) => precision },
    { title: "EPE, px", of: ({ epe }) => epe },
    { title: "AAE, °", of: ({ aae }) => aae },
    { title: "from f32, px", of: ({ difference }) => difference?.mean ?? null },
    { title: "device", of: ({ device }) => device },
  ],
};
