#!/usr/bin/env node
/**
 * Solves recordings, positions only, as `rmap solve` does, with `--max-gap 0`, and once more with costs that are estimated from the true tracks instead of from those
 * of the pass before: what these get wrong, no better estimate of the parameters would mend. "true densities" takes how targets move from the true tracks, "true odds" all else: starts, ends,
 * misses and false detections. `--degraded` drops 10 % of the detections and adds 5 % false ones. `--kinds` takes
 * stand-ins (stand-ins.mjs) beside the recordings, clean and degraded.
 *
 *     npm run build && node lab/costs/known-costs.mjs [--rows lab/results/known-costs.jsonl] [--degraded] [--seeds 1,2,3] [--kinds crowd,traffic] [RECORDING.csv …]
 *     node lab/costs/known-costs.mjs --table lab/notes/own-tracks.md                    the table of stand-ins from the latest rows
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readDetections } from "rmap/formats";
import { makeProblem, runProblem } from "rmap/run";
import { compareLabels, scoreTracks } from "rmap/scores";
import { candidateLinks } from "../../dist/costs/motion/candidates.js";
import { linksBy, mergeLinks } from "../../dist/costs/motion/links.js";
import { priceMotion } from "../../dist/costs/motion/price-motion.js";
import { trackCosts } from "../../dist/costs/motion/track-costs.js";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { estimateCosts, roughSolves } from "../../dist/run/estimate-costs.js";
import { refine } from "../../dist/run/motion-passes.js";
import { SOLVE_DEFAULTS } from "../../dist/run/run.js";
import { putTable } from "../docs-table.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { MIXED, mixed, shortInputs } from "./stand-ins.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    seeds: { type: "string", default: "1" },
    degraded: { type: "boolean", default: false },
    kinds: { type: "string" },
    table: { type: "string" },
  },
});
const now = () => performance.now() / 1000;
const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };
const seeds = options.seeds.split(",").map(Number);
const COSTS = /** @type {const} */ (["default", "consecutive", "true tracks", "true densities", "true odds"]);
const OF_TABLE = ["crowd", "students", "traffic"];
const UNDAMAGED = { dropped: 0, false: 0 };

if (options.table !== undefined) putTable(options.table, "known costs", table());
for (const file of positionals) {
  const clean = readDetections(file, "ignored").detections;
  for (const seed of options.degraded ? seeds : [1]) {
    const damage = options.degraded ? MIXED : UNDAMAGED;
    await measureAll(basename(file, ".csv"), options.degraded ? mixed(clean, seed) : clean, damage, seed);
  }
}
const kinds = options.kinds?.split(",") ?? [];
for (const { name, kind, detections } of kinds.length > 0 ? shortInputs(seeds) : []) {
  const [, fault, seed] = name.split("/");
  if (!kinds.includes(kind) || (fault !== "clean" && fault !== "mixed")) continue;
  await measureAll(kind, detections(), fault === "mixed" ? MIXED : UNDAMAGED, Number(seed));
}

/**
 * @param {string} input
 * @param {import("rmap/core").Detections} detections
 * @param {{ dropped: number, false: number }} damage
 * @param {number} seed
 */
async function measureAll(input, detections, damage, seed) {
  for (const costs of COSTS) {
    await measure(input, detections, damage, seed, costs);
  }
}

/**
 * @param {string} input
 * @param {import("rmap/core").Detections} detections
 * @param {{ dropped: number, false: number }} damage
 * @param {number} seed
 * @param {typeof COSTS[number]} costs
 */
async function measure(input, detections, damage, seed, costs) {
  if (detections.target === null) throw new Error(`${input}: no truth`);
  const begin = process.cpuUsage();
  const overrides = costs === "consecutive" ? { maxGap: 0 } : {};
  let problem = await makeProblem(
    { kind: "detections", recording: recordingOf(input, detections) },
    overrides,
    solving,
  );
  if (costs.startsWith("true")) {
    const rough = roughSolves(null, "bundle", SOLVE_DEFAULTS);
    const { problem: last, motion } = await estimateCosts(problem, solving, rough, () => Number.POSITIVE_INFINITY);
    if (motion === null) throw new Error(`${input}: no cost by probabilities`);
    const known = refine(motion, trueTracks(detections.target));
    const pass =
      costs === "true tracks" ? known : pricedBy(known, costs === "true odds" ? [motion, known] : [known, motion]);
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
    ...damage,
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
    `${input} ${damage.dropped > 0 ? "degraded " : ""}${seed}, ${costs}: IDF1 ${row.idf1.toFixed(2)} %, link errors ${row.linkErrors.toFixed(2)} %, gap ${row.gapNats?.toPrecision(2)} nats, ${row.cpuSeconds.toFixed(1)} CPU s`,
  );
}

/**
 * The problem of a pass with the densities of one and the odds of another.
 * @typedef {ReturnType<typeof refine>} Pass
 * @param {Pass} pass
 * @param {[densities: Pass, odds: Pass]} of
 * @returns {Pass}
 */
function pricedBy(pass, [{ fit }, other]) {
  const { drift, velocityWeight, prior, step, persistence } = fit.model;
  const model = { ...other.fit.model, drift, velocityWeight, prior, step, persistence };
  const detections = pass.recording;
  const costs = trackCosts(detections, "auto", { model, odds: other.fit.odds });
  const near = candidateLinks(detections, model, costs, [1]);
  const links = pass.over === null ? near : mergeLinks(near, linksBy(detections, model, pass.over.links));
  const fitted = { ...other.fit, model };
  return { ...pass, fit: fitted, costs, near, priced: priceMotion(detections, model, costs, links), begin: null };
}

/** A track for each target, and one for each false detection. */
function trueTracks(target) {
  let fresh = 1 + target.reduce((most, one) => Math.max(most, one), -1);
  return target.map((one) => (one < 0 ? fresh++ : one));
}

function table() {
  /** @type {Map<string, Map<string, any>>} */
  const inputs = new Map();
  for (const row of rowsOf(options.rows ?? "lab/results/known-costs.jsonl")) {
    if (!OF_TABLE.includes(row.input)) continue;
    const name = `${row.input}, ${row.dropped > 0 ? "degraded" : "clean"}, seed ${row.seed}`;
    inputs.set(name, (inputs.get(name) ?? new Map()).set(row.costs, row));
  }
  const shown = COSTS.filter((costs) => costs !== "consecutive");
  const lines = Array.from(inputs, ([name, rows]) => {
    const cells = shown.map((costs) => `${rows.get(costs).idf1.toFixed(2)} (${rows.get(costs).linkErrors.toFixed(2)})`);
    return `| ${[name, ...cells].join(" | ")} |`;
  });
  return `| | ${shown.join(" | ")} |\n|---${"|---".repeat(shown.length)}|\n${lines.join("\n")}\n`;
}
