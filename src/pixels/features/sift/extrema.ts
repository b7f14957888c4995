/**
 * Extrema of the difference of Gaussians, interpolated and tested (Lowe 2004 §3.1, §4; VLFeat 0.9.21, vl_sift_detect). Twins of
 * extrema.wgsl and refine.wgsl.
 */
import type { GreyImage } from "../../image.js";
import { localKernels } from "../../simd/local-kernels.js";
import { BASE_SIGMA, LAYERS, type Octave } from "./scale-space.js";
import { VECTOR } from "./space.js";

export interface ExtremaOptions {
  /** Least |D| of an interpolated extremum, in grey levels. */
  readonly peak: number;
  /** Largest ratio r of the principal curvatures. */
  readonly edge: number;
  /** Move extrema to the parabola's; without it the pixel itself (the thesis's variant). */
  readonly subpixel: boolean;
  /** Count all extrema, for the table of stages. */
  readonly countAll: boolean;
}

/** A place in scale space. */
export interface Place {
  /** Octave counted from the first, and the Gaussian (1 … 3) nearest below, where the extremum was found. */
  readonly octave: number;
  readonly gaussian: number;
  /** Pixel of the octave where the last parabola was fitted. */
  readonly column: number;
  readonly row: number;
  /** Pixels of the octave. */
  readonly x: number;
  readonly y: number;
  readonly sigma: number;
  /** D there, grey levels. */
  readonly response: number;
}

/** Points left after each test, in the order of the tests. */
export interface StageCounts {
  extrema: number;
  softThreshold: number;
  interpolated: number;
  threshold: number;
  edge: number;
  keypoints: number;
}

/**
 * Grey levels that count as equal: several times the rounding error of a difference. Where a pattern repeats or mirrors itself neighbours are equal in exact arithmetic, and
 * rounding, which differs from device to device, would decide.
 */
const TIE = 2 ** -11;
const MOVES = 5;
const MOVE_BEYOND = 0.6;
const LARGEST_OFFSET = 1.5;

/** Of extrema.wgsl and refine.wgsl. */
export const EXTREMA_CONSTANTS = { TIE };
export const REFINE_CONSTANTS = { MOVES, MOVE_BEYOND, LARGEST_OFFSET, LAYERS, BASE_SIGMA };

export function findPlaces(octave: Octave, index: number, options: ExtremaOptions, counts: StageCounts): Place[] {
  const dog = new Differences(octave.gaussians);
  const soft = 0.8 * options.peak;
  const places: Place[] = [];
  const least = options.countAll ? 0 : soft;
  for (let layer = 1; layer <= LAYERS; layer++) {
    for (const p of candidates(octave.gaussians[layer], octave.gaussians[layer + 1], least)) {
      const [x, y] = [p % dog.width, Math.floor(p / dog.width)];
      if (!dog.isExtremum(x, y, layer)) continue;
      counts.extrema++;
      if (Math.abs(dog.at(x, y, layer)) < soft) continue;
      counts.softThreshold++;
      const place = refine(dog, x, y, layer, options, counts);
      if (place !== null) places.push({ octave: index, ...place });
    }
  }
  return places;
}

/** Pixels off the border whose difference is at least `least` and beats those beside it. */
function candidates({ width, height, pixels }: GreyImage, upper: GreyImage, least: number): Int32Array {
  const length = pixels.length + VECTOR;
  const { floats, integers, run } = localKernels(4 * 3 * length);
  floats.set(pixels);
  floats.set(upper.pixels, length);
  const count = run.candidates(0, 4 * length, width, height, least, TIE, 8 * length);
  return integers.slice(2 * length, 2 * length + count);
}

/** D(x, y, layer) = Gaussian layer + 1 − Gaussian layer, differences taken while reading, in f32. */
class Differences {
  readonly width: number;
  readonly height: number;
  constructor(readonly gaussians: readonly GreyImage[]) {
    this.width = gaussians[0].width;
    this.height = gaussians[0].height;
  }

  at(x: number, y: number, layer: number): number {
    const p = y * this.width + x;
    return Math.fround(this.gaussians[layer + 1].pixels[p] - this.gaussians[layer].pixels[p]);
  }

  /** Above, or below, all 26 neighbours; of equal ones the first, by layer, row and column. */
  isExtremum(x: number, y: number, layer: number): boolean {
    const value = this.at(x, y, layer);
    const sign = value > 0 ? 1 : -1;
    // Pixels after it stay below `limit`; those before it stay a tie further below.
    const limit = Math.fround(sign * value + TIE);
    const before = Math.fround(sign * value - TIE);
    for (let s = layer - 1; s <= layer + 1; s++) {
      for (let r = y - 1; r <= y + 1; r++) {
        for (let c = x - 1; c <= x + 1; c++) {
          const isBefore = s < layer || (s === layer && (r < y || (r === y && c < x)));
          if (sign * this.at(c, r, s) >= (isBefore ? before : limit) && (s !== layer || r !== y || c !== x))
            return false;
        }
      }
    }
    return true;
  }
}

