/** Points in square cells: those within a cell's side of a place lie in its cell or in the eight around it. */
export class NearPoints {
  readonly #cells = new Map<number, [x: number, y: number, size: number][]>();

  constructor(private readonly side: number) {}

  /** @param size of the point, which the condition of `has` is told */
  add(x: number, y: number, size = 0): void {
    const cell = cellOf(Math.floor(x / this.side), Math.floor(y / this.side));
    const points = this.#cells.get(cell);
    if (points === undefined) this.#cells.set(cell, [[x, y, size]]);
    else points.push([x, y, size]);
  }

  /** Whether the squared distance of a point from a place fulfils a condition that only points within a cell's side can. */
  has(x: number, y: number, isNear: (square: number, size: number) => boolean): boolean {
    const [column, row] = [Math.floor(x / this.side), Math.floor(y / this.side)];
    for (let r = row - 1; r <= row + 1; r++) {
      for (let c = column - 1; c <= column + 1; c++) {
        for (const [px, py, size] of this.#cells.get(cellOf(c, r)) ?? []) {
          if (isNear((px - x) ** 2 + (py - y) ** 2, size)) return true;
        }
      }
    }
    return false;
  }
}

/** One number for a cell: images have fewer than 2²⁰ columns. */
const cellOf = (column: number, row: number): number => 2 ** 20 * row + column;
