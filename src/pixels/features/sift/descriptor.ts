/**
 * SIFT's descriptor (Lowe 2004 §6; VLFeat 0.9.21, vl_sift_calc_keypoint_descriptor). The twin of descriptor.wgsl, which sums fixed-point
 * numbers instead.
 */
import { DESCRIPTOR_LENGTH } from "../../../core/keypoints.js";
import type { GreyImage } from "../../image.js";
import { placeWindow, weightsAlong, windowAround } from "./gradient-window.js";

const CELLS = 4;
/** Places of a cell in the descriptor. */
const PLACES = 8;
/** The kernel's sums have a grid of cells around those of the descriptor, whose first is at (1, 1); and a sample has four numbers. */
const GRID = 8;
const SAMPLE = 4;

/** The thesis's variants (Mücke 2007 §5.3); Lowe's are 8 and linear. */
export interface DescriptorForm {
  /** Of a cell: with 4 the descriptor has 64 numbers, at every second of the 128 places, and 0 between them. */
  readonly directions: 4 | 8;
  /** "linear": a gradient counts for the two nearest directions; "cosine": for all, by a power of (1 + cos of the angle between)/2, without a branch. */
  readonly bins: "linear" | "cosine";
}

export const DESCRIPTOR_FORM: DescriptorForm = { directions: 8, bins: "linear" };

/**
 * n of the weight ((1 + cos)/2)^(2ⁿ), which OpenVIDIA has as (cos + c)^(2ⁿ): the n for which a gradient half way between two directions counts
 * about half for each, as it does linearly. The thesis names neither c nor n.
 */
const squaringsOf = ({ directions }: DescriptorForm): number => (directions === 8 ? 4 : 2);

/** Side of a cell over the place's σ. */
const MAGNIFICATION = 3;
/** σ of the weight in cells. */
const WEIGHT_SIGMA = 2;
const CLIP = 0.2;

/** Of descriptor.wgsl. */
export const descriptorConstants = (form: DescriptorForm): Record<string, number> => ({
  CELLS,
  PLACES,
  DIRECTIONS: form.directions,
  SQUARINGS: form.bins === "cosine" ? squaringsOf(form) : 0,
  MAGNIFICATION,
  WEIGHT_SIGMA,
  CLIP,
});

/**
 * 128 numbers of 0…255, cell rows first, then cells, then directions of the gradient against `angle`, y down:
 * Σ weights of 4 × 4 cells of 3σ and 8 directions, trilinear, normalised, clipped at 0.2, normalised again, times 512, rounded down.
 * `x, y, sigma` in pixels of the image.
 */
export function describe(
  image: GreyImage,
  x: number,
  y: number,
  sigma: number,
  angle: number,
  out: Uint8Array,
  form = DESCRIPTOR_FORM,
): void {
  const { directions } = form;
  const cell = MAGNIFICATION * sigma;
  const radius = Math.floor((Math.SQRT2 * cell * (CELLS + 1)) / 2 + 0.5);
  const [cx, cy] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  const window = windowAround(image, [cx, cy], radius, 1);
  const { columns, rows, column, row } = window;
  const lengths = [columns, rows, directions * GRID * GRID, SAMPLE * columns * rows];
  const { kernels, place, lists } = placeWindow(image, window, lengths);
  const { doubles, run } = kernels;
  const [across, down, sums, samples] = lists;
  weightsAlong(doubles, across, columns, column - x, WEIGHT_SIGMA * cell);
  weightsAlong(doubles, down, rows, row - y, WEIGHT_SIGMA * cell);
  doubles.fill(0, sums, samples);
  const [cos, sin] = [Math.cos(angle) / cell, Math.sin(angle) / cell];
  const count = run.samples(...place, x, y, cos, sin, angle, directions, 8 * across, 8 * down, 8 * samples);
  if (form.bins === "linear") run.spread(8 * samples, count, directions, 8 * sums);
  else spreadByCosines(doubles, samples, count, sums, form);
  quantise(ofCells(doubles, sums, directions), out);
}

/** Spreads samples as the kernel does over the cells, and over all directions. */
function spreadByCosines(numbers: Float64Array, from: number, count: number, sums: number, form: DescriptorForm): void {
  for (let k = from; k < from + SAMPLE * count; k += SAMPLE) {
    const [u, v, turn, weight] = numbers.subarray(k, k + SAMPLE);
    const [i, j] = [Math.floor(u), Math.floor(v)];
    for (let b = j; b <= j + 1; b++) {
      for (let a = i; a <= i + 1; a++) {
        const ofCell = weight * (1 - Math.abs(v - b)) * (1 - Math.abs(u - a));
        for (let d = 0; d < form.directions; d++) {
          numbers[sums + (d * GRID + b + 1) * GRID + a + 1] += ofCell * cosineWeight(turn - d, form);
        }
      }
    }
  }
}

/** The sums of the descriptor's cells in its order, until the next call. */
function ofCells(numbers: Float64Array, sums: number, directions: number): Float64Array {
  for (let b = 0, k = 0; b < CELLS; b++) {
    for (let a = 0; a < CELLS; a++) {
      const cell = sums + (b + 1) * GRID + a + 1;
      for (let place = 0; place < PLACES; place++, k++) {
        const direction = (place * directions) / PLACES;
        ordered[k] = Number.isInteger(direction) ? numbers[cell + direction * GRID * GRID] : 0;
      }
    }
  }
  return ordered;
}

const ordered = new Float64Array(DESCRIPTOR_LENGTH);

/** Weight of a gradient for a direction that is `apart` directions away. */
function cosineWeight(apart: number, form: DescriptorForm): number {
  return ((1 + Math.cos((2 * Math.PI * apart) / form.directions)) / 2) ** (2 ** squaringsOf(form));
}

function quantise(sums: Float64Array, out: Uint8Array): void {
  const first = lengthOf(sums);
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) sums[k] = Math.min(sums[k] / first, CLIP);
  const second = lengthOf(sums);
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) out[k] = Math.min(Math.floor((512 * sums[k]) / second), 255);
}

function lengthOf(values: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) sum += values[k] * values[k];
  return Math.max(Math.sqrt(sum), 1e-12);
}
