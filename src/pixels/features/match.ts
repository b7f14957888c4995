/** Nearest neighbours of descriptors by exact integers: d² = Σ (a − b)² of 128 bytes is below 2²³. The twin of match.wgsl. */
import { DESCRIPTOR_LENGTH } from "../../core/keypoints.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { once, type Step, Workspace } from "../../gpu/workspace.js";

/** For each descriptor of the first set; ties go to the lower index. */
export interface Neighbours {
  /** The nearest of the second set, or -1 where that is empty. */
  readonly nearest: Int32Array;
  /** d² to it and to the second nearest, 0xffffffff where there is none. */
  readonly best: Uint32Array;
  readonly second: Uint32Array;
}

const NO_DISTANCE = 0xffffffff;

export function nearestOnCpu(a: Uint8Array, b: Uint8Array): Neighbours {
  const [n, m] = [a.length / DESCRIPTOR_LENGTH, b.length / DESCRIPTOR_LENGTH];
  const found = {
    nearest: new Int32Array(n).fill(-1),
    best: new Uint32Array(n).fill(NO_DISTANCE),
    second: new Uint32Array(n).fill(NO_DISTANCE),
  };
  for (let i = 0; i < n; i++) {
    const from = i * DESCRIPTOR_LENGTH;
    for (let j = 0; j < m; j++) {
      const square = squareDistance(a, from, b, j * DESCRIPTOR_LENGTH);
      if (square < found.best[i]) {
        found.second[i] = found.best[i];
        found.best[i] = square;
        found.nearest[i] = j;
      } else if (square < found.second[i]) found.second[i] = square;
    }
  }
  return found;
}

/** Σ (a − b)² of the descriptors that begin there. */
export function squareDistance(a: Uint8Array, from: number, b: Uint8Array, at: number): number {
  let sum = 0;
  for (let k = 0; k < DESCRIPTOR_LENGTH; k++) {
    const difference = a[from + k] - b[at + k];
    sum += difference * difference;
  }
  return sum;
}

interface MatchOptions {
  /** The nearest must be nearer than this share of the distance to the second nearest; 1 takes all. */
  readonly ratio: number;
  /** Each must be the nearest of the other. */
  readonly mutual: boolean;
}

export interface Matches {
  readonly i: Uint32Array;
  readonly j: Uint32Array;
  /** Euclidean distance of the descriptors. */
  readonly distance: Float32Array;
  /** Distance over that to the second nearest; 0 where there is no second. */
  readonly ratio: Float32Array;
}

/** Lowe's ratio test over neighbours that either device found; `back` is needed for mutual matches only. */
export function selectMatches(there: Neighbours, back: Neighbours | null, { ratio, mutual }: MatchOptions): Matches {
  const count = there.nearest.length;
  // Squares of integers are exact; a ratio of 1 keeps ties.
  const kept = new Uint32Array(count);
  let n = 0;
  for (let i = 0; i < count; i++) {
    const j = there.nearest[i];
    if (j < 0 || (mutual && back?.nearest[j] !== i)) continue;
    if (ratio >= 1 || there.best[i] < ratio * ratio * there.second[i]) kept[n++] = i;
  }
  const [i, j] = [kept.slice(0, n), new Uint32Array(n)];
  const [distance, share] = [new Float32Array(n), new Float32Array(n)];
  for (let k = 0; k < n; k++) {
    const { best, second, nearest } = there;
    const from = i[k];
    j[k] = nearest[from];
    distance[k] = Math.sqrt(best[from]);
    const hasSecond = second[from] !== NO_DISTANCE && second[from] !== 0;
    share[k] = hasSecond ? Math.sqrt(best[from] / second[from]) : 0;
  }
  return { i, j, distance, ratio: share };
}

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

/**
 * Matches of two sets of descriptors, on the CPU or a GPU: the same ones, since distances are exact integers. For many pairs of images on a GPU, keep a
 * GpuMatch and give it as `kept`.
 */
export async function matchDescriptors(
  a: Uint8Array,
  b: Uint8Array,
  options: MatchOptions,
  { device, kept }: { readonly device: GpuSession | null; readonly kept?: GpuMatch },
): Promise<Matches> {
  const { mutual } = options;
  const search = (match: GpuMatch) => match.neighbours(a, b, mutual);
  const [there, back = null] =
    device === null || a.length === 0 || b.length === 0
      ? [nearestOnCpu(a, b), ...(mutual ? [nearestOnCpu(b, a)] : [])]
      : await (kept === undefined ? once(GpuMatch.create(device), search) : search(kept));
  return selectMatches(there, back, options);
}
