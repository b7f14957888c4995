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
import { createStorage, readStorage, uploadUniform, writeStorage } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { StructLayout } from "../../gpu/wgsl/struct-layout.js";
import { type Dispatch, HostLoop } from "./host-loop.js";

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

export interface HungarianAnswer {
  /** By row of the batch, counted within its LAP. */
  readonly columnOfRow: Int32Array;
  /** Of all solves since the last `write`; f32. */
  readonly rowDual: Float32Array;
  readonly columnDual: Float32Array;
}

type HungarianBuffers = Readonly<
  Record<"shape" | "matrix" | "rowDual" | "columnDual" | "starOfRow" | "starOfColumn" | "state", GPUBuffer>
>;

/** `laps` square LAPs of n × n dense f32 costs each. */
export class HostHungarian {
  private constructor(
    readonly session: GpuSession,
    readonly n: number,
    readonly laps: number,
    private readonly buffers: HungarianBuffers,
    private readonly layout: StructLayout,
    private readonly loop: HostLoop,
    private readonly dispatches: ReadonlyMap<KernelName, Dispatch>,
  ) {}

  static async create(session: GpuSession, n: number, laps: number): Promise<HostHungarian> {
    const kernels = new Map<KernelName, Kernel>();
    for (const name of KERNELS) {
      kernels.set(name, await loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url)));
    }
    const layout = (kernels.get("cover") as Kernel).struct("Shape");
    return await session.scoped("Hungarian", () => {
      const lines = (label: string) => createStorage(session, label, laps * n);
      const state = createStorage(session, "state", 4 * laps);
      const shape = uploadUniform(session, "shape", layout.pack([{ n, laps, round: 0 }]));
      const buffers = {
        shape,
        matrix: createStorage(session, "matrix", laps * n * n),
        rowDual: lines("row duals"),
        columnDual: lines("column duals"),
        starOfRow: lines("stars of rows"),
        starOfColumn: lines("stars of columns"),
        rowCovered: lines("covered rows"),
        uncoveredAt: lines("uncovered columns"),
        primeOfRow: lines("primes"),
        rootOfRow: lines("roots"),
        claim: lines("claims"),
        state,
      };
      const perRow: readonly KernelName[] = ["reduce-rows", "prime", "least-uncovered", "shift"];
      const dispatches = new Map<KernelName, Dispatch>();
      for (const [name, kernel] of kernels) {
        const across = perRow.includes(name) ? n : Math.ceil(n / kernel.workgroupSize[0]);
        dispatches.set(name, { kernel, group: kernel.bind({}, buffers), workgroups: [across, laps, 1] });
      }
      const loop = new HostLoop(session, state);
      return new HostHungarian(session, n, laps, buffers, layout, loop, dispatches);
    });
  }

  /** laps × n × n f32 costs; solving leaves the reduced costs here. */
  get matrix(): GPUBuffer {
    return this.buffers.matrix;
  }

  /** Steps so far: dispatches, and as many readbacks. */
  get steps(): number {
    return this.loop.steps;
  }

  /** New costs, all LAPs in order and row-major, and duals of 0. */
  write(cost: Float32Array): void {
    writeStorage(this.session, this.matrix, cost);
    this.resetDuals();
  }

  resetDuals(): void {
    const encoder = this.session.device.createCommandEncoder({ label: "duals of 0" });
    encoder.clearBuffer(this.buffers.rowDual);
    encoder.clearBuffer(this.buffers.columnDual);
    this.session.device.queue.submit([encoder.finish()]);
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

  /** The answers of the last solve. */
  async read(): Promise<HungarianAnswer> {
    const { starOfRow, rowDual, columnDual } = this.buffers;
    const [stars, rows, columns] = await readStorage(this.session, [starOfRow, rowDual, columnDual]);
    return {
      columnOfRow: new Int32Array(stars),
      rowDual: new Float32Array(rows),
      columnDual: new Float32Array(columns),
    };
  }

  destroy(): void {
    this.loop.destroy();
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }

  #write(round: number): void {
    const { n, laps } = this;
    this.session.device.queue.writeBuffer(this.buffers.shape, 0, this.layout.pack([{ n, laps, round }]));
  }

  #step(name: KernelName, clear?: { readonly first: number; readonly count: number }): Promise<Uint32Array> {
    return this.loop.step([this.dispatches.get(name) as Dispatch], clear);
  }
}
