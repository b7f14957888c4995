import type { PlacedRow } from "../../rows/report-rows.js";
import type { Figure, MissingFigure, Table } from "../figure.js";
import { formatNumber } from "../numbers.js";

const about = { id: "measurements", title: "Other measurements" };

/** A table for each kind of row that has no figure of its own. */
export function measurementsFigure(rows: readonly PlacedRow[]): Figure | MissingFigure {
  if (rows.length === 0) return { ...about, needs: "rows of the scripts in lab/" };
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return {
    ...about,
    text: ["Every row as it was measured, in the order of the files."],
    charts: [],
    tables: kinds.map((kind) =>
      tableOf(
        kind,
        rows.filter((row) => row.kind === kind),
      ),
    ),
  };
}

function tableOf({ title, columns }: PlacedRow["kind"], rows: readonly PlacedRow[]): Table {
  // The kind's own schema has read the row.
  const cells = rows.map(({ row }) => columns.map(({ of }) => of(row as never)));
  return {
    caption: title,
    columns: columns.map((column, n) => ({
      title: column.title,
      number: cells.some((row) => typeof row[n] === "number"),
    })),
    rows: cells.map((row) => row.map((cell) => (typeof cell === "number" ? formatNumber(cell) : (cell ?? "–")))),
  };
}
