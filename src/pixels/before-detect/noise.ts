/** Noise of frames and of the state, and the thresholds that follow from it. */
import { InputError } from "../../core/errors.js";
import { medianOf } from "../../core/select.js";
import type { Samples } from "../image.js";
import { inverseNormalTail, normalTail } from "./normal.js";

/** Of a normal distribution: median absolute deviation over standard deviation. */
export const DEVIATION_OF_NORMAL = 0.6745;

/** σ_P after k frames of white noise of σ = `sigma`: σ (1 − α) √((1 − α^2k) / (1 − α²)). */
export function noiseOfState(sigma: number, alpha: number, k: number): number {
  return sigma * (1 - alpha) * Math.sqrt((1 - alpha ** (2 * k)) / (1 - alpha * alpha));
}

/** Threshold on z for `falseAlarms` of `cells` independent normals: Q⁻¹(F / cells). */
export function thresholdFor(falseAlarms: number, cells: number): number {
  const share = falseAlarms / cells;
  if (share >= 0.5) {
    throw new InputError(
      `before-detect: ${falseAlarms} false alarms in ${cells} cells are no threshold; give fewer, or --threshold`,
    );
  }
  return inverseNormalTail(share);
}

/** P_d of a point target on a vector in frame k, `age` frames after it entered; `snr` is amplitude / σ: Q(τ − mean of z). */
export function probabilityOfDetection(snr: number, alpha: number, k: number, threshold: number, age = k): number {
  return normalTail(threshold - (snr * (1 - alpha ** age)) / noiseOfState(1, alpha, k));
}

/** Standard deviation of mostly normal values by their median absolute deviation. */
export function robustSigma(values: Samples, middle = median(values)): number {
  if (!(values instanceof Float32Array)) {
    // A median of integers is a multiple of ½, so that twice the deviations are integers.
    const deviations = new Uint32Array(2 ** (8 * values.BYTES_PER_ELEMENT + 1));
    countsOf(values).forEach((count, value) => {
      deviations[Math.abs(2 * value - 2 * middle)] += count;
    });
    return medianOfCounts(deviations, values.length) / 2 / DEVIATION_OF_NORMAL;
  }
  return median(values.map((value) => Math.abs(value - middle))) / DEVIATION_OF_NORMAL;
}

/** The median; of an even number the mean of the middle two. Leaves `values` as they are. */
export function median(values: Samples): number {
  if (!(values instanceof Float32Array)) return medianOfCounts(countsOf(values), values.length);
  return medianOf(values);
}

/** How often each integer is there. */
function countsOf(values: Uint8Array | Uint16Array): Uint32Array {
  const counts = new Uint32Array(2 ** (8 * values.BYTES_PER_ELEMENT));
  for (const value of values) counts[value]++;
  return counts;
}

function medianOfCounts(counts: Uint32Array, total: number): number {
  const at = (rank: number) => {
    let value = 0;
    for (let seen = counts[0]; seen <= rank; seen += counts[value]) value++;
    return value;
  };
  return (at((total - 1) >> 1) + at(total >> 1)) / 2;
}
