/**
 * Solves any number of LAPs in one submission: their costs are dense matrices on the device, and one workgroup solves each.
 *
 * Two kernels share one interface, block-hungarian-subgroup.wgsl and block-hungarian-portable.wgsl; `planKernel` chooses.
 * A batch is made once per graph; costs, warm starts and solutions stay on the device until `read`.
 */
import {
  createStorage,
  readStorage,
  splitByBinding,
  uploadStorage,
  uploadUniform,
  writeStorage,
} from "../../gpu/buffers.js";
import { strideOver } from "../../gpu/dispatch.js";
import type { GpuSession } from "../../gpu/session.js";
import { type Kernel, loadKernel } from "../../gpu/wgsl/kernel.js";
import type { FieldRecord } from "../../gpu/wgsl/struct-layout.js";
import { type KernelChoice, type KernelPlan, planKernel } from "./gpu-plan.js";

/** Marks what is absent on the device; the kernels compare against 3e38 and never add it. */
const FORBIDDEN = Math.fround(3.4028234e38);

/** The place of a number that is no entry, as in scatter.wgsl. */
const NOWHERE = 0xffffffff;

/** Sizes, unassigned costs and entries of a batch; the rows of all LAPs are numbered through, and so are the columns. */
export interface LapBatchShape {
  /** Rows and columns of each LAP. */
  readonly rows: Uint32Array;
  readonly columns: Uint32Array;
  /** Cost of leaving a row (column) unassigned, Infinity where it must be assigned; one per row (column) of the batch. */
  readonly rowLimit: Float32Array;
  readonly columnLimit: Float32Array;
  /**
   * Entries by row of the batch, rowStart … rowEnd − 1, with the column counted within the LAP; null for dense LAPs. Numbers between the entries
   * of two rows belong to none.
   */
  readonly entries: {
    readonly rowStart: Uint32Array;
    readonly rowEnd: Uint32Array;
    readonly column: Uint32Array;
  } | null;
  /**
   * How far costs are rounded, where that is coarser than their own last digits; 0 unless given. A warm start keeps links, and
   * paths end, up to this much above the least, so that no search is spent on differences that are only rounding.
   */
  readonly slack?: number;
}

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

/** Some LAPs of a part, in the order of their table, with the bindings that solve them. */
interface Selection {
  readonly laps: number;
  readonly outcome: GPUBuffer;
  readonly cold: GPUBindGroup;
  readonly warm: GPUBindGroup;
}

/** LAPs whose matrices share one buffer below the binding limit. */
interface Part {
  readonly laps: number;
  readonly firstEntry: number;
  readonly entries: number;
  readonly dense: GPUBuffer;
  readonly scatter: { readonly part: GPUBuffer; readonly place: GPUBuffer } | null;
  /** All LAPs of the part, then those of each subset. */
  readonly selections: readonly Selection[];
  readonly owned: readonly GPUBuffer[];
}

export class GpuLapBatch {
  /** Bindings of the last cost buffer each part was filled from. */
  readonly #spread = new Map<Part, Map<GPUBuffer, GPUBindGroup>>();

