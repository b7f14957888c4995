import { z } from "zod";
import { measurement, spread } from "../../dist/rows/measurement.js";

const count = z.int().min(0);

/** Written by lab/flow/speed.mjs and twin.mjs: optical flow on a device, timed by its clock, with the errors that it had. */
export const flowSpeedRow = measurement.extend({
  benchmark: z.literal("flow-speed"),
  /** Which table or figure it belongs to. */
  part: z.enum(["table", "sizes", "depth", "blocks", "frames", "errors", "wall", "power", "twin"]),
  device: z.string(),
  /** With the iterations of a dispatch in brackets where several are fused. */
  scheme: z.string(),
  precision: z.enum(["f32", "f16s", "f16"]),
  width: count,
  height: count,
  /** In one chain of dispatches. */
  pairs: count,
  levels: count,
  warps: count,
  iterations: count,
  median: count,
  /** Pyramid, warps and iterations; else the iterations alone. */
  whole: z.boolean(),
  workgroup: z.tuple([count, count]).nullable(),
  rows: count.nullable(),
  /** Null where they are not counted. */
  dispatches: count.nullable(),
  /** By the device's clock; of wall and power by the host's; of twin the CPU time of all threads of the process. */
  milliseconds: spread,
  /** "up" where busy work before the timing kept the device from its idle clocks; rows without it may have been timed at those. */
  clocks: z.literal("up").optional(),
  /** Of whole flows: milliseconds by part of the work, each kernel in a pass of its own. Before revision b03fea5 and in it some were taken at idle clocks. */
  phases: z.object({ pyramid: z.number(), warp: z.number(), iterations: z.number() }).optional(),
  /** Of a pair. */
  nanosecondsPerPixel: z.number(),
  repetitions: count,
  /** |Δu| in px from the flow in f32 of the CPU twin or, above a megapixel, of scheme global. */
  difference: z.looseObject({ mean: z.number(), p999: z.number() }),
  /** From the true flow, px; null where that is not known. */
  epe: z.number().nullable(),
  /** Of twin: by the host's clock, the first of the process, and another checkout's CPU time, which took turns. */
  wall: spread.optional(),
  first: z.number().optional(),
  than: spread.optional(),
  /** Draw of the whole device, and its energy, where that was measured. */
  watts: z.number().optional(),
  nanojoulesPerPixel: z.number().optional(),
});

export type FlowSpeedRow = z.output<typeof flowSpeedRow>;
