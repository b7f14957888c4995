#!/usr/bin/env node
/**
 * Counts the true links of consecutive frames that the gate `auto` leaves out in the last pass of `rmap solve`, and those among them that could be in a
 * best set of tracks if all pairs took part, by the rule of docs/explanation/motion.md §3: only these may be missed for the gate's sake.
 *
 *     npm run build && node lab/gates/gates.mjs [--rows lab/results/gates.jsonl] [--detections 1500] [--measured] RECORDING.csv …
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readDetections } from "rmap/formats";
import { makeProblem } from "rmap/run";
import { frameOfDetections } from "../../dist/core/detections.js";
import { candidateLinks } from "../../dist/costs/motion/candidates.js";
import { priceMotion } from "../../dist/costs/motion/price-motion.js";
import { trackCosts } from "../../dist/costs/motion/track-costs.js";
import { CLEAN, damaged, firstFrames } from "../../dist/experiments/baselines/damage.js";
import { recordingOf } from "../../dist/formats/detections.js";
import { provenance } from "../../dist/rows/provenance.js";
import { cpuBackend } from "../../dist/run/device.js";
import { estimateCosts, roughSolves } from "../../dist/run/estimate-costs.js";
import { SOLVE_DEFAULTS } from "../../dist/run/run.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    detections: { type: "string", default: "1500" },
    measured: { type: "boolean", default: false },
  },
});
const now = () => performance.now() / 1000;
const solving = { threads: 1, now, backend: cpuBackend("cpu", 1, now) };

for (const file of positionals) {
  const first = firstFrames(readDetections(file).detections, Number(options.detections));
  for (const damage of [CLEAN, { fault: "jitter", level: 0.1 }]) await measure(file, first, damage);
}

async function measure(file, first, damage) {
  const made = damaged(first, damage, 1);
  const detections = options.measured ? made : { ...made, vx: null, vy: null };
  const problem = await makeProblem({ kind: "detections", recording: recordingOf(file, detections) }, {}, solving);
  const rough = roughSolves(null, "bundle", SOLVE_DEFAULTS);
  const { motion } = await estimateCosts(problem, solving, rough, () => Number.POSITIVE_INFINITY);
  if (motion === null || detections.target === null) throw new Error(`${file}: no truth, or no cost by probabilities`);
  const { model } = motion.fit;
  const costs = trackCosts(detections, "auto", motion.fit);
  const reach = new Float64Array(detections.x.length).fill(Number.POSITIVE_INFINITY);
  const name = ({ tail, head }) => new Set(Array.from(tail, (i, e) => `${i} ${head[e]}`));
  const gated = name(candidateLinks(detections, model, costs, [1]));
  const all = candidateLinks(detections, model, costs, [1], { reach });
  const needed = name(priceMotion(detections, model, costs, all).kept);
  const links = trueLinks(detections);
  const lost = links.filter((link) => !gated.has(link));
  const row = {
    benchmark: "gates",
    input: basename(file, ".csv"),
    velocities: /** @type {"measured" | "none"} */ (options.measured ? "measured" : "none"),
    ...damage,
    detections: detections.x.length,
    links: links.length,
    lost: lost.length,
    needed: lost.filter((link) => needed.has(link)).length,
    ...provenance(new Date()),
  };
  keepRow(options.rows, row);
  console.log(`${row.input} ${row.fault} ${row.level}: ${row.lost} of ${row.links} left out, ${row.needed} could pay`);
}

/** "i j" of each link between detections of one target in consecutive frames. */
function trueLinks({ frameStart, target }) {
  const frame = frameOfDetections(frameStart);
  const last = new Map();
  const links = [];
  target.forEach((one, d) => {
    if (one < 0) return;
    const before = last.get(one);
    if (before !== undefined && frame[before] + 1 === frame[d]) links.push(`${before} ${d}`);
    last.set(one, d);
  });
  return links;
}