  private constructor(
    readonly session: GpuSession,
    readonly shape: LapBatchShape,
    readonly plan: KernelPlan,
    private readonly parts: readonly Part[],
    private readonly kernels: { readonly solve: Kernel; readonly scatter: Kernel | null },
    /** Σ rows row duals, then the column duals; f32. */
    readonly dual: GPUBuffer,
    /** i32 per row of the batch, or UNASSIGNED. */
    readonly columnOfRow: GPUBuffer,
    /** f32: cost of staying unassigned per row of the batch, then per column; FORBIDDEN where that is not allowed. */
    readonly limit: GPUBuffer,
    private readonly owned: readonly GPUBuffer[],
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
    const solve = await loadKernel(session, plan.file, { constants: plan.constants });
    const [lapRecord, outcomeRecord] = [solve.struct("Lap"), solve.struct("Outcome")];
    const scatter = entries && (await loadKernel(session, new URL("./scatter.wgsl", import.meta.url)));
    const absent = { constants: { ABSENT: FORBIDDEN } };
    const fill = entries && (await loadKernel(session, new URL("./fill.wgsl", import.meta.url), absent));
    return await session.scoped("LAP batch", () => {
      const rowOffset = offsets(rows);
      const columnOffset = offsets(columns);
      const totalRows = rowOffset[rows.length];
      const limits = new Float32Array(totalRows + columnOffset[rows.length]);
      limits.set(shape.rowLimit);
      limits.set(shape.columnLimit, totalRows);
      for (let k = 0; k < limits.length; k++) if (!(limits[k] < FORBIDDEN)) limits[k] = FORBIDDEN;
      const limit = uploadStorage(session, "LAP limits", limits);
      const dual = createStorage(session, "LAP duals", limits.length);
      const columnOfRow = createStorage(session, "LAP columnOfRow", totalRows);
      const scratch = createStorage(session, "LAP scratch", plan.scratchWords);

      const sizes = rows.map((count, lap) => count * rowLength(columns[lap]));
      const starts = splitByBinding(session, "the cost matrix of LAP", sizes);
      const parts = starts.slice(0, -1).map((first, p): Part => {
        const last = starts[p + 1];
        const laps = last - first;
        const records: FieldRecord[] = [];
        const firstEntry = entries?.rowStart[rowOffset[first]] ?? 0;
        const lastRow = rowOffset[last] - 1;
        const place =
          entries &&
          new Uint32Array(lastRow < rowOffset[first] ? 0 : entries.rowEnd[lastRow] - firstEntry).fill(NOWHERE);
        let at = 0;
        for (let lap = first; lap < last; lap++) {
          records.push({
            rows: rows[lap],
            columns: columns[lap],
            cost: at / 4,
            row: rowOffset[lap],
            column: totalRows + columnOffset[lap],
          });
          if (entries && place) placeEntries(entries, rowOffset[lap], rows[lap], columns[lap], at, firstEntry, place);
          at += sizes[lap];
        }
        const dense = createStorage(session, "LAP costs", at);
        const owned = [dense];
        const select = (chosen: readonly number[]): Selection => {
          // A selection may be empty, but a binding holds one record at least.
          const held = Math.max(chosen.length, 1);
          const table = createStorage(session, "LAP table", held * lapRecord.words);
          writeStorage(session, table, lapRecord.pack(chosen.map((lap) => records[lap - first])));
          const outcome = createStorage(session, "LAP outcomes", held * outcomeRecord.words);
          const [cold, warm] = [0, 1].map((isWarm) => {
            const setting = { laps: chosen.length, warm: isWarm, slack: shape.slack ?? 0 };
            const settings = uploadUniform(session, "LAP settings", solve.struct("Settings").pack([setting]));
            owned.push(settings);
            const buffers = { laps: table, cost: dense, limit, dual, columnOfRow, outcome, settings };
            return solve.bind(buffers, { scratch });
          }) as [GPUBindGroup, GPUBindGroup];
          owned.push(table, outcome);
          return { laps: chosen.length, outcome, cold, warm };
        };
        const whole = Array.from({ length: laps }, (_, k) => first + k);
        const selections = [whole, ...subsets.map((subset) => subset.filter((lap) => lap >= first && lap < last))];
        let spread: Part["scatter"] = null;
        if (place && fill && scatter) {
          const range = { first: firstEntry, entries: place.length };
          spread = {
            part: uploadUniform(session, "LAP entries", scatter.struct("Part").pack([range])),
            place: uploadStorage(session, "LAP entry places", place),
          };
          owned.push(spread.part, spread.place);
          const encoder = session.device.createCommandEncoder({ label: "fill LAP costs" });
          const pass = encoder.beginComputePass({ label: "fill LAP costs" });
          fill.dispatch(pass, fill.bind({ dense }), strideOver(fill, at));
          pass.end();
          session.device.queue.submit([encoder.finish()]);
        }
        const count = place?.length ?? at;
        return { laps, firstEntry, entries: count, dense, scatter: spread, selections: selections.map(select), owned };
      });
      const owned = [limit, dual, columnOfRow, scratch];
      return new GpuLapBatch(session, shape, plan, parts, { solve, scatter }, dual, columnOfRow, limit, owned);
    });
  }

  /**
   * The dense cost buffers, f32, one LAP after the other; usually one, more beyond the binding limit. Rows are padded to a
   * multiple of four with FORBIDDEN.
   */
  get dense(): readonly GPUBuffer[] {
    return this.parts.map((part) => part.dense);
  }

  /** Writes the costs of dense LAPs from the host, all LAPs in order, Infinity for a forbidden entry. */
  writeDense(cost: Float32Array): void {
    const { rows, columns } = this.shape;
    // One matrix at a time: a second copy of all of them would cost more time to allocate than to fill.
    const sizes = rows.map((count, lap) => count * rowLength(columns[lap]));
    const padded = new Float32Array(largest(sizes));
    let at = 0;
    let lap = 0;
    for (const part of this.parts) {
      let first = 0;
      for (const last = lap + part.laps; lap < last; lap++) {
        for (let to = 0; to < sizes[lap]; at += columns[lap]) {
          for (let j = 0; j < columns[lap]; j++) padded[to + j] = Math.min(cost[at + j], FORBIDDEN);
          const end = to + rowLength(columns[lap]);
          padded.fill(FORBIDDEN, to + columns[lap], end);
          to = end;
        }
        writeStorage(this.session, part.dense, padded.subarray(0, sizes[lap]), first);
        first += sizes[lap];
      }
    }
  }

