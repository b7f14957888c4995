#!/usr/bin/env node
/**
 * Solves by the bundle to given gaps, on the CPU with one thread and without cuts: from multipliers of 0 as they are, by a build from before every solve began warm, and fitted first
 * by two rounds of coordinate ascent (docs/explanation/mathematics.md §3.6), by this one. `--start` names what the build given does.
 *
 *     npm run build && node lab/ascent/warm-from-zero.mjs [--gaps 0.5,0.05,0.01] [--rows lab/results/warm-from-zero.jsonl] INPUT…
 *     git worktree add /tmp/before 5b2bfcca && (cd /tmp/before && npm ci)
 *     node lab/ascent/warm-from-zero.mjs --dist /tmp/before/dist --start none [--gaps …] [--rows …] INPUT…
 */
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gaps: { type: "string", default: "0.05" },
    rows: { type: "string" },
    dist: { type: "string", default: join(import.meta.dirname, "../../dist") },
    start: { type: "string", default: "fitted" },
  },
});
const dist = resolve(options.dist);
const { buildGraph, solve } = await import(join(dist, "map/index.js"));
const { makeProblem } = await import(join(dist, "run/index.js"));
const { readInput } = await import(join(dist, "formats/input.js"));
const { cpuBackend } = await import(join(dist, "run/device.js"));
const now = () => performance.now() / 1000;
const backend = cpuBackend("cpu", 1, now);

for (const file of positionals) {
  const problem = await makeProblem(await readInput(file), {}, { threads: 1, now });
  const { graph } = buildGraph(problem.priced, problem.numbers);
  for (const asked of options.gaps.split(",").map(Number)) {
    const steps = await backend.createSteps(graph, problem.linkPricing);
    const begin = process.cpuUsage();
    const solution = await solve(graph, steps, {
      ascent: "bundle",
      iterations: 2000,
      gap: asked / 100,
      time: Number.POSITIVE_INFINITY,
      now,
    });
    await steps.close();
    const { user, system } = process.cpuUsage(begin);
    const { status, iterations, lowerBound, upperBound, gap } = solution;
    const size = { edges: graph.edges, triplets: graph.triplets.count };
    const measured = { status, iterations, lowerBound, upperBound, gapPercent: 100 * gap };
    const cpuSeconds = (user + system) / 1e6;
    const row = { benchmark: "warm-from-zero", name: basename(file, ".json"), start: options.start, asked };
    keepRow(options.rows, { ...row, ...size, ...measured, cpuSeconds, ...provenance(new Date()) });
    console.log(row.name, options.start, asked, status, iterations, lowerBound, upperBound, 100 * gap, cpuSeconds);
  }
}
