/** Features of a sequence of images, and the evidence for every link between them. Frames come one after the other; images are not kept. */
import type { GpuSession } from "../../../gpu/session.js";
import { inFloats, type Plane } from "../../image.js";
import { KLT_SELECTION_DEFAULTS } from "../corners.js";
import { detectCorners } from "../detect-corners.js";
import type { KltTracks } from "../klt-options.js";
import { type Octave, scaleSpace } from "../sift/scale-space.js";
import { SIFT_DEFAULTS } from "../sift/sift.js";
import { cameraBends, cameraMoves, type Displacements } from "./camera.js";
import { carryOver } from "./carry.js";
import { cornerPlaces } from "./corner-places.js";
import { cpuEngines, type Engines, gpuEngines } from "./engines.js";
import { type Candidate, type CandidateOptions, findCandidates } from "./pairs.js";
import { type Places, placesOf } from "./places.js";

export interface LinkFeaturesOptions extends CandidateOptions {
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
