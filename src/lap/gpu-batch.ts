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
  type LapBuffers,
  type LapTable,
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

/** What a batch and those beside it share. */
interface Made {
  readonly shape: LapBatchShape;
  readonly isSparse: readonly boolean[];
  readonly plan: KernelPlan | null;
  readonly matrices: readonly MatrixPart[];
  /** Where LAPs are solved: the parts of the matrices, then those that are solved on their entries. */
  readonly tables: readonly PlacedTable[];
  readonly outcome: StructLayout;
  readonly work: Workspace;
}

interface PlacedTable extends LapTable {
  /** All its LAPs, then those of each subset, as ranges of the table. */
  readonly ranges: readonly TableRange[];
  readonly placeOf: ReadonlyMap<number, number>;
}

interface TableRange {
  readonly first: number;
  readonly count: number;
}

/** What `encodeSolve` solves: subset n (from 1 on), or one LAP [all]. */
export interface LapChoice {
  readonly subset?: number;
  readonly lap?: number;
}

export class GpuLapBatch {
  /** The buffer that the entries' costs came from last. */
  #entryCosts: GPUBuffer | null = null;

  private constructor(
    private readonly made: Made,
    private readonly buffers: LapBuffers,
    private readonly slack: number,
  ) {}

  /** @param subsets lists of LAPs, each increasing, that can be solved without the others; together they hold all */
  static async create(
    session: GpuSession,
    shape: LapBatchShape,
    { method = "block-hungarian", ...choice }: LapBatchChoice = {},
    subsets: readonly (readonly number[])[] = [],
  ): Promise<GpuLapBatch> {
    const isSparse = sparseLaps(shape, method);
    const order = subsets.length > 0 ? subsets.flat() : isSparse.map((_, lap) => lap);
    const [onEntries, asMatrices] = [true, false].map((sparse) => order.filter((lap) => isSparse[lap] === sparse));
    const most = onEntries.reduce((rows, lap) => Math.max(rows, shape.rows[lap]), 0);
    const [sparse, matrix] = await Promise.all([
      onEntries.length > 0 ? loadSparseKernels(session, most) : null,
      onEntries.length === 0 || asMatrices.length > 0 ? loadMatrixKernels(session, shape, asMatrices, choice) : null,
    ]);
    return await session.scoped("LAP batch", async () => {
      const work = new Workspace(session, "LAP");
      const matrices = matrix ? makeMatrices(work, matrix, shape, asMatrices) : [];
      const tables = [
        ...matrices.map(({ table }) => table),
        ...(sparse ? [makeSparse(work, sparse, shape, onEntries)] : []),
      ].map((table) => placed(table, subsets));
      const fills = matrices.flatMap((part) => part.fill ?? []);
      await work.submit((encoder) => work.record(encoder, fills, "fill LAP costs"));
      const outcome = (matrix?.solve ?? (sparse as SparseKernels).augment).struct("Outcome");
      const made = { shape, isSparse, plan: matrix?.plan ?? null, matrices, tables, outcome, work };
      return new GpuLapBatch(made, makeBuffers(work, shape, ""), shape.slack ?? 0);
    });
  }

  /**
   * The same LAPs at other costs, with limits, duals and a matching of their own, and without slack. They are solved in the memory of this batch, one after
   * the other, and go with it.
   */
  beside(name: string): GpuLapBatch {
    const { work, shape } = this.made;
    return new GpuLapBatch(this.made, makeBuffers(work, shape, ` ${name}`), 0);
  }

  get shape(): LapBatchShape {
    return this.made.shape;
  }

  /** By LAP, whether it is solved on its entries alone. */
  get isSparse(): readonly boolean[] {
    return this.made.isSparse;
  }

  /** Of the matrices; null where there are none. */
  get plan(): KernelPlan | null {
    return this.made.plan;
  }

  /** Σ rows row duals, then the column duals; f32. */
  get dual(): GPUBuffer {
    return this.made.work.buffer(this.buffers.dual);
  }

  /** i32 per row of the batch, or UNASSIGNED. */
  get columnOfRow(): GPUBuffer {
    return this.made.work.buffer(this.buffers.columnOfRow);
  }

  /** f32: cost of staying unassigned per row of the batch, then per column; FORBIDDEN where that is not allowed. */
  get limit(): GPUBuffer {
    return this.made.work.buffer(this.buffers.limit);
  }

