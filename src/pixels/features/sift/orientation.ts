/**
 * Main directions of a place (Lowe 2004 §5; VLFeat 0.9.21, vl_sift_calc_keypoint_orientations). The twin of orientation.wgsl, which sums
 * fixed-point numbers instead.
 */
import type { GreyImage } from "../../image.js";
import type { Place } from "./extrema.js";
import { placeWindow, weightsAlong, windowAround } from "./gradient-window.js";

const ORIENTATION_BINS = 36;
/** σ of the weight over that of the place. */
const WINDOW = 1.5;
const SMOOTHINGS = 6;
/** Peaks of at least this share of the highest are directions of their own. */
const PEAK_SHARE = 0.8;
/** Share of the highest that counts as no difference: where a pattern mirrors itself, a direction on the border of two bins fills both alike but for rounding. */
const TIE = 2 ** -14;

/** Of orientation.wgsl. */
export const ORIENTATION_CONSTANTS = { BINS: ORIENTATION_BINS, WINDOW, PEAK_SHARE, TIE };

/**
 * Angles in 0…2π, x right and y down, of the peaks of the histogram of gradients around the place; `most` of them, in the order
 * of their bins. Sums are over pixels with |p − place|² < W² + 0.6, W = ⌊3 · 1.5σ⌋.
 */
export function orientations(gaussian: GreyImage, { x, y, sigma }: Place, most: number): number[] {
  const { width, height } = gaussian;
  const spread = WINDOW * sigma;
  const radius = Math.max(Math.floor(3 * spread), 1);
  const [cx, cy] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  if (cx < 0 || cy < 0 || cx > width - 1 || cy > height - 1) return [];
  const window = windowAround(gaussian, [cx, cy], radius, 0);
  const { columns, rows, column, row } = window;
  const { kernels, place, lists } = placeWindow(gaussian, window, [columns, rows, columns, rows, ORIENTATION_BINS]);
  const { doubles, run } = kernels;
  const [across, down, perX, perY, bins] = lists;
  weightsAlong(doubles, across, columns, column - x, spread);
  weightsAlong(doubles, down, rows, row - y, spread);
  halvesAlong(doubles, perX, columns, column, width - 1);
  halvesAlong(doubles, perY, rows, row, height - 1);
  doubles.fill(0, bins, bins + ORIENTATION_BINS);
  const limit = radius * radius + 0.6;
  const addresses = [across, down, perX, perY].map((list) => 8 * list);
  run.directionSums(...place, x, y, limit, ...addresses, ORIENTATION_BINS, 8 * bins);
  return peaksOf(doubles.slice(bins, bins + ORIENTATION_BINS), most);
}

/** What a difference of two neighbours is multiplied with: 0.5, but 1 at the border of the image, towards whose inside it is taken. */
function halvesAlong(numbers: Float64Array, from: number, count: number, first: number, last: number): void {
  for (let k = 0; k < count; k++) numbers[from + k] = first + k > 0 && first + k < last ? 0.5 : 1;
}

/** Halved differences of the neighbours; whole ones towards the inside at the border, as VLFeat. */
export function gradientAt({ width, height, pixels }: GreyImage, x: number, y: number): [number, number] {
  const p = y * width + x;
  const left = x > 0 ? 1 : 0;
  const right = x < width - 1 ? 1 : 0;
  const up = y > 0 ? 1 : 0;
  const down = y < height - 1 ? 1 : 0;
  const gx = (pixels[p + right] - pixels[p - left]) / Math.max(left + right, 1);
  const gy = (pixels[p + down * width] - pixels[p - up * width]) / Math.max(up + down, 1);
  return [gx, gy];
}

/** Of a vector, in 0…2π. */
export function angleOf(gx: number, gy: number): number {
  const angle = Math.atan2(gy, gx);
  return angle < 0 ? angle + 2 * Math.PI : angle;
}

/** Angles of the peaks of a histogram after it is smoothed, where it lies. */
export function peaksOf(histogram: Float64Array, most: number): number[] {
  smooth(histogram);
  return peaks(histogram, most);
}

function smooth(out: Float64Array): void {
  const last = ORIENTATION_BINS - 1;
  for (let pass = 0; pass < SMOOTHINGS; pass++) {
    const first = out[0];
    let before = out[last];
    for (let bin = 0; bin <= last; bin++) {
      const value = out[bin];
      out[bin] = (before + value + (bin < last ? out[bin + 1] : first)) / 3;
      before = value;
    }
  }
}

function peaks(histogram: Float64Array, most: number): number[] {
  const highest = histogram.reduce((a, b) => Math.max(a, b), 0);
  const at = (bin: number) => histogram[(bin + ORIENTATION_BINS) % ORIENTATION_BINS];
  const tie = TIE * highest;
  /** A bin and the next are alike, and above those around them: the first is the peak. */
  const isPair = (bin: number) =>
    Math.abs(at(bin) - at(bin + 1)) <= tie && at(bin) > at(bin - 1) + tie && at(bin + 1) > at(bin + 2) + tie;
  const angles: number[] = [];
  for (let bin = 0; bin < ORIENTATION_BINS && angles.length < most; bin++) {
    const [before, here, after] = [at(bin - 1), at(bin), at(bin + 1)];
    const isPeak = isPair(bin) || (here > before && here > after && !isPair(bin - 1));
    if (!(here > PEAK_SHARE * highest && isPeak)) continue;
    const offset = (-0.5 * (after - before)) / (after + before - 2 * here);
    const angle = (2 * Math.PI * (bin + offset + 0.5)) / ORIENTATION_BINS;
    angles.push(angle < 0 ? angle + 2 * Math.PI : angle);
  }
  return angles;
}
