/** Track-before-detect on a GPU: the state stays there, frames go up, maxima come back. */
import { InputError } from "../../../core/errors.js";
import { createStorage, splitByBinding, uploadStorage, uploadUniform, writeStorage } from "../../../gpu/buffers.js";
import { strideOver } from "../../../gpu/dispatch.js";
import { Recorder } from "../../../gpu/recorder.js";
import type { GpuSession } from "../../../gpu/session.js";
import type { Kernel, Resources } from "../../../gpu/wgsl/kernel.js";
import { weights } from "../cpu.js";
import { couplesVectors, type RecursionOptions } from "../options.js";
import type { Field, Peaks } from "../peaks.js";
import type { FrameValues } from "../samples.js";
import type { TbdSteps } from "../steps.js";
import { moved, nearestVectors, offsetsBack } from "../vectors.js";
import { createFrames, type DeviceFrames } from "./frames.js";
import { loadBest, loadCoupled, loadPass, loadPeaks } from "./kernels.js";
import { sortedPeaks } from "./peaks-read.js";
import { halvesOf, wrappedBack } from "./state-read.js";
import { checkVariant, DEFAULT_VARIANT, isPapers, type TbdVariant, variantName } from "./variant.js";

export interface GpuTbdOptions {
  /** Seconds since some fixed time. */
  readonly now: () => number;
  /** Time every kernel by the device's clock. */
  readonly profile?: boolean;
  readonly variant?: TbdVariant;
  /** Threads of a workgroup along x and y. */
  readonly workgroup?: readonly [x: number, y: number];
  /** Bytes of a piece of the state at most; the device's largest binding unless told. */
  readonly pieceBytes?: number;
}

export const DEFAULT_WORKGROUP = [32, 8] as const;
/** Peaks read back with every output; where there are more, they are searched for again. */
const USUAL_PEAKS = 4096;

type Phase = "recursion" | "best" | "peaks";

/** Vectors whose state fits one binding. */
interface Piece {
  readonly first: number;
  readonly vectors: RecursionOptions["vectors"];
  /** The state, and where the next pass writes it: the same buffer in place. */
  before: GPUBuffer;
  after: GPUBuffer;
  readonly offsets: GPUBuffer;
  /** What `offsets` holds: whole vectors have the same in every pass. */
  written: Int32Array;
  /** In place: how far trajectories have turned around the image. */
  readonly turned: GPUBuffer;
}

export interface GpuTbdSteps extends TbdSteps {
  /** A pass over the frames of the last one as if they were k0 + 1, k0 + 2, …, without uploading them: to time kernels alone. */
  again(k0: number): Promise<void>;
}

export function createGpuTbd(session: GpuSession, options: GpuTbdOptions): GpuTbdSteps {
  return new GpuTbd(session, options);
}

class GpuTbd implements GpuTbdSteps {
  readonly device: string;
  readonly #variant: TbdVariant;
  readonly #workgroup: readonly [number, number];
  readonly #times = { upload: 0, recursion: 0, best: 0, peaks: 0, readback: 0 };
  readonly #recorder: Recorder<Phase>;
  #field: Field = { width: 0, height: 0 };
  #options!: RecursionOptions;
  #pieces: Piece[] = [];
  #frames: DeviceFrames | null = null;
  #shared!: { readonly best: GPUBuffer; readonly which: GPUBuffer; readonly count: GPUBuffer };
  /** Nearest vectors of each, where states flow between them. */
  #near: GPUBuffer | null = null;
  /** Frames that went into the state, and those of the last pass. */
  #k = 0;
  #depth = 0;
  /** Whether the pass goes through the rows backwards; every other one does. */
  #isBackwards = false;

  constructor(
    private readonly session: GpuSession,
    private readonly own: GpuTbdOptions,
  ) {
    this.device = session.description.name;
    this.#variant = own.variant ?? DEFAULT_VARIANT;
    this.#workgroup = own.workgroup ?? DEFAULT_WORKGROUP;
    this.#recorder = new Recorder<Phase>(session, this.#times, { now: own.now, profile: own.profile === true });
  }

  get scheme(): string {
    return this.#near === null ? variantName(this.#variant) : "coupled, storage";
  }

