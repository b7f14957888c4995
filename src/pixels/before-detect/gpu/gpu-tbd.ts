/** Track-before-detect on a GPU: the state stays there, frames go up, maxima come back. ../cpu.ts is the twin. */
import { InputError } from "../../../core/errors.js";
import { readStorage, splitByBinding } from "../../../gpu/buffers.js";
import { strideOver, tilesOf } from "../../../gpu/dispatch.js";
import { DeviceLists } from "../../../gpu/lists.js";
import type { GpuSession } from "../../../gpu/session.js";
import { type Kernel, loadKernel } from "../../../gpu/wgsl/kernel.js";
import { type Bound, type Step, Workspace } from "../../../gpu/workspace.js";
import { PlaneUpload } from "../../gpu-planes.js";
import type { Size } from "../../image.js";
import { weights } from "../cpu.js";
import { type FrameValues, type Peaks, requireNoise, type TbdSteps } from "../detect.js";
import { couplesVectors, type RecursionOptions } from "../options.js";
import { nearestVectors, offsetsBack } from "../vectors.js";
import { type OwnNoise, ownNoise } from "./own-noise.js";

/** Peaks that there is room for at first. */
const USUAL_PEAKS = 4096;

export function createGpuTbd(session: GpuSession): TbdSteps {
  return new GpuTbd(session);
}

/** Vectors whose state fits one binding. */
interface Piece {
  readonly number: number;
  /** Of its first vector. */
  readonly first: number;
  readonly vectors: RecursionOptions["vectors"];
  /** Offsets that are on the device: whole vectors have the same ones in every pass. */
  offsets: Int32Array;
}

class GpuTbd implements TbdSteps {
  readonly device: string;
  #work: Workspace;
  #size: Size = { width: 0, height: 0 };
  #options!: RecursionOptions;
  #planes!: PlaneUpload;
  #peaks!: { readonly kernel: Kernel; readonly lists: DeviceLists };
  #ownNoise: OwnNoise | null = null;
  #pieces: readonly Piece[] = [];
  /** The kernels of a pass by frames and vectors. */
  readonly #kernels = new Map<string, Kernel>();
  /** The number of the state that is read next: each piece has two, which are read and written in turn. */
  #present = 0;
  /** Whether the pass goes through the rows backwards; every other one does. */
  #isBackwards = false;

  constructor(private readonly session: GpuSession) {
    this.device = session.description.name;
    this.#work = new Workspace(session, "track-before-detect");
  }

  async begin(size: Size, options: RecursionOptions): Promise<void> {
    const { session } = this;
    const { vectors, decimation } = options;
    const pixels = size.width * size.height;
    this.#work.destroy();
    const work = new Workspace(session, "track-before-detect");
    this.#work = work;
    this.#size = size;
    this.#options = options;
    this.#planes = new PlaneUpload(work, pixels);
    const kernel = await kernelNamed(session, "peaks");
    await session.scoped("track-before-detect", () => {
      this.#pieces = piecesOf(session, vectors, pixels);
      if (couplesVectors(options) && this.#pieces.length > 1) {
        throw new InputError(
          `before-detect: the state of ${vectors.length} vectors is above one binding of ${this.device}, which --switch and max need; give fewer vectors`,
        );
      }
      for (const piece of this.#pieces) {
        for (const turn of [0, 1]) work.storage(stateOf(piece, turn), piece.vectors.length * pixels);
      }
      work.storage("frames", decimation * pixels);
      work.storage("best", pixels);
      work.storage("which", pixels);
      work.storage("count", 1);
      if (couplesVectors(options)) work.upload("near", packedNear(options));
      this.#peaks = { kernel, lists: peakLists(work, kernel, size) };
    });
    this.#ownNoise = await ownNoise(work, (...named) => kernelNamed(session, ...named), pixels, options);
  }

