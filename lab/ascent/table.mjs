// The GPU's tables from the committed rows alone, the latest of each kind, printed or put between the marks <!-- table gpu --> of a file:
//
//     node lab/ascent/table.mjs [--page docs/benchmarks.md] [--results results]
//
// Rows: lap-gpu.jsonl (lab/lap/gpu.mjs and scipy-cores.py), lap-warm-gpu.jsonl (lab/lap/warm.mjs) where there is one, and
// ascent-gpu.jsonl (lab/ascent/ascent.mjs).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { putTable } from "../docs-table.mjs";
import { rowsOf } from "../rows.mjs";

const results = fileURLToPath(new URL("../results", import.meta.url));
const { values } = parseArgs({
  options: { page: { type: "string" }, results: { type: "string", default: results } },
});
const resultsOf = (file) => rowsOf(join(values.results, file));
const milliseconds = (value) => (value < 10 ? value.toPrecision(2) : value.toFixed(0));
const distinct = (list) => [...new Set(list)];
/** The last row of each key; keys in order of their first rows. */
const latestOf = (rows, key) => new Map(rows.map((row) => [key(row), row]));
const described = (problem) =>
  problem.replace("authors:", "dense, authors' generator ").replace("gated:", "gated scenario ");

const batch = ({ size, laps }) => `${size},${laps}`;
const laps = resultsOf("lap-gpu.jsonl");
const scipy = latestOf(
  laps.filter((row) => row.benchmark === "lap-scipy-cores"),
  batch,
);
const gpuLaps = [
  ...latestOf(
    laps.filter((row) => row.benchmark !== "lap-scipy-cores"),
    batch,
  ).values(),
].sort((a, b) => a.size - b.size || a.laps - b.laps);
const cores = distinct([...scipy.values()].map((row) => row.cores)).join(" or ");
const lines = [
  `LAPs with uniform f32 costs on one ${distinct(gpuLaps.map((row) => row.device)).join(" or ")}, milliseconds (median of 5), every answer but SciPy's certified:`,
  "",
  `| LAPs | cold | warm, costs unchanged | warm, n costs changed | SciPy, ${cores} cores of the host |`,
  "|---|---|---|---|---|",
  ...gpuLaps.map((row) => {
    const beside = scipy.get(batch(row));
    const { cold, warmSame, warmChanged } = row.milliseconds;
    const cells = [cold, warmSame, warmChanged].map((time) => milliseconds(time.median));
    cells.push(beside ? milliseconds(beside.milliseconds.median) : "–");
    return `| ${row.laps} of ${row.size} × ${row.size} | ${cells.join(" | ")} |`;
  }),
  "",
];

if (existsSync(join(values.results, "lap-warm-gpu.jsonl"))) {
  const rows = resultsOf("lap-warm-gpu.jsonl");
  const latest = latestOf(rows, ({ problem, ascent }) => `${problem} ${ascent}`);
  const names = distinct(rows.map((row) => row.ascent));
  lines.push(
    `The X-LAPs of an ascent on one ${distinct(rows.map((row) => row.device)).join(" or ")}, milliseconds by the device's clock, certified: cold at v = 0, and warm after each of an ascent's first ten steps, the median of all and in brackets that of the first (5 repetitions):`,
    "",
    `| X-LAPs | cold | ${names.map((name) => `after a step of ${name}`).join(" | ")} |`,
    `|---|---|${names.map(() => "---").join("|")}|`,
    ...distinct(rows.map((row) => row.problem)).map((problem) => {
      const own = names.map((name) => latest.get(`${problem} ${name}`));
      const { laps: count, size, milliseconds: any } = own.find((row) => row !== undefined);
      const cells = own.map((row) => {
        if (row === undefined) return "–";
        const { steps, warm } = row.milliseconds;
        return `${milliseconds(warm.median)} (${milliseconds(steps[0].median)})`;
      });
      const what = `${described(problem)}: ${count} of ${size} × ${size}`;
      return `| ${what} | ${milliseconds(any.cold.median)} | ${cells.join(" | ")} |`;
    }),
    "",
  );
}

const ascents = resultsOf("ascent-gpu.jsonl").filter((row) => row.profile !== true);
const names = distinct(ascents.map((row) => row.ascent));
const problems = distinct(ascents.map((row) => row.problem)).sort(new Intl.Collator("en", { numeric: true }).compare);
const latest = (problem, ascent) => ascents.filter((row) => row.problem === problem && row.ascent === ascent).at(-1);
let older = false;
lines.push(
  `100 iterations of each ascent on one ${distinct(ascents.map((row) => row.device.actual)).join(" or ")} (N, T), milliseconds (median of 5) and the certified gap after them; the last column is the default solve to 0.01 % or its stall:`,
  "",
  `| problem | ${names.join(" | ")} | full solve |`,
  `|---|${names.map(() => "---").join("|")}|---|`,
  ...problems.map((problem) => {
    const cells = names.map((ascent) => {
      const row = latest(problem, ascent);
      if (row === undefined) return "–";
      const present = ascents.findLast((other) => other.problem === problem).revision;
      const mark = row.revision === present ? "" : " †";
      older ||= mark !== "";
      const early = row.iterations < 100 ? `, ended after ${row.iterations}` : "";
      return `${milliseconds(1000 * row.seconds.median)} ms, ${Number(row.gapPercent.toPrecision(2))} %${early}${mark}`;
    });
    const { full } = ascents.filter((row) => row.problem === problem).at(-1);
    return `| ${described(problem)} | ${cells.join(" | ")} | ${Number(full.gapPercent.toPrecision(2))} % |`;
  }),
);
if (older) lines.push("", "† measured at an earlier revision than the rest of its line.");

const table = lines.join("\n");
if (values.page === undefined) console.log(table);
else putTable(values.page, "gpu", `${table}\n`);
