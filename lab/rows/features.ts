import { z } from "zod";
import { made, type RowKind, spread } from "../kind.js";

/** Written by rmap bench features: a stage of features on a GPU, by the device's clock, compared with its twin. */
export const featuresRow = z.looseObject({
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
  ...made,
});

export type FeaturesRow = z.output<typeof featuresRow>;

export const featuresKind: RowKind<FeaturesRow> = {
  name: "features",
  title: "Features on a GPU",
  schema: featuresRow,
  columns: [
    { title: "what", of: ({ what }) => what },
    { title: "image", of: ({ size }) => size },
    { title: "device", of: ({ device }) => device.actual },
    { title: "milliseconds", of: ({ milliseconds }) => milliseconds?.median ?? null },
    { title: "keypoints", of: ({ keypoints }) => keypoints ?? null },
    { title: "agreement with the twin, %", of: ({ agreement }) => 100 * agreement },
  ],
};
