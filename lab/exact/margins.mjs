#!/usr/bin/env node
/**
 * Calibration of margins: how many links are wrong by certified margin, on simulations with the likelihood cost, whose noise is known, and on recordings
 * with their default cost.
 *
 *     npm run build && node lab/exact/margins.mjs [--rows lab/results/margins.jsonl] [RECORDING.csv…]     recordings: those of scenarios/data and what is named
 *     node lab/exact/margins.mjs --only recording RECORDING.csv…                                      those that are named, and no simulations
 *     node lab/exact/margins.mjs --picture docs/img/margins.svg                                       the report's figure of all rows
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { makeProblem, runProblem } from "rmap/run";
import { readInput } from "../../dist/formats/input.js";
import { renderChart } from "../../dist/report/render-chart.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openBackend } from "../../dist/run/device.js";
import { marginsFigure } from "../../dist-lab/report/margins.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "lab/results/margins.jsonl" },
    only: { type: "string" },
    picture: { type: "string" },
  },
});
const LIMITS = [0, 1, 2, 3, 5, 10];
/** Simulated inputs: scenarios and noises, three seeds each. */
const SIMULATED = [
  "scenarios/demo.json",
  "scenarios/crowded.json",
  "scenarios/wide.json",
  "scenarios/paper/n050-t050.json",
];
const SEEDS = [1, 2, 3];
const now = () => performance.now() / 1000;

if (options.picture !== undefined) {
  const rows = readFileSync(options.rows, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const figure = marginsFigure(rows);
  if (!("charts" in figure)) throw new Error("no rows of margins");
  const { charts, tables } = figure;
  const svg = await renderChart(charts[0].chart, charts[0].caption);
  // As a file of its own: with its name space, and without what is said to a reader of the page that it is not in.
  const own = svg
    .replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, "")
    .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ');
  writeFileSync(options.picture, `${own.replace(">", `><title>${charts[0].caption}</title>`)}\n`);
  for (const { caption, columns, rows } of tables) {
    const line = (cells) => `| ${cells.join(" | ")} |`;
    process.stdout.write(
      `${caption}\n\n${[line(columns.map(({ title }) => title)), line(columns.map(() => "---")), ...rows.map(line)].join("\n")}\n\n`,
    );
  }
} else {
  const backend = await openBackend("cpu", { threads: 1, now });
  const measure = async (file, kind, cost, seed) => {
    const overrides = { ...(cost && { cost }), ...(seed !== null && { seed }) };
    const problem = await makeProblem(await readInput(file), overrides, { threads: 1, now });
    const { result, track, margins } = await runProblem(problem, { threads: 1, backend, now, time: 60 });
    if (track === null || margins === null || !problem.target) {
      process.stderr.write(
        `${basename(file)} ${cost ?? "motion"} ${seed ?? ""}: left out, it has no tracks, margins or true targets\n`,
      );
      return;
    }
    const bins = [null, ...LIMITS].map((above, n) => ({
      above,
      most: LIMITS[n] ?? null,
      links: 0,
      wrong: 0,
      predicted: 0,
    }));
    const last = new Map();
    for (let d = 0; d < track.length; d++) {
      const before = last.get(track[d]);
      last.set(track[d], d);
      if (before === undefined || Number.isNaN(margins.link[before])) continue;
      const margin = margins.link[before];
      const bin = bins.find(
        ({ above, most }) => (above === null || margin > above) && (most === null || margin <= most),
      );
      bin.links++;
      if (problem.target[before] !== problem.target[d]) bin.wrong++;
      bin.predicted += 1 / (1 + Math.exp(margin));
    }
    const { gapPercent } = result;
    const row = {
      benchmark: /** @type {const} */ ("margins"),
      input: basename(file).replace(/\.\w+$/, ""),
      kind,
      cost: cost ?? "motion",
      seed,
      gapPercent,
      bins,
      ...provenance(new Date()),
    };
    keepRow(options.rows, row);
    process.stderr.write(
      `${row.input} ${row.cost} ${seed ?? ""}: ${bins.map(({ links, wrong }) => `${wrong}/${links}`).join("  ")}\n`,
    );
  };
  const named = options.only === "recording";
  for (const file of named ? [] : SIMULATED)
    for (const seed of SEEDS) await measure(file, "simulation", "likelihood", seed);
  const recordings = readdirSync("scenarios/data")
    .filter((file) => file.endsWith(".csv"))
    .map((file) => `scenarios/data/${file}`);
  for (const file of [...(named ? [] : recordings), ...positionals]) await measure(file, "recording", null, null);
}
