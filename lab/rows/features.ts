import { z } from "zod";
import { measurement, spread } from "../../dist/rows/measurement.js";

/** Written by lab/features/bench.ts: a stage of features on a GPU, by the device's clock, compared with its twin. */
export const featuresRow = measurement.extend({
  benchmark: z.literal("features"),
  what: z.string(),
  /** Pixels, WIDTHxHEIGHT; null for matching. */
  size: z.string().nullable(),
  /** null where the answer did not agree with the twin's. */
  milliseconds: spread.nullable(),
  /** Share of the twin's answer that the device found, and the other way round: the lesser. */
  agreement: z.number().min(0).max(1),
  keypoints: z.int().min(0).optional(),
  corners: z.int().min(0).optional(),
  points: z.int().min(0).optional(),
  device: z.looseObject({ actual: z.string() }),
});

export type FeaturesRow = z.output<typeof featuresRow>;
