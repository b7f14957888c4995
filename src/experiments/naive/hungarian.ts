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
import { readStorage, writeStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StructLayout } from "../../gpu/wgsl/struct-layout.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import { HostLoop } from "./host-loop.js";

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

/** Kernels with a workgroup for each row; the others have a thread for each column. */
const PER_ROW: readonly KernelName[] = ["reduce-rows", "prime", "least-uncovered", "shift"];

/** Numbers of each row or column of all LAPs, by the names of the kernels. */
const LINES = "rowDual columnDual starOfRow starOfColumn rowCovered uncoveredAt primeOfRow rootOfRow claim".split(" ");

/** `laps` square LAPs of n × n dense f32 costs each. */
export class HostHungarian {
  private constructor(
    private readonly work: Workspace,
    readonly n: number,
    readonly laps: number,
    private readonly layout: StructLayout,
    private readonly loop: HostLoop,
    private readonly stepOf: ReadonlyMap<KernelName, Step>,
  ) {}

  static async create(session: GpuSession, n: number, laps: number): Promise<HostHungarian> {
    const steps = new Map<KernelName, Step>();
    for (const name of KERNELS) {
      const kernel = await loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url));
      const across = PER_ROW.includes(name) ? n : Math.ceil(n / kernel.workgroupSize[0]);
      steps.set(name, { kernel, groups: [across, laps] });
    }
    return await session.scoped("Hungarian", () => {
      const work = new Workspace(session, "Hungarian");
      work.storage("matrix", laps * n * n);
      for (const name of LINES) work.storage(name, laps * n);
      work.storage("state", 4 * laps);
      const layout = (steps.get("cover") as Step).kernel.struct("Shape");
      return new HostHungarian(work, n, laps, layout, new HostLoop(work, "state"), steps);
    });
  }

  /** laps × n × n f32 costs; solving leaves the reduced costs here. */
  get matrix(): GPUBuffer {
    return this.work.buffer("matrix");
  }

  /** Steps so far: dispatches, and as many readbacks. */
  get steps(): number {
    return this.loop.steps;
  }

  /** New costs, all LAPs in order and row-major, and duals of 0. */
  write(cost: Float32Array): void {
    writeStorage(this.work.session, this.matrix, cost);
    this.resetDuals();
  }

  resetDuals(): void {
    const { device } = this.work.session;
    const encoder = device.createCommandEncoder({ label: "duals of 0" });
    this.work.clear(encoder, ["rowDual", "columnDual"]);
    device.queue.submit([encoder.finish()]);
  }

  /** Solves every LAP as its matrix now is; the duals found are added to those there are. */
  async solve(): Promise<void> {
    const { n, laps } = this;
    const counts = { first: laps, count: 2 * laps };
    const least = { first: 3 * laps, count: laps };
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

  /** The answers of the last solve: by row of the batch, counted within its LAP; duals of all solves since the last `write`. */
  async read() {
    const buffers = ["starOfRow", "rowDual", "columnDual"].map((name) => this.work.buffer(name));
    const [stars, rows, columns] = await readStorage(this.work.session, buffers);
    return {
      columnOfRow: new Int32Array(stars),
      rowDual: new Float32Array(rows),
      columnDual: new Float32Array(columns),
    };
  }

  destroy(): void {
    this.loop.destroy();
    this.work.destroy();
  }

  #write(round: number): void {
    const { n, laps } = this;
    this.work.uniform("shape", this.layout, { n, laps, round });
  }

  #step(name: KernelName, clear?: { readonly first: number; readonly count: number }): Promise<Uint32Array> {
    return this.loop.step([this.stepOf.get(name) as Step], clear);
  }
}
