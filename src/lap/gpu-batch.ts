/**
 * Solves any number of LAPs in one submission, and one workgroup solves each: as a matrix on the device, by one of the two block Hungarian
 * kernels, of which `planKernel` chooses one, or on its entries alone, by the kernels of sparse/gpu-sparse.ts.
 * A batch is made once per graph; costs, warm starts and solutions stay on the device until `read`.
 */
import { readStorage, writeStorage } from "../gpu/buffers.js";
import type { GpuSession } from "../gpu/session.js";
import type { StructLayout } from "../gpu/wgsl/struct-layout.js";
import { Workspace } from "../gpu/workspace.js";
import {
  FORBIDDEN,
  type LapBatchShape,
  type LapSelection,
  largest,
  limitsOf,
  matrixSizes,
  rowLength,
} from "./block-hungarian/batch-layout.js";
import { loadMatrixKernels, type MatrixPart, makeMatrices } from "./block-hungarian/gpu-matrices.js";
import type { KernelChoice, KernelPlan } from "./block-hungarian/gpu-plan.js";
import type { LapMethod } from "./method.js";
import { sparseLaps } from "./sparse/choice.js";
import { loadSparseKernels, makeSparse, type SparseKernels } from "./sparse/gpu-sparse.js";

/** Solutions of a batch in its own numbering: rows and columns of all LAPs in order, partners counted within the LAP. */
export interface LapBatchResult {
  readonly columnOfRow: Int32Array;
  readonly rowDual: Float32Array;
  readonly columnDual: Float32Array;
  readonly outcomes: readonly LapBatchOutcome[];
}

export interface LapBatchOutcome {
  readonly status: "optimal" | "infeasible";
  /** The row that cannot be served, or −1 − column; 0 when optimal. */
  readonly index: number;
  /** Σ rowDual + Σ columnDual in f32; the certificate, not this, is the bound to report. */
  readonly value: number;
  readonly bidRounds: number;
  readonly pathRounds: number;
  /** Columns scanned by the longest search of each round, summed: the length of the serial chain. */
  readonly steps: number;
}

export interface LapBatchChoice extends KernelChoice {
  /** [block-hungarian] Dense LAPs have no other. */
  readonly method?: LapMethod;
}

export class GpuLapBatch {
  /** The buffer that the entries' costs came from last. */
  #entryCosts: GPUBuffer | null = null;

  private constructor(
    readonly shape: LapBatchShape,
    /** By LAP, whether it is solved on its entries alone. */
    readonly isSparse: readonly boolean[],
    /** Of the matrices; null where there are none. */
    readonly plan: KernelPlan | null,
    private readonly matrices: readonly MatrixPart[],
    /** All LAPs that are solved on their entries alone, then those of each subset; none where no LAP is. */
    private readonly sparse: readonly LapSelection[],
    private readonly outcome: StructLayout,
    private readonly work: Workspace,
  ) {}

  /** @param subsets lists of LAPs, each increasing, that can be solved without the others. */
  static async create(
    session: GpuSession,
    shape: LapBatchShape,
    { method = "block-hungarian", ...choice }: LapBatchChoice = {},
    subsets: readonly (readonly number[])[] = [],
  ): Promise<GpuLapBatch> {
    const isSparse = sparseLaps(shape, method);
    const lists = [isSparse.map((_, lap) => lap), ...subsets];
    const [onEntries, asMatrices] = [true, false].map((sparse) =>
      lists.map((list) => list.filter((lap) => isSparse[lap] === sparse)),
    );
    const most = onEntries[0].reduce((rows, lap) => Math.max(rows, shape.rows[lap]), 0);
    const sparse = onEntries[0].length > 0 ? await loadSparseKernels(session, most) : null;
    const matrix =
      sparse === null || asMatrices[0].length > 0
        ? await loadMatrixKernels(session, shape, asMatrices[0], choice)
        : null;
    return await session.scoped("LAP batch", async () => {
      const work = new Workspace(session, "LAP");
      work.upload("limit", limitsOf(shape));
      work.storage("dual", shape.rowLimit.length + shape.columnLimit.length);
      work.storage("columnOfRow", shape.rowLimit.length);
      const parts = matrix ? makeMatrices(work, matrix, shape, asMatrices) : [];
      const selections = sparse ? makeSparse(work, sparse, shape, onEntries) : [];
      const fills = parts.flatMap((part) => part.fill ?? []);
      await work.submit((encoder) => work.record(encoder, fills, "fill LAP costs"));
      const outcome = (matrix?.solve ?? (sparse as SparseKernels).augment).struct("Outcome");
      return new GpuLapBatch(shape, isSparse, matrix?.plan ?? null, parts, selections, outcome, work);
    });
  }