  /** Writes the costs of dense LAPs from the host, all LAPs in order, Infinity for a forbidden entry. */
  writeDense(cost: Float32Array): void {
    const { work, shape, matrices } = this.made;
    const { columns } = shape;
    // One matrix at a time: a second copy of all of them would cost more time to allocate than to fill.
    const sizes = matrixSizes(shape);
    const padded = new Float32Array(largest(sizes));
    let at = 0;
    for (const { first, end, costs } of matrices) {
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

  /**
   * Takes the costs of all entries, or of those of one LAP, from a buffer, f32 in the order of `shape.entries`. Matrices are filled now; the
   * buffer must stay as it is.
   */
  encodeCosts(pass: GPUComputePassEncoder, cost: GPUBuffer, lap?: number): void {
    const { work, matrices, shape, isSparse } = this.made;
    const { entryCosts } = this.buffers;
    if (cost !== this.#entryCosts) work.lend(entryCosts, { buffer: cost });
    this.#entryCosts = cost;
    if (lap !== undefined && (isSparse[lap] || shape.rows[lap] === 0)) return;
    for (const { scatter, first, end } of matrices) {
      if (scatter !== null && (lap === undefined || (first <= lap && lap < end)))
        work.dispatch(pass, scatter(entryCosts, lap));
    }
  }

  /** Solves LAPs. `warm` starts from the duals and the matching of the last solve, or whatever is in the buffers. */
  encodeSolve(pass: GPUComputePassEncoder, { warm, subset = 0, lap }: LapChoice & { readonly warm: boolean }): void {
    const { work, tables } = this.made;
    const { buffers, slack } = this;
    for (const { ranges, placeOf, steps } of tables) {
      const place = lap === undefined ? undefined : placeOf.get(lap);
      const range = lap === undefined ? ranges[subset] : { first: place ?? 0, count: place === undefined ? 0 : 1 };
      if (range.count === 0) continue;
      for (const step of steps({ ...range, warm: warm ? 1 : 0, slack, buffers })) work.dispatch(pass, step);
    }
  }

  /** Outcomes of the last solve of all LAPs, as buffers whose content outcomesOf understands. */
  get outcomes(): readonly GPUBuffer[] {
    return this.#solved().map(({ outcome }) => this.made.work.buffer(outcome));
  }

  /** The LAP of each outcome in `outcomes`, one buffer after the other. */
  get order(): readonly number[] {
    return this.#solved().flatMap(({ laps }) => laps);
  }

  /** The outcomes in a buffer of `outcomes`, as read back. */
  outcomesOf(bytes: ArrayBuffer): LapBatchOutcome[] {
    const records = this.made.outcome.unpack<Record<keyof LapBatchOutcome, number>>(bytes);
    return records.map((record) => ({ ...record, status: record.status === 0 ? "optimal" : "infeasible" }));
  }

  /** The solutions of the last solve. */
  async read(): Promise<LapBatchResult> {
    const buffers = [this.dual, this.columnOfRow, ...this.outcomes];
    const [dualBytes, matchBytes, ...outcomeBytes] = await readStorage(this.made.work.session, buffers);
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

  /** The tables that have LAPs. */
  #solved(): readonly LapTable[] {
    return this.made.tables.filter(({ laps }) => laps.length > 0);
  }

  destroy(): void {
    this.made.work.destroy();
  }
}

/** @param suffix of the buffers' names */
function makeBuffers(work: Workspace, shape: LapBatchShape, suffix: string): LapBuffers {
  const [limit, dual, columnOfRow, entryCosts] = ["limit", "dual", "columnOfRow", "entry costs"].map(
    (name) => `${name}${suffix}`,
  );
  work.upload(limit, limitsOf(shape));
  work.storage(dual, shape.rowLimit.length + shape.columnLimit.length);
  work.storage(columnOfRow, shape.rowLimit.length);
  return { limit, dual, columnOfRow, entryCosts };
}

/** A table with the places of its LAPs, which lie in the order of the subsets. */
function placed(table: LapTable, subsets: readonly (readonly number[])[]): PlacedTable {
  const placeOf = new Map(table.laps.map((lap, place) => [lap, place]));
  let first = 0;
  const ranges = subsets.map((subset) => {
    const range = { first, count: subset.filter((lap) => placeOf.has(lap)).length };
    first += range.count;
    return range;
  });
  return { ...table, placeOf, ranges: [{ first: 0, count: table.laps.length }, ...ranges] };
}
