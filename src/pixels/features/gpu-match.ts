/** Nearest descriptors on a GPU. */
import { DESCRIPTOR_LENGTH } from "../../core/keypoints.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import type { Neighbours } from "./match.js";

/** The number of workgroups that keeps a large device busy. */
const WANTED_GROUPS = 1024;
const LEAST_PART = 128;

/** Two sets of descriptors on a device, and the neighbours of each in the other. Buffers are kept from pair to pair of images, and grow with the sets. */
export class GpuMatch {
  private constructor(
    private readonly work: Workspace,
    private readonly nearest: Kernel,
    private readonly join: Kernel,
  ) {}

  static async create(session: GpuSession): Promise<GpuMatch> {
    const [nearest, join] = await Promise.all(
      ["match", "match-join"].map((name) => loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url))),
    );
    return new GpuMatch(new Workspace(session, "match"), nearest, join);
  }

  /**
   * The neighbours of the descriptors of the first set in the second, with one descriptor at least in each.
   * @param back the neighbours of the second set in the first are wanted as well
   */
  async neighbours(a: Uint8Array, b: Uint8Array, back = false): Promise<Neighbours[]> {
    const { work } = this;
    work.upload("set 0", wordsOf(a), MORE_ROOM);
    work.upload("set 1", wordsOf(b), MORE_ROOM);
    const [n, m] = [a.length / DESCRIPTOR_LENGTH, b.length / DESCRIPTOR_LENGTH];
    const directions = [{ first: 0, n, m }, ...(back ? [{ first: 1, n: m, m: n }] : [])];
    const steps = directions.flatMap(({ first, n, m }) => this.#steps(first, n, m));
    const layout = this.nearest.struct("Nearest");
    const neighboursOf = (list: Uint32Array): Neighbours => ({
      nearest: new Int32Array(layout.integers(list, "index")),
      best: layout.integers(list, "best"),
      second: layout.integers(list, "second"),
    });
    return await work.run(
      (encoder) => work.record(encoder, steps),
      directions.map(({ first, n }) => ({ name: `nearest ${first}`, bytes: layout.size * n })),
      (lists) => lists.map(neighboursOf),
    );
  }

  destroy(): void {
    this.work.destroy();
  }

  /** From set `first`, of n descriptors, to the other one, of m: its parts are searched side by side, then joined. */
  #steps(first: number, n: number, m: number): Step[] {
    const { work, nearest, join } = this;
    const groups = Math.ceil(n / nearest.workgroupSize[0]);
    const part = Math.max(LEAST_PART, Math.ceil(m / Math.max(1, Math.floor(WANTED_GROUPS / groups))));
    const parts = Math.ceil(m / part);
    const { words } = nearest.struct("Nearest");
    work.uniform(`run ${first}`, nearest.struct("MatchRun"), { first: n, second: m, part, parts });
    work.storage(`found ${first}`, words * n * parts, MORE_ROOM);
    work.storage(`nearest ${first}`, words * n, MORE_ROOM);
    const shared = { run: `run ${first}`, found: `found ${first}` };
    return [
      {
        kernel: nearest,
        groups: [groups, parts],
        bound: { ...shared, first: `set ${first}`, second: `set ${1 - first}` },
      },
      { kernel: join, groups: [groups], bound: { ...shared, nearest: `nearest ${first}` } },
    ];
  }
}

/** Sets of descriptors differ from image to image: a buffer that grows gets a quarter more than it must have. */
const MORE_ROOM = 1.25;

/** Four bytes per word, in the order of memory. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return bytes.byteOffset % 4 === 0
    ? new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
    : new Uint32Array(bytes.slice().buffer);
}
