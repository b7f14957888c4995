/** What following needs of a device: corners of an image, and points tracked from one image to the next. Made once for a video. */
import type { GpuSession } from "../../../gpu/session.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../../image.js";
import { type CornerCandidate, type CornerOptions, candidatesIn, cornerResponse } from "../corners.js";
import { createGpuAffine } from "../gpu-affine.js";
import { createGpuCorners } from "../gpu-corners.js";
import { createGpuKlt } from "../gpu-klt.js";
import { AFFINE_DEFAULTS, type AffineFit, type AffineStart, type FittingOptions, fitAffine } from "../klt-affine.js";
import type { KltOptions, KltPoints, KltTracks } from "../klt-options.js";
import { kltPyramid } from "../klt-pyramid.js";
import { trackKltBothWays } from "../klt-track.js";

export interface FollowEngine {
  corners(image: Plane): Promise<readonly CornerCandidate[]>;
  /** There and back. */
  track(first: Plane, second: Plane, points: KltPoints): Promise<KltTracks>;
  /** Fits patches, a window with a pixel around it each, to an image at the places of `to`. */
  fit(patches: readonly Patch[], image: Plane, to: KltPoints): Promise<(AffineFit | null)[]>;
  close(): void;
}

/** The window of a point's first image with a pixel around it, the point in its middle, and its deformation in the last image. */
export interface Patch {
  readonly patch: GreyImage;
  readonly a: AffineFit["a"];
}

const fittingOf = ({ window, light }: KltOptions): FittingOptions => ({ ...AFFINE_DEFAULTS, window, light });

/** The middle of patch k of those that lie one under the other. */
const startOf = ({ patch, a }: Patch, k: number, { x, y }: KltPoints, under: number): AffineStart => {
  const middle = (patch.width - 1) / 2;
  return { from: [middle, under * patch.height + middle], to: [x[k], y[k]], a };
};

export function cpuEngine(selection: CornerOptions, klt: KltOptions, levels: number): FollowEngine {
  // The second image of a pair is the first of the next one.
  let known: readonly { readonly image: Plane; readonly pyramid: GreyImage[] }[] = [];
  const pyramidOf = (image: Plane) => {
    const one = known.find((other) => other.image === image) ?? { image, pyramid: kltPyramid(inFloats(image), levels) };
    known = [...known.filter((other) => other !== one).slice(-1), one];
    return one.pyramid;
  };
  return {
    corners: async (image) => candidatesIn(cornerResponse(inFloats(image), selection), image, selection),
    track: async (first, second, points) => trackKltBothWays(pyramidOf(first), pyramidOf(second), points, klt),
    fit: async (patches, image, to) =>
      patches.map((one, k) => fitAffine(one.patch, image, startOf(one, k, to, 0), fittingOf(klt))),
    close: () => {},
  };
}

export async function gpuEngine(
  session: GpuSession,
  size: Size,
  selection: CornerOptions,
  klt: KltOptions,
  levels: number,
): Promise<FollowEngine> {
  const [corners, tracker, affine] = await Promise.all([
    createGpuCorners(session, size, selection),
    createGpuKlt(session, size, klt, levels),
    createGpuAffine(session, size, fittingOf(klt)),
  ]);
  return {
    corners: async (image) => (await corners.find(image, false)).candidates,
    track: (first, second, points) => tracker.trackBothWays(first, second, points),
    fit: (patches, image, to) => {
      const side = klt.window + 2;
      const pixels = new Float32Array(side * side * patches.length);
      for (const [k, { patch }] of patches.entries()) pixels.set(patch.pixels, side * side * k);
      const starts = patches.map((one, k) => startOf(one, k, to, k));
      return affine.fit({ width: side, height: side * patches.length, pixels }, image, starts);
    },
    close: () => {
      affine.destroy();
      corners.destroy();
      tracker.destroy();
    },
  };
}
