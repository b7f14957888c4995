/** Spots as maxima of the Laplacian of Gaussian over places and scales (T. Lindeberg, "Feature detection with automatic scale selection", IJCV 30, 1998). */

import { type Caller, openCaller } from "../../core/executor.js";
import { medianOf } from "../../core/select.js";
import type { GpuSession } from "../../gpu/session.js";
import { makeEdgeImage } from "../features/edge-images.js";
import { NearPoints } from "../features/near-points.js";
import { type GreyImage, inFloats, type Plane } from "../image.js";
import { isMaximum, parabolaTop } from "../maxima.js";
import { MEDIAN_OF_NORMAL, noiseGain, roundingOf, whiteNoise } from "./noise.js";
import { type BlobOptions, isBlank } from "./options.js";
import {
  blurOf,
  CONTRAST_RATIO,
  DIAMETER_RATIO,
  FILTER_RATIO,
  GAMMA,
  type Scales,
  scalesOf,
  thresholdOf,
} from "./scales.js";

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
interface BlobNoise {
  /** Null where the noise is not white. */
  readonly white: number | null;
  readonly rounding: number;
  /** Whether spots are darker than what is around them. */
  readonly dark: boolean;
}

/** What is compared over the scales: the response times σ^(2 + γ), the larger the brighter a spot is, or the darker. */
interface Layer extends GreyImage {
  /** Standard deviation of the noise. */
  readonly noise: number;
}

/** Ratio of the principal curvatures beyond which a maximum is a ridge, as in Lowe 2004 §4.1. */
const RIDGE = 10;

/** Spots nearer than this share of the larger one's diameter are one: their centres would lie within each other. */
const APART = 0.5;

/**
 * A maximum is a ring, and no spot, unless it exceeds this times what the rings of stronger spots of the other sign come to there, and as many σ of the noise more.
 * Chosen on scenes of odd seeds with spots of both signs (lab/notes/blobs.md).
 */
const OVER_RINGS = 1.5;
const OVER_NOISE = 3;

/** Beyond as many σ of filter and spot together a ring has less than 1 % of its height. */
const RING_REACH = 4.5;

interface Candidate extends Blob {
  /** Response times σ^(2 + γ) at the top. */
  readonly strength: number;
  /** Of the filter there. */
  readonly sigma: number;
  readonly noise: number;
  readonly isWanted: boolean;
}

/**
 * Spots of an image, those that stand out most first.
 * @param layers one for each of the scales
 * @param threshold least score
 */
function findBlobs(layers: readonly Layer[], { sigma, ratio }: Scales, { dark }: BlobNoise, threshold: number): Blob[] {
  const found: Candidate[] = [];
  for (let n = 1; n < layers.length - 1; n++) {
    const { noise } = layers[n];
    for (const { x, y, scale, value, sign } of extremaOf(layers, n, threshold * noise)) {
      const top = sigma[n] * ratio ** scale;
      const diameter = (DIAMETER_RATIO / FILTER_RATIO) * top;
      const contrast = ((dark ? -sign : sign) * CONTRAST_RATIO * value) / top ** GAMMA;
      found.push({
        x,
        y,
        diameter,
        contrast,
        score: value / noise,
        strength: value,
        sigma: top,
        noise,
        isWanted: sign > 0,
      });
    }
  }
  found.sort((a, b) => b.strength - a.strength || a.y - b.y || a.x - b.x);
  const widest = found.reduce((most, { sigma }) => Math.max(most, sigma), 1);
  // A spot's own σ is less than that of its filter.
  const kept = new NearPoints<Candidate>(RING_REACH * Math.SQRT2 * widest);
  const blobs: Blob[] = [];
  for (const spot of found) {
    let rings = 0;
    const isOne = (square: number, other: Candidate) => {
      if (other.isWanted === spot.isWanted) return square < (APART * Math.max(spot.diameter, other.diameter)) ** 2;
      rings += ringOf(other, spot.sigma, square);
      return false;
    };
    if (kept.has(spot.x, spot.y, isOne)) continue;
    if (rings > 0 && spot.strength < OVER_RINGS * rings + OVER_NOISE * spot.noise) continue;
    kept.add(spot);
    const { x, y, diameter, contrast, score } = spot;
    if (spot.isWanted) blobs.push({ x, y, diameter, contrast, score });
  }
  return blobs.sort((a, b) => b.score - a.score);
}

/** Response times σ^(2 + γ) of a Gaussian spot at a squared distance, with the sign of its ring: the Laplacian of a Gaussian of both widths. */
function ringOf({ contrast, diameter }: Blob, sigma: number, square: number): number {
  const own = (diameter / DIAMETER_RATIO) ** 2;
  const width = own + sigma ** 2;
  const at = square / width;
  if (at > RING_REACH ** 2) return 0;
  return ((sigma ** (2 + GAMMA) * Math.abs(contrast) * own) / width ** 2) * (at - 2) * Math.exp(-at / 2);
}

/**
 * Noise that is white is known at all scales by that of a pixel. Any other is estimated at each scale, from the responses of the other sign: spots change these less,
 * as their rings reach an eighth of their height, but where they are crowded the estimate is too high. Rounding is noise that no image can fall below.
 * @param response ∇²G(σ) ∗ I, whose memory becomes the layer's
 */
