/** SIFT on the CPU (Lowe 2004), following VLFeat 0.9.21 where it and the IPOL's differ. */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import type { GreyImage } from "../../image.js";
import { DESCRIPTOR_FORM, type DescriptorForm, describe } from "./descriptor.js";
import { findPlaces, type Place, type StageCounts } from "./extrema.js";
import { orientations } from "./orientation.js";
import { type Octave, type ScaleStorage, scaleSpace } from "./scale-space.js";

export interface SiftOptions extends DescriptorForm {
  /** −1 doubles the image first; 0 does not. */
  readonly firstOctave: -1 | 0;
  /** Least |D| over 1 … of a scale of 0 … 1 and three layers: Lowe's and OpenCV's 0.04 is 255 · 0.04 / 3 grey levels. */
  readonly peak: number;
  /** Largest ratio of the principal curvatures. */
  readonly edge: number;
  /** Directions of a place at most. */
  readonly orientations: number;
  readonly subpixel: boolean;
  /** Numbers the scale space is kept in: halves need half the memory and find a little less. */
  readonly storage: ScaleStorage;
}

export const SIFT_DEFAULTS: SiftOptions = {
  ...DESCRIPTOR_FORM,
  firstOctave: -1,
  peak: 0.04,
  edge: 10,
  orientations: 4,
  subpixel: true,
  storage: "f32",
};

/** The threshold of |D| in grey levels of 0 … 255. */
export const peakInGreyLevels = (peak: number): number => (255 * peak) / 3;

export interface SiftResult {
  readonly keypoints: Keypoints;
  readonly counts: StageCounts;
}

/** A keypoint before it is described: a place and one of its directions. */
export interface Oriented {
  readonly place: Place;
  readonly angle: number;
}

/** Keypoints in the order of octave, layer, row, column and angle. */
export function detectSiftOnCpu(
  image: GreyImage,
  options: SiftOptions,
  countAll = false,
  octaves: Iterable<Octave> = scaleSpace(image, options.firstOctave, options.storage),
): SiftResult {
  const counts: StageCounts = { extrema: 0, softThreshold: 0, interpolated: 0, threshold: 0, edge: 0, keypoints: 0 };
  const found: Oriented[] = [];
  const described: Uint8Array[] = [];
  const { edge, subpixel, firstOctave } = options;
  const extrema = { peak: peakInGreyLevels(options.peak), edge, subpixel, countAll };
  let index = 0;
  for (const octave of octaves) {
    for (const place of inOrder(findPlaces(octave, index, extrema, counts))) {
      const gaussian = octave.gaussians[place.gaussian];
      for (const angle of orientations(gaussian, place, options.orientations)) {
        const descriptor = new Uint8Array(DESCRIPTOR_LENGTH);
        describe(gaussian, place.x, place.y, place.sigma, angle, descriptor, options);
        found.push({ place, angle });
        described.push(descriptor);
      }
    }
    index++;
  }
  counts.keypoints = found.length;
  return { keypoints: collect(found, described, firstOctave), counts };
}

/** By octave, layer, row and column; two extrema that moved to one pixel are told apart by their place. */
export function inOrder(places: readonly Place[]): Place[] {
  return [...places].sort(
    (a, b) =>
      a.octave - b.octave || a.gaussian - b.gaussian || a.row - b.row || a.column - b.column || a.y - b.y || a.x - b.x,
  );
}

/** Places in pixels of the input. */
export function collect(found: readonly Oriented[], described: readonly Uint8Array[], firstOctave: number): Keypoints {
  const of = (value: (oriented: Oriented, spacing: number) => number) =>
    Float32Array.from(found, (oriented) => value(oriented, 2 ** (oriented.place.octave + firstOctave)));
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * found.length);
  described.forEach((descriptor, k) => {
    descriptors.set(descriptor, DESCRIPTOR_LENGTH * k);
  });
  let number = -1;
  const place = Uint32Array.from(found, (oriented, k) =>
    k > 0 && found[k - 1].place === oriented.place ? number : ++number,
  );
  return {
    x: of(({ place }, spacing) => place.x * spacing),
    y: of(({ place }, spacing) => place.y * spacing),
    sigma: of(({ place }, spacing) => place.sigma * spacing),
    angle: of(({ angle }) => angle),
    response: of(({ place }) => place.response),
    place,
    descriptors,
  };
}
