import type { GreyImage } from "./image.js";

/** Weights of a Gaussian of standard deviation `sigma` px at offsets −r … r, cut at 5σ (r = ⌊5σ + ½⌋), of sum 1. */
export function gaussianWeights(sigma: number): Float64Array {
  const radius = Math.floor(5 * sigma + 0.5);
  const weights = Float64Array.from({ length: 2 * radius + 1 }, (_, k) => {
    const offset = (k - radius) / sigma;
    return Math.exp(-0.5 * offset * offset);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The image convolved with a Gaussian along x, then y; border pixels are repeated. `sigma` 0 returns the image itself. */
export function smooth(image: GreyImage, sigma: number): GreyImage {
  if (sigma === 0) return image;
  const weights = gaussianWeights(sigma);
  return alongColumns(alongRows(image, weights), weights);
}

function alongRows({ width, height, pixels }: GreyImage, weights: Float64Array): GreyImage {
  const radius = (weights.length - 1) / 2;
  const out = new Float32Array(pixels.length);
  const padded = new Float32Array(width + 2 * radius);
  const starts = Int32Array.from(weights.keys());
  for (let y = 0; y < height; y++) {
    const row = y * width;
    padded.fill(pixels[row], 0, radius);
    padded.set(pixels.subarray(row, row + width), radius);
    padded.fill(pixels[row + width - 1], width + radius);
    weightedSums(padded, starts, weights, out, row, width);
  }
  return { width, height, pixels: out };
}

function alongColumns({ width, height, pixels }: GreyImage, weights: Float64Array): GreyImage {
  const radius = (weights.length - 1) / 2;
  const out = new Float32Array(pixels.length);
  const starts = new Int32Array(weights.length);
  for (let y = 0; y < height; y++) {
    for (let k = 0; k < starts.length; k++) starts[k] = width * Math.min(Math.max(y + k - radius, 0), height - 1);
    weightedSums(pixels, starts, weights, out, y * width, width);
  }
  return { width, height, pixels: out };
}

/** `count` places of `out` from `at` on become sums of as many places of `from` behind each start. Four at a time take half as long as one. */
function weightedSums(
  from: Float32Array,
  starts: Int32Array,
  weights: Float64Array,
  out: Float32Array,
  at: number,
  count: number,
): void {
  let n = 0;
  for (; n + 3 < count; n += 4) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let k = 0; k < weights.length; k++) {
      const weight = weights[k];
      const i = starts[k] + n;
      a += weight * from[i];
      b += weight * from[i + 1];
      c += weight * from[i + 2];
      d += weight * from[i + 3];
    }
    out[at + n] = a;
    out[at + n + 1] = b;
    out[at + n + 2] = c;
    out[at + n + 3] = d;
  }
  for (; n < count; n++) {
    let sum = 0;
    for (let k = 0; k < weights.length; k++) sum += weights[k] * from[starts[k] + n];
    out[at + n] = sum;
  }
}
