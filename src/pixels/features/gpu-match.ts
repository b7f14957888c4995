/** Nearest descriptors on a GPU. */
import { DESCRIPTOR_LENGTH } from "../../core/keypoints.js";
import { createStorage, readBeginnings, uploadUniform, writeStorage } from "../../gpu/buffers.js";
import { type Dispatch, recordPass } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Neighbours } from "./match.js";

const FIRST_PER_GROUP = 64;
/** The number of workgroups that keeps a large device busy. */
const WANTED_GROUPS = 1024;
const LEAST_PART = 128;
/** Descriptors that there is room for at first. */
const LEAST_ROOM = 1024;

interface Direction {
  readonly count: number;
  readonly nearest: GPUBuffer;
  readonly dispatches: readonly Dispatch[];
}

/** Two sets of descriptors on a device, and the neighbours of each in the other. Buffers are kept from pair to pair of images, and grow with the sets. */
export class GpuMatch {
  #sets: readonly GPUBuffer[] = [];
  #runs: readonly GPUBuffer[] = [];
  /** By name and direction. */
  readonly #lists = new Map<string, GPUBuffer>();
  #directions: readonly Direction[] = [];

  private constructor(
    private readonly session: GpuSession,
    private readonly kernels: { readonly nearest: Kernel; readonly join: Kernel },
  ) {}

  static async create(session: GpuSession): Promise<GpuMatch> {
    const [nearest, join] = await Promise.all(
      ["match", "match-join"].map((name) => loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url))),
    );
    return new GpuMatch(session, { nearest, join });
  }

  /**
   * The sets of descriptors, one at least in each, go to the device.
   * @param back the neighbours of the second set in the first are wanted as well
   */
  upload(a: Uint8Array, b: Uint8Array, back = false): void {
    const { session } = this;
    this.#sets = [a, b].map((set, k) => {
      const buffer = this.#roomFor(`set ${k}`, set.length / 4);
      writeStorage(session, buffer, wordsOf(set));
      return buffer;
    });
    for (const run of this.#runs) run.destroy();
    const [n, m] = [a.length / DESCRIPTOR_LENGTH, b.length / DESCRIPTOR_LENGTH];
    const [first, second] = this.#sets;
    const made = [this.#direction("there", first, n, second, m)];
    if (back) made.push(this.#direction("back", second, m, first, n));
    this.#runs = made.map(({ run }) => run);
    this.#directions = made;
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    const dispatches = this.#directions.flatMap((direction) => direction.dispatches);
    recordPass(encoder, "match", dispatches, timestampWrites);
  }

  /** Of the sets that were uploaded: the neighbours of the first in the second, and back where they are wanted. */
  async run(): Promise<Neighbours[]> {
    const { session, kernels } = this;
    const layout = kernels.nearest.struct("Nearest");
    return await session.scoped("match", () => {
      const encoder = session.device.createCommandEncoder({ label: "match" });
      this.encode(encoder);
      const parts = this.#directions.map(({ nearest, count }) => ({ buffer: nearest, bytes: layout.size * count }));
      const neighbours = (list: Uint32Array): Neighbours => ({
        nearest: new Int32Array(layout.integers(list, "index")),
        best: layout.integers(list, "best"),
        second: layout.integers(list, "second"),
      });
      return readBeginnings(session, parts, (lists) => lists.map(neighbours), encoder);
    });
  }

  destroy(): void {
    for (const buffer of [...this.#lists.values(), ...this.#runs]) buffer.destroy();
  }

  #direction(name: string, first: GPUBuffer, n: number, second: GPUBuffer, m: number) {
    const { session, kernels } = this;
    const groups = Math.ceil(n / FIRST_PER_GROUP);
    const part = Math.max(LEAST_PART, Math.ceil(m / Math.max(1, Math.floor(WANTED_GROUPS / groups))));
    const parts = Math.ceil(m / part);
    const { words } = kernels.nearest.struct("Nearest");
    const record = kernels.nearest.struct("MatchRun").pack([{ first: n, second: m, part, parts }]);
    const run = uploadUniform(session, `match ${name}`, record);
    const found = this.#roomFor(`found ${name}`, words * n * parts);
    const nearest = this.#roomFor(`nearest ${name}`, words * n);
    const pool = { run, first, second, found, nearest };
    const over = (kernel: Kernel, y: number): Dispatch => ({ kernel, group: kernel.bind({}, pool), x: groups, y });
    return { run, count: n, nearest, dispatches: [over(kernels.nearest, parts), over(kernels.join, 1)] };
  }

  /** A buffer for so many words, which is kept under its name until it is too small. */
  #roomFor(name: string, words: number): GPUBuffer {
    const kept = this.#lists.get(name);
    if (kept !== undefined && kept.size >= 4 * words) return kept;
    kept?.destroy();
    const room = Math.max((LEAST_ROOM * DESCRIPTOR_LENGTH) / 4, Math.ceil(1.25 * words));
    const made = createStorage(this.session, name, room);
    this.#lists.set(name, made);
    return made;
  }
}

/** Four bytes per word, in the order of memory. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    : new Uint32Array(bytes.slice().buffer);
}
