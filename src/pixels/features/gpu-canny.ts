/** Canny's edges on a GPU in four dispatches, whatever the length of the edges: made once for images of one size. */
import { InputError } from "../../core/errors.js";
import { threadsFor, tilesOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { Plane, Size } from "../image.js";
import { SHIFT, TAN_22 } from "./canny.js";

/** `low ≤ high` in Sobel's sums of grey levels. */
export async function createGpuCanny(session: GpuSession, { width, height }: Size, low: number, high: number) {
  const load = (name: string, constants = {}) =>
    loadKernel(session, new URL(`./canny-${name}.wgsl`, import.meta.url), { constants });
  const [join, mark, keep] = await Promise.all(["join", "mark", "keep"].map((name) => load(name)));
  const candidates = await load("candidates", { TAN_22, SHIFT });
  const work = new Workspace(session, "canny");
  const pixels = width * height;
  for (const name of ["image", "parents", "strong"]) work.storage(name, pixels);
  work.storage("edges", Math.ceil(pixels / 4));
  // Squared gradients are integers: above a threshold is above its floor.
  const square = (threshold: number) => Math.min(Math.floor(threshold ** 2), 2 ** 32 - 1);
  work.uniform("run", candidates.struct("CannyRun"), { width, height, low: square(low), high: square(high) });
  const tiles = tilesOf(candidates, { width, height });
  const steps = [
    { kernel: candidates, groups: tiles },
    { kernel: join, groups: tiles },
    { kernel: mark, groups: threadsFor(mark, pixels) },
    { kernel: keep, groups: threadsFor(keep, Math.ceil(pixels / 4)) },
  ];
  const upload = new PlaneUpload(work, pixels, true);
  return {
    /**
     * 1 where there is an edge.
     * @throws InputError for grey levels that are no integers
     */
    async detect(image: Plane): Promise<Uint8Array> {
      const greys = image.pixels;
      const k = greys instanceof Float32Array ? greys.findIndex((grey) => !Number.isInteger(grey)) : -1;
      if (k >= 0) throw new InputError(`pixel ${k} has ${greys[k]}: Canny takes integers of 0 to 255; round the image`);
      return await upload.run({ image }, steps, [{ name: "edges" }], ([edges]) =>
        new Uint8Array(edges.buffer, edges.byteOffset, pixels).slice(),
      );
    },
    destroy: () => work.destroy(),
  };
}
