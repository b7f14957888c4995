import { z } from "zod";
import { made, type RowKind } from "../kind.js";

/** Written by rmap bench features: the measurements of Mücke 2007 made again, each answer compared with its twin or the known motion first. */
export const featuresThesisRow = z.looseObject({
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
  ...made,
});

export type FeaturesThesisRow = z.output<typeof featuresThesisRow>;

export const featuresThesisKind: RowKind<FeaturesThesisRow> = {
  name: "features-thesis",
  title: "The measurements of Mücke 2007 made again",
  schema: featuresThesisRow,
  columns: [
    { title: "figure", of: ({ figure }) => figure },
    { title: "what", of: ({ what }) => what },
    { title: "image", of: ({ size }) => size },
    { title: "device", of: ({ device }) => device.actual },
    { title: "device, ms", of: ({ deviceMilliseconds }) => deviceMilliseconds },
    { title: "end to end, ms", of: ({ wallMilliseconds }) => wallMilliseconds },
    { title: "CPU twin, ms", of: ({ cpuMilliseconds }) => cpuMilliseconds },
    { title: "bytes back", of: ({ bytesBack }) => bytesBack },
    { title: "found", of: ({ found }) => found },
    { title: "error, px", of: ({ error }) => error },
    { title: "of f32's, %", of: ({ kept }) => (kept === undefined ? null : 100 * kept) },
    { title: "GB/s", of: ({ gigabytesPerSecond }) => gigabytesPerSecond },
    { title: "agreement with the twin, %", of: ({ agreement }) => agreement && 100 * agreement },
  ],
};
