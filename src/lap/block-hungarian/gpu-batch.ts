/**
 * Solves any number of LAPs in one submission: their costs are dense matrices on the device, and one workgroup solves each.
 *
 * Two kernels share one interface, block-hungarian-subgroup.wgsl and block-hungarian-portable.wgsl; `planKernel` chooses.
 * A batch is made once per graph; costs, warm starts and solutions stay on the device until `read`.
 */
import { readStorage, writeStorage } from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import { type Step, Workspace } from "../../gpu/workspace.js";
import {
  type BatchPart,
  FORBIDDEN,
  type LapBatchShape,
  largest,
  limitsOf,
  matrixSizes,
  partsOf,
  rowLength,
} from "./batch-layout.js";
import { type KernelChoice, type KernelPlan, planKernel } from "./gpu-plan.js";

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

/** Some LAPs of a part, with the steps that solve them. */
interface Selection {
  readonly isEmpty: boolean;
  readonly cold: Step;
  readonly warm: Step;
  /** The name of the buffer of their outcomes. */
  readonly outcome: string;
}

/** LAPs whose matrices share the buffer `costs`. */
interface Part extends BatchPart {
  readonly costs: string;
  /** Clears the matrices of a sparse batch, and writes the entries' costs into them. */
  readonly fill: Step | null;
  readonly scatter: Step | null;
  /** All its LAPs, then those of each subset. */
  readonly selections: readonly Selection[];
}

interface Kernels {
  readonly solve: Kernel;
  readonly fill: Kernel | null;
  readonly scatter: Kernel | null;
}

export class GpuLapBatch {
  /** The buffer that the entries' costs came from last. */
  #entryCosts: GPUBuffer | null = null;

  private constructor(
    readonly shape: LapBatchShape,
    readonly plan: KernelPlan,
    private readonly solve: Kernel,
    private readonly parts: readonly Part[],
    private readonly work: Workspace,
  ) {}