  /** Σ rows row duals, then the column duals; f32. */
  get dual(): GPUBuffer {
    return this.work.buffer("dual");
  }

  /** i32 per row of the batch, or UNASSIGNED. */
  get columnOfRow(): GPUBuffer {
    return this.work.buffer("columnOfRow");
  }

  /** f32: cost of staying unassigned per row of the batch, then per column; FORBIDDEN where that is not allowed. */
  get limit(): GPUBuffer {
    return this.work.buffer("limit");
  }

  /** Writes the costs of dense LAPs from the host, all LAPs in order, Infinity for a forbidden entry. */
  writeDense(cost: Float32Array): void {
    const { work, shape } = this;
    const { columns } = shape;
    // One matrix at a time: a second copy of all of them would cost more time to allocate than to fill.
    const sizes = matrixSizes(shape);
    const padded = new Float32Array(largest(sizes));
    let at = 0;
    for (const { first, end, costs } of this.matrices) {
      let place = 0;
      for (let lap = first; lap < end; lap++) {
        for (let to = 0; to < sizes[lap]; at += columns[lap]) {
          for (let j = 0; j < columns[lap]; j++) padded[to + j] = Math.min(cost[at + j], FORBIDDEN);
          const next = to + rowLength(columns[lap]);
          padded.fill(FORBIDDEN, to + columns[lap], next);
          to = next;
        }
        writeStorage(work.session, work.buffer(costs), padded.subarray(0, sizes[lap]), place);
        place += sizes[lap];
      }
    }
  }

  /** Takes the costs of all entries from a buffer, f32 in the order of `shape.entries`. Matrices are filled now; the buffer must stay as it is. */
  encodeCosts(pass: GPUComputePassEncoder, cost: GPUBuffer): void {
    if (cost !== this.#entryCosts) this.work.lend("entry costs", { buffer: cost });
    this.#entryCosts = cost;
    for (const { scatter } of this.matrices) if (scatter !== null) this.work.dispatch(pass, scatter);
  }

  /**
   * Solves every LAP, or those of subset n (from 1 on). `warm` starts from the duals and the matching of the last solve, or
   * whatever is in the buffers.
   */
  encodeSolve(pass: GPUComputePassEncoder, options: { readonly warm: boolean; readonly subset?: number }): void {
    const at = options.subset ?? 0;
    const start = options.warm ? "warm" : "cold";
    for (const selections of [...this.matrices.map((part) => part.selections), this.sparse]) {
      if (selections.length === 0 || selections[at].laps.length === 0) continue;
      for (const step of selections[at][start]) this.work.dispatch(pass, step);
    }
  }

  /** Outcomes of the last solve of all LAPs, as buffers whose content outcomesOf understands. */
  get outcomes(): readonly GPUBuffer[] {
    return this.#solved().map(({ outcome }) => this.work.buffer(outcome));
  }

  /** The LAP of each outcome in `outcomes`, one buffer after the other. */
  get order(): readonly number[] {
    return this.#solved().flatMap(({ laps }) => laps);
  }

  /** The outcomes in a buffer of `outcomes`, as read back. */
  outcomesOf(bytes: ArrayBuffer): LapBatchOutcome[] {
    const records = this.outcome.unpack<Record<keyof LapBatchOutcome, number>>(bytes);
    return records.map((record) => ({ ...record, status: record.status === 0 ? "optimal" : "infeasible" }));
  }

  /** The solutions of the last solve. */
  async read(): Promise<LapBatchResult> {
    const buffers = [this.dual, this.columnOfRow, ...this.outcomes];
    const [dualBytes, matchBytes, ...outcomeBytes] = await readStorage(this.work.session, buffers);
    const dual = new Float32Array(dualBytes);
    const totalRows = this.shape.rowLimit.length;
    const outcomes: LapBatchOutcome[] = [];
    const { order } = this;
    for (const [k, one] of outcomeBytes.flatMap((bytes) => this.outcomesOf(bytes)).entries()) outcomes[order[k]] = one;
    return {
      columnOfRow: new Int32Array(matchBytes, 0, totalRows),
      rowDual: dual.subarray(0, totalRows),
      columnDual: dual.subarray(totalRows, totalRows + this.shape.columnLimit.length),
      outcomes,
    };
  }

  /** The selections that together hold all LAPs. */
  #solved() {
    const ofParts = this.matrices.map(({ selections }) => selections[0]);
    return [...ofParts, ...this.sparse.slice(0, 1)].filter(({ laps }) => laps.length > 0);
  }

  destroy(): void {
    this.work.destroy();
  }
}
