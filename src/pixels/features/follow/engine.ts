/** What following needs of a device: corners of an image, and points tracked from one image to the next. Made once for a video. */
import type { GpuSession } from "../../../gpu/session.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../../image.js";
import { type CornerCandidate, type CornerOptions, candidatesIn, cornerResponse } from "../corners.js";
import { createGpuCorners } from "../gpu-corners.js";
import { createGpuKlt } from "../gpu-klt.js";
import type { KltOptions, KltPoints, KltTracks } from "../klt-options.js";
import { kltPyramid } from "../klt-pyramid.js";
import { trackKltBothWays } from "../klt-track.js";

export interface FollowEngine {
  corners(image: Plane): Promise<readonly CornerCandidate[]>;
  /** There and back. */
  track(first: Plane, second: Plane, points: KltPoints): Promise<KltTracks>;
  close(): void;
}

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
  const [corners, tracker] = await Promise.all([
    createGpuCorners(session, size, selection),
    createGpuKlt(session, size, klt, levels),
  ]);
  return {
    corners: async (image) => (await corners.find(image, false)).candidates,
    track: (first, second, points) => tracker.trackBothWays(first, second, points),
    close: () => {
      corners.destroy();
      tracker.destroy();
    },
  };
}
