import type { Detections } from "../core/detections.js";

/** Detections in a cell, in the mean over the rectangle that they fill. */
const MEAN_IN_CELL = 2;
/** With fewer detections than this, looking at all of them is faster than looking for their cells. */
const LEAST_DETECTIONS = 32;
/** A reach is widened by this share, so that the rounding of a distance never leaves out a detection that a gate lets pass. */
const MARGIN = 2 ** -40;
/** Up to this number, sorting by insertion is faster than the sort of typed arrays. */
const FEW = 64;

/** The detections of one frame in cells of equal size, so that those near a place are found without looking at all others. */
export class CellGrid {
  /** Candidates of the last search, in ascending order; valid up to the number that it returned. */
  found: Int32Array;
  readonly #all: Int32Array;
  readonly #near: Int32Array;
  readonly #left: number;
  readonly #top: number;
  readonly #columns: number;
  readonly #rows: number;
  /** Cells in a unit of length along each axis. */
  readonly #inverseWidth: number;
  readonly #inverseHeight: number;
  /** Greater side of a cell; above 0. */
  readonly #cell: number;
  /** CSR: detections by cell, the cells row by row, and in each cell in ascending order. */
  readonly #cellStart: Uint32Array;
  readonly #byCell: Int32Array;

  /** @param first @param end the detections first … end − 1 */
  constructor({ x, y }: Pick<Detections, "x" | "y">, first: number, end: number) {
    const count = end - first;
    this.#all = Int32Array.from({ length: count }, (_, n) => first + n);
    this.found = this.#all;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let d = first; d < end; d++) {
      left = Math.min(left, x[d]);
      right = Math.max(right, x[d]);
      top = Math.min(top, y[d]);
      bottom = Math.max(bottom, y[d]);
    }
    const [width, height] = [right - left, bottom - top];
    const cells = count < LEAST_DETECTIONS ? 1 : count / MEAN_IN_CELL;
    this.#left = left;
    this.#top = top;
    this.#columns = numberOf(Math.sqrt((cells * width) / height), cells);
    this.#rows = numberOf(cells / this.#columns, cells);
    this.#inverseWidth = inverse(width / this.#columns);
    this.#inverseHeight = inverse(height / this.#rows);
    this.#cell = Math.max(width / this.#columns, height / this.#rows, Number.MIN_VALUE);
    const cell = this.#all.map((d) => this.#row(y[d]) * this.#columns + this.#column(x[d]));
    this.#cellStart = new Uint32Array(this.#columns * this.#rows + 1);
    for (const c of cell) this.#cellStart[c + 1]++;
    for (let c = 0; c + 1 < this.#cellStart.length; c++) this.#cellStart[c + 1] += this.#cellStart[c];
    const place = this.#cellStart.slice();
    this.#byCell = new Int32Array(count);
    this.#near = new Int32Array(count);
    for (let n = 0; n < count; n++) this.#byCell[place[cell[n]]++] = first + n;
  }

  /** Puts all detections that may be within `reach` of (px, py), and others near it, into `found`; returns their number. */
  near(px: number, py: number, reach: number): number {
    const wide = reach + MARGIN * reach;
    const [firstColumn, lastColumn] = [this.#column(px - wide), this.#column(px + wide)];
    const [firstRow, lastRow] = [this.#row(py - wide), this.#row(py + wide)];
    if (2 * (lastColumn - firstColumn + 1) * (lastRow - firstRow + 1) > this.#columns * this.#rows) {
      this.found = this.#all;
      return this.#all.length;
    }
    const near = this.#near;
    let count = 0;
    for (let row = firstRow; row <= lastRow; row++) {
      const end = this.#cellStart[row * this.#columns + lastColumn + 1];
      for (let n = this.#cellStart[row * this.#columns + firstColumn]; n < end; n++) near[count++] = this.#byCell[n];
    }
    if (count > FEW) near.subarray(0, count).sort();
    else sortFew(near, count);
    this.found = near;
    return count;
  }

  /** The detection with the least squared distance from (px, py), the first one of equals. */
  nearest(px: number, py: number, { x, y }: Pick<Detections, "x" | "y">): number {
    for (let reach = this.#cell; ; reach *= 2) {
      const count = this.near(px, py, reach);
      let [least, nearest] = [Number.POSITIVE_INFINITY, -1];
      for (let n = 0; n < count; n++) {
        const d = this.found[n];
        const [dx, dy] = [x[d] - px, y[d] - py];
        const square = dx * dx + dy * dy;
        if (square < least) [least, nearest] = [square, d];
      }
      // All that are not candidates are farther than `reach`.
      if (least < reach * reach || this.found === this.#all || reach === Number.POSITIVE_INFINITY) return nearest;
    }
  }

  // Subtraction, multiplication and truncation keep the order of numbers, so a place between two others is never in a cell outside of theirs.
  #column(px: number): number {
    return clamped((px - this.#left) * this.#inverseWidth, this.#columns);
  }

  #row(py: number): number {
    return clamped((py - this.#top) * this.#inverseHeight, this.#rows);
  }
}

/** The grid of each frame. The last one of the even frames is remembered, and the last one of the odd: who goes through the frames needs no other. */
export function gridsOfFrames(detections: Pick<Detections, "frameStart" | "x" | "y">): (frame: number) => CellGrid {
  const { frameStart } = detections;
  const last: { frame: number; grid: CellGrid }[] = [];
  return (frame) => {
    if (last[frame % 2]?.frame !== frame) {
      last[frame % 2] = { frame, grid: new CellGrid(detections, frameStart[frame], frameStart[frame + 1]) };
    }
    return last[frame % 2].grid;
  };
}

/** A number of columns or rows; 1 where the detections have no extent along the other axis. */
function numberOf(wanted: number, most: number): number {
  return Math.max(1, Math.floor(Math.min(wanted, most) || 1));
}

/** 0, and so one cell for all, where there is no extent or the quotient is beyond f64. */
function inverse(width: number): number {
  return Number.isFinite(1 / width) ? 1 / width : 0;
}

/** Cell 0 … cells − 1; 0 where a place and its grid are so far apart that no number is left. */
function clamped(cell: number, cells: number): number {
  return cell >= cells ? cells - 1 : cell > 0 ? Math.trunc(cell) : 0;
}

function sortFew(values: Int32Array, count: number): void {
  for (let n = 1; n < count; n++) {
    const value = values[n];
    let at = n;
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
    values[at] = value;
  }
}
