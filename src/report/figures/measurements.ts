import { group } from "d3-array";
import { type Measurement, measurement, spread } from "../../rows/measurement.js";
import type { Figure, MissingFigure, Table } from "../figure.js";
import { formatNumber } from "../numbers.js";

const about = { id: "measurements", title: "Other measurements" };

/** A table for each benchmark that has no figure of its own. */
export function measurementsFigure(rows: readonly Measurement[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of any other benchmark" };
  return {
    ...about,
    text: ["Every row as it was measured, in the order of the files."],
    charts: [],
    tables: [...group(rows, ({ benchmark }) => benchmark)].map(([benchmark, own]) => tableOf(benchmark, own)),
  };
}

/** Shown where the rows come from, or in the caption. */
const ELSEWHERE = new Set(["bench", ...Object.keys(measurement.shape).filter((key) => key !== "device")]);

/** The fields that hold a number or a text; of repeated times the median. */
function tableOf(benchmark: string, rows: readonly Measurement[]): Table {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => cellOf(row[key]) !== null)))];
  const columns = keys.filter((key) => !ELSEWHERE.has(key));
  const cells = rows.map((row) => columns.map((key) => cellOf(row[key])));
  return {
    caption: benchmark,
    columns: columns.map((title, n) => ({ title, number: cells.some((row) => typeof row[n] === "number") })),
    rows: cells.map((row) => row.map((cell) => (typeof cell === "number" ? formatNumber(cell) : (cell ?? "–")))),
  };
}

function cellOf(value: unknown): number | string | null {
  if (typeof value === "number" || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return null;
  if ("actual" in value) return String(value.actual);
  return spread.safeParse(value).data?.median ?? null;
}
