/**
 * The tables of lab/notes/features.md on windows of KLT's selection and on best-bin-first search, from the rows of selection.mjs and best-bin-first.mjs.
 *
 *     node lab/features/choices.mjs lab/notes/features.md
 */
import { putTable } from "../docs-table.mjs";
import { rowsOf } from "../rows.mjs";

const [page] = process.argv.slice(2);
if (page === undefined) throw new Error("name the page");
const rows = rowsOf("lab/results/features-choices.jsonl");

const selection = rows.filter(({ benchmark }) => benchmark === "klt-selection");
const cases = [...new Set(selection.map((row) => row.case))];
const windows = [...new Set(selection.map(({ side }) => side))].map((side) => {
  const cells = cases.map((one) => {
    const row = selection.findLast((row) => row.case === one && row.side === side);
    return `${row.followedPercent.toFixed(1)}, ${row.falsePercent.toFixed(2)}, ${row.medianError.toFixed(4)}`;
  });
  return `| ${[`${side} × ${side}`, ...cells].join(" | ")} |\n`;
});
putTable(
  page,
  "klt selection",
  `| window | ${cases.join(" | ")} |\n|---|${"---|".repeat(cases.length)}\n${windows.join("")}`,
);

const searches = rows.filter(({ benchmark }) => benchmark === "best-bin-first");
const lines = searches.map((row) => {
  const {
    descriptors,
    compared,
    recallPercent,
    matches,
    matchRecallPercent,
    wrongMatches,
    cpuSeconds,
    treeSeconds,
    exactSeconds,
  } = row;
  const cells = [
    descriptors.join(" × "),
    compared.toFixed(0),
    `${recallPercent.toFixed(1)} %`,
    `${matchRecallPercent.toFixed(1)} % of ${matches}, ${wrongMatches}`,
    (1000 * (cpuSeconds + treeSeconds)).toFixed(0),
    (1000 * exactSeconds).toFixed(0),
  ];
  return `| ${cells.join(" | ")} |\n`;
});
putTable(
  page,
  "best-bin-first",
  `| descriptors | compared, mean | nearest found | matches found, others | CPU ms, tree included | exact, CPU ms |\n|---|---|---|---|---|---|\n${lines.join("")}`,
);
