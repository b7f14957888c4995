import { GrowingArray, picked } from "../core/growing-array.js";
import type { TableRow } from "../files/csv-table.js";

const KNOWN = new Set(["frame", "x", "y", "vx", "vy", "target"]);
/** Names that a formula can use. */
const NAME = /^[a-z][a-z0-9_]*$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Most columns that are kept. */
export const MOST_COLUMNS = 32;

/** A column of the input that rmap hands on as it is, in lower-case name. */
export interface CarriedColumn {
  readonly name: string;
  /** The cell of each detection. */
  readonly at: (detection: number) => string;
}

/** Cells by their numbers in a list of those that differ. */
export class TextColumn {
  readonly #numberOf = new Map<string, number>();
  /** Those that differ, in the order in which they came first. */
  readonly texts: string[] = [];
  readonly #cells = new GrowingArray(Uint32Array);

  push(text: string): void {
    let number = this.#numberOf.get(text);
    if (number === undefined) {
      number = this.texts.length;
      this.#numberOf.set(text, number);
      this.texts.push(text);
    }
    this.#cells.push(number);
  }

  /** The number of the text of each row. */
  get numbers(): Uint32Array {
    return this.#cells.values;
  }

  ordered(order: Uint32Array): (detection: number) => string {
    const [texts, cells] = [this.texts, picked(this.numbers, order)];
    return (detection) => texts[cells[detection]];
  }
}

/**
 * Columns that a detections file has beyond those of every one. They are attributes, for costs to read, where each row holds a finite number; the
 * others are kept as text.
 */
export class AttributeColumns {
  #columns: Map<string, GrowingArray<Float64Array> | TextColumn> | null = null;
  readonly #left: string[];

  /** @param unread columns that cannot be read, by their names */
  constructor(unread: readonly string[]) {
    this.#left = [...unread];
  }

  add(row: TableRow): void {
    this.#columns ??= this.#begin([...row.columns].filter((name) => !KNOWN.has(name)));
    for (const [name, column] of this.#columns) {
      const text = row.plainText(name);
      if (column instanceof TextColumn) column.push(text);
      else if (NUMBER.test(text) && Number.isFinite(Number(text))) column.push(Number(text));
      else {
        const texts = new TextColumn();
        for (const value of column.values) texts.push(String(value));
        texts.push(text);
        this.#columns.set(name, texts);
      }
    }
  }

  #begin(names: readonly string[]): Map<string, GrowingArray<Float64Array> | TextColumn> {
    this.#left.push(...names.slice(MOST_COLUMNS));
    const kept = names.slice(0, MOST_COLUMNS);
    return new Map(kept.map((name) => [name, NAME.test(name) ? new GrowingArray(Float64Array) : new TextColumn()]));
  }

  /**
   * The attributes and the columns to hand on, in the order of the header; the notes name the columns for which there is no room.
   * @param order row of each detection
   * @param placed columns that are part of positions and velocities
   */
  finish(
    order: Uint32Array,
    notes: string[],
    placed: readonly string[],
  ): { attributes: [string, Float64Array][]; carried: CarriedColumn[] } {
    if (this.#left.length > 0) notes.push(`Columns not read: ${this.#left.join(", ")}.`);
    const attributes: [string, Float64Array][] = [];
    const carried: CarriedColumn[] = [];
    for (const [name, column] of this.#columns ?? []) {
      if (placed.includes(name)) continue;
      if (column instanceof TextColumn) {
        carried.push({ name, at: column.ordered(order) });
        continue;
      }
      const values = picked(column.values, order);
      attributes.push([name, values]);
      carried.push({ name, at: (detection) => String(values[detection]) });
    }
    if (attributes.length > 0) {
      notes.push(`Attributes, which only costs that name them use: ${attributes.map(([name]) => name).join(", ")}.`);
    }
    return { attributes, carried };
  }
}
