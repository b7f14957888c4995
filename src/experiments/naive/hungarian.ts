/**
 * The linear assignment problem by the classical Hungarian method, driven from the host: one dispatch and one readback a step.
 *
 *     J. Munkres, "Algorithms for the assignment and transportation problems", J. SIAM 5 (1957) 32–38
 *
 * The dense matrix is reduced in place until the starred zeros cover it. As in K. Date, R. Nagi, "GPU-accelerated Hungarian
 * algorithms for the linear assignment problem", Parallel Computing 57 (2016) 52–72, all rows look for a zero at once, all
 * disjoint paths of a round are augmented together, and a batch advances in step, each LAP as its own state requires.
 */
import { invariant } from "../../core/errors.js";
import { readStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import { type Cleared, HostLoop } from "./host-loop.js";

const KERNELS = [
  "reduce-rows",
  "reduce-columns",
  "star-zeros",
  "cover",
  "prime",
  "augment",
  "least-uncovered",
  "shift",
] as const;

type KernelName = (typeof KERNELS)[number];

/** One workgroup a row of a LAP; the others have one thread a row or column. */
const PER_ROW: readonly KernelName[] = ["reduce-rows", "prime", "least-uncovered", "shift"];

/** Numbers of each row, or of each column, of the batch. */
const LINES = [
  "rowDual",
  "columnDual",
  "starOfRow",
  "starOfColumn",
  "rowCovered",
  "uncoveredAt",
  "primeOfRow",
  "rootOfRow",
  "claim",
];

export interface HungarianAnswer {
  /** By row of the batch, counted within its LAP. */
  readonly columnOfRow: Int32Array;
  /** Of all solves since the last `write`; f32. */
  readonly rowDual: Float32Array;
  readonly columnDual: Float32Array;
}

/** `laps` square LAPs of n × n dense f32 costs each. */
export class HostHungarian {
  private readonly loop: HostLoop;

  /** @param work holds laps × n × n f32 costs as "matrix", where solving leaves the reduced costs */
  private constructor(
    readonly work: Workspace,
    readonly n: number,
    readonly laps: number,
    private readonly kernels: ReadonlyMap<KernelName, Kernel>,
  ) {
    this.loop = new HostLoop(work, "state");
  }

  static async create(session: GpuSession, n: number, laps: number): Promise<HostHungarian> {
    const kernels = new Map<KernelName, Kernel>();
    for (const name of KERNELS) {
      kernels.set(name, await loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url)));
    }
    return await session.scoped("Hungarian", () => {
      const work = new Workspace(session, "Hungarian");
      work.storage("matrix", laps * n * n);
      work.storage("state", 4 * laps);
      for (const name of LINES) work.storage(name, laps * n);
      return new HostHungarian(work, n, laps, kernels);
    });
  }

  /** Steps so far: dispatches, and as many readbacks. */
  get steps(): number {
    return this.loop.steps;
  }

  /** New costs, all LAPs in order and row-major, and duals of 0. */
  write(cost: Float32Array): void {
    this.work.upload("matrix", cost);
    this.resetDuals();
  }

  resetDuals(): void {
    for (const name of ["rowDual", "columnDual"]) this.work.upload(name, new Float32Array(this.laps * this.n));
  }

  /** Solves every LAP as its matrix now is; the duals found are added to those there are. */
  async solve(): Promise<void> {
    const { n, laps } = this;
    const counts: Cleared = { first: laps, count: 2 * laps };
    const least: Cleared = { first: 3 * laps, count: laps };
    this.#write(0);
    await this.#step("reduce-rows");
    await this.#step("reduce-columns");
    await this.#step("star-zeros");
    let state = await this.#step("cover", { first: 0, count: laps });
    for (let round = 1; ; round++) {
      if (state.subarray(0, laps).every((open) => open === 0)) return;
      invariant(round <= 4 * n * n, () => `Hungarian: ${round} rounds for LAPs of ${n} × ${n}`);
      this.#write(round);
      state = await this.#step("prime", counts);
      const [open, primed, paths] = [0, 1, 2].map((block) => state.subarray(block * laps, (block + 1) * laps));
      const isStuck = open.some((columns, lap) => columns > 0 && primed[lap] === 0);
      if (paths.some((count) => count > 0)) {
        await this.#step("augment");
        state = await this.#step("cover");
      }
      if (isStuck) {
        await this.#step("least-uncovered", least);
        await this.#step("shift");
      }
    }
  }

  /** The answers of the last solve. */
  async read(): Promise<HungarianAnswer> {
    const buffers = ["starOfRow", "rowDual", "columnDual"].map((name) => this.work.buffer(name));
    const [stars, rows, columns] = await readStorage(this.work.session, buffers);
    return {
      columnOfRow: new Int32Array(stars),
      rowDual: new Float32Array(rows),
      columnDual: new Float32Array(columns),
    };
  }

  destroy(): void {
    this.work.destroy();
  }

  #write(round: number): void {
    const { n, laps } = this;
    this.work.uniform("shape", this.#kernel("cover").struct("Shape"), { n, laps, round });
  }

  #step(name: KernelName, cleared?: Cleared): Promise<Uint32Array> {
    const kernel = this.#kernel(name);
    const across = PER_ROW.includes(name) ? this.n : Math.ceil(this.n / kernel.workgroupSize[0]);
    const step: Step = { kernel, groups: [across, this.laps] };
    return this.loop.step([step], cleared);
  }

  #kernel(name: KernelName): Kernel {
    return this.kernels.get(name) as Kernel;
  }
}
