import { z } from "zod";
import { measurement } from "../../dist/rows/measurement.js";

/** A whole solve by lab/scale/scale.mjs: seconds of the command and of its phases, and peaks of memory; null for the device's where there is no card. */
export const scaleRow = measurement.extend({
  benchmark: z.literal("scale"),
  problem: z.string(),
  status: z.string(),
  gapPercent: z.number().min(0).nullable(),
  iterations: z.int().min(0),
  device: z.looseObject({ requested: z.string(), actual: z.string() }),
  threads: z.int().min(1),
  edges: z.int().min(0),
  storage: z.string(),
  times: z.record(z.string(), z.number()),
  wall: z.number().min(0),
  hostMiB: z.number().min(0),
  deviceMiB: z.number().min(0).nullable(),
});

export type ScaleRow = z.infer<typeof scaleRow>;
