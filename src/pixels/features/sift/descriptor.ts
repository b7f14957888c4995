/**
 * SIFT's descriptor (Lowe 2004 §6; VLFeat 0.9.21, vl_sift_calc_keypoint_descriptor). The twin of descriptor.wgsl, which sums fixed-point
 * numbers instead.
 */
import { DESCRIPTOR_LENGTH } from "../../../core/keypoints.js";
import type { GreyImage } from "../../image.js";
import { weightsAlong } from "./orientation.js";

const CELLS = 4;
/** Places of a cell in the descriptor. */
const PLACES = 8;

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
  const { width, height, pixels } = image;
  const cell = MAGNIFICATION * sigma;
  const radius = Math.floor((Math.SQRT2 * cell * (CELLS + 1)) / 2 + 0.5);
  const [cx, cy] = [Math.floor(x + 0.5), Math.floor(y + 0.5)];
  const [cos, sin] = [Math.cos(angle) / cell, Math.sin(angle) / cell];
  const sums = new Float64Array(DESCRIPTOR_LENGTH);
  const across = weightsAlong(cx - x, radius, WEIGHT_SIGMA * cell);
  const down = weightsAlong(cy - y, radius, WEIGHT_SIGMA * cell);
  const limit = (CELLS + 1) / 2;
  const perRadian = directions / (2 * Math.PI);
  for (let row = Math.max(cy - radius, 1); row <= Math.min(cy + radius, height - 2); row++) {
    for (let column = Math.max(cx - radius, 1); column <= Math.min(cx + radius, width - 2); column++) {
      const [dx, dy] = [column - x, row - y];
      const [u, v] = [cos * dx + sin * dy, -sin * dx + cos * dy];
      if (Math.abs(u) >= limit || Math.abs(v) >= limit) continue;
      const p = row * width + column;
      const gx = 0.5 * (pixels[p + 1] - pixels[p - 1]);
      const gy = 0.5 * (pixels[p + width] - pixels[p - width]);
      const weight = Math.sqrt(gx * gx + gy * gy) * across[column - cx + radius] * down[row - cy + radius];
      let turn = (Math.atan2(gy, gx) - angle) * perRadian;
      turn -= Math.floor(turn / directions) * directions;
      add(sums, u + CELLS / 2 - 0.5, v + CELLS / 2 - 0.5, turn, weight, form);
    }
  }
  quantise(sums, out);
}

/** Spreads a weight over the two nearest cells of each axis, and over directions as the form has it. */
function add(sums: Float64Array, u: number, v: number, turn: number, weight: number, form: DescriptorForm): void {
  const { directions, bins } = form;
  const [i, j, t] = [Math.floor(u), Math.floor(v), Math.floor(turn)];
  const step = PLACES / directions;
  const isLinear = bins === "linear";
  // Rounding may have made a whole turn of nearly one.
  const first = t < directions ? step * t : 0;
  const second = t + 1 < directions ? step * (t + 1) : first === 0 && t > 0 ? step : 0;
  for (let b = Math.max(j, 0); b <= Math.min(j + 1, CELLS - 1); b++) {
    const ofRow = weight * (1 - Math.abs(v - b));
    for (let a = Math.max(i, 0); a <= Math.min(i + 1, CELLS - 1); a++) {
      const ofCell = ofRow * (1 - Math.abs(u - a));
      const at = (b * CELLS + a) * PLACES;
      if (isLinear) {
        sums[at + first] += ofCell * (1 - turn + t);
        sums[at + second] += ofCell * (turn - t);
      } else {
        for (let d = 0; d < directions; d++) sums[at + step * d] += ofCell * cosineWeight(turn - d, form);
      }
    }
  }
}

/** Weight of a gradient for a direction that is `apart` directions away. */
function cosineWeight(apart: number, form: DescriptorForm): number {
  return ((1 + Math.cos((2 * Math.PI * apart) / form.directions)) / 2) ** (2 ** squaringsOf(form));
}

function quantise(sums: Float64Array, out: Uint8Array): void {
  const length = (values: Float64Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  const first = Math.max(length(sums), 1e-12);
  const clipped = sums.map((sum) => Math.min(sum / first, CLIP));
  const second = Math.max(length(clipped), 1e-12);
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) out[k] = Math.min(Math.floor((512 * clipped[k]) / second), 255);
}
