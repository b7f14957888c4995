import type { GpuSession } from "../../gpu/session.js";
import type { GreyImage } from "../image.js";
import { GpuKlt } from "./gpu-klt.js";
import { AFFINE_DEFAULTS, checkAffine } from "./klt-affine.js";
import { kltPyramid } from "./klt-pyramid.js";
import { type KltOptions, type KltTracks, trackKltBothWays, trackKltOnCpu } from "./klt-track.js";

export interface TrackKltOptions extends KltOptions {
  readonly levels: number;
  /** Points must come back to within so many pixels; null for no check. */
  readonly bothWays: number | null;
  /** What an affine fit of a point's window may leave over, grey levels, else it is "dissimilar"; null for no check. On the CPU. */
  readonly affine?: number | null;
  /** Where it runs; null for the CPU. */
  readonly device: GpuSession | null;
}

/** Tracks points of one image into another of the same size. @throws InputError for variants that the device has no kernels for */
export async function trackKlt(
  first: GreyImage,
  second: GreyImage,
  points: { readonly x: Float32Array; readonly y: Float32Array },
  { affine = null, ...options }: TrackKltOptions,
): Promise<KltTracks> {
  const tracks = await trackPlain(first, second, points, options);
  if (affine === null) return tracks;
  return checkAffine(first, second, points, tracks, { ...AFFINE_DEFAULTS, window: options.window, residual: affine });
}

async function trackPlain(
  first: GreyImage,
  second: GreyImage,
  points: { readonly x: Float32Array; readonly y: Float32Array },
  { levels, bothWays, device, ...options }: Omit<TrackKltOptions, "affine">,
): Promise<KltTracks> {
  if (device === null) {
    const [a, b] = [kltPyramid(first, levels), kltPyramid(second, levels)];
    return bothWays === null ? trackKltOnCpu(a, b, points, options) : trackKltBothWays(a, b, points, options, bothWays);
  }
  const klt = await GpuKlt.create(device, first, options, levels);
  try {
    return await klt.trackBothWays(first, second, points, bothWays);
  } finally {
    klt.destroy();
  }
}
