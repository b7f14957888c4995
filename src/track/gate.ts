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
  #head = new Int32Array(0);
  #next = new Int32Array(0);
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
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let j = 0; j < objects; j++) {
      if (objectX[j] < left) left = objectX[j];
      if (objectX[j] > right) right = objectX[j];
      if (objectY[j] < bottom) bottom = objectY[j];
      if (objectY[j] > top) top = objectY[j];
    }
    const cell = Math.max(
      reach * (1 + 2 ** -20),
      Math.sqrt(((right - left) * (top - bottom)) / (CELLS * objects)) || 0,
      (right - left) / (CELLS * objects) || 0,
      (top - bottom) / (CELLS * objects) || 0,
    );
    const columns = objects === 0 ? 0 : Math.floor((right - left) / cell) + 1;
    const rows = objects === 0 ? 0 : Math.floor((top - bottom) / cell) + 1;
    if (this.#head.length < columns * rows) this.#head = new Int32Array(2 * columns * rows);
    if (this.#next.length < objects) this.#next = new Int32Array(2 * objects);
    if (this.#start.length < persons + 1) this.#start = new Uint32Array(2 * persons + 1);
    const head = this.#head;
    const next = this.#next;
    const start = this.#start;
    head.fill(-1, 0, columns * rows);
    for (let j = objects - 1; j >= 0; j--) {
      const at = Math.floor((objectX[j] - left) / cell) * rows + Math.floor((objectY[j] - bottom) / cell);
      next[j] = head[at];
      head[at] = j;
    }
    let object = this.#object;
    let utility = this.#utility;
    const square = reach * reach * (1 + 2 ** -40);
    let count = 0;
    for (let i = 0; i < persons; i++) {
      start[i] = count;
      const least = personReach === null ? 0 : reach - personReach[i];
      const column = Math.floor((personX[i] - left) / cell);
      const row = Math.floor((personY[i] - bottom) / cell);
      const lastColumn = Math.min(columns - 1, column + 1);
      const firstRow = Math.max(0, row - 1);
      const lastRow = Math.min(rows - 1, row + 1);
      for (let u = Math.max(0, column - 1); u <= lastColumn; u++) {
        for (let v = firstRow; v <= lastRow; v++) {
          for (let j = head[u * rows + v]; j >= 0; j = next[j]) {
            const dx = objectX[j] - personX[i];
            const dy = objectY[j] - personY[i];
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

  #grow(): void {
    const object = new Uint32Array(2 * this.#object.length);
    object.set(this.#object);
    this.#object = object;
    const utility = new Float64Array(2 * this.#utility.length);
    utility.set(this.#utility);
    this.#utility = utility;
  }
}
