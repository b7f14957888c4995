import type { GpuSession } from "../../gpu/session.js";
import type { GreyImage } from "../image.js";
import { differenceOfGaussians, type EdgeImage, laplacianOfGaussian, sobelMagnitude } from "./edge-images.js";
import { GpuEdgeImage } from "./gpu-edge-images.js";

/** Sobel's magnitude, the Laplacian of Gaussian or a difference of Gaussians, on the CPU or a GPU. */
export async function makeEdgeImage(
  image: GreyImage,
  what: EdgeImage,
  { device }: { readonly device: GpuSession | null },
): Promise<GreyImage> {
  if (device !== null) {
    const filter = await GpuEdgeImage.create(device, image, what);
    try {
      return await filter.make(image);
    } finally {
      filter.destroy();
    }
  }
  if (what.filter === "sobel") return sobelMagnitude(image);
  if (what.filter === "log") return laplacianOfGaussian(image, what.sigma);
  return differenceOfGaussians(image, what.narrow, what.wide);
}
