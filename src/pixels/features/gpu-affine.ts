/** Affine fits of points' windows on a GPU: a workgroup a point (klt-affine.wgsl). */
import { rowsOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import { Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { GreyImage, Plane, Size } from "../image.js";
import type { AffineFit, AffineStart, FittingOptions } from "./klt-affine.js";

/** Points differ from image to image: lists that grow get a quarter more than they must have. */
const MORE_ROOM = 1.25;

/** Fits windows of first images of any size to second images of one size; made once for a sequence. */
export async function createGpuAffine(session: GpuSession, size: Size, options: FittingOptions) {
  const { window, iterations, step, light } = options;
  const kernel = await loadKernel(session, new URL("./klt-affine.wgsl", import.meta.url), {
    constants: { WINDOW: window, ITERATIONS: iterations, STEP: step, LIGHT: Number(light) },
  });
  const work = new Workspace(session, "affine");
  const layout = kernel.struct("Fit");
  const upload = new PlaneUpload(work, size.width * size.height);
  work.storage("second", size.width * size.height);
  const level = ({ width, height }: Size) => ({ offset: 0, width, height });
  return {
    async fit(first: GreyImage, second: Plane, starts: readonly AffineStart[]): Promise<(AffineFit | null)[]> {
      if (starts.length === 0) return [];
      const records = starts.map(({ from: [x0, y0], to: [x, y], a: [a, b, c, d] }) => {
        return { x0, y0, x, y, a, b, c, d, residual: 0 };
      });
      work.uniform("images", kernel.struct("Images"), { first: level(first), second: level(second) });
      work.upload("first", first.pixels, MORE_ROOM);
      work.upload("fits", layout.pack(records), MORE_ROOM);
      const steps = [{ kernel, groups: rowsOf(session, starts.length) }];
      return await upload.run({ second }, steps, [{ name: "fits", bytes: layout.size * starts.length }], ([words]) => {
        const [a, b, c, d, x, y, residual] = ["a", "b", "c", "d", "x", "y", "residual"].map((name) =>
          layout.floats(words, name),
        );
        return starts.map((_, k) =>
          residual[k] < 0 ? null : { a: [a[k], b[k], c[k], d[k]], x: x[k], y: y[k], residual: residual[k] },
        );
      });
    },
    destroy: () => work.destroy(),
  };
}