  async begin(field: Field, options: RecursionOptions): Promise<void> {
    this.#release();
    this.#field = field;
    this.#options = options;
    this.#k = 0;
    const { width, height } = field;
    const { vectors, decimation, state } = options;
    const coupled = couplesVectors(options);
    checkVariant(this.#variant, options);
    if (coupled && (state === "f16" || this.own.variant !== undefined)) {
      throw new InputError(
        "before-detect: with --switch or --combine max a GPU has one kernel, in f32; leave --variant and --state out",
      );
    }
    await this.session.scoped("track-before-detect", () => {
      const words = state === "f16" ? height * Math.ceil(width / 2) : width * height;
      const sizes = vectors.map(() => words);
      const starts = splitByBinding(this.session, "the state of vector", sizes, this.own.pieceBytes);
      if (coupled && starts.length > 2) {
        throw new InputError(
          `before-detect: the state of ${vectors.length} vectors is above one binding of ${this.device}, which --switch and max need; give fewer vectors`,
        );
      }
      const storage = (label: string, length: number) => createStorage(this.session, label, length);
      for (let n = 0; n + 1 < starts.length; n++) {
        const own = vectors.slice(starts[n], starts[n + 1]);
        const before = storage("state", own.length * words);
        this.#pieces.push({
          first: starts[n],
          vectors: own,
          before,
          after: this.#variant.kernel === "in-place" ? before : storage("next state", own.length * words),
          offsets: storage("offsets", 2 * (decimation + 1) * own.length),
          written: new Int32Array(0),
          turned: storage("turned", 2 * own.length),
        });
      }
      this.#shared = {
        best: storage("largest over the vectors", width * height),
        which: storage("vector of the largest", width * height),
        count: storage("number of peaks", 1),
      };
      if (coupled) this.#near = uploadStorage(this.session, "nearest vectors", packedNear(options));
      this.#frames = createFrames(this.session, coupled ? "storage" : this.#variant.input, field, decimation);
    });
  }

  async advance(frames: readonly FrameValues[], k0: number): Promise<void> {
    const from = this.own.now();
    // Kernels recorded so far must not read the new frames.
    this.#recorder.submit();
    await this.session.scoped("frames", () => this.#frames?.write(frames));
    this.#times.upload += this.own.now() - from;
    this.#depth = frames.length;
    await this.again(k0);
  }

  async again(k0: number): Promise<void> {
    const depth = this.#depth;
    this.#k = k0 + depth;
    this.#isBackwards = !this.#isBackwards;
    await this.session.scoped("a pass", async () => {
      if (this.#near !== null) await this.#advanceCoupled(this.#near, depth, k0);
      else await this.#advanceAll(depth, k0);
    });
    this.#recorder.submit();
  }

  async #advanceAll(depth: number, k0: number): Promise<void> {
    const { width, height } = this.#field;
    for (const piece of this.#pieces) {
      const kernels = await loadPass(
        this.session,
        this.#variant,
        this.#workgroup,
        { ...this.#options, vectors: piece.vectors },
        depth,
      );
      const offsets = offsetsBack(piece.vectors, k0, depth);
      this.#writeOffsets(piece, offsets);
      if (this.#variant.kernel === "in-place") {
        const turned = piece.vectors.flatMap(({ x, y }) => [
          wrap(moved(x, this.#k), width),
          wrap(moved(y, this.#k), height),
        ]);
        writeStorage(this.session, piece.turned, Uint32Array.from(turned));
      }
      const reach = offsets.reduce((most, offset) => Math.max(most, Math.abs(offset)), 0);
      const pool = { ...this.#pool(piece), state: piece.before, turned: piece.turned };
      const [x, y] = this.#groups(kernels[0]);
      kernels.forEach((kernel, v) => {
        const run = this.#run(kernel, piece, isPapers(this.#variant) ? v : piece.first, depth, reach);
        const group = kernel.bind({ run }, pool);
        this.#recorder.kernel("recursion", (pass) => kernel.dispatch(pass, group, x, y));
      });
      [piece.before, piece.after] = [piece.after, piece.before];
    }
  }

  async #advanceCoupled(near: GPUBuffer, depth: number, k0: number): Promise<void> {
    const [piece] = this.#pieces;
    const { combine, switching, vectors } = this.#options;
    const kernel = await loadCoupled(this.session, this.#workgroup);
    const backs = Array.from({ length: depth }, (_, j) =>
      offsetsBack(vectors, k0 + j, 1).filter((_, at) => at % 4 < 2),
    );
    this.#writeOffsets(piece, Int32Array.from(backs.flatMap((back) => [...back])));
    const run = this.#run(kernel, piece, 0, depth, 0);
    const [x, y] = this.#groups(kernel);
    for (let frame = 0; frame < depth; frame++) {
      const coupling = this.#uniform(
        "coupling",
        kernel.struct("Coupling").pack([{ frame, largest: combine === "max" ? 1 : 0, switching }]),
      );
      const group = kernel.bind({ run, near, coupling }, this.#pool(piece));
      this.#recorder.kernel("recursion", (pass) => kernel.dispatch(pass, group, x, y));
      [piece.before, piece.after] = [piece.after, piece.before];
    }
  }

  async peaks(least: number, radius: number): Promise<Peaks> {
    const kernel = await loadPeaks(this.session);
    return this.session.scoped("peaks", async () => {
      if (isPapers(this.#variant)) await this.#reduce();
      for (let room = USUAL_PEAKS; ; ) {
        const { best, which, count } = this.#shared;
        const words = kernel.struct("Peak").words;
        const found = createStorage(this.session, "peaks", room * words);
        const search = this.#uniform("search", kernel.struct("Search").pack([{ ...this.#field, radius, room, least }]));
        this.#recorder.clear(count);
        const group = kernel.bind({ search, best, which, count, peaks: found });
        this.#recorder.kernel("peaks", (pass) => kernel.dispatch(pass, group, strideOver(kernel, best.size / 4)));
        const [counted, bytes] = await this.#recorder.readBack([count, found]);
        found.destroy();
        this.#dropUniforms();
        const [number] = new Uint32Array(counted);
        if (number <= room) return sortedPeaks(bytes, number, words, this.#field);
        room = number;
      }
    });
  }

  /** The largest over the vectors, where a pass has one vector at a time. */
  async #reduce(): Promise<void> {
    const kernel = await loadBest(this.session);
    for (const piece of this.#pieces) {
      const run = this.#run(kernel, piece, piece.first, 0, 0);
      const group = kernel.bind({ run }, this.#pool(piece));
      const groups = strideOver(kernel, this.#shared.best.size / 4);
      this.#recorder.kernel("best", (pass) => kernel.dispatch(pass, group, groups));
    }
  }

  async state(): Promise<Float32Array> {
    const { width, height } = this.#field;
    const cells = width * height;
    const all = new Float32Array(this.#options.vectors.length * cells);
    for (const { first, vectors, before } of this.#pieces) {
      const [bytes] = await this.#recorder.readBack([before]);
      const own = all.subarray(first * cells, (first + vectors.length) * cells);
      if (this.#options.state === "f16") halvesOf(bytes, own, width);
      else if (this.#variant.kernel !== "in-place") own.set(new Float32Array(bytes).subarray(0, own.length));
      else
        wrappedBack(new Float32Array(bytes), own, this.#field, (v) => [
          moved(vectors[v].x, this.#k),
          moved(vectors[v].y, this.#k),
        ]);
    }
    // Everything recorded has run; with coupled vectors no other place releases the uniforms.
    this.#dropUniforms();
    return all;
  }

  times(): Readonly<Record<string, number>> {
    return this.#times;
  }

  destroy(): void {
    this.#release();
    this.#recorder.destroy();
  }

  /** A pass that waits for a small upload takes longer: nothing goes up that is there. */
  #writeOffsets(piece: Piece, offsets: Int32Array): void {
    if (offsets.length === piece.written.length && offsets.every((offset, i) => offset === piece.written[i])) return;
    writeStorage(this.session, piece.offsets, offsets);
    piece.written = offsets;
  }

  #uniforms: GPUBuffer[] = [];
  /** Uniforms of passes by their content, which returns. */
  readonly #runs = new Map<string, GPUBuffer>();

  /** A uniform of the pass that is being recorded. */
  #uniform(label: string, words: Uint32Array<ArrayBuffer>): GPUBuffer {
    const buffer = uploadUniform(this.session, label, words);
    this.#uniforms.push(buffer);
    return buffer;
  }

  /** Must be called only after the kernels that use them have run. */
  #dropUniforms(): void {
    for (const buffer of this.#uniforms) buffer.destroy();
    this.#uniforms = [];
  }

  #run(kernel: Kernel, { vectors }: Piece, first: number, depth: number, reach: number): GPUBuffer {
    const [a, b] = weights(this.#options.alpha);
    const backwards = this.#isBackwards ? 1 : 0;
    const record = { ...this.#field, vectors: vectors.length, first, depth, reach, backwards, a, b };
    const key = JSON.stringify(record);
    let run = this.#runs.get(key);
    if (run === undefined) {
      run = uploadUniform(this.session, "run", kernel.struct("Pass").pack([record]));
      this.#runs.set(key, run);
    }
    return run;
  }

  #pool({ before, after, offsets }: Piece): Resources {
    const { best, which } = this.#shared;
    return { before, after, offsets, best, which, frames: this.#frames?.resource };
  }

  /** Workgroups along x and y; a thread has two pixels of an f16 state. */
  #groups(kernel: Kernel): [number, number] {
    const { width, height } = this.#field;
    const columns = this.#options.state === "f16" ? Math.ceil(width / 2) : width;
    return [Math.ceil(columns / kernel.workgroupSize[0]), Math.ceil(height / kernel.workgroupSize[1])];
  }

  #release(): void {
    this.#dropUniforms();
    for (const run of this.#runs.values()) run.destroy();
    this.#runs.clear();
    for (const { before, after, offsets, turned } of this.#pieces) {
      for (const buffer of [before, after, offsets, turned]) buffer.destroy();
    }
    this.#pieces = [];
    this.#frames?.destroy();
    this.#frames = null;
    this.#near?.destroy();
    this.#near = null;
    if (this.#shared !== undefined) for (const buffer of Object.values(this.#shared)) buffer.destroy();
  }
}

const wrap = (value: number, size: number) => ((value % size) + size) % size;

/** Starts of each vector's list, then the lists, with numbers that count from the start of the array. */
function packedNear({ vectors }: RecursionOptions): Uint32Array {
  const lists = nearestVectors(vectors);
  const packed = [lists.length + 1];
  for (const list of lists) packed.push((packed.at(-1) as number) + list.length);
  return Uint32Array.from([...packed, ...lists.flat()]);
}
