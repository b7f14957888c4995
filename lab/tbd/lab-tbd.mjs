/**
 * Track-before-detect on a GPU in every way that was compared: the paper's kernels, textures, one buffer, a state in f16. The kernel that
 * the program runs is one of them, and is its own file.
 */
import { readStorage, splitByBinding } from "../../dist/gpu/buffers.js";
import { strideOver } from "../../dist/gpu/dispatch.js";
import { DeviceLists } from "../../dist/gpu/lists.js";
import { loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { Workspace } from "../../dist/gpu/workspace.js";
import { valuesOf, weights } from "../../dist/pixels/before-detect/cpu.js";
import { sortedPeaks } from "../../dist/pixels/before-detect/gpu/gpu-tbd.js";
import { moved, offsetsBack } from "../../dist/pixels/before-detect/vectors.js";
import { PlaneUpload } from "../../dist/pixels/gpu-planes.js";
import { passText, vectorConstants } from "./pass-text.mjs";
import { halvesOf, wrap, wrappedBack } from "./state-read.mjs";
import { checkVariant, DEFAULT_VARIANT, isPapers, variantName } from "./variant.mjs";

const BEST = new URL("../kernels/before-detect/best.wgsl", import.meta.url);
const PEAKS = new URL("../../dist/pixels/before-detect/gpu/peaks.wgsl", import.meta.url);

export class LabTbd {
  /** Seconds that frames took on their way to the device, by the host's clock. */
  uploadSeconds = 0;
  size = { width: 0, height: 0 };
  /** @type {any} */
  options = null;
  isHalf = false;
  #kernels = new Map();
  #k = 0;
  #depth = 0;
  #turn = 0;
  #isBackwards = false;

  /**
   * @param session of the device
   * @param {{ variant?: import("./variant.mjs").TbdVariant, workgroup?: number[] }} [how] threads of a workgroup along x and y
   */
  constructor(session, { variant = DEFAULT_VARIANT, workgroup = [32, 8] } = {}) {
    this.session = session;
    this.device = session.description.name;
    this.variant = variant;
    this.workgroup = workgroup;
    this.scheme = variantName(variant);
    this.work = new Workspace(session, "track-before-detect");
  }

  /** @param options of the recursion, and `state`: "f32" unless it is "f16" */
  async begin(size, options) {
    checkVariant(this.variant, options);
    const { vectors, decimation, state = "f32" } = options;
    const { width, height } = size;
    const pixels = width * height;
    const words = state === "f16" ? height * Math.ceil(width / 2) : pixels;
    this.destroy();
    const work = new Workspace(this.session, "track-before-detect");
    Object.assign(this, { work, size, options, isHalf: state === "f16" });
    const starts = splitByBinding(
      this.session,
      "the state of vector",
      vectors.map(() => words),
    );
    this.pieces = starts.slice(0, -1).map((first, n) => ({ n, first, vectors: vectors.slice(first, starts[n + 1]) }));
    for (const { n, vectors } of this.pieces) {
      for (const turn of this.variant.kernel === "in-place" ? [0] : [0, 1]) {
        work.storage(`state ${turn} of ${n}`, vectors.length * words);
      }
      work.storage(`turned of ${n}`, 2 * vectors.length);
      work.storage(`offsets of ${n}`, 2 * (decimation + 1) * vectors.length);
    }
    for (const name of ["best", "which"]) work.storage(name, pixels);
    work.storage("count", 1);
    if (this.variant.input === "texture") this.#makeTexture(size, decimation);
    else work.storage("frames", decimation * pixels);
    this.planes = new PlaneUpload(work, pixels);
    this.peaksKernel = await loadKernel(this.session, PEAKS);
    this.lists = new DeviceLists(
      work,
      {
        counters: "count",
        counts: ([count]) => [count],
        steps: ([room]) => {
          work.storage("peaks", room * this.peaksKernel.struct("Peak").words);
          return [{ kernel: this.peaksKernel, groups: [strideOver(this.peaksKernel, pixels)] }];
        },
      },
      [Math.ceil(width / 2) * Math.ceil(height / 2)],
    );
    this.#k = 0;
    this.#turn = 0;
    this.#isBackwards = false;
  }

  #makeTexture({ width, height }, depth) {
    const { device } = this.session;
    const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
    this.texture = device.createTexture({ size: [width, height, depth], format: "r32float", usage });
    this.work.lend("frames", this.texture.createView({ dimension: "2d-array" }));
  }

  async advance(frames, k0) {
    const from = performance.now();
    await this.session.scoped("frames", () => this.#write(frames));
    this.uploadSeconds += (performance.now() - from) / 1000;
    this.#depth = frames.length;
    await this.again(k0);
  }

  async #write(frames) {
    const { width, height } = this.size;
    for (const [k, frame] of frames.entries()) {
      if (this.variant.input === "texture") {
        const to = { texture: this.texture, origin: [0, 0, k] };
        this.session.device.queue.writeTexture(to, valuesOf(frame), { bytesPerRow: 4 * width }, [width, height]);
      } else {
        const plane = { width, height, pixels: frame.pixels };
        const widening = { first: k * width * height, minus: frame.minus ?? 0 };
        await this.work.submit((encoder) => this.planes.send(encoder, plane, "frames", widening));
      }
    }
  }

  /** A pass over the frames of the last one as if they were k0 + 1, k0 + 2, …, without uploading them: to time kernels alone. */
  async again(k0) {
    this.#k = k0 + this.#depth;
    this.#isBackwards = !this.#isBackwards;
    await this.session.scoped("a pass", async () => {
      const steps = [];
      for (const piece of this.pieces) steps.push(...(await this.#steps(piece, k0)));
      await this.work.submit((encoder) => this.work.record(encoder, steps, "recursion"));
    });
    if (this.variant.kernel !== "in-place") this.#turn = 1 - this.#turn;
  }

  async #steps(piece, k0) {
    const { n, first, vectors } = piece;
    const { width, height } = this.size;
    const kernels = await this.#passKernels(piece);
    const offsets = offsetsBack(vectors, k0, this.#depth);
    const reach = offsets.reduce((most, offset) => Math.max(most, Math.abs(offset)), 0);
    // A pass that waits for a small upload takes longer: nothing goes up that is there.
    if (String(piece.offsets) !== String(offsets)) this.work.upload(`offsets of ${n}`, offsets);
    piece.offsets = offsets;
    if (this.variant.kernel === "in-place") {
      const turned = vectors.flatMap(({ x, y }) => [wrap(moved(x, this.#k), width), wrap(moved(y, this.#k), height)]);
      this.work.upload(`turned of ${n}`, Uint32Array.from(turned));
    }
    const columns = this.isHalf ? Math.ceil(width / 2) : width;
    const groups = [Math.ceil(columns / this.workgroup[0]), Math.ceil(height / this.workgroup[1])];
    return kernels.map((kernel, v) => ({
      kernel,
      groups,
      bound: this.#bound(kernel, piece, isPapers(this.variant) ? v : first, reach, this.#turn),
    }));
  }

  #bound(kernel, { n, vectors }, first, reach, turn) {
    const [a, b] = weights(this.options.alpha);
    const run = { ...this.size, vectors: vectors.length, first, reach, backwards: Number(this.#isBackwards), a, b };
    const layout = kernel.struct("Pass");
    const named = {
      run: this.work.constant(
        layout,
        layout.members.some(({ name }) => name === "depth")
          ? { ...run, depth: this.#depth, seen: this.#k - this.#depth }
          : run,
      ),
      offsets: `offsets of ${n}`,
      before: `state ${turn} of ${n}`,
      after: `state ${1 - turn} of ${n}`,
      state: `state 0 of ${n}`,
      turned: `turned of ${n}`,
    };
    const { bindings } = kernel.shader.declarations;
    return Object.fromEntries(Object.entries(named).filter(([name]) => bindings.has(name)));
  }

  /** One kernel, or one for each vector. */
  async #passKernels({ n, vectors }) {
    const key = `${n} ${this.#depth}`;
    if (!this.#kernels.has(key)) this.#kernels.set(key, await this.#load(vectors));
    return this.#kernels.get(key);
  }

  async #load(vectors) {
    const { file, texts, constants } = passText(this.variant, this.#depth, vectors, this.workgroup, this.isHalf);
    const [THREADS_X, THREADS_Y] = this.workgroup;
    const load = (more) =>
      loadKernel(this.session, file, { constants: { ...constants, THREADS_X, THREADS_Y, ...more }, texts });
    if (!isPapers(this.variant)) return [await load({})];
    return await Promise.all(vectors.map((vector, v) => load(vectorConstants(this.variant, vector, v))));
  }

  async peaks(least, radius) {
    if (isPapers(this.variant)) await this.#reduce();
    const { words } = this.peaksKernel.struct("Peak");
    const search = this.peaksKernel.struct("Search");
    return await this.lists.fill({
      before: (_, [room]) => this.work.uniform("search", search, { ...this.size, radius, room, least }),
      parts: ([count]) => [{ name: "peaks", bytes: 4 * words * count }],
      decode: ([found], [count]) => sortedPeaks(found, count, words, this.size),
    });
  }

  /** The largest over the vectors, where a pass has one vector at a time. */
  async #reduce() {
    const kernel = await loadKernel(this.session, BEST, { texts: { state: "#import state-f32" } });
    const groups = [strideOver(kernel, this.size.width * this.size.height)];
    const steps = this.pieces.map((piece) => {
      // `after` is the state: the pass before has turned.
      return { kernel, groups, bound: this.#bound(kernel, piece, piece.first, 0, this.#turn) };
    });
    await this.work.submit((encoder) => this.work.record(encoder, /** @type {any} */ (steps), "best"));
  }

  async state() {
    const { width, height } = this.size;
    const pixels = width * height;
    const all = new Float32Array(this.options.vectors.length * pixels);
    for (const { n, first, vectors } of this.pieces) {
      const [bytes] = await readStorage(this.session, [this.work.buffer(`state ${this.#turn} of ${n}`)]);
      const part = all.subarray(first * pixels, (first + vectors.length) * pixels);
      if (this.isHalf) halvesOf(bytes, part, width);
      else if (this.variant.kernel !== "in-place") part.set(new Float32Array(bytes));
      else {
        const movedOf = (v) => [moved(vectors[v].x, this.#k), moved(vectors[v].y, this.#k)];
        wrappedBack(new Float32Array(bytes), part, this.size, movedOf);
      }
    }
    return all;
  }

  destroy() {
    this.work.destroy();
    this.texture?.destroy();
    this.texture = null;
  }
}
