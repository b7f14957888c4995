/**
 * Values by two whole numbers, such as two edges. One key of both, a · count + b, would pass 2⁵³ where there are many of them, and then
 * stand for several pairs.
 */
export class PairMap<T> {
  readonly #rows = new Map<number, Map<number, T>>();

  get(a: number, b: number): T | undefined {
    return this.#rows.get(a)?.get(b);
  }

  set(a: number, b: number, value: T): void {
    this.row(a).set(b, value);
  }

  delete(a: number, b: number): void {
    const row = this.#rows.get(a);
    row?.delete(b);
    if (row?.size === 0) this.#rows.delete(a);
  }

  clear(): void {
    this.#rows.clear();
  }

  /** The values of one a, by b; those that are put there are the map's. */
  row(a: number): Map<number, T> {
    let row = this.#rows.get(a);
    if (row === undefined) {
      row = new Map();
      this.#rows.set(a, row);
    }
    return row;
  }

  /** All pairs with their values; the pair visited last may be deleted. */
  *entries(): Generator<readonly [a: number, b: number, value: T]> {
    for (const [a, row] of this.#rows) for (const [b, value] of row) yield [a, b, value];
  }
}
