import type { Table } from "./figure.js";
import { counted } from "./numbers.js";

/** Text for HTML and for attributes in double quotes. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

/** Most rows of a table on the page. */
const MOST_TABLE_ROWS = 300;
/** Longer tables are folded. */
const unfolded = 24;

/** An accessible table; a line below a long one states how many rows are left out. */
export function tableHtml({ caption, columns, rows }: Table): string {
  const kept = rows.slice(0, MOST_TABLE_ROWS);
  const cell = (text: string, n: number) => {
    const side = columns[n].number ? ' class="number"' : "";
    return n === 0 ? `<th scope="row"${side}>${escaped(text)}</th>` : `<td${side}>${escaped(text)}</td>`;
  };
  const head = columns.map(
    ({ title, number }) => `<th scope="col"${number ? ' class="number"' : ""}>${escaped(title)}</th>`,
  );
  const more =
    kept.length < rows.length
      ? `<p class="note">${counted(rows.length - kept.length, "more row")}, left out here: give the report fewer rows to see them.</p>`
      : "";
  const table = [
    '<div class="scroll"><table>',
    `<caption>${escaped(caption)}</caption>`,
    `<thead><tr>${head.join("")}</tr></thead>`,
    "<tbody>",
    ...kept.map((row) => `<tr>${row.map(cell).join("")}</tr>`),
    "</tbody></table></div>",
    more,
  ].join("\n");
  if (rows.length <= unfolded) return table;
  return `<details><summary>${escaped(caption)} (${counted(rows.length, "row")})</summary>\n${table}\n</details>`;
}
