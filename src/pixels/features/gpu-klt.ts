/** KLT on a GPU: pyramids of two images, and points tracked through all levels in one dispatch, there and back. */

import { InputError, invariant } from "../../core/errors.js";
import { createStorage, readBeginnings, uploadUniform, writeStorage } from "../../gpu/buffers.js";
import { type Dispatch, gridOf, recordPass } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { GreyImage } from "../image.js";
import { ImageUpload } from "./gpu-image.js";
import { checkBothWays, KLT_STATUS, type KltOptions, type KltTracks } from "./klt-track.js";

const REDUCE_TILE = { width: 32, height: 8 };
const MOST_LEVELS = 8;

interface Points {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

interface Level {
  readonly offset: number;
  readonly width: number;
  readonly height: number;
  readonly unused: 0;
}

/** Two images of one size on a device; made once for a sequence. */
export class GpuKlt {
  readonly #levels: readonly Level[];
  /** Pyramids of the first and the second image; exchanged as a sequence goes on. */
  #pyramids: [GPUBuffer, GPUBuffer];
  #reductions: Dispatch[][] = [];
  #points = 0;
  #lists: GPUBuffer[] = [];
  #tracking: Dispatch[] = [];
  /** The words of the points' list. */
  #words = new Uint32Array(0);

  private constructor(
    private readonly session: GpuSession,
    private readonly kernels: { readonly reduce: Kernel; readonly track: Kernel },
    levels: readonly Level[],
    private readonly uniforms: GPUBuffer[],
    private readonly shape: GPUBuffer,
    private readonly images: ImageUpload,
  ) {
    this.#levels = levels;
    const { offset, width, height } = levels[levels.length - 1];
    const make = (name: string) => createStorage(session, name, offset + width * height);
    this.#pyramids = [make("first pyramid"), make("second pyramid")];
    this.#reductions = this.#pyramids.map((pyramid) =>
      this.uniforms.map((reduction, l) => ({
        kernel: kernels.reduce,
        group: kernels.reduce.bind({ reduction, pyramid }),
        x: Math.ceil(levels[l + 1].width / REDUCE_TILE.width),
        y: Math.ceil(levels[l + 1].height / REDUCE_TILE.height),
      })),
    );
  }

  /** @throws InputError for variants without kernels */
  static async create(
    session: GpuSession,
    { width, height }: { readonly width: number; readonly height: number },
    options: KltOptions,
    levelCount: number,
  ): Promise<GpuKlt> {
    if (options.symmetric) throw new InputError("symmetric KLT has no kernels; use --device cpu");
    const levels: Level[] = [{ offset: 0, width, height, unused: 0 }];
    while (levels.length < Math.min(levelCount, MOST_LEVELS)) {
      const last = levels[levels.length - 1];
      const [w, h] = [(last.width + 1) >> 1, (last.height + 1) >> 1];
      if (Math.min(w, h) < 3) break;
      levels.push({ offset: last.offset + last.width * last.height, width: w, height: h, unused: 0 });
    }
    const { window, iterations, step, leastEigenvalue } = options;
    const constants = {
      WINDOW: window,
      ITERATIONS: iterations,
      STEP: step,
      LEAST_EIGENVALUE: leastEigenvalue,
      PIXELS: window ** 2,
      PATCH: (window + 2) ** 2,
    };
    const [reduce, track] = await Promise.all([
      loadKernel(session, new URL("./klt-reduce.wgsl", import.meta.url)),
      loadKernel(session, new URL("./klt-track.wgsl", import.meta.url), { constants }),
    ]);
    const uniforms = levels.slice(1).map((coarse, l) => {
      const words = reduce.struct("Reduction").pack([{ fine: { ...levels[l] }, coarse: { ...coarse } }]);
      return uploadUniform(session, `reduction ${l}`, words);
    });
    const none = { offset: 0, width: 0, height: 0, unused: 0 };
    const padded = Array.from({ length: MOST_LEVELS }, (_, l) => ({ ...(levels[l] ?? none) }));
    const shape = uploadUniform(
      session,
      "levels",
      track.struct("Pyramid").pack([{ levels: padded, count: levels.length }]),
    );
    const images = await ImageUpload.create(session, { width, height });
    return new GpuKlt(session, { reduce, track }, levels, uniforms, shape, images);
  }

