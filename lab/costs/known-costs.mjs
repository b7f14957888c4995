#!/usr/bin/env node
/**
 * Solves recordings, positions only, as `rmap solve` does, with `--max-gap 0`, and once more with costs that are estimated from the true tracks instead of from those
 * of the pass before: what these get wrong, no better estimate of the parameters would mend. `--degraded` drops 10 % of the detections and adds 5 % false ones.
 *
 *     npm run build && node lab/costs/known-costs.mjs [--rows lab/results/known-costs.jsonl] [--degraded] [--seeds 1,2,3] RECORDING.csv …
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readDetections } from "rmap/formats";
import { makeProblem, runProblem } from "rmap/run";
import { compareLabels, scoreTracks } from "rmap/scores";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { estimateCosts, roughSolves } from "../../dist/run/estimate-costs.js";
import { refine } from "../../dist/run/motion-passes.js";
import { SOLVE_DEFAULTS } from "../../dist/run/run.js";
import { keepRow } from "../rows.mjs";
import { MIXED, mixed } from "./stand-ins.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    seeds: { type: "string", default: "1" },
    degraded: { type: "boolean", default: false },
  },
});
const now = () => performance.now() / 1000;
const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };
const DAMAGE = options.degraded ? MIXED : { dropped: 0, false: 0 };

for (const file of positionals) {
  const clean = readDetections(file, "ignored").detections;
  for (const seed of options.degraded ? options.seeds.split(",").map(Number) : [1]) {
    const detections = options.degraded ? mixed(clean, seed) : clean;
    for (const costs of /** @type {const} */ (["default", "consecutive", "true tracks"])) {
      await measure(basename(file, ".csv"), detections, seed, costs);
    }
  }
}

/**
 * @param {string} input
 * @param {import("rmap/core").Detections} detections
 * @param {number} seed
 * @param {"default" | "consecutive" | "true tracks"} costs
 */
async function measure(input, detections, seed, costs) {
  if (detections.target === null) throw new Error(`${input}: no truth`);
  const begin = process.cpuUsage();
  const overrides = costs === "consecutive" ? { maxGap: 0 } : {};
  let problem = await makeProblem(
    { kind: "detections", recording: recordingOf(input, detections) },
    overrides,
    solving,
  );
  if (costs === "true tracks") {
    const rough = roughSolves(null, "bundle", SOLVE_DEFAULTS);
    const { problem: last, motion } = await estimateCosts(problem, solving, rough, () => Number.POSITIVE_INFINITY);
    if (motion === null) throw new Error(`${input}: no cost by probabilities`);
    const pass = refine(motion, trueTracks(detections.target));
    problem = { ...last, priced: pass.priced, motion: pass };
  }
  const run = await runProblem(problem, { ...solving, cuts: "auto" });
  const { user, system } = process.cpuUsage(begin);
  const scores = run.track && scoreTracks(compareLabels(detections.frameStart, detections.target, run.track));
  if (scores === null) throw new Error(`${input}: nothing to score`);
  const { gapPercent, lowerBound, upperBound } = run.result;
  const row = {
    benchmark: "known-costs",
    input,
    ...DAMAGE,
    seed,
    costs,
    detections: detections.x.length,
    idf1: Number(scores.idf1),
    linkErrors: Number(scores.linkErrors),
    gapPercent,
    gapNats: lowerBound === null || upperBound === null ? null : upperBound - lowerBound,
    cpuSeconds: (user + system) / 1e6,
    ...provenance(new Date()),
  };
  keepRow(options.rows, row);
  console.log(
    `${input} ${seed}, ${costs}: IDF1 ${row.idf1.toFixed(2)} %, link errors ${row.linkErrors.toFixed(2)} %, gap ${row.gapNats?.toPrecision(2)} nats, ${row.cpuSeconds.toFixed(1)} CPU s`,
  );
}

/** A track for each target, and one for each false detection. */
function trueTracks(target) {
  let fresh = 1 + target.reduce((most, one) => Math.max(most, one), -1);
  return target.map((one) => (one < 0 ? fresh++ : one));
}
