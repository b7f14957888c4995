/** Duals and matching of the block Hungarian twin, and its cold and warm starts. */

/** No row, or no column: UNASSIGNED of rmap/lap. */
export const NONE = -1;

/** A LAP as the kernels see it, costs and limits in f32; Infinity is an entry, or a right to stay unassigned, that is absent. */
export interface DenseLapF32 {
  readonly rows: number;
  readonly columns: number;
  /** rows × columns, row-major. */
  readonly cost: Float32Array;
  readonly rowLimit: Float32Array;
  readonly columnLimit: Float32Array;
  /** See LapBatchShape; 0 unless given. */
  readonly slack?: number;
}

/** A solution to begin from: its matching, and its column duals. */
export interface Previous {
  readonly columnOfRow: Int32Array;
  readonly columnDual: Float32Array;
}

const TIGHT = 2 ** -21;
const WARM_PASSES = 4;
export const f32 = Math.fround;

export class LapState {
  readonly u: Float32Array;
  readonly v: Float32Array;
  readonly columnOf: Int32Array;
  readonly rowOf: Int32Array;
  readonly slack: number;

  constructor(readonly lap: DenseLapF32) {
    this.slack = f32(lap.slack ?? 0);
    this.u = new Float32Array(lap.rows);
    this.v = new Float32Array(lap.columns);
    this.columnOf = new Int32Array(lap.rows).fill(NONE);
    this.rowOf = new Int32Array(lap.columns).fill(NONE);
  }

  /** The free rows, in order. */
  begin(previous?: Previous): number[] {
    return (previous && this.#resume(previous)) ?? this.#coldStart();
  }

  /** c_ij − v_j in f32. */
  reduced(i: number, j: number): number {
    return f32(this.lap.cost[i * this.lap.columns + j] - this.v[j]);
  }

  /** Duals at the limits, or at the column minima where a column must be assigned; all rows are free. */
  #coldStart(): number[] {
    const { rows, columns, cost, columnLimit } = this.lap;
    this.columnOf.fill(NONE);
    this.rowOf.fill(NONE);
    for (let j = 0; j < columns; j++) {
      let least = columnLimit[j];
      if (least === Infinity) for (let i = 0; i < rows; i++) least = Math.min(least, cost[i * columns + j]);
      this.v[j] = least === Infinity ? 0 : least;
    }
    return Array.from({ length: rows }, (_, i) => i);
  }

  /** Warm start: keeps the links that are still tight and returns the rows that lost theirs; null if a cold start is due. */
  #resume(previous: Previous): number[] | null {
    const { rows, columns, columnLimit } = this.lap;
    const { v, rowOf, columnOf } = this;
    v.set(previous.columnDual);
    columnOf.set(previous.columnOfRow);
    for (let i = 0; i < rows; i++) if (columnOf[i] !== NONE) rowOf[columnOf[i]] = i;
    const isFree = new Uint8Array(rows);
    for (let round = 0; ; round++) {
      let isStale = false;
      for (let j = 0; j < columns; j++) {
        const most = columnLimit[j];
        if (most === Infinity || v[j] === most || (rowOf[j] !== NONE && v[j] < most)) continue;
        v[j] = most;
        isStale = true;
      }
      if (!isStale && round > 0) break;
      if (round === WARM_PASSES) return null;
      for (let i = 0; i < rows; i++) isFree[i] = this.#keepIfTight(i) ? 0 : 1;
    }
    const free = Array.from({ length: rows }, (_, i) => i).filter((i) => isFree[i] === 1);
    if (free.length > 0) this.#raiseColumns();
    return free;
  }

  /** Columns without a row that must have one: their duals rise until a row is tight. */
  #raiseColumns(): void {
    const { rows, columns, cost, columnLimit } = this.lap;
    const { u, v, rowOf } = this;
    for (let j = 0; j < columns; j++) {
      if (rowOf[j] !== NONE || columnLimit[j] < Infinity) continue;
      let least = Infinity;
      for (let i = 0; i < rows; i++) {
        const c = cost[i * columns + j];
        if (c < Infinity) least = Math.min(least, f32(c - u[i]));
      }
      if (least < Infinity) v[j] = least;
    }
  }

  #keepIfTight(i: number): boolean {
    const { rowLimit, cost, columns } = this.lap;
    const { u, v, columnOf, rowOf } = this;
    let best = rowLimit[i];
    for (let j = 0; j < columns; j++) best = Math.min(best, this.reduced(i, j));
    const j = columnOf[i];
    u[i] = best;
    if (j === NONE) return rowLimit[i] < Infinity && rowLimit[i] <= best;
    const c = cost[i * columns + j];
    const allowed = Math.max(f32(TIGHT * f32(Math.abs(c) + Math.abs(v[j]))), this.slack);
    if (c < Infinity && f32(f32(c - v[j]) - best) <= allowed) {
      u[i] = c - v[j];
      return true;
    }
    columnOf[i] = NONE;
    rowOf[j] = NONE;
    return false;
  }
}
