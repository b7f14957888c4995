/** Nearest descriptors on a GPU. */
import { DESCRIPTOR_LENGTH } from "../../core/keypoints.js";
import { createStorage, uploadStorage, uploadUniform } from "../../gpu/buffers.js";
import { type Dispatch, recordPass, runAndRead } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import type { Neighbours } from "./match.js";

const FIRST_PER_GROUP = 64;
/** The number of workgroups that keeps a large device busy. */
const WANTED_GROUPS = 1024;
const LEAST_PART = 128;

/** Two sets of descriptors on a device, and the neighbours of the first in the second. */
export class GpuMatch {
  private constructor(
    private readonly session: GpuSession,
    private readonly count: number,
    private readonly buffers: Readonly<Record<string, GPUBuffer>>,
    private readonly dispatches: readonly Dispatch[],
  ) {}

  /** @param a and b hold one descriptor at least */
  static async create(session: GpuSession, a: Uint8Array, b: Uint8Array): Promise<GpuMatch> {
    const [n, m] = [a.length / DESCRIPTOR_LENGTH, b.length / DESCRIPTOR_LENGTH];
    const groups = Math.ceil(n / FIRST_PER_GROUP);
    const part = Math.max(LEAST_PART, Math.ceil(m / Math.max(1, Math.floor(WANTED_GROUPS / groups))));
    const parts = Math.ceil(m / part);
    const [nearestOf, join] = await Promise.all(
      ["match", "match-join"].map((name) => loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url))),
    );
    const words = nearestOf.struct("Nearest").words;
    const buffers = {
      run: uploadUniform(session, "match", nearestOf.struct("MatchRun").pack([{ first: n, second: m, part, parts }])),
      first: uploadStorage(session, "first", wordsOf(a)),
      second: uploadStorage(session, "second", wordsOf(b)),
      found: createStorage(session, "found", words * n * parts),
      nearest: createStorage(session, "nearest", words * n),
    };
    return new GpuMatch(session, n, buffers, [
      { kernel: nearestOf, group: nearestOf.bind({}, buffers), x: groups, y: parts },
      { kernel: join, group: join.bind({}, buffers), x: groups, y: 1 },
    ]);
  }

  encode(encoder: GPUCommandEncoder, timestampWrites?: GPUComputePassTimestampWrites): void {
    recordPass(encoder, "match", this.dispatches, timestampWrites);
  }

  async run(): Promise<Neighbours> {
    const [bytes] = await runAndRead(this.session, "match", (encoder) => this.encode(encoder), [this.buffers.nearest]);
    const words = new Uint32Array(bytes);
    const column = (c: number) => Uint32Array.from({ length: this.count }, (_, i) => words[3 * i + c]);
    return { nearest: Int32Array.from(column(0)), best: column(1), second: column(2) };
  }

  destroy(): void {
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}

/** Four bytes per word, in the order of memory. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    : new Uint32Array(bytes.slice().buffer);
}
