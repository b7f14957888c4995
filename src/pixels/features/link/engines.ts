/** Detection and tracking for a sequence of images of one size, on the CPU or on a device where both are made once. */
import { type Keypoints, strongestPlaces } from "../../../core/keypoints.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type GreyImage, inFloats, type Plane } from "../../image.js";
import { createGpuKlt } from "../gpu-klt.js";
import { KLT_DEFAULTS, KLT_LEVELS, type KltTracks } from "../klt-options.js";
import { kltPyramid } from "../klt-pyramid.js";
import { trackKltBothWays } from "../klt-track.js";
import { GpuSift } from "../sift/gpu-sift.js";
import { type Octave, scaleSpace } from "../sift/scale-space.js";
import { detectSiftOnCpu, type SiftOptions } from "../sift/sift.js";
import type { Places } from "./places.js";

export interface Engines {
  /** The `most` strongest places; `octaves` where the image's scale space is there already. */
  sift(image: Plane, octaves: readonly Octave[] | null, most: number): Promise<Keypoints>;
  /** There and back. */
  track(first: Plane, second: Plane, places: Places): Promise<KltTracks>;
  close(): void;
}

export function cpuEngines(options: SiftOptions): Engines {
  /** Of the last few images: each is tracked from and to more than once. */
  const pyramids = new Map<Plane, GreyImage[]>();
  const pyramidOf = (image: Plane): GreyImage[] => {
    const known = pyramids.get(image);
    if (known !== undefined) return known;
    const pyramid = kltPyramid(inFloats(image), KLT_LEVELS);
    pyramids.set(image, pyramid);
    for (const old of [...pyramids.keys()].slice(0, -3)) pyramids.delete(old);
    return pyramid;
  };
  return {
    sift: async (image, octaves, most) => {
      const greys = inFloats(image);
      const from = octaves ?? scaleSpace(greys, options.firstOctave);
      return strongestPlaces(detectSiftOnCpu(greys, options, false, from).keypoints, most);
    },
    track: async (first, second, places) => trackKltBothWays(pyramidOf(first), pyramidOf(second), places, KLT_DEFAULTS),
    close: () => {},
  };
}

export async function gpuEngines(
  session: GpuSession,
  size: { readonly width: number; readonly height: number },
  options: SiftOptions,
): Promise<Engines> {
  const [sift, klt] = await Promise.all([
    GpuSift.create(session, size, options),
    createGpuKlt(session, size, KLT_DEFAULTS, KLT_LEVELS),
  ]);
  return {
    sift: async (image, _octaves, most) => strongestPlaces((await sift.detect(image)).keypoints, most),
    track: (first, second, places) => klt.trackBothWays(first, second, places),
    close: () => {
      sift.destroy();
      klt.destroy();
    },
  };
}
