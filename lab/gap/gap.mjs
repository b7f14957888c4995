#!/usr/bin/env node
/**
 * Certified gap of every ascent on every committed scenario, under the same stop rules: gap 0 %, 500 iterations or 60 s. The default
 * ascent and its nearest rival run once more at the default stop rules. Each run appends a row, which has the times too; the table
 * takes the last row of each scenario, ascent and stop rule.
 *
 *     npm run build && node lab/gap/gap.mjs [--only NAME] [--ascent NAME] [--rows results/gap.jsonl]     solve, append, print the table
 *     node lab/gap/gap.mjs --table [--page docs/benchmarks.md]                           the table from rows alone
 *
 * --page: also puts the table between the marks <!-- table gap --> of that file.
 */
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { readRows } from "rmap";
import { ASCENTS, DEFAULT_ASCENT } from "rmap/map";
import { makeProblem, runProblem } from "rmap/run";
import { readInput } from "../../dist/formats/input.js";
import { provenance } from "../../dist/rows/provenance.js";
import { appendRow } from "../../dist/rows/results.js";
import { openBackend } from "../../dist/run/device.js";
import { SOLVE_DEFAULTS } from "../../dist/run/run.js";
import { putTable } from "../docs-table.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "results/gap.jsonl" },
    only: { type: "string" },
    ascent: { type: "string" },
    table: { type: "boolean", default: false },
    page: { type: "string" },
  },
});
const threads = availableParallelism();
const now = () => performance.now() / 1000;
const backend = await openBackend("cpu", { threads, now });
/** For a GPU: run only when asked for by --only. */
const LARGE = new Set(["n300-t300"]);
const equal = { gap: 0, iterations: 500, time: 60 };
const usual = { gap: SOLVE_DEFAULTS.gapPercent, iterations: SOLVE_DEFAULTS.iterations, time: null };
/** @type {{ ascent: import("rmap/map").AscentName, stop: any }[]} */
const runs = [
  .../** @type {const} */ (["rmap", "bidirectional", "polyak", "bundle"]).map((ascent) => ({ ascent, stop: equal })),
  { ascent: "polyak", stop: usual },
  { ascent: DEFAULT_ASCENT, stop: usual },
];
if (runs.length !== Object.keys(ASCENTS).length + 2) throw new Error("an ascent is missing from this bench");

if (!options.table) {
  const folders = { scenarios: ".json", "scenarios/paper": ".json", "scenarios/data": ".csv" };
  const files = Object.entries(folders).flatMap(([folder, extension]) =>
    readdirSync(folder).flatMap((file) => (extname(file) === extension ? [`${folder}/${file}`] : [])),
  );
  for (const file of files.sort()) {
    const name = basename(file, extname(file));
    if (options.only === undefined ? LARGE.has(name) : name !== options.only) continue;
    for (const { ascent, stop } of runs.filter((run) => run.ascent === (options.ascent ?? run.ascent))) {
      const problem = await makeProblem(await readInput(file), {}, { threads, now });
      const { result } = await runProblem(problem, {
        ascent,
        iterations: stop.iterations,
        gapPercent: stop.gap,
        time: stop.time ?? undefined,
        threads,
        backend,
        now,
      });
      const row = {
        ...result,
        scenario: { .../** @type {object} */ (result.scenario), stop },
        ...provenance(new Date()),
      };
      appendRow(options.rows, row);
      process.stderr.write(`${row.name} ${ascent}: ${row.status}, ${cell(row)}, ${row.times.total.toFixed(2)} s\n`);
    }
  }
}

const text = table(readRows(options.rows));
process.stdout.write(text);
if (options.page !== undefined) putTable(options.page, "gap", text);

function table(rows) {
  const latest = new Map(rows.map((row) => [key(row.name, row.ascent, row.scenario.stop), row]));
  const names = [...new Set(rows.map(({ name }) => name))].sort();
  const header = runs.map(({ ascent, stop }) => (stop === equal ? `\`${ascent}\`` : `\`${ascent}\`, default stop`));
  const lines = [
    ["scenario", ...header],
    ["---", ...header.map(() => "---")],
  ];
  for (const name of names) {
    lines.push([name, ...runs.map(({ ascent, stop }) => cell(latest.get(key(name, ascent, stop))))]);
  }
  return `${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

function key(name, ascent, { gap, iterations, time }) {
  return `${name} ${ascent} ${gap} ${iterations} ${time}`;
}

/** Certified gap and iterations of one run. */
function cell(row) {
  if (row === undefined) return "–";
  if (row.gapPercent === null) return "no certified gap";
  const gap = row.status === "optimal" ? "proved" : `${Number(row.gapPercent.toPrecision(2))} %`;
  return `${gap} · ${row.iterations}`;
}
