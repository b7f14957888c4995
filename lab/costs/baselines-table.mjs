/**
 * Puts the table of `rmap bench baselines` between its marks in a page, from the rows alone: the last of each method, input, fault and seed.
 *
 *     node lab/costs/baselines-table.mjs [--rows results/baselines.jsonl] lab/notes/recordings.md
 */
import { parseArgs } from "node:util";
import { baselineTable, FLOOR } from "../../dist/experiments/baselines/table.js";
import { putTable } from "../docs-table.mjs";
import { rowsOf } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: "string", default: "results/baselines.jsonl" } },
});
const last = new Map();
for (const row of rowsOf(values.rows)) {
  const { method, input, velocities, fault, level, seed } = row;
  last.set(JSON.stringify([method, input, velocities, fault, level, seed]), row);
}
const { header, rows, ratios } = baselineTable([...last.values()]);
/** @param {readonly string[]} cells */
const line = (cells) => `| ${cells.join(" | ")} |\n`;
const means = ratios.map(({ method, ratio, lines }) => `${method} ${ratio.toFixed(2)} (${lines} lines)`).join(", ");
const table = `${line(header)}${line(header.map(() => "---"))}${rows.map(line).join("")}`;
const mean = `\nGeometric mean over the lines of link errors over those of the default, ${FLOOR} % added to both: ${means}.\n`;
putTable(positionals[0], "baselines", table + mean);
