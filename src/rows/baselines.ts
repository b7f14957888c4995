import { z } from "zod";
import { measurement } from "./measurement.js";
import { score } from "./results.js";

/** Every way of tracking that `rmap bench baselines` compares, in the order of tables. */
export const BASELINE_METHODS = ["greedy", "lap", "kalman", "kalman-t", "drift", "rmap", "default"] as const;

export type BaselineMethod = (typeof BASELINE_METHODS)[number];

/** Written by `rmap bench baselines`: one way of tracking on one input with one fault. */
export const baselineRow = measurement.extend({
  benchmark: z.literal("baselines"),
  method: z.enum(BASELINE_METHODS),
  /** Name of the recording or scenario, and digest of the detections, damage included. */
  input: z.string().min(1),
  digest: z.string(),
  frames: z.int().min(1),
  detections: z.int().min(0),
  velocities: z.enum(["measured", "none"]),
  /** Which fault and how much of it: "none" for the input as it is. */
  fault: z.string(),
  level: z.number(),
  seed: z.int().min(0),
  scores: z.object(score).nullable(),
  /** In length units; null where the cost has none. */
  gate: z.number().nullable(),
  /** Certified, of the methods that certify. */
  gapPercent: z.number().min(0).nullable(),
  status: z.string().nullable(),
  /** Of the whole process, all threads. */
  cpuSeconds: z.number().min(0),
});

export type BaselineRow = z.output<typeof baselineRow>;
