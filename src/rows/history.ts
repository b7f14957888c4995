import { readTable, type TableRow } from "../files/csv-table.js";
import { readBytes } from "../files/text-file.js";

/** Bounds after an iteration; seconds since the start. */
export interface HistoryRow {
  readonly iteration: number;
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly seconds: number;
}

/** history.csv: iteration,lowerBound,upperBound,seconds; a bound that is not finite yet is an empty cell. */
export function formatHistory(rows: Iterable<HistoryRow>): string {
  const cell = (value: number) => (Number.isFinite(value) ? String(value) : "");
  const lines = Array.from(
    rows,
    ({ iteration, lowerBound, upperBound, seconds }) =>
      `${iteration},${cell(lowerBound)},${cell(upperBound)},${cell(seconds)}`,
  );
  return ["iteration,lowerBound,upperBound,seconds", ...lines, ""].join("\n");
}

const columns = { required: ["iteration", "lowerbound", "upperbound", "seconds"], optional: [] };
const remedy = "give a history.csv as rmap solve -o writes it";

/** Reads a history.csv; an empty bound is −∞ or +∞, an empty time NaN. */
export function readHistory(file: string): HistoryRow[] {
  const rows: HistoryRow[] = [];
  const bound = (row: TableRow, column: string, unknown: number) =>
    row.text(column) === "" ? unknown : row.number(column, { remedy });
  readTable(file, readBytes(file), columns, (row) => {
    rows.push({
      iteration: row.number("iteration", { integer: true, min: 0, remedy }),
      lowerBound: bound(row, "lowerbound", Number.NEGATIVE_INFINITY),
      upperBound: bound(row, "upperbound", Number.POSITIVE_INFINITY),
      seconds: bound(row, "seconds", Number.NaN),
    });
  });
  return rows;
}
