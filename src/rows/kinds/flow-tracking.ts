import { z } from "zod";
import { made, type RowKind } from "../kind.js";

const count = z.int().min(0);
const outcome = z.looseObject({ mmep: z.number(), gapPercent: z.number().nullable() });

/** Written by lab/flow/tracking.mjs: how much velocities from optical flow help the solver. MMEP in percent. */
export const flowTrackingRow = z.looseObject({
  benchmark: z.literal("flow-tracking"),
  spots: count,
  /** Largest, px a frame. */
  speed: z.number(),
  /** Of the gate, px. */
  radius: z.number(),
  frames: count,
  seed: count,
  cost: z.string(),
  device: z.string(),
  precision: z.string(),
  /** At the spots of the first frame, px. */
  flowError: z.looseObject({ median: z.number(), mean: z.number() }),
  /** Detections that the median flow was given to. */
  withoutVelocity: count,
  none: outcome,
  flow: outcome,
  truth: outcome,
  ...made,
});

export const flowTrackingKind: RowKind<z.output<typeof flowTrackingRow>> = {
  name: "flow-tracking",
  title: "Tracks with velocities from optical flow",
  schema: flowTrackingRow,
  columns: [
    { title: "spots", of: ({ spots }) => spots },
    { title: "speed, px", of: ({ speed }) => speed },
    { title: "frames", of: ({ frames }) => frames },
    { title: "seed", of: ({ seed }) => seed },
    { title: "cost", of: ({ cost }) => cost },
    { title: "flow error, median px", of: ({ flowError }) => flowError.median },
    { title: "MMEP without, %", of: ({ none }) => none.mmep },
    { title: "MMEP with flow, %", of: ({ flow }) => flow.mmep },
    { title: "MMEP with true velocities, %", of: ({ truth }) => truth.mmep },
    { title: "device", of: ({ device }) => device },
  ],
};
