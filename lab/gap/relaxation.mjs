#!/usr/bin/env node
/**
 * Shows with HiGHS how small a gap any dual ascent could certify, and whether the tracks are an integer optimum.
 *
 * After a solve every set of tracks costs L(v) + Σ r_e x_e + Σ slack_ef y_ef with r, slack ≥ 0 (docs/explanation/mathematics.md §2). So
 * tracks of cost at most UB use only edges with r_e ≤ UB − LB and triplets with r_e + slack_ef + r_f ≤ UB − LB, and the
 * integer program over those alone has the same optimum as the full one. Leaving variables out can only raise the minimum
 * of the linear program: its optimum is at least the LP relaxation of the full problem, which no L(v) exceeds, and
 * (UB − LP) / UB is a floor for the gap that any multipliers could certify against these tracks.
 *
 *     npm run build && node lab/gap/relaxation.mjs [--rows lab/results/relaxation.jsonl] [--time 120] INPUT…
 *
 * Appends a row for each input and prints the table of all rows, the last of each name; without inputs the table alone.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import loadHighs from "highs";
import { buildGraph, createCpuSteps, DEFAULT_ASCENT, solve } from "rmap/map";
import { makeProblem } from "rmap/run";
import { readInput } from "../../dist/formats/input.js";
import { tripletCost } from "../../dist/map/instance/instance.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow, rowsOf } from "../rows.mjs";
import { importTypeScript } from "../truth/typescript.mjs";

const { lpModel } = await importTypeScript(new URL("../truth/highs.ts", import.meta.url));
const { values: options, positionals: inputs } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "lab/results/relaxation.jsonl" },
    time: { type: "string", default: "120" },
  },
});
const threads = availableParallelism();
const now = () => performance.now() / 1000;
const versions = { highs: packageVersion("highs") };

for (const input of inputs) {
  const problem = await makeProblem(await readInput(input), {}, { threads, now });
  const { graph } = buildGraph(problem.priced);
  const steps = createCpuSteps(graph, { threads, now });
  const begin = now();
  const stop = { ascent: DEFAULT_ASCENT, iterations: 2000, gap: 0, time: 120 };
  const { status, lowerBound, upperBound, gap } = await solve(graph, steps, { ...stop, now });
  const solved = now() - begin;
  const residual = restrict(graph, await steps.read(), upperBound - lowerBound);
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
    edges: graph.edges,
    triplets: graph.triplets.count,
    residualEdges: residual.edges,
    residualTriplets: residual.triplets.count,
    lp,
    leastGapPercent: lp.value && (100 * Math.max(0, upperBound - lp.value)) / Math.abs(upperBound),
    mip,
    tracksOptimal: mip.value && Math.abs(mip.value - upperBound) <= 1e-7 * Math.abs(upperBound),
    seconds: solved,
    seed: problem.seed,
    versions,
    ...provenance(new Date()),
  };
  keepRow(options.rows, { benchmark: "relaxation", ...row });
}
process.stdout.write(table(rowsOf(options.rows)));

function table(rows) {
  const percent = (value) => `${Number(value.toPrecision(3))} %`;
  const optimum = ({ mip, tracksOptimal }) =>
    tracksOptimal === null ? `${mip.status}, ${mip.seconds.toFixed(0)} s` : tracksOptimal ? "the tracks" : mip.value;
  const header = ["scenario", "LB", "UB", "certified", "edges left", "triplets left", "LP", "floor", "integer optimum"];
  const lines = [header, header.map(() => "---")];
  for (const row of new Map(rows.map((row) => [row.name, row])).values()) {
    const { name, lowerBound, upperBound, gapPercent, residualEdges, residualTriplets, lp, leastGapPercent } = row;
    const left = [`${residualEdges} of ${row.edges}`, `${residualTriplets} of ${row.triplets}`];
    const bounds = [lowerBound.toFixed(4), upperBound.toFixed(4), percent(gapPercent), ...left];
    lines.push([name, ...bounds, lp.value.toFixed(4), percent(leastGapPercent), optimum(row)]);
  }
  return `${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

/** The instance with only the edges and triplets that tracks within `room` of the bound can use. */
function restrict(graph, { v, columnDual }, room) {
  const { frames, frameStart, edges, linkStart, linkEnd, deathOf, tail, head, cost } = graph;
  const { edgeStart, deathStart, birthStart } = graph;
  const allowed = room * (1 + 1e-6);
  const eachTriplet = (e, visit) => {
    const j = head[e];
    if (j < 0 || j >= frameStart[frames - 1]) return;
    const visitAllowed = (f) => {
      const d = tripletCost(graph, e, f);
      if (d < Number.POSITIVE_INFINITY) visit(f, d);
    };
    for (let f = linkStart[j]; f < linkEnd[j]; f++) visitAllowed(f);
    if (deathOf[j] >= 0) visitAllowed(deathOf[j]);
  };
  const delta = new Float64Array(edges);
  const reduced = new Float64Array(edges);
  for (let e = 0; e < edges; e++) {
    if (head[e] >= 0 && head[e] < frameStart[frames - 1]) delta[e] = Number.POSITIVE_INFINITY;
    eachTriplet(e, (f, d) => {
      delta[e] = Math.min(delta[e], d - v[f]);
    });
    const predecessors = tail[e] >= frameStart[1];
    reduced[e] = cost[e] + (predecessors ? v[e] : 0) + delta[e];
  }
  // Feasible duals as the certificate makes them: β cut to the births, α the least slack of each row.
  for (let p = 0; p + 1 < frames; p++) {
    const [links, deaths, births, end] = [edgeStart[p], deathStart[p], birthStart[p], edgeStart[p + 1]];
    const beta = columnDual.slice();
    for (let e = births; e < end; e++) beta[head[e]] = Math.min(beta[head[e]], reduced[e]);
    const alpha = new Float64Array(frameStart[frames]).fill(Number.POSITIVE_INFINITY);
    for (let e = links; e < deaths; e++) alpha[tail[e]] = Math.min(alpha[tail[e]], reduced[e] - beta[head[e]]);
    for (let e = deaths; e < births; e++) alpha[tail[e]] = Math.min(alpha[tail[e]], reduced[e]);
    for (let e = links; e < deaths; e++) reduced[e] -= alpha[tail[e]] + beta[head[e]];
    for (let e = deaths; e < births; e++) reduced[e] -= alpha[tail[e]];
    for (let e = births; e < end; e++) reduced[e] -= beta[head[e]];
  }
  const kept = Int32Array.from(reduced, () => -1);
  let count = 0;
  for (let e = 0; e < edges; e++) if (reduced[e] <= allowed) kept[e] = count++;
  const rowStart = [0];
  const successor = [];
  const tripletCosts = [];
  for (let e = 0; e < edges; e++) {
    if (kept[e] < 0) continue;
    eachTriplet(e, (f, d) => {
      if (kept[f] < 0 || reduced[e] + (d - v[f] - delta[e]) + reduced[f] > allowed) return;
      successor.push(kept[f]);
      tripletCosts.push(d);
    });
    rowStart.push(successor.length);
  }
  const keep = (values) => values.filter((_, e) => kept[e] >= 0);
  return {
    frames,
    frameStart,
    edges: count,
    tail: keep(tail),
    head: keep(head),
    cost: keep(cost),
    triplets: { kind: "csr", count: successor.length, rowStart, successor, cost: tripletCosts },
  };
}

/** A fresh module for each model: one that ran out of memory is of no further use. */
async function optimum(graph, integer) {
  const highs = await /** @type {any} */ (loadHighs)();
  const begin = now();
  try {
    const limits = { time_limit: Number(options.time), mip_rel_gap: 0, mip_abs_gap: 1e-9 };
    const { Status: status, ObjectiveValue: value } = highs.solve(lpModel(graph, integer), limits);
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
