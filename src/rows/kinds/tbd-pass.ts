import { z } from "zod";
import { made, type RowKind, spread } from "../kind.js";

/** Written by lab/tbd/passes.mjs: ways to run one pass of track-before-detect without decimation. */
export const tbdPassRow = z.looseObject({
  benchmark: z.literal("tbd-pass"),
  device: z.string(),
  width: z.int().min(1),
  height: z.int().min(1),
  vectors: z.int().min(1),
  scheme: z.string(),
  workgroup: z.tuple([z.int(), z.int()]),
  /** Of a dispatch among `chain` that follow each other, and of one alone in its compute pass, by the device's clock. */
  milliseconds: spread,
  alone: spread,
  chain: z.int().min(1),
  /** That a pass must move. */
  bytes: z.number().min(0),
  /** Largest difference to the twin's state over the largest |P|; 0 where nothing is computed. */
  error: z.number().min(0),
  ...made,
});
type PassRow = z.output<typeof tbdPassRow>;

export const tbdPassKind: RowKind<PassRow> = {
  name: "tbd-pass",
  title: "Track-before-detect: ways to run a pass",
  schema: tbdPassRow,
  columns: [
    { title: "device", of: ({ device }) => device },
    { title: "image", of: ({ width, height }) => `${width} × ${height}` },
    { title: "kernel", of: ({ scheme }) => scheme },
    { title: "workgroup", of: ({ workgroup }) => workgroup.join(" × ") },
    { title: "ms chained", of: ({ milliseconds }) => milliseconds.median },
    { title: "ms alone", of: ({ alone }) => alone.median },
    { title: "TB/s", of: ({ bytes, milliseconds }) => bytes / milliseconds.median / 1e9 },
  ],
};
