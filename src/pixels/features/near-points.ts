interface Place {
  readonly x: number;
  readonly y: number;
}

/** Points in square cells: those within a cell's side of a place lie in its cell or in the eight around it. */
export class NearPoints<Point extends Place = Place> {
  readonly #cells = new Map<number, Point[]>();

  constructor(private readonly side: number) {}

  add(point: Point): void {
    const cell = cellOf(Math.floor(point.x / this.side), Math.floor(point.y / this.side));
    const points = this.#cells.get(cell);
    if (points === undefined) this.#cells.set(cell, [point]);
    else points.push(point);
  }

  /** Whether the squared distance of a point from a place fulfils a condition that only points within a cell's side can; asks all of these until one does. */
  has(x: number, y: number, isNear: (square: number, point: Point) => boolean): boolean {
    const [column, row] = [Math.floor(x / this.side), Math.floor(y / this.side)];
    for (let r = row - 1; r <= row + 1; r++) {
      for (let c = column - 1; c <= column + 1; c++) {
        for (const point of this.#cells.get(cellOf(c, r)) ?? []) {
          if (isNear((point.x - x) ** 2 + (point.y - y) ** 2, point)) return true;
        }
      }
    }
    return false;
  }
}

/** One number for a cell: images have fewer than 2²⁰ columns. */
const cellOf = (column: number, row: number): number => 2 ** 20 * row + column;
