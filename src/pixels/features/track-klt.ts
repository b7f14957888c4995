import type { GpuSession } from "../../gpu/session.js";
import { once } from "../../gpu/workspace.js";
import { inFloats, type Plane } from "../image.js";
import { createGpuAffine } from "./gpu-affine.js";
import { createGpuKlt } from "./gpu-klt.js";
import { AFFINE_DEFAULTS, checkAffine, fitAffine } from "./klt-affine.js";
import type { KltOptions, KltPoints, KltTracks } from "./klt-options.js";
import { kltPyramid } from "./klt-pyramid.js";
import { trackKltBothWays, trackKltOnCpu } from "./klt-track.js";

export interface TrackKltOptions extends KltOptions {
  readonly levels: number;
  /** How near a point must come back to its place, in pixels; null for no check. */
  readonly bothWays: number | null;
  /** Largest rest of an affine fit of a point's window, grey levels; points with a larger one are "dissimilar". Null for no check. */
  readonly affine?: number | null;
  /** Where it runs; null for the CPU. */
  readonly device: GpuSession | null;
}

/** Tracks points of one image into another of the same size. @throws InputError for variants that the device has no kernels for */
export async function trackKlt(
  first: Plane,
  second: Plane,
  points: KltPoints,
  { affine = null, ...options }: TrackKltOptions,
): Promise<KltTracks> {
  const tracks = await trackPlain(first, second, points, options);
  if (affine === null) return tracks;
  const [a, b] = [inFloats(first), inFloats(second)];
  const fitting = { ...AFFINE_DEFAULTS, window: options.window, light: options.light };
  const { device } = options;
  return checkAffine(points, tracks, affine, (starts) =>
    device === null
      ? starts.map((start) => fitAffine(a, b, start, fitting))
      : once(createGpuAffine(device, second, fitting), (made) => made.fit(a, second, starts)),
  );
}

async function trackPlain(
  first: Plane,
  second: Plane,
  points: KltPoints,
  { levels, bothWays, device, ...options }: Omit<TrackKltOptions, "affine">,
): Promise<KltTracks> {
  if (device === null) {
    const [a, b] = [kltPyramid(inFloats(first), levels), kltPyramid(inFloats(second), levels)];
    return bothWays === null ? trackKltOnCpu(a, b, points, options) : trackKltBothWays(a, b, points, options, bothWays);
  }
  return await once(createGpuKlt(device, first, options, levels), (klt) =>
    klt.trackBothWays(first, second, points, bothWays),
  );
}
