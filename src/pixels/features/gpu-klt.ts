/** KLT on a GPU: pyramids of two images, and points tracked through all levels in one dispatch, there and back. */
import { rowsOf, tilesOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StructLayout } from "../../gpu/wgsl/struct-layout.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { Plane, Size } from "../image.js";
import { KLT_STATUS, type KltOptions, type KltPoints, type KltTracks } from "./klt-options.js";
import { kltSizes } from "./klt-pyramid.js";
import { checkBothWays } from "./klt-track.js";

/** Of the struct Pyramid. */
const MOST_LEVELS = 8;
/** Points differ from image to image: lists that grow get a quarter more than they must have. */
const MORE_ROOM = 1.25;

/** Two images of one size on a device; made once for a sequence. */
export async function createGpuKlt(session: GpuSession, size: Size, options: KltOptions, levelCount: number) {
  const { window, iterations, step, leastEigenvalue, light, symmetric } = options;
  const { tracked: TRACKED, flat: FLAT, outside: OUTSIDE } = KLT_STATUS;
  const chosen = {
    WINDOW: window,
    ITERATIONS: iterations,
    STEP: step,
    LEAST_EIGENVALUE: leastEigenvalue,
    LIGHT: Number(light),
    SYMMETRIC: Number(symmetric),
  };
  const constants = { ...chosen, TRACKED, FLAT, OUTSIDE };
  const [reduce, track] = await Promise.all([
    loadKernel(session, new URL("./klt-reduce.wgsl", import.meta.url)),
    loadKernel(session, new URL("./klt-track.wgsl", import.meta.url), { constants }),
  ]);
  const work = new Workspace(session, "klt");
  let pixels = 0;
  const levels = kltSizes(size, Math.min(levelCount, MOST_LEVELS)).map(({ width, height }) => {
    const offset = pixels;
    pixels += width * height;
    return { offset, width, height };
  });
  const none = { offset: 0, width: 0, height: 0 };
  const padded = Array.from({ length: MOST_LEVELS }, (_, l) => levels[l] ?? none);
  work.uniform("shape", track.struct("Pyramid"), { levels: padded, count: levels.length });
  /** These make the pyramids of both images. */
  const reductions = ["first", "second"].flatMap((pyramid) => {
    work.storage(pyramid, pixels);
    return levels.slice(1).map((coarse, l): Step => {
      const reduction = work.constant(reduce.struct("Reduction"), { fine: levels[l], coarse });
      return { kernel: reduce, groups: tilesOf(reduce, coarse), bound: { reduction, pyramid } };
    });
  });
  const upload = new PlaneUpload(work, size.width * size.height);
  const layout = track.struct("Track");
  return {
    /** Tracks points of the first image into the second and back; those that return further than `limit` pixels away are "inconsistent"; null for no check. */
    trackBothWays(first: Plane, second: Plane, points: KltPoints, limit: number | null = 1): Promise<KltTracks> {
      const words = recordsOf(layout, points);
      work.upload("points", words, MORE_ROOM);
      for (const list of ["there", "back"]) work.storage(list, words.length, MORE_ROOM);
      const groups = rowsOf(session, words.length / layout.words);
      const steps: Step[] = [
        ...reductions,
        { kernel: track, groups, bound: { tracks: "there" } },
        { kernel: track, groups, bound: { first: "second", second: "first", points: "there", tracks: "back" } },
      ];
      const bytes = layout.size * points.x.length;
      const parts = ["there", "back"].map((name) => ({ name, bytes }));
      return upload.run({ first, second }, steps, parts, (lists) => {
        const [there, back] = lists.map((list) => tracksOf(layout, list));
        return limit === null ? there : { ...there, status: checkBothWays(points, there, back, limit) };
      });
    },
    destroy: () => work.destroy(),
  };
}

/** Words of one record at least, with the points' places; the other members are the answer's. */
function recordsOf(layout: StructLayout, { x, y }: KltPoints): Uint32Array {
  const { words } = layout;
  const [atX, atY] = [layout.wordOf("x"), layout.wordOf("y")];
  const floats = new Float32Array(words * Math.max(x.length, 1));
  for (let k = 0; k < x.length; k++) {
    floats[words * k + atX] = x[k];
    floats[words * k + atY] = y[k];
  }
  return new Uint32Array(floats.buffer);
}

function tracksOf(layout: StructLayout, list: Uint32Array): KltTracks {
  const [x, y, residual, lastStep] = ["x", "y", "residual", "lastStep"].map((name) => layout.floats(list, name));
  const status = Uint8Array.from(layout.integers(list, "status"));
  return {
    x,
    y,
    status,
    residual: residual.map((value, k) => (status[k] === KLT_STATUS.tracked ? value : Number.NaN)),
    lastStep,
    iterations: layout.integers(list, "iterations"),
  };
}
