import type { Keypoints } from "../../../core/keypoints.js";
import type { GpuSession } from "../../../gpu/session.js";
import { once } from "../../../gpu/workspace.js";
import { inFloats, type Plane } from "../../image.js";
import { createGpuOpenvidia } from "./gpu-openvidia.js";
import { detectOpenvidiaOnCpu, type OpenvidiaOptions } from "./openvidia.js";

/** OpenVIDIA's features on the CPU or a GPU, the strongest first; grey levels of 0 … 255. */
export async function detectOpenvidia(
  image: Plane,
  options: OpenvidiaOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<Keypoints> {
  if (device === null) return detectOpenvidiaOnCpu(inFloats(image), options);
  return await once(createGpuOpenvidia(device, image, options), (gpu) => gpu.detect(image));
}
