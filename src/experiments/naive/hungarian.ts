/**
 * The linear assignment problem by the classical Hungarian method, driven from the host: one dispatch and one readback a step.
 *
 *     J. Munkres, "Algorithms for the assignment and transportation problems", J. SIAM 5 (1957) 32–38
 *
 * The dense matrix is reduced in place until the starred zeros cover it. As in K. Date, R. Nagi, "GPU-accelerated Hungarian
 * algorithms for the linear assignment problem", Parallel Computing 57 (2016) 52–72, all rows look for a zero at once, all
 * disjoint paths of a round are augmented together, and a batch advances in step: each LAP does what its own state asks for.
 */
import { invariant } from "../../core/errors.js";
import { createStorage, readStorage, writeStorage } from "../../gpu/buffers.js";
import { bind, loadKernel } from "../../gpu/kernel.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Dispatch, HostLoop } from "./host-loop.js";

const THREADS = 64;
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

/** `laps` square LAPs of n × n dense f32 costs each. */
export class HostHungarian {
  private constructor(
    readonly session: GpuSession,
    readonly n: number,
    readonly laps: number,
    /** laps × n × n f32 costs; solving leaves the reduced costs here. */
    readonly matrix: GPUBuffer,
    private readonly buffers: Readonly<Record<"rowDual" | "columnDual" | "starOfRow", GPUBuffer>>,
    private readonly shape: GPUBuffer,
    private readonly loop: HostLoop,
    private readonly dispatches: ReadonlyMap<KernelName, Dispatch>,
    private readonly owned: readonly GPUBuffer[],
  ) {}

  static async create(session: GpuSession, n: number, laps: number): Promise<HostHungarian> {
    const pipelines = new Map<KernelName, GPUComputePipeline>();
    for (const name of KERNELS) {
      pipelines.set(name, await loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { THREADS }));
    }
    return await session.scoped("Hungarian", () => {
      const lines = (label: string) => createStorage(session, label, laps * n);
      const matrix = createStorage(session, "matrix", laps * n * n);
      const rowDual = lines("row duals");
      const columnDual = lines("column duals");
      const starOfRow = lines("stars of rows");
      const starOfColumn = lines("stars of columns");
      const rowCovered = lines("covered rows");
      const uncoveredAt = lines("uncovered columns");
      const primeOfRow = lines("primes");
      const rootOfRow = lines("roots");
      const claim = lines("claims");
      const state = createStorage(session, "state", 4 * laps);
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      const shape = session.device.createBuffer({ label: "shape", size: 12, usage });
      const bound: Record<KernelName, readonly GPUBuffer[]> = {
        "reduce-rows": [matrix, rowDual, starOfRow, starOfColumn],
        "reduce-columns": [matrix, columnDual],
        "star-zeros": [matrix, starOfRow, starOfColumn],
        cover: [starOfColumn, rowCovered, uncoveredAt, claim, state],
        prime: [matrix, starOfRow, starOfColumn, rowCovered, uncoveredAt, primeOfRow, rootOfRow, claim, state],
        augment: [primeOfRow, claim, starOfRow, starOfColumn, state],
        "least-uncovered": [matrix, rowCovered, uncoveredAt, state],
        shift: [rowCovered, uncoveredAt, state, matrix, rowDual, columnDual],
      };
      const perRow: readonly KernelName[] = ["reduce-rows", "prime", "least-uncovered", "shift"];
      const dispatches = new Map<KernelName, Dispatch>();
      for (const [name, pipeline] of pipelines) {
        const across = perRow.includes(name) ? n : Math.ceil(n / THREADS);
        const group = bind(session, pipeline, [shape, ...bound[name]]);
        dispatches.set(name, { pipeline, group, workgroups: [across, laps, 1] });
      }
      const owned = [shape, ...new Set(Object.values(bound).flat())];
      const kept = { rowDual, columnDual, starOfRow };
      return new HostHungarian(session, n, laps, matrix, kept, shape, new HostLoop(session, state), dispatches, owned);
    });
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
    for (const buffer of this.owned) buffer.destroy();
  }

  #write(round: number): void {
    this.session.device.queue.writeBuffer(this.shape, 0, Uint32Array.of(this.n, this.laps, round));
  }

  #step(name: KernelName, clear?: { readonly first: number; readonly count: number }): Promise<Uint32Array> {
    return this.loop.step([this.dispatches.get(name) as Dispatch], clear);
  }
}
