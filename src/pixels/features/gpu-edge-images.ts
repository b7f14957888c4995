/** Sobel's magnitude, Laplacian and difference of Gaussians on a GPU: filters from plane to plane. Made once for images of one size. */
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { Workspace } from "../../gpu/workspace.js";
import { gaussianTaps } from "../gaussian.js";
import { blurSteps, filterStep } from "../gpu-filters.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { GreyImage, Plane, Size } from "../image.js";
import type { EdgeImage } from "./edge-images.js";

export async function createGpuEdgeImage(session: GpuSession, { width, height }: Size, what: EdgeImage) {
  const size = { width, height };
  const work = new Workspace(session, "edge image");
  work.storage("image", width * height);
  const load = (name: string, constants: Record<string, number> = {}) =>
    loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
  const filter = async (name: string, image: string) => [
    filterStep(work, await load(name), size, { image, result: "result" }),
  ];
  const blur = async (sigma: number, to: string, other?: string) => {
    const alongX = await load("../blur");
    const alongY = await load("../blur", { SUBTRACT: Number(other !== undefined) });
    return blurSteps(work, { alongX, alongY }, size, gaussianTaps(sigma), "image", to, { other });
  };
  const stepsOf = async () => {
    if (what.filter === "sobel") return await filter("sobel", "image");
    if (what.filter === "log")
      return [...(await blur(what.sigma, "blurred")), ...(await filter("laplacian", "blurred"))];
    return [...(await blur(what.narrow, "blurred")), ...(await blur(what.wide, "result", "blurred"))];
  };
  const steps = await stepsOf();
  const upload = new PlaneUpload(work, width * height);
  return {
    make: (image: Plane): Promise<GreyImage> =>
      upload.run({ image }, steps, [{ name: "result" }], ([result]) => {
        return { ...size, pixels: new Float32Array(result.slice().buffer) };
      }),
    destroy: () => work.destroy(),
  };
}