  /** @param subsets lists of LAPs, each increasing, that can be solved without the others. */
  static async create(
    session: GpuSession,
    shape: LapBatchShape,
    choice: KernelChoice = {},
    subsets: readonly (readonly number[])[] = [],
  ): Promise<GpuLapBatch> {
    const { rows, columns, entries } = shape;
    const plan = planKernel(session, largest(rows), largest(columns), rows.length, choice);
    const beside = (name: string, constants = {}) =>
      loadKernel(session, new URL(`./${name}.wgsl`, import.meta.url), { constants });
    const solve = await loadKernel(session, plan.file, { constants: plan.constants });
    const fill = entries && (await beside("fill", { ABSENT: FORBIDDEN }));
    const scatter = entries && (await beside("scatter"));
    return await session.scoped("LAP batch", async () => {
      const work = new Workspace(session, "LAP");
      work.upload("limit", limitsOf(shape));
      work.storage("dual", shape.rowLimit.length + shape.columnLimit.length);
      work.storage("columnOfRow", shape.rowLimit.length);
      work.storage("scratch", plan.scratchWords);
      const parts = partsOf(session, shape).map((part, p) =>
        makePart(work, { solve, fill, scatter }, `${p}`, part, subsets, shape.slack ?? 0, plan.workgroups),
      );
      const fills = parts.flatMap((part) => part.fill ?? []);
      await work.submit((encoder) => work.record(encoder, fills, "fill LAP costs"));
      return new GpuLapBatch(shape, plan, solve, parts, work);
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
    for (const { first, end, costs } of this.parts) {
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

  /** Takes the costs of all entries of a sparse batch from a buffer, f32 in the order of `shape.entries`. */
  encodeScatter(pass: GPUComputePassEncoder, cost: GPUBuffer): void {
    if (cost !== this.#entryCosts) this.work.lend("entry costs", { buffer: cost });
    this.#entryCosts = cost;
    for (const { scatter } of this.parts) if (scatter !== null) this.work.dispatch(pass, scatter);
  }

  /**
   * Solves every LAP, or those of subset n (from 1 on). `warm` starts from the duals and the matching of the last solve, or
   * whatever is in the buffers.
   */
  encodeSolve(pass: GPUComputePassEncoder, options: { readonly warm: boolean; readonly subset?: number }): void {
    for (const { selections } of this.parts) {
      const { isEmpty, cold, warm } = selections[options.subset ?? 0];
      if (!isEmpty) this.work.dispatch(pass, options.warm ? warm : cold);
    }
  }

  /** Outcomes of the last solve of all LAPs, as buffers whose content outcomesOf understands. */
  get outcomes(): readonly GPUBuffer[] {
    return this.parts.map(({ selections }) => this.work.buffer(selections[0].outcome));
  }

  /** The outcomes in a buffer of `outcomes`, as read back. */
  outcomesOf(bytes: ArrayBuffer): LapBatchOutcome[] {
    const records = this.solve.struct("Outcome").unpack<Record<keyof LapBatchOutcome, number>>(bytes);
    return records.map((record) => ({ ...record, status: record.status === 0 ? "optimal" : "infeasible" }));
  }

  /** The solutions of the last solve. */
  async read(): Promise<LapBatchResult> {
    const buffers = [this.dual, this.columnOfRow, ...this.outcomes];
    const [dualBytes, matchBytes, ...outcomeBytes] = await readStorage(this.work.session, buffers);
    const dual = new Float32Array(dualBytes);
    const totalRows = this.shape.rowLimit.length;
    return {
      columnOfRow: new Int32Array(matchBytes, 0, totalRows),
      rowDual: dual.subarray(0, totalRows),
      columnDual: dual.subarray(totalRows, totalRows + this.shape.columnLimit.length),
      outcomes: outcomeBytes.flatMap((bytes) => this.outcomesOf(bytes)),
    };
  }

  destroy(): void {
    this.work.destroy();
  }
}

/** Makes the buffers of a part. @param name what their names end with */
function makePart(
  work: Workspace,
  { solve, fill, scatter }: Kernels,
  name: string,
  part: BatchPart,
  subsets: readonly (readonly number[])[],
  slack: number,
  workgroups: number,
): Part {
  const { first, end, length, firstEntry, places, records } = part;
  const costs = `costs ${name}`;
  work.storage(costs, length);
  const select = (chosen: readonly number[], s: number): Selection => {
    const [laps, outcome] = [`table ${name} ${s}`, `outcome ${name} ${s}`];
    // A selection may be empty, but a binding holds one record at least.
    const [table, held] = [solve.struct("Lap"), Math.max(chosen.length, 1)];
    const buffer = work.storage(laps, held * table.words);
    writeStorage(work.session, buffer, table.pack(chosen.map((lap) => records[lap - first])));
    work.storage(outcome, held * solve.struct("Outcome").words);
    const stepOf = (warm: number): Step => {
      const settings = work.constant(solve.struct("Settings"), { laps: chosen.length, warm, slack });
      const groups = [Math.min(chosen.length, workgroups)] as const;
      return { kernel: solve, groups, bound: { laps, cost: costs, outcome, settings } };
    };
    return { isEmpty: chosen.length === 0, cold: stepOf(0), warm: stepOf(1), outcome };
  };
  const whole = Array.from({ length: end - first }, (_, k) => first + k);
  const ofPart = subsets.map((subset) => subset.filter((lap) => lap >= first && lap < end));
  const selections = [whole, ...ofPart].map(select);
  if (fill === null || scatter === null) return { ...part, costs, fill: null, scatter: null, selections };
  const place = `places ${name}`;
  work.upload(place, places);
  const range = work.constant(scatter.struct("Part"), { first: firstEntry, entries: places.length });
  const bound = { cost: "entry costs", place, dense: costs, part: range };
  return {
    ...part,
    costs,
    fill: { kernel: fill, groups: [strideOver(fill, length)], bound: { dense: costs } },
    scatter: { kernel: scatter, groups: [strideOver(scatter, places.length)], bound },
    selections,
  };
}
