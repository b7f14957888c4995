/** Sobel's magnitude, Laplacian of Gaussian and difference of Gaussians as images (Mücke 2007 §3.3.1–3.3.2). Twins of sobel.wgsl, laplacian.wgsl and ../blur.wgsl. */

import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { once, Workspace } from "../../gpu/workspace.js";
import { blur, gaussianTaps } from "../gaussian.js";
import { blurSteps, filterStep, PlaneUpload } from "../gpu-planes.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../image.js";
import { gradients } from "./gradients.js";

/** An image of edges: Sobel's magnitude, the Laplacian of Gaussian, or the wider less the narrower Gaussian; σ in pixels. */
export type EdgeImage =
  | { readonly filter: "sobel" }
  | { readonly filter: "log"; readonly sigma: number }
  | { readonly filter: "dog"; readonly narrow: number; readonly wide: number };

/** √(gx² + gy²) of Sobel's sums, borders repeated. */
function sobelMagnitude(image: GreyImage): GreyImage {
  const { width, height, gx, gy } = gradients(image, "sobel", "replicate");
  return { width, height, pixels: gx.map((x, p) => Math.sqrt(x * x + gy[p] * gy[p])) };
}

/** The Laplacian mask [0 1 0; 1 −4 1; 0 1 0] on the image blurred by σ: positive on the dark side of an edge. */
function laplacianOfGaussian(image: GreyImage, sigma: number): GreyImage {
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
function differenceOfGaussians(image: GreyImage, first: number, second: number): GreyImage {
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

/** Filters from plane to plane on a GPU: made once for images of one size. */
export async function createGpuEdgeImage(session: GpuSession, { width, height }: Size, what: EdgeImage) {
  const size = { width, height };
  const work = new Workspace(session, "edge image");
  work.storage("image", width * height);
  const load = (name: string, constants: Record<string, number> = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
  const filter = async (name: string, image: string) => [
    filterStep(work, await load(name), size, { image, result: "result" }),
  ];
  const blur = async (sigma: number, to: string, other?: string) => {
    const alongX = await load("../blur");
    const alongY = await load("../blur", { SUBTRACT: Number(other !== undefined) });
    return blurSteps(work, { alongX, alongY }, size, gaussianTaps(sigma), "image", to, { other });
  };
  const stepsOf = async () => {
    if (what.filter === "sobel") return await filter("sobel", "image");
    if (what.filter === "log")
      return [...(await blur(what.sigma, "blurred")), ...(await filter("laplacian", "blurred"))];
    return [...(await blur(what.narrow, "blurred")), ...(await blur(what.wide, "result", "blurred"))];
  };
  const steps = await stepsOf();
  const upload = new PlaneUpload(work, width * height);
  return {
    make: (image: Plane): Promise<GreyImage> =>
      upload.run({ image }, steps, [{ name: "result" }], ([result]) => {
        return { ...size, pixels: new Float32Array(result.slice().buffer) };
      }),
    destroy: () => work.destroy(),
  };
}

/** Sobel's magnitude, the Laplacian of Gaussian or a difference of Gaussians, on the CPU or a GPU. */
export async function makeEdgeImage(
  image: Plane,
  what: EdgeImage,
  { device }: { readonly device: GpuSession | null },
): Promise<GreyImage> {
  if (device !== null) return await once(createGpuEdgeImage(device, image, what), (filter) => filter.make(image));
  const greys = inFloats(image);
  if (what.filter === "sobel") return sobelMagnitude(greys);
  if (what.filter === "log") return laplacianOfGaussian(greys, what.sigma);
  return differenceOfGaussians(greys, what.narrow, what.wide);
}
