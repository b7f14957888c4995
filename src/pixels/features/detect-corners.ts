import type { GpuSession } from "../../gpu/session.js";
import type { GreyImage } from "../image.js";
import { type CornerOptions, type Corners, chooseCorners, cornerCandidates, cornerResponse } from "./corners.js";
import { GpuCorners } from "./gpu-corners.js";

export interface CornerResult {
  readonly corners: Corners;
  /** Of every pixel, where it was asked for. */
  readonly response: Float32Array | null;
}

export interface CornerDevice {
  /** Where it runs; null for the CPU. */
  readonly device: GpuSession | null;
  /** Bring the response back too. */
  readonly response?: boolean;
}

/** Harris corners or the features KLT tracks, by `options.measure`, on the CPU or a GPU. */
export async function detectCorners(
  image: GreyImage,
  options: CornerOptions,
  { device, response: wanted = false }: CornerDevice,
): Promise<CornerResult> {
  if (device !== null) return await detectOnGpu(device, image, options, wanted);
  const response = cornerResponse(image, options);
  const threshold = options.quality * response.reduce((most, value) => Math.max(most, value), 0);
  const candidates = cornerCandidates(response, image, threshold, options.margin);
  return { corners: chooseCorners(candidates, image.width, options), response: wanted ? response : null };
}

async function detectOnGpu(
  device: GpuSession,
  image: GreyImage,
  options: CornerOptions,
  wanted: boolean,
): Promise<CornerResult> {
  const corners = await GpuCorners.create(device, image, options);
  try {
    const { candidates, response } = await corners.find(image, wanted);
    return { corners: chooseCorners(candidates, image.width, options), response };
  } finally {
    corners.destroy();
  }
}
