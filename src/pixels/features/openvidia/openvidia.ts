/**
 * OpenVIDIA's features (Fung & Mann; ported and corrected in Mücke 2007 §5.3): edge pixels of Canny's at which the structure tensor over a wide
 * window has two large eigenvalues, a main direction each, SIFT's descriptor at one scale. Where the thesis gives a window's size alone, σ is a sixth of it,
 * and it names no least gradient of an edge pixel. Lens undistortion is left out, and so is the cap of one feature a column of the image, which
 * dropped the lower rows. The twin of openvidia-*.wgsl.
 */
import { DESCRIPTOR_LENGTH, type Keypoints } from "../../../core/keypoints.js";
import { convolveSeparable, gaussianTaps } from "../../gaussian.js";
import type { GreyImage, Size } from "../../image.js";
import { isMaximum } from "../../maxima.js";
import { DESCRIPTOR_FORM, type DescriptorForm, describe } from "../sift/descriptor.js";
import { angleOf, gradientAt } from "../sift/orientation.js";

export interface OpenvidiaOptions extends DescriptorForm {
  /** Least det/trace of the structure tensor, squared grey levels a pixel. */
  readonly threshold: number;
  /** Least λ₂/(1 + (λ₁ + λ₂)/2), λ₂ the lesser eigenvalue: below it a pixel lies on an edge. */
  readonly randomness: number;
}

/**
 * Share of a response that counts as no difference: where a pattern mirrors itself, neighbours are equal but for rounding, which differs from device to device.
 */
const TIE = 2 ** -14;

/** The thesis's 11 and 0.5, and SIFT's descriptor. */
export const OPENVIDIA_DEFAULTS: OpenvidiaOptions = { ...DESCRIPTOR_FORM, threshold: 11, randomness: 0.5 };

/** Of the blur of the image, 7 × 7, and of the tensor's window, 19 × 19. */
export const IMAGE_TAPS = gaussianTaps(7 / 6, 3);
export const TENSOR_TAPS = gaussianTaps(19 / 6, 9);
/** Along an axis the gradient leads to the next pixel from this share of its length on: eight directions. */
const EIGHTH = Math.sin(Math.PI / 8);
/** The window of the main direction reaches from −8 to 7, its weight has this σ. */
const DIRECTION_SIGMA = 16 / 6;
/** A cell of the descriptor is 4 × 4 pixels: 3σ. */
export const DESCRIPTOR_SIGMA = 4 / 3;
/** Of openvidia-corners.wgsl and openvidia-directions.wgsl. */
export const CORNER_CONSTANTS = { DESCRIPTOR_SIGMA, TIE, EIGHTH };
export const DIRECTION_CONSTANTS = { DIRECTION_SIGMA, TIE };

/** Strongest first, ties by row and column; places are pixels. */
export function detectOpenvidiaOnCpu(image: GreyImage, options: OpenvidiaOptions): Keypoints {
  const smooth = convolveSeparable(image, IMAGE_TAPS, "replicate");
  const { width, height } = image;
  const [xx, xy, yy] = tensor(smooth);
  const response = xx.map((a, p) => (a * yy[p] - xy[p] * xy[p]) / (a + yy[p] + 1e-10));
  const random = (pixel: number) => {
    const half = (xx[pixel] + yy[pixel]) / 2;
    const least = half - Math.hypot((xx[pixel] - yy[pixel]) / 2, xy[pixel]);
    return least / (1 + half) > options.randomness;
  };
  // What is no corner has no response that a neighbour could be less than.
  const strength = response.map((value, p) =>
    value > options.threshold && random(p) && isEdge(smooth, p) ? value : 0,
  );
  const corners = maxima(strength, image, options.threshold);
  const records = corners.map((pixel) => {
    const strength = response[pixel];
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    const angle = directionAt(smooth, x, y);
    const descriptor = new Uint8Array(DESCRIPTOR_LENGTH);
    describe({ width, height, pixels: smooth.pixels }, x, y, DESCRIPTOR_SIGMA, angle, descriptor, options);
    return { x, y, response: strength, angle, descriptor };
  });
  return strongestFirst(records);
}

