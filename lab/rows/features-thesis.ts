import { z } from "zod";
import { measurement } from "../../dist/rows/measurement.js";

/** Written by lab/features/bench.ts: the measurements of Mücke 2007 made again, each answer compared with its twin or the known motion first. */
export const featuresThesisRow = measurement.extend({
  benchmark: z.literal("features-thesis"),
  /** Of the thesis: "5.2", "5.3", "5.5", "5.13", "table 4.3", "table 5.1", or "half" for its half floats. */
  figure: z.string(),
  what: z.string(),
  /** Pixels, WIDTHxHEIGHT; null where no image is involved. */
  size: z.string().nullable(),
  /** Median milliseconds by the device's clock, image and results on the device. */
  deviceMilliseconds: z.number().nullable(),
  /** Median milliseconds from the image on the host to the answer on the host. */
  wallMilliseconds: z.number().nullable(),
  /** Of the twin on one thread of the CPU. */
  cpuMilliseconds: z.number().nullable(),
  /** Read back for an image. */
  bytesBack: z.number().nullable(),
  found: z.int().min(0).nullable(),
  /** Root mean square distance from the known motion, pixels, of points within a pixel of it. */
  error: z.number().nullable(),
  /** Share of the twin's answer that the device found. */
  agreement: z.number().min(0).max(1).nullable(),
  gigabytesPerSecond: z.number().nullable(),
  /** Of half floats: the share of the keypoints of f32 that are found, within half a pixel, a fifth of σ and 0.2 rad. */
  kept: z.number().min(0).max(1).optional(),
  /** Of device memory. */
  bytes: z.int().min(0).optional(),
  device: z.looseObject({ actual: z.string() }),
});

export type FeaturesThesisRow = z.output<typeof featuresThesisRow>;
