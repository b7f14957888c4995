#!/usr/bin/env node
/**
 * What is left of large inputs where the bundle stalls, and what closes it: better tracks, or a better bound.
 *
 *     npm run build && node lab/exact/room.mjs --sizes 200x10,200x5 --seeds 1,2 [--time 60] [--methods noise,regions,cuts,exact]     rows in lab/results/exact-room.jsonl
 *     node lab/exact/room.mjs --file scenarios/paper/n300-t300.json [--keep /tmp/stalls]           the bundle's stall is kept there and taken from there
 *     node lab/exact/room.mjs --table [--docs lab/notes/exact.md]                                        the table from rows alone
 *
 * Sizes are targets x frames of the paper's simulation. From the stall of the bundle (method `bundle`), each with `--time` CPU seconds of one thread: the search for better tracks
 * with noise alone (`noise`), the one by regions alone (`regions`), the bundle with cuts (`bundle with cuts`), and all of `rmap solve --exact` (`exact`), whose proof is checked. `relaxation` is what the linear
 * relaxation of a core of `--core` triplets is worth with all cliques found, and with all cuts found; the core has all that costs less than some bound, so that less than that
 * is certified of the instance.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { deserialize, serialize } from "node:v8";
import { createCpuSteps, priceTracks, solve } from "rmap/map";
import { digestOf } from "../../dist/formats/digest.js";
import { goBeyond } from "../../dist/map/exact/beyond-ascent.js";
import {
  certify,
  certifyDuals,
  dropSlack,
  openRelaxation,
  separate,
  solveRelaxation,
} from "../../dist/map/exact/cut-loop.js";
import { searchWithNoise } from "../../dist/map/exact/noise-search.js";
import { searchRegions } from "../../dist/map/exact/region-search.js";
import { narrowBelow, reduceCosts } from "../../dist/map/exact/stages.js";
import { incidenceOf } from "../../dist/map/instance/incidence.js";
import { chainsOf } from "../../dist/map/proof/chains.js";
import { checkProof } from "../../dist/map/proof/check.js";
import { wholeOf } from "../../dist/map/proof/core.js";
import { rounded } from "../../dist/map/proof/numbers.js";
import { loadHighs } from "../../dist/run/highs.js";
import { putTable } from "../docs-table.mjs";
import { appendExact, graphOf, now, rowsSoFar, secondsSince } from "./instance.mjs";

const { values: options } = parseArgs({
  options: {
    sizes: { type: "string", default: "" },
    seeds: { type: "string", default: "1" },
    file: { type: "string" },
    methods: { type: "string", default: "noise,regions,cuts,exact" },
    core: { type: "string", default: "40000" },
    keep: { type: "string" },
    time: { type: "string", default: "60" },
    rows: { type: "string", default: "lab/results/exact-room.jsonl" },
    table: { type: "boolean", default: false },
    docs: { type: "string" },
  },
});
const time = Number(options.time);
const wanted = new Set(options.methods.split(","));
const highs = await loadHighs();
if (highs === null) throw new Error("the package highs is not installed");
/** HiGHS's own limits are of the wall clock, which a shared machine must not make part of the result. */
const open = (data) => {
  const program = highs.open(data);
  return { ...program, solve: (limits) => program.solve({ ...limits, seconds: 5 * limits.seconds }) };
};

