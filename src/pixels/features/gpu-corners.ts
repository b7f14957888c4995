/** Corners on a GPU: response and maxima there, the choice among the candidates on the host. Made once for images of one size. */
import { tilesOf } from "../../gpu/dispatch.js";
import { DeviceLists } from "../../gpu/lists.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { Plane, Size } from "../image.js";
import { type CornerCandidate, type CornerOptions, GRADIENT_SCALE } from "./corners.js";
import { TENSOR_WINDOWS } from "./gradients.js";

export interface GpuCornersFound {
  /** In any order. */
  readonly candidates: CornerCandidate[];
  /** Of every pixel, where it is wanted. */
  readonly response: Float32Array | null;
}

export async function createGpuCorners(
  session: GpuSession,
  { width, height }: Size,
  { window, measure, margin, quality, kappa }: CornerOptions,
) {
  const [side, middle] = TENSOR_WINDOWS[window];
  const constants = { HARRIS: Number(measure === "harris"), SIDE: side, MIDDLE: middle, UNIT: GRADIENT_SCALE ** 2 };
  const [response, maxima] = await Promise.all([
    loadKernel(session, new URL("./corner-response.wgsl", import.meta.url), { constants }),
    loadKernel(session, new URL("./corner-maxima.wgsl", import.meta.url)),
  ]);
  const work = new Workspace(session, "corners");
  const pixels = width * height;
  work.storage("image", pixels);
  work.storage("response", pixels);
  work.storage("count", response.struct("CornerCount").words);
  const corner = maxima.struct("Corner");
  const steps = ([room]: readonly number[]) => {
    work.storage("corners", corner.words * room);
    work.uniform("run", maxima.struct("CornerRun"), { width, height, margin, room, quality, kappa });
    return [response, maxima].map((kernel) => ({ kernel, groups: tilesOf(kernel, { width, height }) }));
  };
  const room = Math.max(4096, Math.ceil(pixels / 32));
  const lists = new DeviceLists(work, { counters: "count", counts: ([, found]) => [found], steps }, [room]);
  const upload = new PlaneUpload(work, pixels);
  return {
    find(image: Plane, wantsResponse: boolean): Promise<GpuCornersFound> {
      const whole = wantsResponse ? [{ name: "response" }] : [];
      return lists.fill({
        before: async (encoder, _, isAgain) => (isAgain ? undefined : await upload.send(encoder, image, "image")),
        parts: ([found]) => [{ name: "corners", bytes: corner.size * found }, ...whole],
        decode: ([list, response]) => {
          const pixel = corner.integers(list, "pixel");
          const [value, dx, dy] = ["response", "dx", "dy"].map((name) => corner.floats(list, name));
          const candidates = Array.from(pixel, (at, k) => ({ pixel: at, response: value[k], dx: dx[k], dy: dy[k] }));
          return { candidates, response: wantsResponse ? new Float32Array(response.slice().buffer) : null };
        },
      });
    },
    destroy: () => work.destroy(),
  };
}
