/**
 * Main directions of a place (Lowe 2004 §5; VLFeat 0.9.21, vl_sift_calc_keypoint_orientations). The twin of orientation.wgsl, which sums
 * fixed-point numbers instead.
 */
import type { GreyImage } from "../../image.js";
import type { Place } from "./extrema.js";

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
  const histogram = new Float64Array(ORIENTATION_BINS);
  const across = weightsAlong(cx - x, radius, spread);
  const down = weightsAlong(cy - y, radius, spread);
  for (let row = Math.max(cy - radius, 0); row <= Math.min(cy + radius, height - 1); row++) {
    for (let column = Math.max(cx - radius, 0); column <= Math.min(cx + radius, width - 1); column++) {
      const square = (column - x) ** 2 + (row - y) ** 2;
      if (square >= radius * radius + 0.6) continue;
      const [gx, gy] = gradientAt(gaussian, column, row);
      const weight = Math.sqrt(gx * gx + gy * gy) * across[column - cx + radius] * down[row - cy + radius];
      const bin = (angleOf(gx, gy) * ORIENTATION_BINS) / (2 * Math.PI) - 0.5;
      const below = Math.floor(bin);
      histogram[(below + ORIENTATION_BINS) % ORIENTATION_BINS] += (1 - bin + below) * weight;
      histogram[(below + 1) % ORIENTATION_BINS] += (bin - below) * weight;
    }
  }
  return peaks(smoothed(histogram), most);
}

/** exp(−d² / 2σ²) at d = `middle` − radius … `middle` + radius; a Gaussian of two axes is a product of two of them. */
export function weightsAlong(middle: number, radius: number, sigma: number): Float64Array {
  const weights = new Float64Array(2 * radius + 1);
  for (let k = 0; k < weights.length; k++) {
    const distance = middle + k - radius;
    weights[k] = Math.exp(-(distance * distance) / (2 * sigma * sigma));
  }
  return weights;
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

function smoothed(histogram: Float64Array): Float64Array {
  const last = ORIENTATION_BINS - 1;
  const out = histogram.slice();
  for (let pass = 0; pass < SMOOTHINGS; pass++) {
    const first = out[0];
    let before = out[last];
    for (let bin = 0; bin <= last; bin++) {
      const value = out[bin];
      out[bin] = (before + value + (bin < last ? out[bin + 1] : first)) / 3;
      before = value;
    }
  }
  return out;
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
