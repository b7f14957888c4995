#!/usr/bin/env node
/**
 * Elimination, margins, cuts and the checker of proofs against an exact dynamic program (lab/truth/tracks.ts, rational arithmetic) on many small
 * random instances, with births and deaths in half of them, from multipliers of every quality.
 *
 *     npm run build && node lab/exact/validate.mjs [--from 0] [--count 10000] [--rows lab/results/exact-validation.jsonl]
 *     node lab/exact/validate.mjs --total [--rows …]           what all rows come to, for docs/explanation/proofs.md
 *
 * Seeds from … from + count − 1, so that 10⁵ instances can be done in parts; a row for each part. Exit code 1 when anything is violated.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildGraph, certifyBound, createCpuSteps, solve } from "rmap/map";
import { randomStreams } from "../../dist/core/random.js";
import { ascendWithCuts } from "../../dist/map/exact/cut-ascent.js";
import { examine } from "../../dist/map/exact/examine.js";
import { checkProof } from "../../dist/map/proof/check.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { importTypeScript } from "../truth/typescript.mjs";

const { bruteForce, exactly } = await importTypeScript(new URL("../truth/tracks.ts", import.meta.url));
const { values: options } = parseArgs({
  options: {
    from: { type: "string", default: "0" },
    count: { type: "string", default: "10000" },
    rows: { type: "string", default: "lab/results/exact-validation.jsonl" },
    total: { type: "boolean", default: false },
  },
});
const now = () => performance.now() / 1000;
const sums = {
  instances: 0,
  withBirths: 0,
  /** Multipliers that leave a gap, and how many of these elimination closes by itself. */
  openGaps: 0,
  eliminated: 0,
  margins: 0,
  positiveMargins: 0,
  /** Bounds that cuts of the bundle raise. */
  raisedByCuts: 0,
  proofs: 0,
  violations: 0,
};

if (!options.total) {
  const from = Number(options.from);
  const count = Number(options.count);
  for (let seed = from; seed < from + count; seed++) {
    await validate(seed);
    if ((seed - from) % 1000 === 999) process.stderr.write(`${seed + 1 - from} of ${count}\n`);
  }
  const row = { benchmark: /** @type {const} */ ("exact-validation"), from, ...sums, ...provenance(new Date()) };
  keepRow(options.rows, row);
} else {
  // A seed counts once, by the last row that has it.
  const rows = readFileSync(options.rows, "utf8").trim().split("\n");
  const parts = new Map(rows.map((line) => JSON.parse(line)).map((row) => [row.from, row]));
  for (const part of parts.values()) for (const key of Object.keys(sums)) sums[key] += part[key];
}
process.stdout.write(`${JSON.stringify(sums)}\n`);
if (sums.violations > 0) process.exitCode = 1;

