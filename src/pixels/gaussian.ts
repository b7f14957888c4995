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
  const padded = new Float64Array(width + 2 * radius);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = -radius; x < width + radius; x++) {
      padded[x + radius] = pixels[row + Math.min(Math.max(x, 0), width - 1)];
    }
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = 0; k < weights.length; k++) sum += weights[k] * padded[x + k];
      out[row + x] = sum;
    }
  }
  return { width, height, pixels: out };
}

function alongColumns({ width, height, pixels }: GreyImage, weights: Float64Array): GreyImage {
  const radius = (weights.length - 1) / 2;
  const out = new Float32Array(pixels.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let k = 0; k < weights.length; k++) {
      const row = width * Math.min(Math.max(y + k - radius, 0), height - 1);
      const weight = weights[k];
      for (let x = 0; x < width; x++) sums[x] += weight * pixels[row + x];
    }
    out.set(sums, y * width);
  }
  return { width, height, pixels: out };
}
