/** Spots as maxima of the Laplacian of Gaussian over places and scales (T. Lindeberg, "Feature detection with automatic scale selection", IJCV 30, 1998). */
import { medianOf } from "../../core/select.js";
import { NearPoints } from "../features/near-points.js";
import type { GreyImage } from "../image.js";
import { isMaximum, parabolaTop } from "../maxima.js";
import { MEDIAN_OF_NORMAL, noiseGain } from "./noise.js";
import { blurOf, CONTRAST_RATIO, DIAMETER_RATIO, FILTER_RATIO, GAMMA, type Scales } from "./scales.js";

export interface Blob {
  /** Pixels; pixel centres at integers. */
  readonly x: number;
  readonly y: number;
  /** Pixels: 2√2 σ of the Gaussian that fits. */
  readonly diameter: number;
  /** Height of that Gaussian in grey levels; negative for dark spots. */
  readonly contrast: number;
  /** Response over the standard deviation of the noise at the same scale. */
  readonly score: number;
}

/** Noise of a pixel, in grey levels. */
export interface BlobNoise {
  /** Null where the noise is not white. */
  readonly white: number | null;
  readonly rounding: number;
  /** Whether spots are darker than what is around them. */
  readonly dark: boolean;
}

/** What is compared over the scales: the response times σ^(2 + γ), the larger the brighter a spot is, or the darker. */
export interface Layer extends GreyImage {
  /** Standard deviation of the noise. */
  readonly noise: number;
}

/** Ratio of the principal curvatures beyond which a maximum is a ridge, as in Lowe 2004 §4.1. */
const RIDGE = 10;

/** Spots nearer than this share of the larger one's diameter are one: their centres would lie within each other. */
const APART = 0.5;

/**
 * Spots of an image, those that stand out most first.
 * @param layers one for each of the scales
 * @param threshold least score
 */
export function findBlobs(
  layers: readonly Layer[],
  { sigma, ratio }: Scales,
  { dark }: BlobNoise,
  threshold: number,
): Blob[] {
  const found: (Blob & { readonly strength: number })[] = [];
  for (let n = 1; n < layers.length - 1; n++) {
    for (const { x, y, scale, value } of maximaOf(layers, n, threshold * layers[n].noise)) {
      const top = sigma[n] * ratio ** scale;
      const contrast = (CONTRAST_RATIO * value) / top ** GAMMA;
      found.push({
        x,
        y,
        diameter: (DIAMETER_RATIO / FILTER_RATIO) * top,
        contrast: dark ? -contrast : contrast,
        score: value / layers[n].noise,
        strength: value,
      });
    }
  }
  found.sort((a, b) => b.strength - a.strength || a.y - b.y || a.x - b.x);
  const reach = Math.max(1, ...found.map(({ diameter }) => diameter));
  const kept = new NearPoints(reach);
  const blobs: Blob[] = [];
  for (const { strength, ...blob } of found) {
    const isNear = (square: number, other: number) => square < (APART * Math.max(blob.diameter, other)) ** 2;
    if (kept.has(blob.x, blob.y, isNear)) continue;
    kept.add(blob.x, blob.y, blob.diameter);
    blobs.push(blob);
  }
  return blobs.sort((a, b) => b.score - a.score);
}

/**
 * Noise that is white is known at all scales by that of a pixel. Any other is estimated at each scale, from the responses of the other sign: spots change these less,
 * as their rings reach an eighth of their height, but where they are crowded the estimate is too high. Rounding is noise that no image can fall below.
 * @param response ∇²G(σ) ∗ I, whose memory becomes the layer's
 */
export function layerOf(response: GreyImage, sigma: number, { white, rounding, dark }: BlobNoise): Layer {
  const { pixels } = response;
  const factor = sigma ** (2 + GAMMA);
  const signed = dark ? factor : -factor;
  for (let p = 0; p < pixels.length; p++) pixels[p] *= signed;
  const noiseOf = (pixel: number) => pixel * factor * noiseGain(blurOf(sigma));
  if (white !== null) return { ...response, noise: noiseOf(Math.max(white, rounding)) };
  const others = pixels.filter((value) => value < 0);
  const measured = others.length === 0 ? 0 : -medianOf(others) / MEDIAN_OF_NORMAL;
  return { ...response, noise: Math.max(measured, noiseOf(rounding)) };
}

interface Maximum {
  readonly x: number;
  readonly y: number;
  /** Distance from the layer's scale, in layers. */
  readonly scale: number;
  readonly value: number;
}

/** Pixels of layer n that none of the 26 around them exceeds, moved to the top of a parabola along each axis, but for ridges. */
function maximaOf(layers: readonly Layer[], n: number, least: number): Maximum[] {
  const { width, height, pixels } = layers[n];
  const [below, above] = [layers[n - 1].pixels, layers[n + 1].pixels];
  const found: Maximum[] = [];
  for (let row = 1; row < height - 1; row++) {
    for (let p = row * width + 1; p < (row + 1) * width - 1; p++) {
      const value = pixels[p];
      // A parabola raises a maximum by less than its height over the pixels beside it; most pixels end here.
      if (!(value > 0.5 * least) || value < pixels[p - 1] || value < pixels[p + 1]) continue;
      const size = layers[n];
      if (!isMaximum(pixels, size, p, 1, (other) => other > value)) continue;
      if (below[p] > value || above[p] > value) continue;
      if (!isMaximum(below, size, p, 1, (other) => other > value)) continue;
      if (!isMaximum(above, size, p, 1, (other) => other > value)) continue;
      const maximum = topOf(pixels, below[p], above[p], p, width);
      if (maximum !== null && maximum.value >= least) found.push(maximum);
    }
  }
  return found;
}

function topOf(pixels: Float32Array, below: number, above: number, p: number, width: number): Maximum | null {
  const value = pixels[p];
  const [left, right, up, down] = [pixels[p - 1], pixels[p + 1], pixels[p - width], pixels[p + width]];
  const [xx, yy] = [left - 2 * value + right, up - 2 * value + down];
  const xy = (pixels[p + width + 1] - pixels[p + width - 1] - pixels[p - width + 1] + pixels[p - width - 1]) / 4;
  const determinant = xx * yy - xy * xy;
  if (!(determinant > 0 && (xx + yy) ** 2 < ((RIDGE + 1) ** 2 / RIDGE) * determinant)) return null;
  const [dx, dy, scale] = [
    parabolaTop(left, value, right),
    parabolaTop(up, value, down),
    parabolaTop(below, value, above),
  ];
  const raised = ((right - left) * dx + (down - up) * dy + (above - below) * scale) / 4;
  return { x: (p % width) + dx, y: Math.floor(p / width) + dy, scale, value: value + raised };
}
