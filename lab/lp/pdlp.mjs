#!/usr/bin/env node
/**
 * rmap's ascent beside a first-order solver of linear programs: PDLP in HiGHS solves the relaxation of the program that `rmap model` writes, and its duals of the rows `last…`, which are the
 * ascent's multipliers, are certified as the ascent's own are. The rows say what bound they prove, and how long rmap takes to prove as much, from its start to the end of its ascent, on as
 * many threads. Seconds are those of the processor.
 *
 *     pip install highspy
 *     npm run build && node lab/lp/pdlp.mjs [--python python3] [--tolerances 1e-4,1e-6] [--time 300] [--threads 1] [--rows lab/results/pdlp.jsonl] FILE …
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildGraph, certifyBound, createCpuSteps, solve } from "rmap/map";
import { makeProblem } from "rmap/run";
import { readInput } from "../../dist/formats/input.js";
import { formatMps } from "../../dist/formats/integer-program.js";
import { fromFileOrder } from "../../dist/map/instance/edges.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    python: { type: "string", default: "python3" },
    tolerances: { type: "string", default: "1e-4,1e-6" },
    time: { type: "string", default: "300" },
    threads: { type: "string", default: "1" },
    rows: { type: "string" },
  },
});
/** Relative difference up to which two bounds are as good: neither solver goes on to the last digit. */
const AS_GOOD = 1e-6;

/** Seconds of the processor, of all threads: other work on the machine does not count. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const threads = Number(options.threads);
const folder = mkdtempSync(join(tmpdir(), "rmap-pdlp-"));
try {
  for (const file of positionals) await measure(file);
} finally {
  rmSync(folder, { recursive: true });
}

/** @param {string} file */
async function measure(file) {
  const { priced, numbers, name } = await makeProblem(await readInput(file), {}, { threads, now });
  const { graph } = buildGraph(priced, numbers);
  const began = now();
  const ascent = createCpuSteps(graph, { threads, now });
  const limits = { ascent: "bundle", iterations: 2000, gap: 1e-6, time: 120, eliminate: false, threads, now };
  const ours = await solve(graph, ascent, /** @type {import("rmap/map").SolveOptions} */ (limits));
  const seconds = now() - began;
  await ascent.close();
  const program = join(folder, "program.mps");
  writeFileSync(program, formatMps(graph));
  for (const tolerance of options.tolerances.split(",")) {
    const duals = join(folder, "duals.txt");
    const args = ["lab/lp/pdlp.py", program, tolerance, options.time, options.threads, duals];
    const theirs = JSON.parse(execFileSync(options.python, args, { encoding: "utf8" }));
    const bound = await certified(graph, readFileSync(duals, "utf8"));
    const reached = ours.history.find(({ lowerBound }) => lowerBound >= bound - AS_GOOD * Math.abs(bound));
    const row = {
      benchmark: "first-order-lp",
      problem: name,
      ...{ edges: graph.edges, triplets: graph.triplets.count, columns: theirs.columns, rows: theirs.rows },
      programMiB: Math.round(statSync(program).size / 2 ** 20),
      threads,
      tolerance: Number(tolerance),
      pdlp: { ...theirs, certified: bound },
      rmap: {
        ...{ seconds, iterations: ours.iterations, certified: ours.lowerBound, upperBound: ours.upperBound },
        untilAsGood: reached?.seconds ?? null,
      },
      device: "cpu",
      ...provenance(new Date()),
    };
    keepRow(options.rows, row);
    console.log(
      `${name}: ${theirs.columns} columns; PDLP to ${tolerance} ${theirs.status} in ${theirs.seconds.toFixed(2)} s, ${theirs.iterations} iterations, objective ${theirs.objective}, certified ${bound}; ` +
        `rmap ${row.rmap.certified} in ${seconds.toFixed(2)} s, as good after ${row.rmap.untilAsGood?.toFixed(2) ?? "–"} s; tracks ${ours.upperBound}`,
    );
  }
}

/**
 * The bound that duals of the rows `last…` prove, as any multipliers do.
 * @param {import("rmap/map").Graph} graph
 * @param {string} text
 */
async function certified(graph, text) {
  const byPlace = new Float64Array(graph.edges);
  for (const line of text.trim().split("\n")) {
    const [place, dual] = line.split(" ");
    byPlace[Number(place)] = Number(dual);
  }
  const v = fromFileOrder(graph, byPlace);
  const steps = createCpuSteps(graph, { threads, now });
  await steps.setMultipliers(v);
  await steps.evaluate();
  const { columnDual } = await steps.read();
  const { lowerBound } = certifyBound(graph, v, columnDual);
  await steps.close();
  return lowerBound;
}
