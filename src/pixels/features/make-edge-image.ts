import type { GpuSession } from "../../gpu/session.js";
import { once } from "../../gpu/workspace.js";
import { type GreyImage, inFloats, type Plane } from "../image.js";
import { differenceOfGaussians, type EdgeImage, laplacianOfGaussian, sobelMagnitude } from "./edge-images.js";
import { createGpuEdgeImage } from "./gpu-edge-images.js";

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
