/** Turns rows as they arrive into frames in order, holding back few of them. */

/** A measurement as it is in the input. */
export interface StreamRow {
  readonly frame: number;
  readonly x: number;
  readonly y: number;
  /** True identity, null for a false detection or where unknown. */
  readonly target: string | null;
}

/** A complete frame, with its rows in the order of the input. */
export interface ClosedFrame {
  readonly frame: number;
  readonly rows: readonly StreamRow[];
  /** Whether each row repeats one before it in the frame. */
  readonly repeats: readonly boolean[];
}

export interface StreamCounts {
  rows: number;
  /** Frames with rows, and those left out in between. */
  frames: number;
  emptyFrames: number;
  /** Frames that came after a later one and were put in order. */
  reorderedFrames: number;
  /** Rows of frames already closed: in no track. */
  lateRows: number;
  /** Rows that repeat another of their frame: in no track. */
  repeatedRows: number;
}

/** The effect of most rows. */
const NOTHING = { closed: [] as readonly ClosedFrame[], late: null };

/** Closed frames whose number of rows is remembered, so that late rows can be numbered. */
const REMEMBERED = 1024;

/**
 * Puts rows into frames. A frame closes when a row arrives that is more than `held` frames later, or at the end; frames of fewer rows held are faster to
 * decide, and rows that come later than that are late.
 */
export class FrameOrder {
  readonly counts: StreamCounts = {
    rows: 0,
    frames: 0,
    emptyFrames: 0,
    reorderedFrames: 0,
    lateRows: 0,
    repeatedRows: 0,
  };
  /** The last closed frame, −1 before the first. */
  closed: number;
  readonly #pending = new Map<number, StreamRow[]>();
  readonly #sizes = new Map<number, number>();
  /** The last frame whose number of rows may be forgotten. */
  #forgotten: number;
  #newest = -1;

  /** @param closed the last frame of an earlier part of the stream, −1 where there is none */
  constructor(
    readonly held: number,
    closed = -1,
  ) {
    this.closed = closed;
    this.#forgotten = closed;
  }

  /** Frames that the row closes, in order; and of a late row its number in its frame, or −1 if that is forgotten. */
  add(row: StreamRow): { readonly closed: readonly ClosedFrame[]; readonly late: number | null } {
    const { counts } = this;
    counts.rows++;
    if (row.frame <= this.closed) {
      counts.lateRows++;
      // A frame that was closed without a row counts from 0.
      const size = this.#sizes.get(row.frame) ?? (row.frame > this.#forgotten ? 0 : -1);
      if (size < 0) return { closed: [], late: -1 };
      this.#remember(row.frame, size + 1);
      return { closed: [], late: size };
    }
    const closed = row.frame > this.#newest ? this.#close(row.frame - this.held) : NOTHING.closed;
    const rows = this.#pending.get(row.frame);
    if (rows === undefined) {
      if (row.frame < this.#newest) counts.reorderedFrames++;
      this.#pending.set(row.frame, [row]);
    } else rows.push(row);
    this.#newest = Math.max(this.#newest, row.frame);
    return closed.length === 0 ? NOTHING : { closed, late: null };
  }

  /** Counts from 0 again, and does not number late rows of the frames so far. */
  forget(): void {
    this.#sizes.clear();
    this.#forgotten = this.closed;
    for (const what of Object.keys(this.counts) as (keyof StreamCounts)[]) this.counts[what] = 0;
  }

  /** The frames still pending, at the end of the stream. */
  end(): ClosedFrame[] {
    return this.#close(Number.POSITIVE_INFINITY);
  }

  #remember(frame: number, rows: number): void {
    this.#sizes.set(frame, rows);
    if (this.#sizes.size <= REMEMBERED) return;
    const first = this.#sizes.keys().next().value as number;
    this.#sizes.delete(first);
    this.#forgotten = Math.max(this.#forgotten, first);
  }

  /** Closes all frames below `frame`. */
  #close(frame: number): ClosedFrame[] {
    const numbers = [...this.#pending.keys()].filter((number) => number < frame).sort((a, b) => a - b);
    return numbers.map((number) => {
      const rows = this.#pending.get(number) as StreamRow[];
      this.#pending.delete(number);
      const { counts } = this;
      counts.frames++;
      if (this.closed >= 0) counts.emptyFrames += number - this.closed - 1;
      this.closed = number;
      this.#remember(number, rows.length);
      // By one number: texts of rows took longer than tracking them.
      const last = new Map<number, number>();
      /** The row before each with the same x, −1 for none. */
      const before = new Int32Array(rows.length);
      const repeats = rows.map(({ x, y, target }, n) => {
        before[n] = last.get(x) ?? -1;
        last.set(x, n);
        let k = before[n];
        while (k >= 0 && (rows[k].y !== y || rows[k].target !== target)) k = before[k];
        if (k >= 0) counts.repeatedRows++;
        return k >= 0;
      });
      return { frame: number, rows, repeats };
    });
  }
}
