import type { GpuSession } from "../../../gpu/session.js";
import { once } from "../../../gpu/workspace.js";
import { inFloats, type Plane } from "../../image.js";
import { GpuSift } from "./gpu-sift.js";
import { detectSiftOnCpu, type SiftOptions, type SiftResult } from "./sift.js";

export interface SiftDevice {
  /** Where it runs; null for the CPU. */
  readonly device: GpuSession | null;
  /** Count the places that pass each test: a pass more. */
  readonly stages?: boolean;
}

/**
 * SIFT keypoints with descriptors, on the CPU or a GPU; grey levels of 0 … 255. In the order of octave, layer, row, column and angle. For
 * many images of one size on a GPU, keep a GpuSift.
 */
export async function detectSift(
  image: Plane,
  options: SiftOptions,
  { device, stages = false }: SiftDevice,
): Promise<SiftResult> {
  if (device === null) return detectSiftOnCpu(inFloats(image), options, stages);
  return await once(GpuSift.create(device, image, options, stages), (sift) => sift.detect(image));
}
