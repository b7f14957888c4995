import type { Chart } from "./figure.js";

/** Fields by which marks are placed beside each other or described, which say nothing that others do not. */
const OF_DRAWING = new Set(["says", "beside", "middle", "text", "one"]);

/** The rows that a chart draws as a table with a header: all that its marks are made of, numbers in full. Charts of several parts number the part of each row. */
export function drawnRows(chart: Chart): string[][] {
  const parts = dataOf(chart).map((rows) => rows.filter((row) => fieldsOf([row]).length > 0));
  const filled = parts.filter((rows) => rows.length > 0);
  const rows = filled.flatMap((part, n) => part.map((row) => (filled.length > 1 ? { part: n + 1, ...row } : row)));
  const fields = fieldsOf(rows);
  const cell = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
  return [fields, ...rows.map((row) => fields.map((field) => cell(row[field])))];
}

type Row = Readonly<Record<string, unknown>>;

function fieldsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((field) => !OF_DRAWING.has(field));
}

/** The rows of each of its data sets. */
function dataOf(chart: unknown): Row[][] {
  if (Array.isArray(chart)) return chart.flatMap(dataOf);
  if (typeof chart !== "object" || chart === null) return [];
  return Object.entries(chart).flatMap(([name, part]) => {
    if (name !== "data") return dataOf(part);
    const { values } = part as { values?: Row[] };
    return values === undefined ? [] : [values];
  });
}
