/** The measurements that a track may be linked to: those nearer than d_max to its predicted position. */
import { longer } from "../core/growing-array.js";
import type { Candidates } from "./candidates.js";

/** The utility of a candidate is d_max less its distance (Maier et al. 2019, (3)). */
export interface GatedFrame extends Candidates {
  /** d_max. */
  readonly reach: number;
  readonly trackX: Float64Array;
  readonly trackY: Float64Array;
  readonly measurementX: Float64Array;
  readonly measurementY: Float64Array;
}

/** Cells a measurement at most: views that are large beside d_max get larger cells. */
const CELLS = 4;

/** Candidates there is room for at first: enough for most belts, as no frame should wait for arrays to grow. */
const FIRST = 8192;

/** Finds candidates by a grid; its arrays are used again, so that a frame is valid until the next one. */
export class Gate {
  /** Where the measurements of each cell begin among all in the order of cells, and those: numbers and positions. */
  #cellStart = new Int32Array(0);
  #cellOf = new Int32Array(0);
  #inOrder = new Int32Array(0);
  #orderedX = new Float64Array(0);
  #orderedY = new Float64Array(0);
  #rowStart = new Uint32Array(1);
  #measurement = new Uint32Array(FIRST);
  #utility = new Float64Array(FIRST);

  /** Positions of `tracks` tracks and of the measurements of one frame, d_max > 0. `trackReach` may hold less than d_max for each track. */
  frame(
    tracks: number,
    trackX: Float64Array,
    trackY: Float64Array,
    measurementX: Float64Array,
    measurementY: Float64Array,
    reach: number,
    trackReach: Float64Array | null = null,
  ): GatedFrame {
    const measurements = measurementX.length;
    const { left, bottom, perCell, columns, rows } = this.#sort(measurementX, measurementY, reach);
    if (this.#rowStart.length < tracks + 1) this.#rowStart = new Uint32Array(2 * tracks + 1);
    const rowStart = this.#rowStart;
    const cellStart = this.#cellStart;
    const inOrder = this.#inOrder;
    const orderedX = this.#orderedX;
    const orderedY = this.#orderedY;
    let measurement = this.#measurement;
    let utility = this.#utility;
    const square = reach * reach * (1 + 2 ** -40);
    let count = 0;
    for (let i = 0; i < tracks; i++) {
      rowStart[i] = count;
      const x = trackX[i];
      const y = trackY[i];
      const column = Math.floor((x - left) * perCell);
      const row = Math.floor((y - bottom) * perCell);
      if (!(column >= -1 && column <= columns && row >= -1 && row <= rows)) continue;
      const least = trackReach === null ? 0 : reach - trackReach[i];
      // Whole numbers from here on: as doubles they would take several times as long.
      const lastColumn = Math.min(columns - 1, column + 1) | 0;
      const firstRow = Math.max(0, row - 1) | 0;
      const pastRow = Math.min(rows, row + 2) | 0;
      for (let u = Math.max(0, column - 1) | 0; u <= lastColumn; u++) {
        const past = cellStart[u * rows + pastRow];
        for (let n = cellStart[u * rows + firstRow]; n < past; n++) {
          const dx = orderedX[n] - x;
          const dy = orderedY[n] - y;
          const far = dx * dx + dy * dy;
          // Most are too far, which needs no root.
          if (far > square) continue;
          const worth = reach - Math.sqrt(far);
          if (!(worth > 0 && worth > least)) continue;
          if (count === measurement.length) {
            this.#grow();
            measurement = this.#measurement;
            utility = this.#utility;
          }
          const j = inOrder[n];
          let at = count++;
          for (; at > rowStart[i] && measurement[at - 1] > j; at--) {
            measurement[at] = measurement[at - 1];
            utility[at] = utility[at - 1];
          }
          measurement[at] = j;
          utility[at] = worth;
        }
      }
    }
    rowStart[tracks] = count;
    return {
      tracks,
      measurements,
      rowStart: rowStart.subarray(0, tracks + 1),
      measurement: measurement.subarray(0, count),
      utility: utility.subarray(0, count),
      reach,
      trackX: trackX.subarray(0, tracks),
      trackY: trackY.subarray(0, tracks),
      measurementX,
      measurementY,
    };
  }

  /** Sorts the measurements by cells, which are no smaller than d_max; rows of a column of cells lie behind one another. */
  #sort(measurementX: Float64Array, measurementY: Float64Array, reach: number) {
    const measurements = measurementX.length;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let j = 0; j < measurements; j++) {
      const x = measurementX[j];
      const y = measurementY[j];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < bottom) bottom = y;
      if (y > top) top = y;
    }
    if (measurements === 0) return { left: 0, bottom: 0, perCell: 0, columns: 0, rows: 0 };
    const cell = Math.max(
      reach * (1 + 2 ** -20),
      Math.sqrt(((right - left) * (top - bottom)) / (CELLS * measurements)),
      (right - left) / (CELLS * measurements),
      (top - bottom) / (CELLS * measurements),
    );
    const perCell = 1 / cell;
    const columns = Math.floor((right - left) * perCell) + 1;
    const rows = Math.floor((top - bottom) * perCell) + 1;
    const cells = columns * rows;
    if (this.#cellStart.length < cells + 1) this.#cellStart = new Int32Array(2 * cells + 1);
    if (this.#cellOf.length < measurements) {
      this.#cellOf = new Int32Array(2 * measurements);
      this.#inOrder = new Int32Array(2 * measurements);
      this.#orderedX = new Float64Array(2 * measurements);
      this.#orderedY = new Float64Array(2 * measurements);
    }
    const cellStart = this.#cellStart;
    const cellOf = this.#cellOf;
    const inOrder = this.#inOrder;
    const orderedX = this.#orderedX;
    const orderedY = this.#orderedY;
    cellStart.fill(0, 0, cells + 1);
    for (let j = 0; j < measurements; j++) {
      const at =
        Math.floor((measurementX[j] - left) * perCell) * rows + Math.floor((measurementY[j] - bottom) * perCell);
      cellOf[j] = at;
      cellStart[at]++;
    }
    for (let at = 0, sum = 0; at <= cells; at++) {
      sum += cellStart[at];
      cellStart[at] = sum;
    }
    // From the last on, so that the ends of cells become their beginnings, and measurements of a cell keep their order.
    for (let j = measurements - 1; j >= 0; j--) {
      const n = --cellStart[cellOf[j]];
      inOrder[n] = j;
      orderedX[n] = measurementX[j];
      orderedY[n] = measurementY[j];
    }
    return { left, bottom, perCell, columns, rows };
  }

  #grow(): void {
    this.#measurement = longer(this.#measurement, 2 * this.#measurement.length);
    this.#utility = longer(this.#utility, 2 * this.#utility.length);
  }
}
