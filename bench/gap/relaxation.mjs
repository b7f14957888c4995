#!/usr/bin/env node
/**
 * Shows with HiGHS how small a gap any dual ascent could certify, and whether the tracks are an integer optimum.
 *
 * After a solve every set of tracks costs L(v) + Σ r_e x_e + Σ slack_ef y_ef with r, slack ≥ 0 (docs/algorithm.md §2). So
 * tracks of cost at most UB use only edges with r_e ≤ UB − LB and triplets with r_e + slack_ef + r_f ≤ UB − LB, and the
 * integer program over those alone has the same optimum as the full one. Leaving variables out can only raise the minimum
 * of the linear program: its optimum is at least the LP relaxation of the full problem, which no L(v) exceeds, and
 * (UB − LP) / UB is a floor for the gap that any multipliers could certify against these tracks.
 *
 *     npm run build && node bench/gap/relaxation.mjs [--rows results/relaxation.jsonl] [--time 120] INPUT…
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import loadHighs from "highs";
import { readInput } from "../../dist/io/input.js";
import { provenance } from "../../dist/io/provenance.js";
import { DEFAULT_ASCENT } from "../../dist/map/ascents.js";
import { buildInstance } from "../../dist/map/build.js";
import { createCpuSteps } from "../../dist/map/cpu-steps.js";
import { pairRuns } from "../../dist/map/instance.js";
import { solve } from "../../dist/map/solve.js";
import { makeProblem } from "../../dist/run/problem.js";
import { importTypeScript } from "../truth/typescript.mjs";

const { lpModel } = await importTypeScript(new URL("../../test/map/highs-model.ts", import.meta.url));
const { values: options, positionals: inputs } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "results/relaxation.jsonl" },
    time: { type: "string", default: "120" },
  },
});
const threads = availableParallelism();
const now = () => performance.now() / 1000;
const versions = { highs: packageVersion("highs") };

for (const input of inputs) {
  const problem = await makeProblem(readInput(input), {}, { threads, now });
  const { instance } = buildInstance(problem.priced);
  const steps = createCpuSteps(instance, { threads, now });
  const begin = now();
  const stop = { ascent: DEFAULT_ASCENT, iterations: 2000, gap: 0, time: 120 };
  const { status, lowerBound, upperBound, gap } = await solve(instance, steps, { ...stop, now });
  const solved = now() - begin;
  const residual = restrict(instance, await steps.read(), upperBound - lowerBound);
  await steps.close();
  const lp = await optimum(residual, false);
  const mip = await optimum(residual, true);
  const row = {
    name: problem.name,
    ascent: DEFAULT_ASCENT,
    status,
    lowerBound,
    upperBound,
    gapPercent: 100 * gap,
    edges: instance.edges,
    triplets: instance.triplets.cost.length,
    residualEdges: residual.edges,
    residualTriplets: residual.triplets.cost.length,
    lp,
    leastGapPercent: lp.value && (100 * Math.max(0, upperBound - lp.value)) / Math.abs(upperBound),
    mip,
    tracksOptimal: mip.value && Math.abs(mip.value - upperBound) <= 1e-7 * Math.abs(upperBound),
    seconds: solved,
    seed: problem.seed,
    versions,
    ...provenance(new Date()),
  };
  appendFileSync(options.rows, `${JSON.stringify(row)}\n`);
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

/** The instance with only the edges and triplets that tracks within `room` of the bound can use. */
function restrict(instance, { v, columnDual }, room) {
  const { frames, frameStart, edges, tail, head, cost, triplets } = instance;
  const allowed = room * (1 + 1e-6) + 1e-9 * Math.abs(room);
  const delta = new Float64Array(edges);
  const reduced = new Float64Array(edges);
  for (let e = 0; e < edges; e++) {
    if (head[e] >= 0 && head[e] < frameStart[frames - 1]) {
      delta[e] = Number.POSITIVE_INFINITY;
      for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
        delta[e] = Math.min(delta[e], triplets.cost[t] - v[triplets.successor[t]]);
      }
    }
    const own = tail[e] >= 0 && tail[e] < frameStart[1] ? 0 : v[e];
    reduced[e] = cost[e] + (tail[e] < 0 ? 0 : own) + delta[e];
  }
  // Feasible duals as the certificate makes them: β cut to the births, α the least slack of each row.
  for (let p = 0; p + 1 < frames; p++) {
    const { linkStart, linkEnd, deathStart, deathEnd, birthStart, birthEnd } = pairRuns(instance, p);
    const beta = columnDual.slice();
    for (let e = birthStart; e < birthEnd; e++) beta[head[e]] = Math.min(beta[head[e]], reduced[e]);
    const alpha = new Float64Array(frameStart[frames]).fill(Number.POSITIVE_INFINITY);
    for (let e = linkStart; e < linkEnd; e++) alpha[tail[e]] = Math.min(alpha[tail[e]], reduced[e] - beta[head[e]]);
    for (let e = deathStart; e < deathEnd; e++) alpha[tail[e]] = Math.min(alpha[tail[e]], reduced[e]);
    for (let e = linkStart; e < linkEnd; e++) reduced[e] -= alpha[tail[e]] + beta[head[e]];
    for (let e = deathStart; e < deathEnd; e++) reduced[e] -= alpha[tail[e]];
    for (let e = birthStart; e < birthEnd; e++) reduced[e] -= beta[head[e]];
  }
  const kept = Int32Array.from(reduced, () => -1);
  let count = 0;
  for (let e = 0; e < edges; e++) if (reduced[e] <= allowed) kept[e] = count++;
  const start = [0];
  const successor = [];
  const tripletCost = [];
  for (let e = 0; e < edges; e++) {
    if (kept[e] < 0) continue;
    for (let t = triplets.start[e]; t < triplets.start[e + 1]; t++) {
      const f = triplets.successor[t];
      const slack = triplets.cost[t] - v[f] - delta[e];
      if (kept[f] < 0 || reduced[e] + slack + reduced[f] > allowed) continue;
      successor.push(kept[f]);
      tripletCost.push(triplets.cost[t]);
    }
    start.push(successor.length);
  }
  const keep = (values) => values.filter((_, e) => kept[e] >= 0);
  return {
    frames,
    frameStart,
    edges: count,
    tail: keep(tail),
    head: keep(head),
    cost: keep(cost),
    triplets: { start, successor, cost: tripletCost },
  };
}

/** A fresh module for each model: one that ran out of memory is of no further use. */
async function optimum(instance, integer) {
  const highs = await loadHighs();
  const begin = now();
  try {
    const limits = { time_limit: Number(options.time), mip_rel_gap: 0, mip_abs_gap: 1e-9 };
    const { Status: status, ObjectiveValue: value } = highs.solve(lpModel(instance, integer), limits);
    return { status, value: status === "Optimal" ? value : null, seconds: now() - begin };
  } catch (error) {
    return { status: `failed: ${error.message ?? error}`, value: null, seconds: now() - begin };
  }
}

function packageVersion(name) {
  const main = createRequire(import.meta.url).resolve(name);
  const root = main.slice(0, main.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}/`.length);
  return JSON.parse(readFileSync(`${root}package.json`, "utf8")).version;
}
