/** Sobel's magnitude, Laplacian of Gaussian and difference of Gaussians as images (Mücke 2007 §3.3.1–3.3.2). Twins of sobel.wgsl, laplacian.wgsl and ../blur.wgsl. */

import { blur } from "../gaussian.js";
import type { GreyImage } from "../image.js";
import { gradients } from "./gradients.js";

/** An image of edges: Sobel's magnitude, the Laplacian of Gaussian, or the wider less the narrower Gaussian; σ in pixels. */
export type EdgeImage =
  | { readonly filter: "sobel" }
  | { readonly filter: "log"; readonly sigma: number }
  | { readonly filter: "dog"; readonly narrow: number; readonly wide: number };

/** √(gx² + gy²) of Sobel's sums, borders repeated. */
export function sobelMagnitude(image: GreyImage): GreyImage {
  const { width, height, gx, gy } = gradients(image, "sobel", "replicate");
  return { width, height, pixels: gx.map((x, p) => Math.sqrt(x * x + gy[p] * gy[p])) };
}

/** The Laplacian mask [0 1 0; 1 −4 1; 0 1 0] on the image blurred by σ: positive on the dark side of an edge. */
export function laplacianOfGaussian(image: GreyImage, sigma: number): GreyImage {
  const { width, height, pixels } = blur(image, sigma);
  let above = pixels.slice(0, width);
  let here = new Float32Array(width);
  for (let y = 0, p = 0; y < height; y++) {
    here.set(pixels.subarray(p, p + width));
    const down = y < height - 1 ? width : 0;
    for (let x = 0; x < width; x++, p++) {
      const sides = here[x > 0 ? x - 1 : 0] + here[x < width - 1 ? x + 1 : x];
      pixels[p] = sides + above[x] + pixels[p + down] - 4 * here[x];
    }
    [above, here] = [here, above];
  }
  return { width, height, pixels };
}

/** G(σ₂) ∗ I − G(σ₁) ∗ I ≈ (σ₂/σ₁ − 1) σ₁² times the Laplacian of Gaussian at σ₁. */
export function differenceOfGaussians(image: GreyImage, first: number, second: number): GreyImage {
  const [a, b] = [blur(image, first), blur(image, second)];
  return { width: image.width, height: image.height, pixels: a.pixels.map((value, p) => b.pixels[p] - value) };
}

/** 1 where the sign changes towards the right or lower neighbour by more than `least`. */
export function zeroCrossings({ width, height, pixels }: GreyImage, least: number): Uint8Array {
  const crosses = (a: number, b: number) => a < 0 !== b < 0 && Math.abs(a - b) > least;
  const crossing = pixels.map((value, p) => {
    const right = p % width < width - 1 && crosses(value, pixels[p + 1]);
    const below = p + width < width * height && crosses(value, pixels[p + width]);
    return right || below ? 1 : 0;
  });
  return new Uint8Array(crossing);
}
