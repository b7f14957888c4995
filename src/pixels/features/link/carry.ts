/** Detections carried over misses: where KLT finds a place in the next frame and nothing was detected there, one is added. */
import { DESCRIPTOR_LENGTH } from "../../../core/keypoints.js";
import { KLT_STATUS, type KltTracks } from "../klt-options.js";
import { describe } from "../sift/descriptor.js";
import { BASE_SIGMA, LAYERS, type Octave } from "../sift/scale-space.js";
import { joinPlaces, type Places } from "./places.js";

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
  const isOccupied = occupancy(here);
  const kept = [...before.x.keys()].filter((k) => {
    const [x, y] = [moved.x[k], moved.y[k]];
    if (moved.status[k] !== KLT_STATUS.tracked || before.carried[k] >= most) return false;
    if (!(x > BORDER && y > BORDER && x < width - 1 - BORDER && y < height - 1 - BORDER)) return false;
    return !isOccupied(x, y);
  });
  const start = new Uint32Array(kept.length + 1);
  kept.forEach((k, n) => {
    start[n + 1] = start[n] + before.start[k + 1] - before.start[k];
  });
  const angle = new Float32Array(start[kept.length]);
  kept.forEach((k, n) => {
    angle.set(before.angle.subarray(before.start[k], before.start[k + 1]), start[n]);
  });
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * angle.length);
  kept.forEach((k, n) => {
    for (let a = start[n]; a < start[n + 1]; a++) {
      const out = descriptors.subarray(DESCRIPTOR_LENGTH * a, DESCRIPTOR_LENGTH * (a + 1));
      describeAt(octaves, moved.x[k], moved.y[k], before.sigma[k], angle[a], out);
    }
  });
  return joinPlaces(here, {
    count: kept.length,
    x: Float32Array.from(kept, (k) => moved.x[k]),
    y: Float32Array.from(kept, (k) => moved.y[k]),
    sigma: Float32Array.from(kept, (k) => before.sigma[k]),
    start,
    angle,
    descriptors,
    carried: Uint8Array.from(kept, (k) => before.carried[k] + 1),
  });
}

/** Whether a detection is within `OCCUPIED` of a place: those of the cell, as large as that, and of the cells around it are looked at. */
function occupancy({ x, y }: Places): (x: number, y: number) => boolean {
  const cells = new Map<string, number[]>();
  const cellOf = (value: number) => Math.floor(value / OCCUPIED);
  for (const j of x.keys()) {
    const cell = `${cellOf(x[j])},${cellOf(y[j])}`;
    const others = cells.get(cell);
    if (others === undefined) cells.set(cell, [j]);
    else others.push(j);
  }
  return (px, py) => {
    for (let row = cellOf(py) - 1; row <= cellOf(py) + 1; row++) {
      for (let column = cellOf(px) - 1; column <= cellOf(px) + 1; column++) {
        const near = cells.get(`${column},${row}`) ?? [];
        if (near.some((j) => (x[j] - px) ** 2 + (y[j] - py) ** 2 <= OCCUPIED ** 2)) return true;
      }
    }
    return false;
  };
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
