/** KLT's corners as places to link: described as SIFT's keypoints are, at one scale. */
import { DESCRIPTOR_LENGTH } from "../../../core/keypoints.js";
import type { GreyImage } from "../../image.js";
import type { Corners } from "../corners.js";
import { describe } from "../sift/descriptor.js";
import { orientations } from "../sift/orientation.js";
import type { Octave } from "../sift/scale-space.js";
import type { Places } from "./places.js";

/** Gaussian of the first octave that corners are described in, and σ of their windows over the octave's spacing: 1.6 · 2^(2/3). */
const GAUSSIAN = 2;
const SIGMA = 1.6 * 2 ** (GAUSSIAN / 3);
const MOST_DIRECTIONS = 4;

/** Corners without a direction, near the border, are left out. */
export function cornerPlaces({ x, y }: Corners, [{ gaussians, spacing }]: readonly Octave[]): Places {
  const gaussian: GreyImage = gaussians[GAUSSIAN];
  const found = Array.from(x, (_, k) => {
    const place = { octave: 0, gaussian: GAUSSIAN, column: 0, row: 0, response: 0, sigma: SIGMA };
    return orientations(gaussian, { ...place, x: x[k] / spacing, y: y[k] / spacing }, MOST_DIRECTIONS);
  });
  const kept = [...found.keys()].filter((k) => found[k].length > 0);
  const start = new Uint32Array(kept.length + 1);
  kept.forEach((k, n) => {
    start[n + 1] = start[n] + found[k].length;
  });
  const angle = Float32Array.from(kept.flatMap((k) => found[k]));
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * angle.length);
  kept.forEach((k, n) => {
    for (let a = start[n]; a < start[n + 1]; a++) {
      const out = descriptors.subarray(DESCRIPTOR_LENGTH * a, DESCRIPTOR_LENGTH * (a + 1));
      describe(gaussian, x[k] / spacing, y[k] / spacing, SIGMA, angle[a], out);
    }
  });
  const take = (values: Float32Array) => Float32Array.from(kept, (k) => values[k]);
  const sigma = new Float32Array(kept.length).fill(SIGMA * spacing);
  return {
    count: kept.length,
    x: take(x),
    y: take(y),
    sigma,
    start,
    angle,
    descriptors,
    carried: new Uint8Array(kept.length),
  };
}
