import type { GpuSession } from "../../gpu/session.js";
import { makeEdgeImage } from "../features/make-edge-image.js";
import type { Plane } from "../image.js";
import { type Blob, findBlobs, roundingOf } from "./blobs.js";
import type { BlobOptions } from "./options.js";
import { scalesOf, thresholdOf } from "./scales.js";

export interface BlobsFound {
  /** Those that stand out most first. */
  readonly blobs: Blob[];
  /** The least score that was asked of them. */
  readonly threshold: number;
}

/**
 * The mask of the Laplacian blurs by 1/8 pixel² of variance, and the parabola over the scales adds to it. With 1/6 together the contrasts of Gaussians of σ 0.8 to 4 pixels at random
 * places are right to 1.5 % and the diameters to 3 % in the mean; without it those of σ = 1 are 15 % too low and 11 % too large.
 */
const MASK_VARIANCE = 1 / 6;

/** Spots of an image. The responses are filtered on the CPU or a GPU; their maxima are found on the host. */
export async function detectBlobs(
  image: Plane,
  { diameter, dark, falseAlarms, threshold: given, contrast }: BlobOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<BlobsFound> {
  const scales = scalesOf(diameter);
  const threshold = given ?? thresholdOf(falseAlarms, image.width * image.height, scales);
  const responses = [];
  for (const scale of scales.sigma) {
    const sigma = Math.sqrt(scale ** 2 - MASK_VARIANCE);
    responses.push(await makeEdgeImage(image, { filter: "log", sigma }, { device }));
  }
  const blobs = findBlobs(responses, scales, { rounding: roundingOf(image.pixels), threshold, dark });
  return { blobs: blobs.filter((blob) => Math.abs(blob.contrast) >= contrast), threshold };
}
