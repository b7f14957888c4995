/** KLT on a GPU: pyramids of two images, and points tracked through all levels in one dispatch, there and back. */
import { InputError } from "../../core/errors.js";
import { rowsOf, tilesOf } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import { PlaneUpload } from "../gpu-plane.js";
import type { Plane, Size } from "../image.js";
import { KLT_STATUS, type KltOptions, type KltPoints, type KltTracks } from "./klt-options.js";
import { checkBothWays } from "./klt-track.js";

/** Of the struct Pyramid. */
const MOST_LEVELS = 8;
/** Points differ from image to image: lists that grow get a quarter more than they must have. */
const MORE_ROOM = 1.25;

interface Level extends Size {
  readonly offset: number;
}

/** Two images of one size on a device; made once for a sequence. */
export class GpuKlt {
  private constructor(
    private readonly work: Workspace,
    private readonly upload: PlaneUpload,
    private readonly track: Kernel,
    /** Which make the pyramids of both images. */
    private readonly reductions: readonly Step[],
  ) {}

  /** @throws InputError for variants without kernels */
  static async create(session: GpuSession, size: Size, options: KltOptions, levelCount: number): Promise<GpuKlt> {
    if (options.symmetric) throw new InputError("symmetric KLT has no kernels; use --device cpu");
    const { window, iterations, step, leastEigenvalue } = options;
    const { tracked: TRACKED, flat: FLAT, outside: OUTSIDE } = KLT_STATUS;
    const chosen = { WINDOW: window, ITERATIONS: iterations, STEP: step, LEAST_EIGENVALUE: leastEigenvalue };
    const constants = { ...chosen, TRACKED, FLAT, OUTSIDE };
    const [reduce, track] = await Promise.all([
      loadKernel(session, new URL("./klt-reduce.wgsl", import.meta.url)),
      loadKernel(session, new URL("./klt-track.wgsl", import.meta.url), { constants }),
    ]);
    const work = new Workspace(session, "klt");
    const levels = levelsOf(size, levelCount);
    const { offset, width, height } = levels[levels.length - 1];
    const none = { offset: 0, width: 0, height: 0 };
    const padded = Array.from({ length: MOST_LEVELS }, (_, l) => ({ ...(levels[l] ?? none) }));
    work.uniform("shape", track.struct("Pyramid"), { levels: padded, count: levels.length });
    const reductions = ["first", "second"].flatMap((pyramid) => {
      work.storage(pyramid, offset + width * height);
      return levels.slice(1).map((coarse, l): Step => {
        const reduction = work.constant(reduce.struct("Reduction"), { fine: { ...levels[l] }, coarse: { ...coarse } });
        return { kernel: reduce, groups: tilesOf(reduce, coarse), bound: { reduction, pyramid } };
      });
    });
    return new GpuKlt(work, new PlaneUpload(work, size.width * size.height), track, reductions);
  }

  /** Tracks points of the first image into the second and back; those that return further than `limit` pixels away are "inconsistent"; null for no check. */
  async trackBothWays(first: Plane, second: Plane, points: KltPoints, limit: number | null = 1): Promise<KltTracks> {
    const { work, upload, track } = this;
    const layout = track.struct("Track");
    const words = recordsOf(layout.words, layout.wordOf("x"), layout.wordOf("y"), points);
    work.upload("points", words, MORE_ROOM);
    for (const list of ["there", "back"]) work.storage(list, words.length, MORE_ROOM);
    const groups = rowsOf(work.session, words.length / layout.words);
    const steps: Step[] = [
      ...this.reductions,
      { kernel: track, groups, bound: { tracks: "there" } },
      { kernel: track, groups, bound: { first: "second", second: "first", points: "there", tracks: "back" } },
    ];
    const bytes = layout.size * points.x.length;
    return await work.run(
      async (encoder) => {
        await upload.send(encoder, first, "first");
        await upload.send(encoder, second, "second");
        work.record(encoder, steps);
      },
      ["there", "back"].map((name) => ({ name, bytes })),
      (lists) => {
        const [there, back] = lists.map((list) => this.#tracksOf(list));
        return limit === null ? there : { ...there, status: checkBothWays(points, there, back, limit) };
      },
    );
  }

  destroy(): void {
    this.work.destroy();
  }

  #tracksOf(list: Uint32Array): KltTracks {
    const layout = this.track.struct("Track");
    const [x, y, residual] = ["x", "y", "residual"].map((name) => layout.floats(list, name));
    const status = Uint8Array.from(layout.integers(list, "status"));
    return {
      x,
      y,
      status,
      residual: residual.map((value, k) => (status[k] === KLT_STATUS.tracked ? value : Number.NaN)),
      iterations: layout.integers(list, "iterations"),
    };
  }
}

/** Levels of a pyramid in one buffer, each half as large as the one before and no side below 3 pixels. */
function levelsOf({ width, height }: Size, count: number): Level[] {
  const levels: Level[] = [{ offset: 0, width, height }];
  while (levels.length < Math.min(count, MOST_LEVELS)) {
    const last = levels[levels.length - 1];
    const [w, h] = [(last.width + 1) >> 1, (last.height + 1) >> 1];
    if (Math.min(w, h) < 3) break;
    levels.push({ offset: last.offset + last.width * last.height, width: w, height: h });
  }
  return levels;
}

/** Words of one record at least, with the points' places; the other fields are the answer's. */
function recordsOf(words: number, atX: number, atY: number, { x, y }: KltPoints): Uint32Array {
  const floats = new Float32Array(words * Math.max(x.length, 1));
  for (let k = 0; k < x.length; k++) {
    floats[words * k + atX] = x[k];
    floats[words * k + atY] = y[k];
  }
  return new Uint32Array(floats.buffer);
}
