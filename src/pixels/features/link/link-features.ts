/** Features of a sequence of images, and the evidence for every link between them. Frames come one after the other; images are not kept. */

import { type Keypoints, strongestPlaces } from "../../../core/keypoints.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type GreyImage, inFloats, type Plane } from "../../image.js";
import { type Corners, detectCorners, KLT_SELECTION_DEFAULTS } from "../corners.js";
import { createGpuKlt } from "../klt.js";
import { KLT_DEFAULTS, KLT_LEVELS, type KltTracks } from "../klt-options.js";
import { kltPyramid, trackKltBothWays } from "../klt-track.js";
import { describe } from "../sift/descriptor.js";
import { GpuSift } from "../sift/gpu-sift.js";
import { orientations } from "../sift/orientation.js";
import { type Octave, scaleSpace } from "../sift/scale-space.js";
import { detectSiftOnCpu, SIFT_DEFAULTS, type SiftOptions } from "../sift/sift.js";
import { cameraBends, cameraMoves, type Displacements } from "./camera.js";
import { carryOver } from "./carry.js";
import { type Candidate, type CandidateOptions, findCandidates } from "./pairs.js";
import { describedPlaces, type Places, placesOf } from "./places.js";

interface LinkFeaturesOptions extends CandidateOptions {
  readonly detector: "sift" | "klt";
  /** Places of a frame at most, the strongest. */
  readonly features: number;
  /** SIFT's threshold. */
  readonly peak: number;
  /** Frames over which KLT carries a place that is missed. */
  readonly carry: number;
  /** Where features are found and tracked; null for the CPU. Descriptors of corners and of carried places are made on the CPU. */
  readonly device: GpuSession | null;
}

export interface LinkedFeatures {
  readonly places: Places[];
  /** Between frame t and t + 1. */
  readonly candidates: Candidate[][];
  /** KLT's tracks of the places of frame t into t + 1. */
  readonly moved: KltTracks[];
  /** The camera's second differences at the places of frame t; null for the first and the last. */
  readonly bends: (Displacements | null)[];
}

/** @param frames of one size, grey levels of 0 … 255 */
export async function linkFeatures(
  frames: AsyncIterable<Plane>,
  options: LinkFeaturesOptions,
  progress: (frame: number, places: Places) => void = () => {},
): Promise<LinkedFeatures> {
  const linked: LinkedFeatures = { places: [], candidates: [], moved: [], bends: [] };
  const sift = { ...SIFT_DEFAULTS, peak: options.peak };
  let engines: Engines | null = null;
  /** The last two images, the newer first. */
  let images: Plane[] = [];
  try {
    for await (const image of frames) {
      engines ??= options.device === null ? cpuEngines(sift) : await gpuEngines(options.device, image, sift);
      const t = linked.places.length;
      const octaves = options.carry > 0 || options.detector === "klt" ? [...scaleSpace(inFloats(image), -1)] : null;
      let here = await detect(engines, image, octaves, options);
      if (t > 0) {
        const before = linked.places[t - 1];
        const moved = await engines.track(images[0], image, before);
        if (octaves !== null && options.carry > 0) here = carryOver(before, here, moved, octaves, options.carry);
        linked.moved.push(moved);
        linked.candidates.push(
          findCandidates(before, here, moved, options, cameraMoves(before, moved, image.width, image.height)),
        );
        const back = t > 1 ? await engines.track(images[0], images[1], before) : null;
        linked.bends.push(back && cameraBends(before, moved, back, image.width, image.height));
      }
      linked.places.push(here);
      images = [image, ...images.slice(0, 1)];
      progress(t, here);
    }
  } finally {
    engines?.close();
  }
  linked.bends.push(null);
  return linked;
}

async function detect(
  engines: Engines,
  image: Plane,
  octaves: readonly Octave[] | null,
  { detector, features, device }: LinkFeaturesOptions,
): Promise<Places> {
  if (detector === "sift") return placesOf(await engines.sift(image, octaves, features));
  const { corners } = await detectCorners(image, { ...KLT_SELECTION_DEFAULTS, most: features }, { device });
  return cornerPlaces(corners, octaves as readonly Octave[]);
}

interface Engines {
  /** The `most` strongest places; `octaves` where the image's scale space is there already. */
  sift(image: Plane, octaves: readonly Octave[] | null, most: number): Promise<Keypoints>;
  /** There and back. */
  track(first: Plane, second: Plane, places: Places): Promise<KltTracks>;
  close(): void;
}

function cpuEngines(options: SiftOptions): Engines {
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

async function gpuEngines(
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

/** Gaussian of the first octave that corners are described in, and σ of their windows over the octave's spacing: 1.6 · 2^(2/3). */
const GAUSSIAN = 2;
const SIGMA = 1.6 * 2 ** (GAUSSIAN / 3);
const MOST_DIRECTIONS = 4;

/** Corners without a direction, near the border, are left out. */
function cornerPlaces({ x, y }: Corners, [{ gaussians, spacing }]: readonly Octave[]): Places {
  const gaussian: GreyImage = gaussians[GAUSSIAN];
  const found = Array.from(x, (_, k) => {
    const place = { octave: 0, gaussian: GAUSSIAN, column: 0, row: 0, response: 0, sigma: SIGMA };
    return orientations(gaussian, { ...place, x: x[k] / spacing, y: y[k] / spacing }, MOST_DIRECTIONS);
  });
  const kept = [...found.keys()].filter((k) => found[k].length > 0);
  const places = {
    x: Float32Array.from(kept, (k) => x[k]),
    y: Float32Array.from(kept, (k) => y[k]),
    sigma: new Float32Array(kept.length).fill(SIGMA * spacing),
    carried: new Uint8Array(kept.length),
  };
  const directions = kept.map((k) => found[k]);
  return describedPlaces(places, directions, (p, angle, out) =>
    describe(gaussian, places.x[p] / spacing, places.y[p] / spacing, SIGMA, angle, out),
  );
}
