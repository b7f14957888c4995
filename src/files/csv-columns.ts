import { parse } from "csv-parse/sync";
import { quoted } from "./csv-cell.js";

/** The new cells of a column, by line of the file. */
export type NewColumn = (line: number) => string;

/**
 * The table with other cells in the columns named (appended where it lacks them), every other cell and the comments before
 * the header as they were. `bytes` is a table that readTable has accepted.
 */
export function withColumns(bytes: Buffer, columns: Readonly<Record<string, NewColumn>>): string {
  const out = leadingComments(bytes.toString("utf8"));
  let header: string[] | null = null;
  const onRecord = (fields: string[], { lines }: { lines: number }) => {
    const isHeader = header === null;
    header ??= fields.map((name) => name.toLowerCase());
    const cells = fields.slice();
    for (const [name, cell] of Object.entries(columns)) {
      const at = header.indexOf(name);
      cells[at < 0 ? cells.length : at] = isHeader ? name : cell(lines);
    }
    out.push(cells.map(quoted).join(","));
    return null;
  };
  parse(bytes, {
    bom: true,
    comment: "#",
    comment_no_infix: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    trim: true,
    on_record: onRecord,
  });
  out.push("");
  return out.join("\n");
}

function leadingComments(text: string): string[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const end = lines.findIndex((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  return lines.slice(0, end).filter((line) => line.trim() !== "");
}
