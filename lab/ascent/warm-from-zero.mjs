#!/usr/bin/env node
/**
 * The bundle from multipliers of 0 as they are, and fitted first by two rounds of coordinate ascent (docs/explanation/mathematics.md §3.6), to the same gap, on the CPU
 * with one thread and without cuts.
 *
 *     npm run build && node lab/ascent/warm-from-zero.mjs [--gap 0.05] [--rows lab/results/warm-from-zero.jsonl] SCENARIO…
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { buildGraph, solve } from "rmap/map";
import { makeProblem } from "rmap/run";
import { readInput } from "../../dist/formats/input.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { gap: { type: "string", default: "0.05" }, rows: { type: "string" } },
});
const now = () => performance.now() / 1000;
const backend = cpuBackend("cpu", 1, now);

for (const file of positionals) {
  const problem = await makeProblem(await readInput(file), {}, { threads: 1, now });
  const { graph } = buildGraph(problem.priced, problem.numbers);
  for (const start of /** @type {const} */ (["none", "fitted"])) {
    const steps = await backend.createSteps(graph, problem.linkPricing);
    const begin = process.cpuUsage();
    const solution = await solve(graph, steps, {
      ascent: "bundle",
      iterations: 2000,
      gap: Number(options.gap) / 100,
      time: Number.POSITIVE_INFINITY,
      now,
      initialMultipliers: start === "fitted" ? new Float64Array(graph.edges) : null,
    });
    await steps.close();
    const { user, system } = process.cpuUsage(begin);
    const { status, iterations, lowerBound, upperBound, gap } = solution;
    const measured = {
      status,
      iterations,
      lowerBound,
      upperBound,
      gapPercent: 100 * gap,
      cpuSeconds: (user + system) / 1e6,
    };
    const row = {
      benchmark: "warm-from-zero",
      name: basename(file, ".json"),
      start,
      asked: Number(options.gap),
      ...measured,
    };
    keepRow(options.rows, { ...row, ...provenance(new Date()) });
    console.log(row.name, start, status, iterations, lowerBound, upperBound, row.gapPercent, row.cpuSeconds);
  }
}