  /** A buffer with the costs of all entries of a sparse batch, for `encodeScatter`; the caller destroys it. */
  uploadCosts(cost: Float32Array): GPUBuffer {
    return uploadStorage(this.session, "LAP entry costs", cost);
  }

  /** Takes the costs of all entries of a sparse batch from a buffer, f32 in the order of `shape.entries`. */
  encodeScatter(pass: GPUComputePassEncoder, cost: GPUBuffer): void {
    const { scatter } = this.kernels;
    if (scatter === null) return;
    for (const part of this.parts) {
      if (part.scatter === null) continue;
      let group = this.#spread.get(part)?.get(cost);
      if (group === undefined) {
        group = scatter.bind({ cost, dense: part.dense, ...part.scatter });
        this.#spread.set(part, new Map([[cost, group]]));
      }
      scatter.dispatch(pass, group, strideOver(scatter, part.entries));
    }
  }

  /**
   * Solves every LAP, or those of subset n (from 1 on). `warm` starts from the duals and the matching of the last solve, or
   * whatever is in the buffers.
   */
  encodeSolve(pass: GPUComputePassEncoder, options: { readonly warm: boolean; readonly subset?: number }): void {
    const { solve } = this.kernels;
    for (const { selections } of this.parts) {
      const { laps, cold, warm } = selections[options.subset ?? 0];
      if (laps === 0) continue;
      solve.dispatch(pass, options.warm ? warm : cold, Math.min(laps, this.plan.workgroups));
    }
  }

  /** Outcomes of the last solve of all LAPs, as buffers whose content outcomesOf understands. */
  get outcomes(): readonly GPUBuffer[] {
    return this.parts.map(({ selections }) => selections[0].outcome);
  }

  /** The outcomes in a buffer of `outcomes`, as read back. */
  outcomesOf(bytes: ArrayBuffer): LapBatchOutcome[] {
    const records = this.kernels.solve.struct("Outcome").unpack<OutcomeRecord>(bytes);
    return records.map(({ status, index, value, bids, rounds, steps }) => ({
      status: status === 0 ? "optimal" : "infeasible",
      index,
      value,
      bidRounds: bids,
      pathRounds: rounds,
      steps,
    }));
  }

  /** The solutions of the last solve. */
  async read(): Promise<LapBatchResult> {
    const outcomeBuffers = this.outcomes;
    const [dualBytes, matchBytes, ...outcomeBytes] = await readStorage(this.session, [
      this.dual,
      this.columnOfRow,
      ...outcomeBuffers,
    ]);
    const dual = new Float32Array(dualBytes as ArrayBuffer);
    const totalRows = this.shape.rowLimit.length;
    return {
      columnOfRow: new Int32Array(matchBytes as ArrayBuffer, 0, totalRows),
      rowDual: dual.subarray(0, totalRows),
      columnDual: dual.subarray(totalRows, totalRows + this.shape.columnLimit.length),
      outcomes: outcomeBytes.flatMap((bytes) => this.outcomesOf(bytes)),
    };
  }

  destroy(): void {
    for (const buffer of [...this.owned, ...this.parts.flatMap((part) => part.owned)]) buffer.destroy();
  }
}

/** Where each entry of one LAP goes in the dense buffer whose matrix starts at `at`. */
function placeEntries(
  { rowStart, rowEnd, column }: NonNullable<LapBatchShape["entries"]>,
  firstRow: number,
  rows: number,
  columns: number,
  at: number,
  firstEntry: number,
  place: Uint32Array,
): void {
  for (let i = 0; i < rows; i++) {
    for (let e = rowStart[firstRow + i]; e < rowEnd[firstRow + i]; e++) {
      place[e - firstEntry] = at + i * rowLength(columns) + column[e];
    }
  }
}

/** Elements of a matrix row on the device: whole vec4s. */
function rowLength(columns: number): number {
  return 4 * Math.ceil(columns / 4);
}

type OutcomeRecord = Readonly<Record<"status" | "index" | "value" | "bids" | "rounds" | "steps", number>>;

function offsets(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let k = 0; k < sizes.length; k++) starts[k + 1] = starts[k] + sizes[k];
  return starts;
}

function largest(sizes: Uint32Array): number {
  return sizes.reduce((most, size) => Math.max(most, size), 1);
}
