/** Where the LAPs of a batch lie on the device: rows and columns numbered through, and dense matrices one after the other. */
import { startsOf } from "../../core/rows.js";
import { splitByBinding } from "../../gpu/buffers.js";
import type { GpuSession } from "../../gpu/session.js";
import type { Step } from "../../gpu/workspace.js";

/** Marks an absent entry, or the absent right to stay unassigned, on the device; the kernels compare against 3e38 and never add it. */
export const FORBIDDEN = Math.fround(3.4028234e38);

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
  /** Whether a row or column of the batch may ever stay unassigned: limits may change on the device. */
  readonly mayBeLeft?: boolean;
}

/** What a solve of some LAPs of a table works on. */
export interface LapRun {
  /** The first of them in the order of the table, and their number. */
  readonly first: number;
  readonly count: number;
  /** 1 begins at the duals and the matching in the buffers. */
  readonly warm: 0 | 1;
  /** See LapBatchShape. */
  readonly slack: number;
  /** The buffers of limits, duals and matching, and of the entries' costs, by the names that the kernels declare. */
  readonly buffers: LapBuffers;
}

/** Names of buffers. */
export type LapBuffers = Readonly<Record<"limit" | "dual" | "columnOfRow" | "entryCosts", string>>;

/** LAPs of a batch that are solved alike, in the order of their records on the device. */
export interface LapTable {
  readonly laps: readonly number[];
  /** The name of the buffer of their outcomes, in this order. */
  readonly outcome: string;
  steps(run: LapRun): readonly Step[];
}

/** A record of the struct Lap. */
interface LapRecord {
  readonly [member: string]: number;
}

/** LAPs whose matrices share one buffer below the binding limit. */
export interface BatchPart {
  /** Its first LAP, and the first of the next part. */
  readonly first: number;
  readonly end: number;
  /** Numbers of its matrices. */
  readonly length: number;
  readonly records: readonly LapRecord[];
  /** Of a sparse batch: the entry of the batch that its entries begin with, and the place of each in the matrices. */
  readonly firstEntry: number;
  readonly places: Uint32Array;
}

/** @param matrices the LAPs that have one; the others take no room */
export function partsOf(session: GpuSession, shape: LapBatchShape, matrices: ReadonlySet<number>): BatchPart[] {
  const { rows, columns, entries } = shape;
  const [firstRow, firstColumn] = [startsOf(rows), startsOf(columns)];
  const sizes = matrixSizes(shape).map((size, lap) => (matrices.has(lap) ? size : 0));
  const starts = splitByBinding(session, "the cost matrix of LAP", sizes);
  return starts.slice(0, -1).map((first, p) => {
    const end = starts[p + 1];
    const at = startsOf(sizes.subarray(first, end));
    const records = Array.from({ length: end - first }, (_, k) => ({
      rows: rows[first + k],
      columns: columns[first + k],
      cost: at[k] / 4,
      row: firstRow[first + k],
      column: firstRow[rows.length] + firstColumn[first + k],
    }));
    const part = { first, end, length: at[end - first], records };
    if (entries === null || firstRow[end] === firstRow[first]) {
      return { ...part, firstEntry: 0, places: new Uint32Array(0) };
    }
    const { rowStart, rowEnd, column } = entries;
    const firstEntry = rowStart[firstRow[first]];
    const places = new Uint32Array(rowEnd[firstRow[end] - 1] - firstEntry).fill(NOWHERE);
    for (const [k, lap] of records.entries()) {
      if (!matrices.has(first + k)) continue;
      for (let i = 0; i < lap.rows; i++) {
        const begin = at[k] + i * rowLength(lap.columns);
        for (let e = rowStart[lap.row + i]; e < rowEnd[lap.row + i]; e++) places[e - firstEntry] = begin + column[e];
      }
    }
    return { ...part, firstEntry, places };
  });
}

/** The limits of all rows, then of all columns. */
export function limitsOf({ rowLimit, columnLimit }: LapBatchShape): Float32Array {
  const limits = new Float32Array(rowLimit.length + columnLimit.length);
  limits.set(rowLimit);
  limits.set(columnLimit, rowLimit.length);
  for (let k = 0; k < limits.length; k++) if (!(limits[k] < FORBIDDEN)) limits[k] = FORBIDDEN;
  return limits;
}

/** Numbers of each matrix on the device. */
export function matrixSizes({ rows, columns }: LapBatchShape): Uint32Array {
  return rows.map((count, lap) => count * rowLength(columns[lap]));
}

/** Elements of a matrix row on the device: whole vec4s. */
export const rowLength = (columns: number): number => 4 * Math.ceil(columns / 4);

export const largest = (sizes: Uint32Array): number => sizes.reduce((most, size) => Math.max(most, size), 1);
