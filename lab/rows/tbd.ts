import { z } from "zod";
import { measurement, spread } from "../../dist/rows/measurement.js";

/** Written by lab/tbd/speed.mjs, and by a script before lab/tbd/sweep.mjs: track-before-detect on a device, times of states that were compared with the twin's. */
export const tbdSpeedRow = measurement.extend({
  benchmark: z.enum(["tbd-speed", "tbd-variants"]),
  device: z.string(),
  width: z.int().min(1),
  height: z.int().min(1),
  vectors: z.int().min(1),
  decimation: z.int().min(1),
  scheme: z.string(),
  state: z.enum(["f32", "f16"]),
  workgroup: z.tuple([z.int(), z.int()]).nullable(),
  /** Of the recursion, for an input frame, by the device's clock. */
  milliseconds: spread,
  /** "up" where busy work before the timing kept the device from its idle clocks; rows without it were timed at those. */
  clocks: z.literal("up").optional(),
  /** Largest difference to the twin's state over the largest |P|. */
  error: z.number().min(0),
});

export type TbdSpeedRow = z.output<typeof tbdSpeedRow>;

/** Written by lab/tbd/sweep.mjs: a variant and a workgroup over all decimations. */
export const tbdSweepRow = measurement.extend({
  benchmark: z.literal("tbd-sweep"),
  device: z.string(),
  width: z.int().min(1),
  height: z.int().min(1),
  vectors: z.int().min(1),
  scheme: z.string(),
  workgroup: z.tuple([z.int(), z.int()]),
  /** Of an input frame, for D = 1, 2, …, by the device's clock. */
  milliseconds: z.array(z.number().min(0)).min(1),
});

export type TbdSweepRow = z.output<typeof tbdSweepRow>;