  /** Points of the first image, for what `encode` records. */
  setPoints({ x, y }: Points): void {
    const { session, kernels } = this;
    const layout = kernels.track.struct("Track");
    const { words } = layout;
    if (x.length !== this.#points || this.#lists.length === 0) {
      for (const list of this.#lists) list.destroy();
      this.#points = x.length;
      this.#words = new Uint32Array(words * x.length);
      this.#lists = ["points", "there", "back"].map((name) =>
        createStorage(session, name, words * Math.max(x.length, 1)),
      );
      const [points, there, back] = this.#lists;
      const [first, second] = this.#pyramids;
      const grid = gridOf(session, Math.max(x.length, 1));
      const over = (from: GPUBuffer, to: GPUBuffer, a: GPUBuffer, b: GPUBuffer): Dispatch => ({
        kernel: kernels.track,
        group: kernels.track.bind({ shape: this.shape, first: a, second: b, points: from, tracks: to }),
        ...grid,
      });
      this.#tracking = [over(points, there, first, second), over(there, back, second, first)];
    }
    // The other fields are the answer's.
    const floats = new Float32Array(this.#words.buffer);
    const [atX, atY] = [layout.wordOf("x"), layout.wordOf("y")];
    for (let k = 0; k < x.length; k++) {
      floats[words * k + atX] = x[k];
      floats[words * k + atY] = y[k];
    }
    if (x.length > 0) writeStorage(session, this.#lists[0], this.#words);
  }

  /** Where both pyramids are made, and the points are tracked there and back. */
  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    recordPass(encoder, "klt", [...this.#reductions.flat(), ...this.#tracking], timestampWrites);
  }

  /** Tracks points of the first image into the second and back; those that return further than `limit` pixels away are "inconsistent"; null for no check. */
  async trackBothWays(
    first: GreyImage,
    second: GreyImage,
    points: Points,
    limit: number | null = 1,
  ): Promise<KltTracks> {
    const { session } = this;
    return await session.scoped("klt", async () => {
      const encoder = session.device.createCommandEncoder({ label: "klt" });
      const submitted = [await this.#record(encoder, 0, first), await this.#record(encoder, 1, second)];
      this.setPoints(points);
      this.encode(encoder);
      const bytes = this.kernels.track.struct("Track").size * points.x.length;
      const [, thereList, backList] = this.#lists;
      const take = (lists: readonly Uint32Array[]) => {
        const [there, back] = lists.map((list) => this.#tracksOf(list));
        return limit === null ? there : { ...there, status: checkBothWays(points, there, back, limit) };
      };
      const parts = [thereList, backList].map((buffer) => ({ buffer, bytes }));
      const reading = readBeginnings(session, parts, take, encoder);
      for (const done of submitted) done();
      return await reading;
    });
  }

  destroy(): void {
    this.images.destroy();
    for (const buffer of [...this.#pyramids, ...this.#lists, ...this.uniforms, this.shape]) buffer.destroy();
  }

  /** The way of an image to its pyramid. */
  async #record(encoder: GPUCommandEncoder, which: 0 | 1, image: GreyImage): Promise<() => void> {
    const { width, height } = this.#levels[0];
    invariant(image.width === width && image.height === height, () => "an image of another size than the pyramids'");
    return await this.images.record(encoder, image, this.#pyramids[which]);
  }

  #tracksOf(list: Uint32Array): KltTracks {
    const layout = this.kernels.track.struct("Track");
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
