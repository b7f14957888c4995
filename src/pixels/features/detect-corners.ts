import type { GpuSession } from "../../gpu/session.js";
import { once } from "../../gpu/workspace.js";
import { inFloats, type Plane } from "../image.js";
import { type CornerOptions, type Corners, candidatesIn, chooseCorners, cornerResponse } from "./corners.js";
import { createGpuCorners } from "./gpu-corners.js";

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
  image: Plane,
  options: CornerOptions,
  { device, response: wanted = false }: CornerDevice,
): Promise<CornerResult> {
  if (device !== null) {
    const { candidates, response } = await once(createGpuCorners(device, image, options), (gpu) =>
      gpu.find(image, wanted),
    );
    return { corners: chooseCorners(candidates, image.width, options), response };
  }
  const response = cornerResponse(inFloats(image), options);
  const candidates = candidatesIn(response, image, options);
  return { corners: chooseCorners(candidates, image.width, options), response: wanted ? response : null };
}
