import { GrowingArray } from "../core/growing-array.js";
import { readTable, type TableColumns, type TableHeader, type TableRow } from "./csv-table.js";

/** A table's numbers by column, in the order of its rows. */
export type NumberColumns<Name extends string> = Readonly<Record<Name, Float64Array>> & {
  readonly header: TableHeader;
  /** Line of the file of each row. */
  readonly line: Uint32Array;
};

/**
 * readTable into arrays: each of `cells` gives one number of a row.
 * @param onRow called with each row once its numbers are read
 */
export function readNumbers<Name extends string>(
  file: string,
  bytes: Uint8Array,
  columns: TableColumns,
  cells: Readonly<Record<Name, (row: TableRow) => number>>,
  onRow?: (row: TableRow) => void,
): NumberColumns<Name> {
  const line = new GrowingArray(Uint32Array);
  const read = Object.entries<(row: TableRow) => number>(cells).map(([name, cell]) => {
    return { name, cell, numbers: new GrowingArray(Float64Array) };
  });
  const header = readTable(file, bytes, columns, (row) => {
    for (const { cell, numbers } of read) numbers.push(cell(row));
    line.push(row.line);
    onRow?.(row);
  });
  const values = Object.fromEntries(read.map(({ name, numbers }) => [name, numbers.values]));
  return { ...(values as Record<Name, Float64Array>), header, line: line.values };
}
