/** KLT on the CPU or a GPU: there, pyramids of two images, points tracked through all levels in one dispatch, there and back, and affine fits, a workgroup a point (klt-affine.wgsl). */
import { rowsOf, tilesOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StructLayout } from "../../gpu/wgsl/struct-layout.js";
import { once, type Step, Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-planes.js";
import { type GreyImage, inFloats, type Plane, type Size } from "../image.js";
import {
  AFFINE_DEFAULTS,
  type AffineFit,
  type AffineStart,
  checkAffine,
  type FittingOptions,
  fitAffine,
} from "./klt-affine.js";
import { KLT_STATUS, type KltOptions, type KltPoints, type KltTracks } from "./klt-options.js";
import { checkBothWays, kltPyramid, kltSizes, trackKltBothWays, trackKltOnCpu } from "./klt-track.js";

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

interface TrackKltOptions extends KltOptions {
  readonly levels: number;
  /** How near a point must come back to its place, in pixels; null for no check. */
  readonly bothWays: number | null;
  /** Largest rest of an affine fit of a point's window, grey levels; points with a larger one are "dissimilar". Null for no check. */
  readonly affine?: number | null;
  /** Where it runs; null for the CPU. */
  readonly device: GpuSession | null;
}

/** Tracks points of one image into another of the same size. @throws InputError for variants that the device has no kernels for */
export async function trackKlt(
  first: Plane,
  second: Plane,
  points: KltPoints,
  { affine = null, ...options }: TrackKltOptions,
): Promise<KltTracks> {
  const tracks = await trackPlain(first, second, points, options);
  if (affine === null) return tracks;
  const [a, b] = [inFloats(first), inFloats(second)];
  const fitting = { ...AFFINE_DEFAULTS, window: options.window, light: options.light };
  const { device } = options;
  return checkAffine(points, tracks, affine, (starts) =>
    device === null
      ? starts.map((start) => fitAffine(a, b, start, fitting))
      : once(createGpuAffine(device, second, fitting), (made) => made.fit(a, second, starts)),
  );
}

async function trackPlain(
  first: Plane,
  second: Plane,
  points: KltPoints,
  { levels, bothWays, device, ...options }: Omit<TrackKltOptions, "affine">,
): Promise<KltTracks> {
  if (device === null) {
    const [a, b] = [kltPyramid(inFloats(first), levels), kltPyramid(inFloats(second), levels)];
    return bothWays === null ? trackKltOnCpu(a, b, points, options) : trackKltBothWays(a, b, points, options, bothWays);
  }
  return await once(createGpuKlt(device, first, options, levels), (klt) =>
    klt.trackBothWays(first, second, points, bothWays),
  );
}
