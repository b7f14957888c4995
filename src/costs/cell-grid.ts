import type { Detections, Places } from "../core/detections.js";

/** Detections in a cell, in the mean over the box that they fill. */
const MEAN_IN_CELL = 2;
/** With fewer detections than this, looking at all of them is faster than looking for their cells. */
const LEAST_DETECTIONS = 32;
/** A reach is widened by this share, so that the rounding of a distance never leaves out a detection that a gate lets pass. */
const MARGIN = 2 ** -40;
/** Up to this number, sorting by insertion is faster than the sort of typed arrays. */
const FEW = 64;

/** The detections of one frame in cells of equal size, so that those near a place are found without looking at all others. In the plane there is one layer of them. */
export class CellGrid {
  /** Candidates of the last search, in ascending order; valid up to the number that it returned. */
  found: Int32Array;
  readonly #all: Int32Array;
  readonly #near: Int32Array;
  readonly #left: number;
  readonly #top: number;
  readonly #front: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #layers: number;
  /** Cells in a unit of length along each axis. */
  readonly #inverseWidth: number;
  readonly #inverseHeight: number;
  readonly #inverseDepth: number;
  /** Greatest side of a cell; above 0. */
  readonly #cell: number;
  /** CSR: detections by cell, the cells layer by layer and row by row, and in each cell in ascending order. */
  readonly #cellStart: Uint32Array;
  readonly #byCell: Int32Array;

  /** @param first @param end the detections first … end − 1 */
  constructor({ x, y, z }: Places, first: number, end: number) {
    const count = end - first;
    this.#all = Int32Array.from({ length: count }, (_, n) => first + n);
    this.found = this.#all;
    const [[left, width], [top, height], [front, depth]] = [x, y, z].map((axis) => extentOf(axis, first, end));
    const cells = count < LEAST_DETECTIONS ? 1 : count / MEAN_IN_CELL;
    this.#left = left;
    this.#top = top;
    this.#front = front;
    // As many layers as there would be along the depth of a cube of cells; then the plane is cut.
    this.#layers = depth > 0 ? numberOf(Math.cbrt((cells * depth * depth) / (width * height)), cells) : 1;
    const inLayer = cells / this.#layers;
    this.#columns = numberOf(Math.sqrt((inLayer * width) / height), inLayer);
    this.#rows = numberOf(inLayer / this.#columns, inLayer);
    const sides = [width / this.#columns, height / this.#rows, depth / this.#layers];
    [this.#inverseWidth, this.#inverseHeight, this.#inverseDepth] = sides.map(inverse);
    this.#cell = Math.max(...sides, Number.MIN_VALUE);
    const cell = this.#all.map((d) => {
      const layer = z === undefined ? 0 : this.#layer(z[d]);
      return (layer * this.#rows + this.#row(y[d])) * this.#columns + this.#column(x[d]);
    });
    this.#cellStart = new Uint32Array(this.#columns * this.#rows * this.#layers + 1);
    for (const c of cell) this.#cellStart[c + 1]++;
    for (let c = 0; c + 1 < this.#cellStart.length; c++) this.#cellStart[c + 1] += this.#cellStart[c];
    const place = this.#cellStart.slice();
    this.#byCell = new Int32Array(count);
    this.#near = new Int32Array(count);
    for (let n = 0; n < count; n++) this.#byCell[place[cell[n]]++] = first + n;
  }

  /** Puts all detections that may be within `reach` of (px, py, pz), and within `reachAcross` of py, and others near it, into `found`; returns their number. */
  near(px: number, py: number, pz: number, reach: number, reachAcross = reach): number {
    const [wide, high] = [reach + MARGIN * reach, reachAcross + MARGIN * reachAcross];
    const [firstColumn, lastColumn] = [this.#column(px - wide), this.#column(px + wide)];
    const [firstRow, lastRow] = [this.#row(py - high), this.#row(py + high)];
    const [firstLayer, lastLayer] = [this.#layer(pz - wide), this.#layer(pz + wide)];
    const cells = (lastColumn - firstColumn + 1) * (lastRow - firstRow + 1) * (lastLayer - firstLayer + 1);
    if (2 * cells > this.#columns * this.#rows * this.#layers) {
      this.found = this.#all;
      return this.#all.length;
    }
    const near = this.#near;
    let count = 0;
    for (let layer = firstLayer; layer <= lastLayer; layer++) {
      for (let row = firstRow; row <= lastRow; row++) {
        const first = (layer * this.#rows + row) * this.#columns;
        const end = this.#cellStart[first + lastColumn + 1];
        for (let n = this.#cellStart[first + firstColumn]; n < end; n++) near[count++] = this.#byCell[n];
      }
    }
    if (count > FEW) near.subarray(0, count).sort();
    else sortFew(near, count);
    this.found = near;
    return count;
  }

  /** The detection with the least squared distance from (px, py, pz), the first one of equals. */
  nearest(px: number, py: number, pz: number, { x, y, z }: Places): number {
    for (let reach = this.#cell; ; reach *= 2) {
      const count = this.near(px, py, pz, reach);
      let [least, nearest] = [Number.POSITIVE_INFINITY, -1];
      for (let n = 0; n < count; n++) {
        const d = this.found[n];
        const [dx, dy, dz] = [x[d] - px, y[d] - py, z === undefined ? 0 : z[d] - pz];
        const square = dx * dx + dy * dy + dz * dz;
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

  #layer(pz: number): number {
    return this.#layers === 1 ? 0 : clamped((pz - this.#front) * this.#inverseDepth, this.#layers);
  }
}

/** The grid of each frame. The last one of the even frames is remembered, and the last one of the odd: who goes through the frames needs no other. */
export function gridsOfFrames(detections: Pick<Detections, "frameStart"> & Places): (frame: number) => CellGrid {
  const { frameStart } = detections;
  const last: { frame: number; grid: CellGrid }[] = [];
  return (frame) => {
    if (last[frame % 2]?.frame !== frame) {
      last[frame % 2] = { frame, grid: new CellGrid(detections, frameStart[frame], frameStart[frame + 1]) };
    }
    return last[frame % 2].grid;
  };
}

/** Where the detections begin along an axis, and how far they go. */
function extentOf(axis: Float64Array | undefined, first: number, end: number): [number, number] {
  if (axis === undefined) return [0, 0];
  let [least, most] = [Infinity, -Infinity];
  for (let d = first; d < end; d++) {
    least = Math.min(least, axis[d]);
    most = Math.max(most, axis[d]);
  }
  return [least, most - least];
}

/** A number of columns, rows or layers; 1 where the detections have no extent along the other axes. */
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
