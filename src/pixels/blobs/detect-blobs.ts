import type { GpuSession } from "../../gpu/session.js";
import { makeEdgeImage } from "../features/make-edge-image.js";
import { inFloats, type Plane } from "../image.js";
import { type Blob, findBlobs, type Layer, layerOf } from "./blobs.js";
import { roundingOf, whiteNoise } from "./noise.js";
import { type BlobOptions, isBlank } from "./options.js";
import { blurOf, scalesOf, thresholdOf } from "./scales.js";

export interface BlobsFound {
  /** Those that stand out most first. */
  readonly blobs: Blob[];
  /** The least score that was asked of them. */
  readonly threshold: number;
  /** Standard deviation of a pixel's noise in grey levels; null where it is not white, and was measured at each scale instead. */
  readonly white: number | null;
}

/** Spots of an image. The responses are filtered on the CPU or a GPU; their maxima are found on the host. */
export async function detectBlobs(
  image: Plane,
  { diameter, dark, falseAlarms, threshold: given, contrast }: BlobOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<BlobsFound> {
  const scales = scalesOf(diameter);
  const threshold = given ?? thresholdOf(falseAlarms, image.width * image.height, scales);
  if (isBlank(image)) return { blobs: [], threshold, white: null };
  const white = whiteNoise(image);
  const noise = { white, rounding: roundingOf(image.pixels), dark };
  const floats = device === null ? inFloats(image) : image;
  const layers: Layer[] = [];
  for (const sigma of scales.sigma) {
    const response = await makeEdgeImage(floats, { filter: "log", sigma: blurOf(sigma) }, { device });
    layers.push(layerOf(response, sigma, noise));
  }
  const blobs = findBlobs(layers, scales, noise, threshold);
  return { blobs: blobs.filter((blob) => Math.abs(blob.contrast) >= contrast), threshold, white };
}