  async advance(frames: readonly FrameValues[], k0: number): Promise<void> {
    const pixels = this.#size.width * this.#size.height;
    await this.session.scoped("frames", async () => {
      for (const [k, { pixels: samples, minus = 0 }] of frames.entries()) {
        const plane = { ...this.#size, pixels: samples };
        await this.#work.submit((encoder) => this.#planes.send(encoder, plane, "frames", { first: k * pixels, minus }));
      }
    });
    this.#isBackwards = !this.#isBackwards;
    await this.session.scoped("a pass", async () => {
      const steps = couplesVectors(this.#options)
        ? await this.#coupledSteps(frames.length, k0)
        : await this.#steps(frames.length, k0);
      await this.#work.submit((encoder) => this.#work.record(encoder, steps));
    });
  }

  async peaks(least: number, radius: number): Promise<Peaks> {
    const { kernel, lists } = this.#peaks;
    const { words } = kernel.struct("Peak");
    const work = this.#work;
    const own = this.#ownNoise?.(stateOf(this.#pieces[0], this.#present));
    return await lists.fill({
      before: (encoder, [room], isAgain) => {
        work.uniform("search", kernel.struct("Search"), { ...this.#size, radius, room, least });
        if (own !== undefined && !isAgain) work.record(encoder, own);
      },
      parts: ([count]) => [
        { name: "peaks", bytes: 4 * words * count },
        ...(own === undefined ? [] : [{ name: "noise" }]),
      ],
      decode: ([found, noise], [count]) => {
        if (noise !== undefined) this.#requireNoise(new Float32Array(noise.buffer, noise.byteOffset, noise.length));
        return sortedPeaks(found, count, words, this.#size);
      },
    });
  }

  /** @param noise middle and σ of each vector */
  #requireNoise(noise: Float32Array): void {
    this.#options.vectors.forEach((vector, v) => {
      requireNoise(vector, noise[2 * v + 1]);
    });
  }

  async state(): Promise<Float32Array> {
    const pixels = this.#size.width * this.#size.height;
    const all = new Float32Array(this.#options.vectors.length * pixels);
    for (const piece of this.#pieces) {
      const [bytes] = await readStorage(this.session, [this.#work.buffer(stateOf(piece, this.#present))]);
      all.set(new Float32Array(bytes), piece.first * pixels);
    }
    return all;
  }

  destroy(): void {
    this.#work.destroy();
  }

  /** One dispatch for each piece of the state. */
  async #steps(depth: number, k0: number): Promise<Step[]> {
    const steps: Step[] = [];
    for (const piece of this.#pieces) {
      const { vectors } = piece;
      const kernel = await this.#kernel("all", { DEPTH: depth, VECTORS: vectors.length });
      const offsets = offsetsBack(vectors, k0, depth);
      const reach = offsets.reduce((most, offset) => Math.max(most, Math.abs(offset)), 0);
      steps.push(this.#step(kernel, piece, offsets, reach));
    }
    this.#present = 1 - this.#present;
    return steps;
  }

  /** One dispatch for each frame, as vectors meet in each. */
  async #coupledSteps(depth: number, k0: number): Promise<Step[]> {
    const [piece] = this.#pieces;
    const { combine, switching, vectors } = this.#options;
    const kernel = await this.#kernel("coupled", {});
    const offsets = Array.from({ length: depth }, (_, frame) =>
      // Of each vector the first of its two places.
      Array.from(offsetsBack(vectors, k0 + frame, 1).filter((_, at) => at % 4 < 2)),
    );
    return Array.from({ length: depth }, (_, frame) => {
      const step = this.#step(kernel, piece, Int32Array.from(offsets.flat()), 0);
      const record = { frame, largest: combine === "max" ? 1 : 0, switching };
      const coupling = this.#work.constant(kernel.struct("Coupling"), record);
      this.#present = 1 - this.#present;
      return { ...step, bound: { ...step.bound, coupling } };
    });
  }

  #step(kernel: Kernel, piece: Piece, offsets: Int32Array, reach: number): Step & { readonly bound: Bound } {
    const { first, vectors } = piece;
    const [a, b] = weights(this.#options.alpha);
    const backwards = this.#isBackwards ? 1 : 0;
    const record = { ...this.#size, vectors: vectors.length, first, reach, backwards, a, b };
    const bound = {
      run: this.#work.constant(kernel.struct("Pass"), record),
      offsets: `offsets of ${piece.number}`,
      before: stateOf(piece, this.#present),
      after: stateOf(piece, 1 - this.#present),
    };
    // A pass that waits for a small upload takes longer: nothing goes up that is there.
    if (offsets.length !== piece.offsets.length || offsets.some((offset, i) => offset !== piece.offsets[i])) {
      this.#work.upload(bound.offsets, offsets);
      piece.offsets = offsets;
    }
    return { kernel, groups: tilesOf(kernel, this.#size), bound };
  }

  async #kernel(name: string, constants: Readonly<Record<string, number>>): Promise<Kernel> {
    const key = `${name} ${JSON.stringify(constants)}`;
    const kernel = this.#kernels.get(key) ?? (await kernelNamed(this.session, name, constants));
    this.#kernels.set(key, kernel);
    return kernel;
  }
}

const kernelNamed = (session: GpuSession, name: string, constants: Readonly<Record<string, number>> = {}) =>
  loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });

const stateOf = ({ number }: Piece, turn: number) => `state ${turn} of ${number}`;

function piecesOf(session: GpuSession, vectors: RecursionOptions["vectors"], pixels: number): Piece[] {
  const starts = splitByBinding(
    session,
    "the state of vector",
    vectors.map(() => pixels),
  );
  return starts.slice(0, -1).map((first, number) => {
    return { number, first, vectors: vectors.slice(first, starts[number + 1]), offsets: new Int32Array(0) };
  });
}

function peakLists(work: Workspace, kernel: Kernel, { width, height }: Size): DeviceLists {
  const plan = {
    counters: "count",
    counts: ([count]: Uint32Array) => [count],
    steps: ([room]: readonly number[]) => {
      work.storage("peaks", room * kernel.struct("Peak").words);
      return [{ kernel, groups: [strideOver(kernel, width * height)] as const }];
    },
  };
  // No two peaks are neighbours.
  const most = Math.ceil(width / 2) * Math.ceil(height / 2);
  return new DeviceLists(work, plan, [Math.min(USUAL_PEAKS, most)]);
}

/** Starts of each vector's list, then the lists, with numbers that count from the start of the array. */
function packedNear({ vectors }: RecursionOptions): Uint32Array {
  const lists = nearestVectors(vectors);
  const packed = [lists.length + 1];
  for (const list of lists) packed.push((packed.at(-1) as number) + list.length);
  return Uint32Array.from([...packed, ...lists.flat()]);
}

/** Peaks as peaks.wgsl leaves them, in the order of their pixels. @param words numbers of a peak */
export function sortedPeaks(found: Uint32Array, count: number, words: number, { width, height }: Size): Peaks {
  const floats = new Float32Array(found.buffer, found.byteOffset, found.length);
  const order = Array.from({ length: count }, (_, n) => words * n).sort((a, b) => found[a] - found[b]);
  const beside = order.flatMap((at) => {
    const [x, y] = [found[at] % width, Math.floor(found[at] / width)];
    const there = [x > 0, x + 1 < width, y > 0, y + 1 < height];
    return there.map((known, side) => (known ? floats[at + 3 + side] : Number.NaN));
  });
  return {
    pixel: Uint32Array.from(order, (at) => found[at]),
    vector: Uint32Array.from(order, (at) => found[at + 1]),
    value: Float32Array.from(order, (at) => floats[at + 2]),
    beside: Float32Array.from(beside),
  };
}
