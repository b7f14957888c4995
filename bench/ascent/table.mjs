// The GPU's tables from the committed rows alone, printed or put between the gpu-table markers of a file:
//
//     node bench/ascent/table.mjs [--readme README.md]
//
// Rows: results/lap-gpu.jsonl (bench/lap/gpu.mjs and scipy-cores.py) and results/ascent-gpu.jsonl (bench/ascent/ascent.mjs).
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { readme: { type: "string" } } });
const rowsOf = (file) =>
  readFileSync(new URL(`../../results/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const milliseconds = (value) => (value < 10 ? value.toPrecision(2) : value.toFixed(0));

const laps = rowsOf("lap-gpu.jsonl");
const scipy = new Map(
  laps.filter((row) => row.benchmark === "lap-scipy-cores").map((row) => [`${row.size},${row.laps}`, row]),
);
const gpuLaps = laps.filter((row) => row.benchmark !== "lap-scipy-cores");
const lines = [
  `LAPs with uniform f32 costs on one ${gpuLaps[0].device}, milliseconds (median of 5), every answer certified:`,
  "",
  "| LAPs | cold | warm, costs unchanged | warm, n costs changed | SciPy, 16 cores of the host |",
  "|---|---|---|---|---|",
  ...gpuLaps.map(({ size, laps: count, milliseconds: ms }) => {
    const beside = scipy.get(`${size},${count}`);
    const cells = [ms.cold, ms.warmSame, ms.warmChanged].map((time) => milliseconds(time.median));
    return `| ${count} of ${size} × ${size} | ${cells.join(" | ")} | ${beside ? milliseconds(beside.milliseconds.median) : "–"} |`;
  }),
  "",
];

const ascents = rowsOf("ascent-gpu.jsonl").filter((row) => row.profile !== true);
const names = [...new Set(ascents.map((row) => row.ascent))];
const problems = [...new Set(ascents.map((row) => row.problem))];
const described = (problem) =>
  problem.replace("authors:", "dense, authors' generator ").replace("gated:", "gated scenario ");
const latest = (problem, ascent) => ascents.filter((row) => row.problem === problem && row.ascent === ascent).at(-1);
lines.push(
  `100 iterations of each ascent on one ${ascents[0].device.actual} (N, T), milliseconds (median of 5) and the certified gap after them; the last column is the default solve to 0.01 % or its stall:`,
  "",
  `| problem | ${names.join(" | ")} | full solve |`,
  `|---|${names.map(() => "---").join("|")}|---|`,
  ...problems.map((problem) => {
    const cells = names.map((ascent) => {
      const row = latest(problem, ascent);
      if (row === undefined) return "–";
      const early = row.iterations < 100 ? `, ended after ${row.iterations}` : "";
      return `${milliseconds(1000 * row.seconds.median)} ms, ${Number(row.gapPercent.toPrecision(2))} %${early}`;
    });
    const { full } = latest(problem, names.at(-1));
    return `| ${described(problem)} | ${cells.join(" | ")} | ${Number(full.gapPercent.toPrecision(2))} % |`;
  }),
);

const table = lines.join("\n");
if (values.readme === undefined) console.log(table);
else {
  const text = readFileSync(values.readme, "utf8");
  const marked = /(<!-- gpu-table -->\n)[\s\S]*?(<!-- \/gpu-table -->)/;
  if (!marked.test(text)) throw new Error(`${values.readme} has no gpu-table markers`);
  writeFileSync(
    values.readme,
    text.replace(marked, (_, open, close) => `${open}\n${table}\n\n${close}`),
  );
}
