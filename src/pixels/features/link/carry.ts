/** Detections carried over misses: where KLT finds a place in the next frame and nothing was detected there, one is added. */
import { KLT_STATUS, type KltTracks } from "../klt-options.js";
import { NearPoints } from "../near-points.js";
import { describe } from "../sift/descriptor.js";
import { BASE_SIGMA, LAYERS, type Octave } from "../sift/scale-space.js";
import { describedPlaces, joinPlaces, type Places } from "./places.js";

/** A place nearer than this to a detection is that detection. */
const OCCUPIED = 2.5;
const BORDER = 8;

/** `here` with the places of `before` that were missed: at KLT's place, with the same σ and directions and new descriptors, for at most `most` frames. */
export function carryOver(
  before: Places,
  here: Places,
  moved: KltTracks,
  octaves: readonly Octave[],
  most: number,
): Places {
  const [{ gaussians, spacing }] = octaves;
  const [width, height] = [gaussians[0].width * spacing, gaussians[0].height * spacing];
  const detected = new NearPoints(OCCUPIED);
  here.x.forEach((x, j) => {
    detected.add({ x, y: here.y[j] });
  });
  const isOccupied = (square: number) => square <= OCCUPIED ** 2;
  const kept = [...before.x.keys()].filter((k) => {
    const [x, y] = [moved.x[k], moved.y[k]];
    if (moved.status[k] !== KLT_STATUS.tracked || before.carried[k] >= most) return false;
    if (!(x > BORDER && y > BORDER && x < width - 1 - BORDER && y < height - 1 - BORDER)) return false;
    return !detected.has(x, y, isOccupied);
  });
  const places = {
    x: Float32Array.from(kept, (k) => moved.x[k]),
    y: Float32Array.from(kept, (k) => moved.y[k]),
    sigma: Float32Array.from(kept, (k) => before.sigma[k]),
    carried: Uint8Array.from(kept, (k) => before.carried[k] + 1),
  };
  const directions = kept.map((k) => before.angle.subarray(before.keypointStart[k], before.keypointStart[k + 1]));
  const carried = describedPlaces(places, directions, (p, angle, out) =>
    describeAt(octaves, places.x[p], places.y[p], places.sigma[p], angle, out),
  );
  return joinPlaces(here, carried);
}

/** The descriptor at any place and σ, from the Gaussian whose σ is nearest among those that hold extrema. */
function describeAt(
  octaves: readonly Octave[],
  x: number,
  y: number,
  sigma: number,
  angle: number,
  out: Uint8Array,
): void {
  const wanted = Math.floor(Math.log2(sigma / (BASE_SIGMA * octaves[0].spacing)) - 0.5 / LAYERS);
  const octave = octaves[Math.min(Math.max(wanted, 0), octaves.length - 1)];
  const { spacing, gaussians } = octave;
  const layer = Math.round(LAYERS * Math.log2(sigma / (BASE_SIGMA * spacing)));
  const gaussian = gaussians[Math.min(Math.max(layer, 1), LAYERS)];
  describe(gaussian, x / spacing, y / spacing, sigma / spacing, angle, out);
}
