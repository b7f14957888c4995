import type { Keypoints } from "../../../core/keypoints.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { GreyImage } from "../../image.js";
import { GpuOpenvidia } from "./gpu-openvidia.js";
import { detectOpenvidiaOnCpu, type OpenvidiaOptions } from "./openvidia.js";

/** OpenVIDIA's features on the CPU or a GPU, the strongest first; grey levels of 0 … 255. */
export async function detectOpenvidia(
  image: GreyImage,
  options: OpenvidiaOptions,
  { device }: { readonly device: GpuSession | null },
): Promise<Keypoints> {
  if (device === null) return detectOpenvidiaOnCpu(image, options);
  const gpu = await GpuOpenvidia.create(device, image, options);
  try {
    return await gpu.detect(image);
  } finally {
    gpu.destroy();
  }
}
