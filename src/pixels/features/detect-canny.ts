import type { GpuSession } from "../../gpu/session.js";
import { once } from "../../gpu/workspace.js";
import { inFloats, type Plane } from "../image.js";
import { cannyOnCpu } from "./canny.js";
import { createGpuCanny } from "./gpu-canny.js";

/** 1 where there is an edge, on the CPU or a GPU. The image holds integers of 0 … 255. */
export async function detectCanny(
  image: Plane,
  low: number,
  high: number,
  { device }: { readonly device: GpuSession | null },
): Promise<Uint8Array> {
  if (device !== null) return await once(createGpuCanny(device, image, low, high), (canny) => canny.detect(image));
  return cannyOnCpu(inFloats(image), low, high);
}