function layerOf(response: GreyImage, sigma: number, { white, rounding, dark }: BlobNoise): Layer {
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

interface Extremum {
  readonly x: number;
  readonly y: number;
  /** Distance from the layer's scale, in layers. */
  readonly scale: number;
  /** Above 0, as if a minimum were a maximum. */
  readonly value: number;
  readonly sign: 1 | -1;
}

/** Pixels of layer n that none of the 26 around them exceeds, or that exceed none, moved to the top of a parabola along each axis, but for ridges. */
function extremaOf(layers: readonly Layer[], n: number, least: number): Extremum[] {
  const size = layers[n];
  const { width, height, pixels } = size;
  const [below, above] = [layers[n - 1].pixels, layers[n + 1].pixels];
  // A parabola raises a maximum by less than its height over the pixels beside it; most pixels end here.
  const low = 0.5 * least;
  const found: Extremum[] = [];
  for (let row = 1; row < height - 1; row++) {
    for (let p = row * width + 1; p < (row + 1) * width - 1; p++) {
      if (!(pixels[p] > low || pixels[p] < -low)) continue;
      const sign = pixels[p] > 0 ? 1 : -1;
      const value = sign * pixels[p];
      if (value < sign * pixels[p - 1] || value < sign * pixels[p + 1]) continue;
      const beats = (other: number) => sign * other > value;
      if (!isMaximum(pixels, size, p, 1, beats)) continue;
      if (beats(below[p]) || beats(above[p])) continue;
      if (!isMaximum(below, size, p, 1, beats) || !isMaximum(above, size, p, 1, beats)) continue;
      const top = topOf(pixels, below[p], above[p], p, width, sign);
      if (top !== null && top.value >= least) found.push(top);
    }
  }
  return found;
}

function topOf(
  layer: Float32Array,
  under: number,
  over: number,
  p: number,
  width: number,
  sign: 1 | -1,
): Extremum | null {
  const at = (q: number) => sign * layer[q];
  const [value, below, above] = [at(p), sign * under, sign * over];
  const [left, right, up, down] = [at(p - 1), at(p + 1), at(p - width), at(p + width)];
  const [xx, yy] = [left - 2 * value + right, up - 2 * value + down];
  const xy = (at(p + width + 1) - at(p + width - 1) - at(p - width + 1) + at(p - width - 1)) / 4;
  const determinant = xx * yy - xy * xy;
  if (!(determinant > 0 && (xx + yy) ** 2 < ((RIDGE + 1) ** 2 / RIDGE) * determinant)) return null;
  const [dx, dy, scale] = [
    parabolaTop(left, value, right),
    parabolaTop(up, value, down),
    parabolaTop(below, value, above),
  ];
  const raised = ((right - left) * dx + (down - up) * dy + (above - below) * scale) / 4;
  return { x: (p % width) + dx, y: Math.floor(p / width) + dy, scale, value: value + raised, sign };
}

export interface BlobsFound {
  /** Those that stand out most first. */
  readonly blobs: Blob[];
  /** The least score that was asked of them. */
  readonly threshold: number;
  /** Standard deviation of a pixel's noise in grey levels; null where it is not white, and was measured at each scale instead. */
  readonly white: number | null;
}

/** Spots of an image. The responses are filtered on the CPU or a GPU; their maxima are found on the host. */
export async function detectBlobs(
  image: Plane,
  { diameter, dark, falseAlarms, threshold: given, contrast }: BlobOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<BlobsFound> {
  const scales = scalesOf(diameter);
  const threshold = given ?? thresholdOf(falseAlarms, image.width * image.height, scales);
  if (isBlank(image)) return { blobs: [], threshold, white: null };
  const white = whiteNoise(image);
  const noise = { white, rounding: roundingOf(image.pixels), dark };
  const floats = device === null ? inFloats(image) : image;
  const layers: Layer[] = [];
  for (const sigma of scales.sigma) {
    const response = await makeEdgeImage(floats, { filter: "log", sigma: blurOf(sigma) }, { device });
    layers.push(layerOf(response, sigma, noise));
  }
  const blobs = findBlobs(layers, scales, noise, threshold);
  return { blobs: blobs.filter((blob) => Math.abs(blob.contrast) >= contrast), threshold, white };
}

interface BlobTask {
  readonly image: Plane;
  readonly options: BlobOptions;
}

/** Pixels of all images so far from which on threads are started: 0.5 s of work, five times what the start of two takes. */
const POOL_FROM = 2 ** 20;

export const findInTask = ({ image, options }: BlobTask) => detectBlobs(image, options, { device: null });

/** Spots of images on the CPU, one image a thread: the same on any number of them. */
export function blobsOnThreads(threads: number, poolFrom = POOL_FROM) {
  let caller: Caller<BlobTask, BlobsFound> | null = null;
  let pixels = 0;
  return {
    find(task: BlobTask): Promise<BlobsFound> {
      pixels += task.image.width * task.image.height;
      if (pixels < poolFrom) return findInTask(task);
      caller ??= openCaller("#blobs-worker", threads, findInTask);
      return caller.call(task);
    },
    close: async () => await caller?.close(),
  };
}
