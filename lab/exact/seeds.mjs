#!/usr/bin/env node
/**
 * Seeds of one crowded size, a hundred targets in 60 frames, from detections to a proof by `--exact`: a row each in lab/results/exact-seeds.jsonl.
 *
 *     npm run build && node lab/exact/seeds.mjs [--from 1] [--count 12] [--time 60]
 *     node lab/exact/seeds.mjs --table [--docs lab/notes/exact.md]                        the table from rows alone
 *
 * One thread; seconds are CPU seconds, pricing and building included. Every proof is checked by `checkProof` before its row is written; a bound that the check
 * does not confirm is an error.
 */
import { parseArgs } from "node:util";
import { createCpuSteps, solve } from "rmap/map";
import { checkProof } from "../../dist/map/proof/check.js";
import { loadHighs } from "../../dist/run/highs.js";
import { putTable } from "../docs-table.mjs";
import { appendExact, graphOf, now, rowsSoFar, secondsSince } from "./instance.mjs";

const { values: options } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "12" },
    time: { type: "string", default: "60" },
    table: { type: "boolean", default: false },
    rows: { type: "string", default: "lab/results/exact-seeds.jsonl" },
    docs: { type: "string" },
  },
});
const TIME = Number(options.time);
const SCENARIO = new URL("../../instances/scenarios/crowd-100x60-1.json", import.meta.url).pathname;

if (!options.table) {
  const from = Number(options.from);
  for (let seed = from; seed < from + Number(options.count); seed++) await measure(seed);
}
const text = table();
process.stdout.write(text);
if (options.docs !== undefined) putTable(options.docs, "seeds", text);

async function measure(seed) {
  const begin = now();
  const left = () => TIME - (now() - begin);
  const graph = await graphOf(SCENARIO, { seed });
  const steps = createCpuSteps(graph, { threads: 1, now });
  const highs = await loadHighs();
  const solution = await solve(graph, steps, {
    ascent: "bundle",
    iterations: 2000,
    gap: 0,
    time: left(),
    now,
    exact: {
      always: true,
      mostTriplets: 300_000,
      mostLeaves: Number.POSITIVE_INFINITY,
      load: async () => highs?.open ?? null,
    },
  });
  const cpuSeconds = secondsSince(begin);
  const { lowerBound, upperBound, status, exact, proof, tracks } = solution;
  if (proof === null || tracks === null) throw new Error(`seed ${seed}: no tracks`);
  const checked = checkProof(graph, tracks, proof);
  if (checked.valid === false) throw new Error(`seed ${seed}: ${checked.why}`);
  if (checked.lowerBound < lowerBound - 1e-9 * Math.abs(lowerBound))
    throw new Error(`seed ${seed}: the proof proves ${checked.lowerBound}, and not ${lowerBound}`);
  appendExact(options.rows, graph, {
    name: `crowd-100x60-${seed}`,
    method: "exact",
    lowerBound,
    upperBound,
    gapPercent: status === "optimal" ? 0 : (100 * (upperBound - lowerBound)) / Math.abs(upperBound),
    status: exact?.outcome ?? status,
    cuts: exact?.cuts ?? 0,
    leaves: exact?.leaves ?? 0,
    cpuSeconds,
  });
}

function table() {
  // Rows of a method that was tried and left again have another name.
  const rows = rowsSoFar(options.rows).filter(({ method }) => method === "exact");
  const latest = [...new Map(rows.map((row) => [row.name, row])).values()];
  const lines = latest.map(
    ({ name, gapPercent, upperBound, cuts, leaves, cpuSeconds }) =>
      `| ${name.replace("crowd-100x60-", "")} | ${gapPercent === 0 ? "proved" : `${Number(gapPercent.toPrecision(2))} %`} | ${upperBound.toFixed(6)} | ${cuts} | ${leaves} | ${cpuSeconds.toFixed(0)} |`,
  );
  return `| seed | gap | tracks cost | cuts | leaves | CPU seconds |\n|---|---|---|---|---|---|\n${lines.join("\n")}\n`;
}
