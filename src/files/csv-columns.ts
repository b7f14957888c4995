import { quoted } from "./csv-cell.js";
import { CsvRecords } from "./csv-lines.js";

/** The new cells of a column, by line of the file. */
export type NewColumn = (line: number) => string;

/**
 * The table with other cells in the columns named (appended where it lacks them), every other cell and the comments before
 * the header as they were. `bytes` is plain UTF-8, as plainText gives it, of a table that readTable has accepted.
 */
export function withColumns(bytes: Buffer, columns: Readonly<Record<string, NewColumn>>): string {
  const out = leadingComments(bytes.toString("utf8"));
  let header: string[] | null = null;
  const records = new CsvRecords((fields, line) => {
    const isHeader = header === null;
    header ??= fields.map((name) => name.toLowerCase());
    const cells = [...fields];
    for (const [name, cell] of Object.entries(columns)) {
      const at = header.indexOf(name);
      cells[at < 0 ? cells.length : at] = isHeader ? name : cell(line);
    }
    out.push(cells.map(quoted).join(","));
  });
  records.push(bytes, true);
  out.push("");
  return out.join("\n");
}

function leadingComments(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  const end = lines.findIndex((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  return lines.slice(0, end).filter((line) => line.trim() !== "");
}
