#!/usr/bin/env node
/**
 * The last solve of recordings without velocities, begun in three ways: at 0 as it is, at 0 fitted to the costs, and at the multipliers of the pass before, fitted, as `rmap solve`
 * begins it. All three solve the same problem with one thread and without cuts, to the stop of `rmap solve`.
 *
 *     npm run build && node lab/costs/warm-starts.mjs [--rows lab/results/warm-starts.jsonl] NAME …
 *
 * A name is one of the suite's inputs, like swarm/mixed/1 or long-crowd/dropped/1 (stand-ins.mjs), or of ../shared/data, like cells_btrack_s10/mixed/1.
 */
import { parseArgs } from "node:util";
import { buildGraph, solve } from "rmap/map";
import { makeProblem } from "rmap/run";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { estimateCosts, roughSolves } from "../../dist/run/estimate-costs.js";
import { NATS_PER_DETECTION, PROBABILITIES_GAP_PERCENT, SOLVE_DEFAULTS } from "../../dist/run/run.js";
import { keepRow } from "../rows.mjs";
import { longInputs, recordingInputs, shortInputs } from "./stand-ins.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: "string" } },
});
const now = () => performance.now() / 1000;
const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };
const seeds = [1, 2, 3, 4];
const inputs = [...shortInputs(seeds), ...longInputs(seeds), ...recordingInputs("../shared/data")];

for (const name of positionals) {
  const input = inputs.find((one) => one.name === name);
  if (input === undefined) throw new Error(`${name}: no such input; give one of the suite's, like swarm/mixed/1`);
  await measure(name, input.detections());
}

/** @param {string} name @param {import("rmap/core").Detections} detections */
async function measure(name, detections) {
  const given = await makeProblem({ kind: "detections", recording: recordingOf(name, detections) }, {}, solving);
  const rough = roughSolves(null, "bundle", SOLVE_DEFAULTS);
  const { problem, motion } = await estimateCosts(given, solving, rough, () => Number.POSITIVE_INFINITY);
  if (motion === null || motion.begin === null) throw new Error(`${name}: no cost by probabilities`);
  const { graph } = buildGraph(problem.priced, problem.numbers);
  const starts = /** @type {const} */ ([
    ["none", null],
    ["fitted", new Float64Array(graph.edges)],
    ["carried", motion.begin],
  ]);
  for (const [start, multipliers] of starts) {
    const steps = await solving.backend.createSteps(graph, problem.linkPricing);
    const began = now();
    const { history, iterations, status, gap } = await solve(graph, steps, {
      ascent: "bundle",
      iterations: SOLVE_DEFAULTS.iterations,
      gap: PROBABILITIES_GAP_PERCENT / 100,
      difference: NATS_PER_DETECTION * detections.x.length,
      closing: true,
      time: Number.POSITIVE_INFINITY,
      initialMultipliers: multipliers,
      now,
    });
    const seconds = now() - began;
    await steps.close();
    const row = {
      benchmark: "warm-starts",
      input: name,
      start,
      edges: graph.edges,
      triplets: graph.triplets.count,
      firstGapPercent: 100 * history[0].gap,
      lastGapPercent: 100 * gap,
      status,
      iterations,
      seconds,
      ...provenance(new Date()),
    };
    keepRow(options.rows, row);
    console.log(
      `${name} ${start}: gap ${row.firstGapPercent.toPrecision(2)} % at first, ${status} (${row.lastGapPercent.toPrecision(2)} %) after ${iterations} iterations, ${seconds.toFixed(2)} s`,
    );
  }
}
