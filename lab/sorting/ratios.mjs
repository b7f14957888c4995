/**
 * How the boards compare over all runs of the six sets: in each run the geometric mean of a frame's median times over the sets, and of these the median, the least, the greatest and the last
 * of all runs there are rows of. A run that is left out says why here.
 *
 *     npm run build -w lab && node lab/sorting/ratios.mjs lab/notes/sorting.md [lab/notes/papers.md]
 */
import { geometricMean, spreadOf } from "../../dist/experiments/bench/timing.js";
import { auctionSpeedups } from "../../dist-lab/sorting/speedups.js";
import { putTable } from "../docs-table.mjs";
import { rowsOf } from "../rows.mjs";

const FILES = ["lab/results/auction-gpu.jsonl", "lab/results/auction-repeated.jsonl"];
const SIX = ["spheres-1", "spheres-2", "spheres-and-plates", "cylinders", "pepper-1-stand-in", "pepper-2-stand-in"];
/** Its board (d) was another program: the host made the grid number by number, and read back in a second submission. */
const OLDER_WORKGROUP = "4265fe0";
const PAPER = { "(a) over (c), the host's test in both": "1.24 (1.04 to 1.7); CUDA 1.17, OpenCL 1.25 and 1.32" };

const rows = FILES.flatMap(rowsOf)
  .filter(({ set, tiles, crowd, border }) => SIX.includes(set) && tiles === 1 && crowd === 1 && !border)
  .sort((a, b) => a.date.localeCompare(b.date));
/** The rows of a run: a row of a set, form, board and loop that the run has already begins the next one of its revision. */
const runs = new Map();
const seen = new Map();
for (const row of rows) {
  const key = [row.revision, row.set, row.form, row.board, row.loop].join();
  const number = seen.get(key) ?? 0;
  seen.set(key, number + 1);
  const run = `${row.revision} ${number}`;
  runs.set(run, [...(runs.get(run) ?? []), row]);
}

/** By comparison and form, a ratio a run. */
const ratios = new Map();
for (const [run, own] of runs) {
  for (const { name, form, ratios: ofSets } of auctionSpeedups(own)) {
    if (ofSets.length < SIX.length || (name.includes("(d)") && run.startsWith(OLDER_WORKGROUP))) continue;
    const forms = ratios.get(name) ?? {};
    forms[form] = [...(forms[form] ?? []), geometricMean(ofSets.map(({ ratio }) => ratio))];
    ratios.set(name, forms);
  }
}
const cell = (values) => {
  const { median, min, max } = spreadOf(values);
  const [m, least, most, last] = [median, min, max, values.at(-1)].map((value) => value.toFixed(2));
  return `${m} (${least} to ${most}; last ${last}; ${values.length} runs)`;
};
const lines = Array.from(
  ratios,
  ([name, { list, dense }]) => `| ${name} | ${cell(list)} | ${cell(dense)} | ${PAPER[name] ?? "–"} |\n`,
);
/** Of the dense form, as in the paper, by set: medians over the runs. */
const over = (set, board, loop, milliseconds) => {
  const values = rows
    .filter((row) => row.form === "dense" && row.set === set && row.board === board && row.loop === loop)
    .map(milliseconds);
  return spreadOf(values).median;
};
const share = (set, board, loop) => `${(20 * over(set, board, loop, (row) => row.milliseconds.mean)).toFixed(1)} %`;
const bySet = SIX.map((set) => {
  const [matrix, packed] = ["matrix", "packed"].map((board) =>
    over(set, board, "host", (row) => row.milliseconds.median),
  );
  const shares = [share(set, "matrix", "host"), share(set, "packed", "host"), share(set, "workgroup", "submit")];
  return `| ${[set, (matrix / packed).toFixed(2), ...shares].join(" | ")} |\n`;
});
const { dense } = ratios.get("(a) over (c), the host's test in both");
bySet.push(`| all six, the geometric mean of a run | ${cell(dense)} | – | – | – |\n`);
const sets = `| dense form | (a) over (c), the host's test in both | (a), of 5 ms | (c), of 5 ms | (d), of 5 ms |\n|---|---|---|---|---|\n${bySet.join("")}`;
const table = `| | list | dense, as in the paper | paper |\n|---|---|---|---|\n${lines.join("")}`;
console.log(`${table}\n${sets}`);
const [page, pageOfSets] = process.argv.slice(2);
if (page !== undefined) putTable(page, "auction ratios", table);
if (pageOfSets !== undefined) putTable(pageOfSets, "auction sets", sets);
