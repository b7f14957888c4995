/**
 * SIFT's scale space as VLFeat 0.9.21 builds it (Lowe 2004 §3; VLFeat's sift.c): three layers an octave, six Gaussians, each blurred from
 * the one before. The twin of scale-space.wgsl. σ of Gaussian g of octave o is 1.6 · 2^(o + g/3) input pixels, g = 0 … 5.
 */
import { invariant } from "../../../core/errors.js";
import { blur } from "../../gaussian.js";
import { toHalf } from "../../half.js";
import type { GreyImage } from "../../image.js";

export const LAYERS = 3;
/** Gaussians of an octave. */
export const GAUSSIANS = LAYERS + 3;
/** σ of an octave's first Gaussian, pixels of the octave. */
export const BASE_SIGMA = 1.6;
/** Blur the camera is taken to have left in the input, pixels. */
const INPUT_SIGMA = 0.5;

export const SCALE_STORAGES = ["f32", "f16"] as const;
export type ScaleStorage = (typeof SCALE_STORAGES)[number];
/** Subtracted from the grey levels. Between 0 and 255 halves are as much as 1/8 apart; from −128 to 127 no more than 1/16. */
export const OFFSET: Readonly<Record<ScaleStorage, number>> = { f32: 0, f16: 128 };

export interface Octave {
  /** Pixels of the input between its pixels: 2^o. */
  readonly spacing: number;
  readonly gaussians: readonly GreyImage[];
}

/** Octaves from `first` on: as many as leave some eight pixels on the shorter side of the last, one at least. */
export function octaveCount(width: number, height: number, first: number): number {
  return Math.max(Math.floor(Math.log2(Math.min(width, height))) - first - 3, 1);
}

/** σ of the blur that brings the input, doubled where first = -1, to the first Gaussian; 0 where it is blurred enough. */
export function inputBlur(first: number): number {
  const has = INPUT_SIGMA * 2 ** -first;
  return BASE_SIGMA > has ? Math.sqrt(BASE_SIGMA ** 2 - has ** 2) : 0;
}

/** σ of the blur from Gaussian g - 1 to Gaussian g of any octave, pixels of the octave; g = 1 … 5. */
export function stepBlur(g: number): number {
  const before = BASE_SIGMA * 2 ** ((g - 1) / LAYERS);
  return before * Math.sqrt(2 ** (2 / LAYERS) - 1);
}

/** Twice the size: pixel (i, j) is the bilinear value at (i/2, j/2), the last row and column repeated. */
export function doubled({ width, height, pixels }: GreyImage): GreyImage {
  const out = new Float32Array(4 * width * height);
  for (let y = 0; y < 2 * height; y++) {
    const up = (y >> 1) * width;
    const down = Math.min((y + 1) >> 1, height - 1) * width;
    for (let x = 0; x < 2 * width; x++) {
      const left = x >> 1;
      const right = Math.min((x + 1) >> 1, width - 1);
      const top = 0.5 * (pixels[up + left] + pixels[up + right]);
      const bottom = 0.5 * (pixels[down + left] + pixels[down + right]);
      out[2 * y * width + x] = 0.5 * (top + bottom);
    }
  }
  return { width: 2 * width, height: 2 * height, pixels: out };
}

/** Every second pixel of every second row. */
export function halved({ width, height, pixels }: GreyImage): GreyImage {
  const [w, h] = [width >> 1, height >> 1];
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) out[y * w + x] = pixels[2 * y * width + 2 * x];
  return { width: w, height: h, pixels: out };
}

const lessOffset = ({ width, height, pixels }: GreyImage): GreyImage => ({
  width,
  height,
  pixels: pixels.map((grey) => grey - OFFSET.f16),
});

const inHalves = (gaussian: GreyImage): GreyImage => ({ ...gaussian, pixels: gaussian.pixels.map(toHalf) });

/** The octaves one after the other, each gone over when the next is asked for. */
export function* scaleSpace(image: GreyImage, first: -1 | 0, storage: ScaleStorage = "f32"): Generator<Octave> {
  const kept = storage === "f16" ? inHalves : (gaussian: GreyImage) => gaussian;
  const sigma = inputBlur(first);
  const input = storage === "f16" ? lessOffset(image) : image;
  let base = first === -1 ? doubled(input) : input;
  base = kept(sigma > 0 ? blur(base, sigma) : base);
  for (let o = 0; o < octaveCount(image.width, image.height, first); o++) {
    invariant(base.width > 0 && base.height > 0, () => `octave ${o + first} is empty`);
    const gaussians = [base];
    for (let g = 1; g < GAUSSIANS; g++) gaussians.push(kept(blur(gaussians[g - 1], stepBlur(g))));
    yield { spacing: 2 ** (o + first), gaussians };
    base = halved(gaussians[LAYERS]);
  }
}