async function validate(seed) {
  const random = randomStreams(seed).next().value;
  const problem = /** @type {import("rmap/map").PricedProblem} */ (randomProblem(random));
  const truth = bruteForce(problem);
  if (truth === null) return;
  let built;
  try {
    built = buildGraph(problem);
  } catch {
    return;
  }
  const { graph } = built;
  const iterations = [1, 3, 10, 40][Math.floor(random.uniform(0, 4))];
  const steps = createCpuSteps(graph, { threads: 1, now });
  const solution = await solve(graph, steps, { ascent: "bundle", iterations, gap: 0, time: 60, now });
  const state = await steps.read();
  const shaken = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 0.2);
  const v = state.v.map((value) => value + random.uniform(-shaken, shaken));
  const columnDual = state.columnDual.slice();
  const { tracks } = solution;
  if (tracks === null || graph.surcharge !== null) return;
  sums.instances++;
  if (problem.birthDeath !== null) sums.withBirths++;
  const mustHold = (holds, what) => {
    if (holds) return;
    sums.violations++;
    process.stderr.write(`VIOLATION seed ${seed}: ${what}\n`);
  };
  mustHold(exactly(solution.lowerBound) <= truth.exact, "bound above the optimum");
  mustHold(exactly(solution.upperBound) >= truth.exact, "tracks below the optimum");

  const found = examine(graph, v, columnDual, tracks);
  if (found === null) return;
  mustHold(exactly(found.lowerBound) <= truth.exact, "elimination lifts the bound above the optimum");
  const start = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  const checked = checkProof(graph, tracks, { stages: [start], leaves: [] });
  mustHold(checked.valid && exactly(checked.lowerBound) <= truth.exact, "a proof of more than the optimum");
  sums.proofs++;
  if (solution.upperBound - certifyBound(graph, v, columnDual).computed > 1e-9) {
    sums.openGaps++;
    if (found.activeEdges === 0) {
      sums.eliminated++;
      mustHold(exactly(solution.upperBound) - truth.exact <= exactly(1e-9), "tracks called optimal that are not");
    }
  }

  // The margin of one link or death, against the least cost with it and without it.
  const { frameStart } = problem.links;
  const d = Math.floor(random.uniform(0, frameStart[frameStart.length - 2]));
  const pair = frameStart.findIndex((_, p) => frameStart[p] <= d && d < frameStart[p + 1]);
  const row = d - frameStart[pair];
  const own = tracks[d] < 0 ? -1 : graph.head[tracks[d]] - frameStart[pair + 1];
  const without = bruteForce(problem, (p, matching) => p !== pair || matching[row] !== own);
  const within = bruteForce(problem, (p, matching) => p !== pair || matching[row] === own);
  const margin = found.margins().out[d];
  if (without !== null && within !== null) {
    sums.margins++;
    if (margin > 0) sums.positiveMargins++;
    const least = Math.abs(margin) < 2 ** -200 ? -(2 ** -200) : margin;
    mustHold(
      margin !== Number.POSITIVE_INFINITY && without.exact - within.exact >= exactly(least),
      `margin ${margin} of detection ${d}`,
    );
  }

  if (solution.status === "optimal" || seed % 4 !== 0) return;
  const stage = await ascendWithCuts(graph, start, {
    upperBound: solution.upperBound,
    met: (bound) => solution.upperBound - bound < 1e-9,
    iterations: 90,
    time: 10,
    now,
  });
  const cut = checkProof(graph, tracks, { stages: [stage], leaves: [] });
  mustHold(cut.valid && exactly(cut.lowerBound) <= truth.exact, "cuts prove more than the optimum");
  sums.proofs++;
  if (cut.valid && stage.cuts.length > 0 && cut.lowerBound > found.lowerBound + 1e-9) sums.raisedByCuts++;
}

/** 3 to 5 frames of 1 to 4 detections; costs on a grid, so that they are as often equal as not; any storage. */
function randomProblem(random) {
  const draw = (low, high) => Math.floor(random.uniform(low, high));
  const births = random.uniform(0, 1) < 0.5;
  const frames = draw(3, 6);
  const width = draw(2, frames > 4 ? 4 : 5);
  const counts = Array.from({ length: frames }, () => (births ? draw(1, Math.min(width, 3) + 1) : width));
  const frameStart = Uint32Array.from([0, ...counts].map((_, p) => counts.slice(0, p).reduce((a, b) => a + b, 0)));
  const storage = ["csr", "absolute", "square"][draw(0, 3)];
  const grid = [2 ** -3, 2 ** -10, 2 ** -30][draw(0, 3)];
  const density = random.uniform(0.6, 1.2);
  const cost = (least = 0) => grid * Math.round(random.uniform(births ? -1 : least, 1) / grid);
  const [tail, head] = [[], []];
  for (let p = 0; p + 1 < frames; p++) {
    for (let i = 0; i < counts[p]; i++) {
      for (let j = 0; j < counts[p + 1]; j++) {
        if (random.uniform(0, 1) > density && (births || i !== j)) continue;
        tail.push(frameStart[p] + i);
        head.push(frameStart[p + 1] + j);
      }
    }
  }
  const links = {
    frameStart,
    tail: Int32Array.from(tail),
    head: Int32Array.from(head),
    cost: Float64Array.from(tail, () => cost()),
  };
  const birthDeath = births
    ? {
        birth: Float64Array.from({ length: frameStart[frames] }, () => cost(0) + 0.5),
        death: Float64Array.from({ length: frameStart[frames] }, () => cost(0) + 0.5),
      }
    : null;
  if (storage !== "csr") {
    const perLink = Float64Array.from({ length: (storage === "square" ? 2 : 1) * tail.length }, () => cost());
    return { links, triplets: { kind: "implicit", rule: storage, perLink }, birthDeath };
  }
  const rowStart = [0];
  const successor = [];
  for (let e = 0; e < tail.length; e++) {
    for (let f = 0; f < tail.length; f++)
      if (tail[f] === head[e] && (random.uniform(0, 1) < density || !births)) successor.push(f);
    rowStart.push(successor.length);
  }
  const triplets = {
    kind: "csr",
    rowStart: Uint32Array.from(rowStart),
    successor: Uint32Array.from(successor),
    cost: Float64Array.from(successor, () => cost()),
  };
  return { links, triplets, birthDeath };
}
