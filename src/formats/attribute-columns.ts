import { GrowingArray } from "../core/growing-array.js";
import type { TableRow } from "../files/csv-table.js";

const KNOWN = new Set(["frame", "x", "y", "vx", "vy", "target"]);
/** What a formula can name. */
const NAME = /^[a-z][a-z0-9_]*$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Most columns that are kept. */
const MOST = 32;

/** Columns that a detections file has beyond those of every one: attributes where each row holds a finite number. */
export class AttributeColumns {
  private columns: Map<string, GrowingArray<Float64Array>> | null = null;

  add(row: TableRow): void {
    this.columns ??= new Map(
      [...row.columns]
        .filter((name) => !KNOWN.has(name) && NAME.test(name))
        .slice(0, MOST)
        .map((name) => [name, new GrowingArray(Float64Array)]),
    );
    for (const [name, values] of this.columns) {
      const text = row.text(name);
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      if (Number.isFinite(value)) values.push(value);
      else this.columns.delete(name);
    }
  }

  /** The attributes in the order of the header; its other columns go to the notes. */
  finish(others: readonly string[], notes: string[]): readonly (readonly [string, Float64Array])[] {
    const left = others.filter((name) => !this.columns?.has(name.toLowerCase()));
    if (left.length > 0) notes.push(`Columns not read: ${left.join(", ")}.`);
    const attributes = [...(this.columns ?? [])];
    if (attributes.length > 0) {
      notes.push(`Attributes, which only costs that name them use: ${attributes.map(([name]) => name).join(", ")}.`);
    }
    return attributes.map(([name, { values }]) => [name, values] as const);
  }
}
