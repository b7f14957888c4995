/** KLT's corners as places to link: described as SIFT's keypoints are, at one scale. */
import type { GreyImage } from "../../image.js";
import type { Corners } from "../corners.js";
import { describe } from "../sift/descriptor.js";
import { orientations } from "../sift/orientation.js";
import type { Octave } from "../sift/scale-space.js";
import { describedPlaces, type Places } from "./places.js";

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