const folder = mkdtempSync(join(tmpdir(), "rmap-room-"));
try {
  if (options.file !== undefined) await measure(basename(options.file, ".json"), options.file);
  for (const size of options.sizes.split(",").filter((one) => one !== "")) {
    for (const seed of options.seeds.split(",").map(Number)) {
      const [targets, frames] = size.split("x").map(Number);
      const name = `crowd-${size}-${seed}`;
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify({ name, simulation: { targets, frames }, seed }));
      await measure(name, file);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (options.table) {
  const text = table();
  process.stdout.write(text);
  const relaxations = relaxationTable();
  process.stdout.write(relaxations);
  if (options.docs === undefined) process.exit();
  putTable(options.docs, "room", text);
  putTable(options.docs, "relaxation", relaxations);
}

async function measure(name, file) {
  const graph = await graphOf(file);
  const record = (method, begin, { lowerBound, upperBound, status, cuts = 0, leaves = 0 }, parts = {}) => {
    const gapPercent = (100 * Math.max(0, upperBound - lowerBound)) / Math.abs(upperBound);
    const cpuSeconds = secondsSince(begin);
    const row = { name, method, lowerBound, upperBound, gapPercent, status, cuts, leaves, cpuSeconds, ...parts };
    appendExact(options.rows, graph, row);
    const bounds = `${lowerBound.toFixed(4)} to ${upperBound.toFixed(4)}`;
    process.stderr.write(`${name} ${method}: ${bounds}, ${gapPercent.toFixed(4)} %, ${cpuSeconds} s, ${status}\n`);
  };

  let begin = now();
  const limits = { gap: 0, iterations: 3000, now };
  const kept = options.keep && join(options.keep, `${digestOf(graph)}.stall`);
  let first;
  if (kept && existsSync(kept)) first = deserialize(readFileSync(kept));
  else {
    const steps = createCpuSteps(graph, { threads: 1, now });
    first = await solve(graph, steps, { ascent: "bundle", time: Number.POSITIVE_INFINITY, ...limits });
    record("bundle", begin, first);
    if (kept) {
      mkdirSync(options.keep, { recursive: true });
      const { lowerBound, upperBound, tracks, proof } = first;
      writeFileSync(kept, serialize({ lowerBound, upperBound, tracks, proof }));
    }
  }
  const [stage] = first.proof.stages;

  const searches = {
    noise: () => {
      const reduced = reduceCosts(graph, incidenceOf(graph), stage.v, stage.columnDual);
      return searchWithNoise(reduced, first.tracks, { time, now });
    },
    regions: () => searchRegions(graph, stage, first.tracks, { open, time, now }),
  };
  for (const [method, search] of Object.entries(searches)) {
    if (!wanted.has(method)) continue;
    begin = now();
    const priced = priceTracks(graph, await search());
    if (priced.status !== "feasible") throw new Error(`${name}: the tracks are not allowed`);
    record(method, begin, { ...first, upperBound: priced.cost, status: "stopped" });
  }
  if (wanted.has("relaxation")) relaxation(graph, first, record);
  const beyond = { ...limits, mostTriplets: 300_000, mostLeaves: Number.POSITIVE_INFINITY, time };
  if (wanted.has("cuts")) {
    begin = now();
    const outcome = await goBeyond(graph, stage, first.tracks, { load: async () => null, ...beyond });
    record("bundle with cuts", begin, { ...outcome, status: outcome.outcome });
  }
  if (wanted.has("exact")) {
    begin = now();
    const outcome = await goBeyond(graph, stage, first.tracks, { load: async () => open, ...beyond });
    record("exact", begin, { ...outcome, status: outcome.outcome });
    const checked = checkProof(graph, outcome.tracks, outcome.proof);
    if (checked.valid === false) throw new Error(`${name}: ${checked.why}`);
    if (checked.lowerBound < outcome.lowerBound)
      throw new Error(`${name}: the proof proves ${checked.lowerBound} only`);
  }
}

/** Of the core of what costs less than some bound, with as many triplets as may be: without cuts, with all cliques found, with all cuts found. */
function relaxation(graph, { proof, tracks, upperBound }, record) {
  const begin = now();
  const [{ v, columnDual }] = proof.stages;
  const none = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  const whole = wholeOf(graph, tracks);
  const { reduced } = certify(whole, none);
  const chains = chainsOf(rounded, whole, reduced);
  const most = graph.frameStart[graph.frames - 1] - graph.frameStart[1] + Number(options.core);
  let [below, high] = [reduced.constant, upperBound];
  let core = null;
  for (let halving = 0; halving < 12; halving++) {
    const middle = halving === 0 ? high : (below + high) / 2;
    const found = narrowBelow(whole, reduced, middle, most, chains);
    if (found === null) high = middle;
    else [below, core] = [middle, found];
    if (below === upperBound) break;
  }
  if (core === null) throw new Error("no core is as small as that");
  const base = certify(core, { ...none, v: Float64Array.from(core.edgeOf, (e) => v[e]) });
  const opened = openRelaxation(core, base.reduced, [], open);
  const left = () => time - (now() - begin);
  const solveWith = (holes) => {
    let [best, cuts] = [reduced.constant, 0];
    while (left() > 0) {
      const solution = solveRelaxation(opened, left());
      if (solution.status !== "optimal") break;
      const proven = certifyDuals(opened, solution, core.removed);
      const rose = proven.bound > best;
      if (rose) [best, cuts] = [proven.bound, proven.multipliers.cuts.length];
      if (rose) dropSlack(opened, solution);
      if (separate(opened, solution, holes) === 0) break;
    }
    return { best, cuts };
  };
  const cliques = solveWith(false);
  const all = solveWith(true);
  opened.program.close();
  const lowerBound = Math.min(below, all.best);
  const status = left() > 0 ? "still" : "time";
  const parts = { core: core.graph.triplets.count, below, withCliques: cliques.best, withAllCuts: all.best };
  record("relaxation", begin, { lowerBound, upperBound, status, cuts: all.cuts }, parts);
}

function table() {
  const rows = rowsSoFar(options.rows);
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => {
    const of = (method) => rows.filter((row) => row.name === name && row.method === method).pop();
    const [bundle, noise, regions, cuts, exact] = ["bundle", "noise", "regions", "bundle with cuts", "exact"].map(of);
    const cell = (row) =>
      row === undefined
        ? "–"
        : `${row.gapPercent < 1e-7 ? "proved" : `${row.gapPercent.toFixed(row.gapPercent < 0.1 ? 4 : 2)} %`} · ${row.cpuSeconds.toFixed(0)} s`;
    const found = (row) =>
      row === undefined ? "–" : `${(bundle.upperBound - row.upperBound).toFixed(3)} · ${row.cpuSeconds.toFixed(0)} s`;
    const parts = exact && [
      bundle.upperBound - bundle.lowerBound,
      bundle.upperBound - exact.upperBound,
      exact.lowerBound - bundle.lowerBound,
      exact.upperBound - exact.lowerBound,
    ];
    const shares = parts ? parts.map((value) => Math.max(0, value).toFixed(3)) : ["–", "–", "–", "–"];
    return `| ${[name, bundle.triplets, cell(bundle), found(noise), found(regions), cell(cuts), cell(exact), ...shares].join(" | ")} |`;
  });
  const searches = ["noise: tracks cheaper by", "regions: tracks cheaper by"];
  const head = ["instance", "triplets", "bundle", ...searches, "bundle with cuts", "exact"];
  const all = [...head, "room at the stall", "closed by tracks", "closed by the bound", "left"];
  return `| ${all.join(" | ")} |\n|${all.map(() => "---").join("|")}|\n${lines.join("\n")}\n`;
}

/** Of each instance the relaxation that certifies most; all beyond the bound of the bundle. */
function relaxationTable() {
  const rows = rowsSoFar(options.rows);
  const lines = [...new Set(rows.map(({ name }) => name))].flatMap((name) => {
    const of = (method) => rows.filter((row) => row.name === name && row.method === method);
    const bundle = of("bundle").pop();
    const best = of("relaxation")
      .sort((a, b) => a.lowerBound - b.lowerBound)
      .pop();
    if (bundle === undefined || best === undefined) return [];
    const tracks = Math.min(...rows.filter((row) => row.name === name).map((row) => row.upperBound));
    const beyond = (value) => Math.max(0, value - bundle.lowerBound).toFixed(3);
    const values = [bundle.upperBound, tracks, best.below, best.withCliques, best.withAllCuts, best.lowerBound];
    const [stall, found, ...rest] = values.map(beyond);
    return [`| ${[name, stall, found, best.core, ...rest, `${best.cpuSeconds.toFixed(0)} s`].join(" | ")} |`];
  });
  const head = ["instance", "tracks at the stall", "best tracks found", "triplets of the core", "all below"];
  const all = [...head, "worth with cliques", "worth with all cuts", "certified", "CPU"];
  return `| ${all.join(" | ")} |\n|${all.map(() => "---").join("|")}|\n${lines.join("\n")}\n`;
}
