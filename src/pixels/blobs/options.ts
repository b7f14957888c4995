import { InputError } from "../../core/errors.js";
import type { Plane } from "../image.js";

export interface BlobOptions {
  /** Least and greatest diameter of a spot in pixels: 2√2 σ of a Gaussian, as in scikit-image and TrackMate. */
  readonly diameter: readonly [least: number, greatest: number];
  /** Whether spots are darker than what is around them. */
  readonly dark: boolean;
  /** Spots that an image of noise alone is expected to show; not used where `threshold` is given. */
  readonly falseAlarms: number;
  /** Least score of a spot, or null: from `falseAlarms`. */
  readonly threshold: number | null;
  /** Least contrast of a spot in grey levels. */
  readonly contrast: number;
}

export const BLOB_DEFAULTS = {
  // From 1.5 times the width at half height of the sharpest spot that a camera should see (Nyquist: 2 pixels) to four times as much.
  diameter: [3, 12],
  dark: false,
  falseAlarms: 1,
  threshold: null,
  contrast: 0,
} as const satisfies BlobOptions;

/** A given diameter is that of the user's eye: spots of 1.5 times as much or as little are found as well. */
export const DIAMETER_TOLERANCE = 1.5;

/** A spot of fewer pixels cannot be told from the noise of one pixel. */
export const LEAST_DIAMETER = 2;

/** Half of it is the widest Gaussian of a filter: the same limit as that of --prefilter. */
export const MOST_DIAMETER = 200;

/** Whether an image has no difference that could be a spot, as one taken with the shutter closed. */
export const isBlank = ({ pixels }: Plane): boolean => pixels.every((value) => value === pixels[0]);

/** @throws InputError for diameters that the image has no room for */
export function requireRoom({ width, height }: Plane, { diameter }: BlobOptions, place: string): void {
  const greatest = Number(diameter[1].toPrecision(4));
  if (greatest > Math.min(width, height))
    throw new InputError(
      `${place}: is ${width} × ${height} pixels, smaller than a spot of diameter ${greatest}; give a smaller --diameter`,
    );
}

/** @throws InputError for diameters that the image has no room for, and for an image without any difference */
export function requireSpots(image: Plane, options: BlobOptions, place: string): void {
  requireRoom(image, options, place);
  if (isBlank(image))
    throw new InputError(`${place}: every pixel is ${image.pixels[0]}; check how it was saved, or leave it out`);
}