/** Canny's test for edge pixels: the gradient is no less than at the two neighbours that it and its opposite lead to. */
function isEdge(smooth: GreyImage, pixel: number): boolean {
  const { width, height } = smooth;
  const [x, y] = [pixel % width, Math.floor(pixel / width)];
  const [gx, gy] = gradientAt(smooth, x, y);
  const length = Math.hypot(gx, gy);
  const step = (along: number) => (Math.abs(along) > EIGHTH * length ? Math.sign(along) : 0);
  const beats = (sign: number) => {
    const column = Math.min(Math.max(x + sign * step(gx), 0), width - 1);
    const row = Math.min(Math.max(y + sign * step(gy), 0), height - 1);
    return Math.hypot(...gradientAt(smooth, column, row)) > length * (1 + TIE);
  };
  return length > 0 && !beats(1) && !beats(-1);
}

/** Pixels above the threshold and not below their neighbours; of equal ones the first, by row and column. */
function maxima(response: Float32Array, size: Size, threshold: number): number[] {
  return [...response.keys()].filter((pixel) => {
    const value = response[pixel];
    const beats = (other: number, isBefore: boolean) => other >= (isBefore ? value * (1 - TIE) : value * (1 + TIE));
    return value > threshold && isMaximum(response, size, pixel, 1, beats);
  });
}

export interface OpenvidiaRecord {
  readonly x: number;
  readonly y: number;
  readonly response: number;
  readonly angle: number;
  readonly descriptor: Uint8Array;
}

export function strongestFirst(records: readonly OpenvidiaRecord[]): Keypoints {
  const sorted = [...records].sort((a, b) => b.response - a.response || a.y - b.y || a.x - b.x);
  const descriptors = new Uint8Array(DESCRIPTOR_LENGTH * sorted.length);
  sorted.forEach(({ descriptor }, k) => {
    descriptors.set(descriptor, DESCRIPTOR_LENGTH * k);
  });
  const of = (value: (record: OpenvidiaRecord) => number) => Float32Array.from(sorted, value);
  return {
    x: of(({ x }) => x),
    y: of(({ y }) => y),
    sigma: new Float32Array(sorted.length).fill(DESCRIPTOR_SIGMA),
    angle: of(({ angle }) => angle),
    response: of(({ response }) => response),
    place: Uint32Array.from(sorted, (_, k) => k),
    descriptors,
  };
}

/** Windowed sums of gx², gx gy and gy². */
function tensor(smooth: GreyImage): [Float32Array, Float32Array, Float32Array] {
  const { width, height } = smooth;
  const planes = [0, 1, 2].map(() => new Float32Array(width * height));
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p++) {
      const [gx, gy] = gradientAt(smooth, x, y);
      planes[0][p] = gx * gx;
      planes[1][p] = gx * gy;
      planes[2][p] = gy * gy;
    }
  }
  const [xx, xy, yy] = planes.map((pixels) => convolveSeparable({ width, height, pixels }, TENSOR_TAPS, "replicate"));
  return [xx.pixels, xy.pixels, yy.pixels];
}

/** The direction of the weighted sum of the gradients around a pixel; 0 where they cancel each other out but for rounding. */
function directionAt(smooth: GreyImage, x: number, y: number): number {
  let [sumX, sumY, length] = [0, 0, 0];
  for (let row = Math.max(y - 8, 0); row <= Math.min(y + 7, smooth.height - 1); row++) {
    for (let column = Math.max(x - 8, 0); column <= Math.min(x + 7, smooth.width - 1); column++) {
      const weight = Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (2 * DIRECTION_SIGMA ** 2));
      const [gx, gy] = gradientAt(smooth, column, row);
      length += weight * Math.hypot(gx, gy);
      sumX += weight * gx;
      sumY += weight * gy;
    }
  }
  return Math.hypot(sumX, sumY) > TIE * length ? angleOf(sumX, sumY) : 0;
}
