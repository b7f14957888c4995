import { z } from "zod";
import { made, type RowKind, spread } from "../kind.js";

const scene = { width: z.int().min(1), height: z.int().min(1), vectors: z.int().min(1), decimation: z.int().min(1) };

/** Written by lab/tbd/speed.mjs and lab/tbd/variants.mjs: track-before-detect on a device, times of states that were compared with the twin's. */
export const tbdSpeedRow = z.looseObject({
  benchmark: z.enum(["tbd-speed", "tbd-variants"]),
  device: z.string(),
  ...scene,
  scheme: z.string(),
  state: z.enum(["f32", "f16"]),
  workgroup: z.tuple([z.int(), z.int()]).nullable(),
  /** Of the recursion, for an input frame, by the device's clock. */
  milliseconds: spread,
  /** "up" where busy work before the timing kept the device from its idle clocks; rows without it were timed at those. */
  clocks: z.literal("up").optional(),
  /** Largest difference to the twin's state over the largest |P|. */
  error: z.number().min(0),
  ...made,
});
type SpeedRow = z.output<typeof tbdSpeedRow>;

const columns: RowKind<SpeedRow>["columns"] = [
  { title: "device", of: ({ device }) => device },
  { title: "image", of: ({ width, height }) => `${width} × ${height}` },
  { title: "D", of: ({ decimation }) => decimation },
  { title: "kernel", of: ({ scheme }) => scheme },
  { title: "state", of: ({ state }) => state },
  { title: "workgroup", of: ({ workgroup }) => workgroup?.join(" × ") ?? null },
  { title: "ms a frame", of: ({ milliseconds }) => milliseconds.median },
  {
    title: "ps a cell",
    of: ({ milliseconds, width, height, vectors }) => (1e9 * milliseconds.median) / (width * height * vectors),
  },
];

export const tbdSpeedKind: RowKind<SpeedRow> = {
  name: "tbd-speed",
  title: "Track-before-detect on a device",
  schema: tbdSpeedRow,
  columns,
};

export const tbdVariantsKind: RowKind<SpeedRow> = {
  name: "tbd-variants",
  title: "Track-before-detect: the variants of Mazurek 2010",
  schema: tbdSpeedRow,
  columns,
};

/** Written by lab/tbd/speed.mjs: wall clock of track-before-detect with the upload of the frames. */
export const tbdUploadRow = z.looseObject({
  benchmark: z.literal("tbd-upload"),
  device: z.string(),
  ...scene,
  /** The frames' samples, as they go up. */
  samples: z.enum(["f32", "u16", "u8"]),
  /** Wall clock for an input frame, and what of it the host spends on the upload. */
  milliseconds: spread,
  upload: spread,
  /** Largest difference to the twin's state over the largest |P|. */
  error: z.number().min(0),
  ...made,
});

export const tbdUploadKind: RowKind<z.output<typeof tbdUploadRow>> = {
  name: "tbd-upload",
  title: "Track-before-detect with the upload of the frames",
  schema: tbdUploadRow,
  columns: [
    { title: "device", of: ({ device }) => device },
    { title: "image", of: ({ width, height }) => `${width} × ${height}` },
    { title: "D", of: ({ decimation }) => decimation },
    { title: "samples", of: ({ samples }) => samples },
    { title: "wall ms a frame", of: ({ milliseconds }) => milliseconds.median },
    { title: "upload ms", of: ({ upload }) => upload.median },
  ],
};

/** Written by lab/tbd/tracking.mjs: images to tracks, by track-before-detect and by thresholds on single frames. */
export const tbdTrackingRow = z.looseObject({
  benchmark: z.literal("tbd-tracking"),
  method: z.string(),
  snr: z.number(),
  seed: z.int(),
  decimation: z.int().min(1),
  detected: z.number(),
  falseAlarmsPerFrame: z.number(),
  /** True links found over all that there are, and true links over those found; null without links. */
  recall: z.number(),
  precision: z.number().nullable(),
  status: z.string().nullable(),
  ...made,
});

export const tbdTrackingKind: RowKind<z.output<typeof tbdTrackingRow>> = {
  name: "tbd-tracking",
  title: "From images to tracks",
  schema: tbdTrackingRow,
  columns: [
    { title: "SNR", of: ({ snr }) => snr },
    { title: "seed", of: ({ seed }) => seed },
    { title: "method", of: ({ method }) => method },
    { title: "D", of: ({ decimation }) => decimation },
    { title: "detected", of: ({ detected }) => detected },
    { title: "false a frame", of: ({ falseAlarmsPerFrame }) => falseAlarmsPerFrame },
    { title: "recall of links", of: ({ recall }) => recall },
    { title: "precision", of: ({ precision }) => precision },
    { title: "solve", of: ({ status }) => status },
  ],
};

/** Written by lab/tbd/acceptance.mjs: how many targets are found, over some seeds of a scene. */
export const tbdDetectionRow = z.looseObject({
  benchmark: z.literal("tbd-detection"),
  scene: z.string(),
  snr: z.number(),
  alpha: z.number(),
  decimation: z.int().min(1),
  vectors: z.int().min(1),
  prefilter: z.number(),
  /** Coupled vectors, the least z, and degrees a frame by which targets turn; rows without them are of vectors alone, by theory, and straight. */
  combine: z.enum(["sum", "max"]).optional(),
  switching: z.number().optional(),
  threshold: z.number().optional(),
  turn: z.number().optional(),
  seeds: z.array(z.int()),
  targets: z.int(),
  detected: z.number(),
  /** The share in the last frame, and of targets that were found at all; rows of lab/tbd/vectors.mjs have them, and the next two. */
  detectedAtEnd: z.number().optional(),
  everFound: z.number().optional(),
  /** Root mean square [px]; null where nothing was found. */
  positionError: z.number().nullable().optional(),
  /** Detections a frame after the targets have left; null where they never do. */
  falseAfter: z.number().nullable().optional(),
  /** For points on vectors in white noise, else null. */
  theory: z.number().nullable(),
  falseAlarmsPerFrame: z.number(),
  ...made,
});

export const tbdDetectionKind: RowKind<z.output<typeof tbdDetectionRow>> = {
  name: "tbd-detection",
  title: "Targets found before they are tracked",
  schema: tbdDetectionRow,
  columns: [
    { title: "scene", of: ({ scene }) => scene },
    { title: "SNR", of: ({ snr }) => snr },
    { title: "α", of: ({ alpha }) => alpha },
    { title: "vectors", of: ({ vectors }) => vectors },
    { title: "targets", of: ({ targets }) => targets },
    { title: "detected", of: ({ detected }) => detected },
    { title: "theory", of: ({ theory }) => theory },
    { title: "false a frame", of: ({ falseAlarmsPerFrame }) => falseAlarmsPerFrame },
  ],
};