/** Fits the parabola, moving by a pixel while its peak is further than 0.6 away; null where a test fails. */
function refine(
  dog: Differences,
  column: number,
  row: number,
  layer: number,
  { peak, edge, subpixel }: ExtremaOptions,
  counts: StageCounts,
): Omit<Place, "octave"> | null {
  const { width, height } = dog;
  let [x, y] = [column, row];
  let fit = parabola(dog, x, y, layer);
  for (let move = 1; subpixel && move < MOVES; move++) {
    const [ox, oy] = fit.offset;
    const dx = (ox > MOVE_BEYOND && x < width - 2 ? 1 : 0) - (ox < -MOVE_BEYOND && x > 1 ? 1 : 0);
    const dy = (oy > MOVE_BEYOND && y < height - 2 ? 1 : 0) - (oy < -MOVE_BEYOND && y > 1 ? 1 : 0);
    if (dx === 0 && dy === 0) break;
    x += dx;
    y += dy;
    fit = parabola(dog, x, y, layer);
  }
  const [ox, oy, os] = subpixel ? fit.offset : [0, 0, 0];
  const [px, py, ps] = [x + ox, y + oy, layer + os];
  const near = Math.max(Math.abs(ox), Math.abs(oy), Math.abs(os)) < LARGEST_OFFSET;
  const inside = px >= 0 && py >= 0 && px <= width - 1 && py <= height - 1 && ps >= 0 && ps <= LAYERS + 2;
  if (!near || !inside) return null;
  counts.interpolated++;
  const response = fit.value + 0.5 * (fit.gradient[0] * ox + fit.gradient[1] * oy + fit.gradient[2] * os);
  if (!(Math.abs(response) > peak)) return null;
  counts.threshold++;
  // tr²/det is below the limit, and both curvatures have one sign: at a saddle the quotient is no ratio of curvatures.
  if (!(fit.determinant > 0 && fit.trace ** 2 < ((edge + 1) ** 2 / edge) * fit.determinant)) return null;
  counts.edge++;
  return { gaussian: layer, column: x, row: y, x: px, y: py, sigma: BASE_SIGMA * 2 ** (ps / LAYERS), response };
}

interface Parabola {
  readonly value: number;
  readonly gradient: readonly [number, number, number];
  /** −H⁻¹ g in (x, y, layer); 0 where H is singular. */
  readonly offset: readonly [number, number, number];
  /** Of H's part in x and y. */
  readonly trace: number;
  readonly determinant: number;
}

function parabola(dog: Differences, x: number, y: number, s: number): Parabola {
  const value = dog.at(x, y, s);
  const g: [number, number, number] = [
    0.5 * (dog.at(x + 1, y, s) - dog.at(x - 1, y, s)),
    0.5 * (dog.at(x, y + 1, s) - dog.at(x, y - 1, s)),
    0.5 * (dog.at(x, y, s + 1) - dog.at(x, y, s - 1)),
  ];
  const xx = dog.at(x + 1, y, s) + dog.at(x - 1, y, s) - 2 * value;
  const yy = dog.at(x, y + 1, s) + dog.at(x, y - 1, s) - 2 * value;
  const ss = dog.at(x, y, s + 1) + dog.at(x, y, s - 1) - 2 * value;
  const mixed = (ax: number, ay: number, as: number, bx: number, by: number, bs: number): number =>
    0.25 *
    (dog.at(x + ax + bx, y + ay + by, s + as + bs) -
      dog.at(x + ax - bx, y + ay - by, s + as - bs) -
      dog.at(x - ax + bx, y - ay + by, s - as + bs) +
      dog.at(x - ax - bx, y - ay - by, s - as - bs));
  const xy = mixed(1, 0, 0, 0, 1, 0);
  const xs = mixed(1, 0, 0, 0, 0, 1);
  const ys = mixed(0, 1, 0, 0, 0, 1);
  // The adjugate over the determinant: as exact as elimination where H is well conditioned, and refused below where not.
  const [a, b, c] = [yy * ss - ys * ys, xs * ys - xy * ss, xy * ys - xs * yy];
  const det = xx * a + xy * b + xs * c;
  const solve = (): [number, number, number] => {
    const [d, e, f] = [xx * ss - xs * xs, xy * xs - xx * ys, xx * yy - xy * xy];
    return [
      -(a * g[0] + b * g[1] + c * g[2]) / det,
      -(b * g[0] + d * g[1] + e * g[2]) / det,
      -(c * g[0] + e * g[1] + f * g[2]) / det,
    ];
  };
  const offset = det === 0 ? ([0, 0, 0] as const) : solve();
  return { value, gradient: g, offset, trace: xx + yy, determinant: xx * yy - xy * xy };
}
