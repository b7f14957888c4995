/** `detect` and `flow` of the library: from images to points, and to the motion of every pixel. */
import { z } from "zod";
import type { Frame } from "../../core/frame.js";
import { strongestPlaces } from "../../core/keypoints.js";
import { readFrame } from "../../files/images/frames.js";
import { refuse } from "../../files/refusal.js";
import { type Blob, detectBlobs } from "../../pixels/blobs/blobs.js";
import { BLOB_DEFAULTS, LEAST_DIAMETER, MOST_DIAMETER, requireSpots } from "../../pixels/blobs/options.js";
import { detectCorners, HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "../../pixels/features/corners.js";
import { detectOpenvidia, OPENVIDIA_DEFAULTS } from "../../pixels/features/openvidia/openvidia.js";
import { detectSift } from "../../pixels/features/sift/gpu-sift.js";
import { SIFT_DEFAULTS } from "../../pixels/features/sift/sift.js";
import { computeFlow, type FlowResult } from "../../pixels/flow/flow.js";
import {
  FLOW_PRECISIONS,
  FLOW_PRESETS,
  type FlowOptions,
  type FlowPrecision,
  type FlowPreset,
} from "../../pixels/flow/options.js";
import { type Plane, toPlane } from "../../pixels/image.js";
import { type Device, onDevice } from "../device.js";
import { openFlow } from "../flow.js";
import { type Numbers, numbersIn } from "./numbers.js";
import { checkOptions, type DeviceOptions, deviceOptions } from "./options.js";

/** A grey image: a path, a frame that `readFrame` read, or numbers row by row from the top left. */
export type ImageInput =
  | string
  | Frame
  | { readonly width: number; readonly height: number; readonly samples: Numbers };

export interface DetectOptions extends DeviceOptions {
  /** sift, openvidia: keypoints. harris, klt: corners. blobs: spots, whose response is their score ["sift"]. */
  readonly method?: keyof typeof METHODS | undefined;
  /** Keep this number of places with the strongest response [all]. */
  readonly top?: number | undefined;
  /** For blobs alone: least and greatest diameter of spots in pixels [3, 12]. */
  readonly diameter?: readonly [number, number] | undefined;
  /** For blobs alone: whether spots are darker than what is around them [false]. */
  readonly dark?: boolean | undefined;
  /** For blobs alone: spots to be expected where an image is noise alone [1]. */
  readonly falseAlarms?: number | undefined;
  /** For blobs alone: least score, in standard deviations of the noise, instead of `falseAlarms`. */
  readonly threshold?: number | undefined;
  /** For blobs alone: least contrast in grey levels [0]. */
  readonly contrast?: number | undefined;
}

/** Points of an image, in pixels; pixel centres are whole numbers, and y goes down. */
export interface DetectedPoints {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly response: Float32Array;
  /** Of blobs: diameters in pixels, 2√2 σ of the Gaussians that fit, and their heights in grey levels, negative for dark ones. */
  readonly diameter?: Float32Array;
  readonly contrast?: Float32Array;
}

type Points = (image: Plane, options: DetectOptions, device: Device) => Promise<DetectedPoints>;

const METHODS = {
  sift: async (image, { top }, { session }) => {
    const { keypoints } = await detectSift(image, SIFT_DEFAULTS, { device: session });
    return top === undefined ? keypoints : strongestPlaces(keypoints, top);
  },
  openvidia: async (image, { top }, { session }) => {
    const keypoints = await detectOpenvidia(image, OPENVIDIA_DEFAULTS, { device: session });
    return top === undefined ? keypoints : strongestPlaces(keypoints, top);
  },
  harris: corners(HARRIS_DEFAULTS),
  klt: corners(KLT_SELECTION_DEFAULTS),
  blobs: async (image, given, { session }) => {
    const { diameter = BLOB_DEFAULTS.diameter, dark = false, falseAlarms = BLOB_DEFAULTS.falseAlarms } = given;
    const { top, threshold = null, contrast = BLOB_DEFAULTS.contrast } = given;
    const options = { diameter, dark, falseAlarms, threshold, contrast };
    requireSpots(image, options, "detect, image");
    const spots = (await detectBlobs(image, options, { device: session })).blobs.slice(0, top);
    const column = (name: keyof Blob) => Float32Array.from(spots, (spot) => spot[name]);
    const size = { diameter: column("diameter"), contrast: column("contrast") };
    return { x: column("x"), y: column("y"), response: column("score"), ...size };
  },
} satisfies Record<string, Points>;

function corners(defaults: typeof HARRIS_DEFAULTS): Points {
  return async (image, { top }, { session }) => {
    const options = { ...defaults, ...(top !== undefined && { most: top }) };
    return (await detectCorners(image, options, { device: session })).corners;
  };
}

const blobOptions = {
  diameter: z
    .tuple([z.number().min(LEAST_DIAMETER), z.number().max(MOST_DIAMETER)])
    .refine(([least, greatest]) => least <= greatest, { message: "give the least before the greatest" })
    .optional(),
  dark: z.boolean().optional(),
  falseAlarms: z.number().positive().optional(),
  threshold: z.number().positive().optional(),
  contrast: z.number().nonnegative().optional(),
};

const detectOptions = z.strictObject({
  ...deviceOptions.shape,
  ...blobOptions,
  method: z.enum(Object.keys(METHODS) as [keyof typeof METHODS]).optional(),
  top: z.int().min(1).optional(),
});

/**
 * Finds points in an image, as `rmap detect` does.
 * @throws InputError for images and options that do not fit, with place, value and remedy
 */
export async function detect(image: ImageInput, options: DetectOptions = {}): Promise<DetectedPoints> {
  checkOptions("detect", options, detectOptions);
  const { device = "auto", method = "sift" } = options;
  for (const name of Object.keys(blobOptions) as (keyof typeof blobOptions)[]) {
    if (options[name] !== undefined && method !== "blobs")
      refuse(`detect, ${name}`, `is for blobs, not ${method}`, "leave it out");
  }
  const plane = await planeOf("detect, image", image);
  const { x, y, response, diameter, contrast } = await onDevice(
    device,
    (opened): Promise<DetectedPoints> => METHODS[method](plane, options, opened),
  );
  return { x, y, response, ...(diameter && { diameter, contrast }) };
}

export interface FlowSettings extends DeviceOptions, Partial<FlowOptions> {
  /** quality, or paper, which is faster ["quality"]. */
  readonly preset?: FlowPreset | undefined;
  /** Numbers that the iterations are stored in ["f32"]. */
  readonly precision?: FlowPrecision | undefined;
}

const number = z.number().optional();
const flowOptions = z.strictObject({
  ...deviceOptions.shape,
  preset: z.enum(Object.keys(FLOW_PRESETS) as [FlowPreset]).optional(),
  precision: z.enum(FLOW_PRECISIONS).optional(),
  ...Object.fromEntries(Object.keys(FLOW_PRESETS.paper).map((name) => [name, number])),
});

/**
 * The motion of every pixel from one image to the next (TV-L1), as `rmap flow` computes it.
 * @throws InputError for images and options that do not fit, with place, value and remedy
 */
export async function flow(first: ImageInput, second: ImageInput, options: FlowSettings = {}): Promise<FlowResult> {
  checkOptions("flow", options, flowOptions);
  const { device = "auto", preset = "quality", precision = "f32", ...settings } = options;
  const [from, to] = [await planeOf("flow, first image", first), await planeOf("flow, second image", second)];
  const { steps, close } = await openFlow({ device, precision, now: () => performance.now() / 1000 });
  try {
    return await computeFlow(from, to, { ...FLOW_PRESETS[preset], ...settings }, steps);
  } finally {
    await close();
  }
}

async function planeOf(place: string, image: ImageInput): Promise<Plane> {
  if (typeof image === "string") return toPlane(await readFrame(image));
  const { width, height, samples } = image ?? {};
  for (const [name, size] of Object.entries({ width, height })) {
    if (!(Number.isInteger(size) && size > 0)) refuse(`${place}, ${name}`, `is ${size}`, "give a whole number above 0");
  }
  if ("channels" in image && image.channels === 3) return toPlane(image);
  const bytes = samples instanceof Uint8Array || samples instanceof Uint16Array;
  const range = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };
  const pixels = bytes ? samples : Float32Array.from(numbersIn(`${place}, samples`, samples, range));
  if (pixels.length !== width * height) {
    refuse(`${place}, samples`, `has ${pixels.length} numbers for ${width} × ${height} pixels`, "give one a pixel");
  }
  return { width, height, pixels };
}
