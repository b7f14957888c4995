/** The measurements that a track may be linked to: those nearer than d_max to its predicted position. */
import type { AuctionProblem } from "../lap/auction/problem.js";

/** Tracks are the persons, measurements the objects; the utility of a candidate is d_max less their distance (Maier et al. 2019, (3)). */
export interface GatedFrame extends AuctionProblem {
  readonly reach: number;
  readonly personX: Float64Array;
  readonly personY: Float64Array;
  readonly objectX: Float64Array;
  readonly objectY: Float64Array;
}

/** Cells a measurement at most: views that are large beside d_max get larger cells. */
const CELLS = 4;

/** Candidates there is room for at first: what most belts need, as no frame should wait for arrays to grow. */
const FIRST = 8192;

/** Finds candidates by a grid; its arrays are used again, so that a frame is valid until the next one. */
export class Gate {
  /** Where the measurements of each cell begin among all in the order of cells, and those: numbers and positions. */
  #cellStart = new Int32Array(0);
  #cellOf = new Int32Array(0);
  #inOrder = new Int32Array(0);
  #orderedX = new Float64Array(0);
  #orderedY = new Float64Array(0);
  #start = new Uint32Array(1);
  #object = new Uint32Array(FIRST);
  #utility = new Float64Array(FIRST);

  /** Positions of `persons` tracks and of the measurements of one frame, d_max > 0. `personReach` may hold less than d_max for each track. */
  frame(
    persons: number,
    personX: Float64Array,
    personY: Float64Array,
    objectX: Float64Array,
    objectY: Float64Array,
    reach: number,
    personReach: Float64Array | null = null,
  ): GatedFrame {
    const objects = objectX.length;
    const { left, bottom, perCell, columns, rows } = this.#sort(objectX, objectY, reach);
    if (this.#start.length < persons + 1) this.#start = new Uint32Array(2 * persons + 1);
    const start = this.#start;
    const cellStart = this.#cellStart;
    const inOrder = this.#inOrder;
    const orderedX = this.#orderedX;
    const orderedY = this.#orderedY;
    let object = this.#object;
    let utility = this.#utility;
    const square = reach * reach * (1 + 2 ** -40);
    let count = 0;
    for (let i = 0; i < persons; i++) {
      start[i] = count;
      const x = personX[i];
      const y = personY[i];
      const column = Math.floor((x - left) * perCell);
      const row = Math.floor((y - bottom) * perCell);
      if (!(column >= -1 && column <= columns && row >= -1 && row <= rows)) continue;
      const least = personReach === null ? 0 : reach - personReach[i];
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
          if (count === object.length) {
            this.#grow();
            object = this.#object;
            utility = this.#utility;
          }
          const j = inOrder[n];
          let at = count++;
          for (; at > start[i] && object[at - 1] > j; at--) {
            object[at] = object[at - 1];
            utility[at] = utility[at - 1];
          }
          object[at] = j;
          utility[at] = worth;
        }
      }
    }
    start[persons] = count;
    return {
      persons,
      objects,
      start: start.subarray(0, persons + 1),
      object: object.subarray(0, count),
      utility: utility.subarray(0, count),
      reach,
      personX: personX.subarray(0, persons),
      personY: personY.subarray(0, persons),
      objectX,
      objectY,
    };
  }

  /** Sorts the measurements by cells, which are no smaller than d_max; rows of a column of cells lie behind one another. */
  #sort(objectX: Float64Array, objectY: Float64Array, reach: number) {
    const objects = objectX.length;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let j = 0; j < objects; j++) {
      const x = objectX[j];
      const y = objectY[j];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < bottom) bottom = y;
      if (y > top) top = y;
    }
    if (objects === 0) return { left: 0, bottom: 0, perCell: 0, columns: 0, rows: 0 };
    const cell = Math.max(
      reach * (1 + 2 ** -20),
      Math.sqrt(((right - left) * (top - bottom)) / (CELLS * objects)),
      (right - left) / (CELLS * objects),
      (top - bottom) / (CELLS * objects),
    );
    const perCell = 1 / cell;
    const columns = Math.floor((right - left) * perCell) + 1;
    const rows = Math.floor((top - bottom) * perCell) + 1;
    const cells = columns * rows;
    if (this.#cellStart.length < cells + 1) this.#cellStart = new Int32Array(2 * cells + 1);
    if (this.#cellOf.length < objects) {
      this.#cellOf = new Int32Array(2 * objects);
      this.#inOrder = new Int32Array(2 * objects);
      this.#orderedX = new Float64Array(2 * objects);
      this.#orderedY = new Float64Array(2 * objects);
    }
    const cellStart = this.#cellStart;
    const cellOf = this.#cellOf;
    const inOrder = this.#inOrder;
    const orderedX = this.#orderedX;
    const orderedY = this.#orderedY;
    cellStart.fill(0, 0, cells + 1);
    for (let j = 0; j < objects; j++) {
      const at = Math.floor((objectX[j] - left) * perCell) * rows + Math.floor((objectY[j] - bottom) * perCell);
      cellOf[j] = at;
      cellStart[at]++;
    }
    for (let at = 0, sum = 0; at <= cells; at++) {
      sum += cellStart[at];
      cellStart[at] = sum;
    }
    // From the last on, so that the ends of cells become their beginnings, and measurements of a cell keep their order.
    for (let j = objects - 1; j >= 0; j--) {
      const n = --cellStart[cellOf[j]];
      inOrder[n] = j;
      orderedX[n] = objectX[j];
      orderedY[n] = objectY[j];
    }
    return { left, bottom, perCell, columns, rows };
  }

  #grow(): void {
    const object = new Uint32Array(2 * this.#object.length);
    object.set(this.#object);
    this.#object = object;
    const utility = new Float64Array(2 * this.#utility.length);
    utility.set(this.#utility);
    this.#utility = utility;
  }
}
