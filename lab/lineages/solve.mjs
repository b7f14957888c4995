/**
 * How far the ascent with its search for tracks comes on an instance in some seconds of CPU, of all threads together: on a busy machine that is the only time that means something. On a quiet one
 * `--seconds` limits the time by the clock instead.
 *
 *     node lab/lineages/solve.mjs FOLDER [--cpu 60 | --seconds 60] [--threads 2] [--rows lab/results/lineages.jsonl]
 */
import { basename, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readInstanceFolder } from "../../dist/formats/instance-folder.js";
import { createCpuSteps } from "../../dist/map/dual/cpu-steps.js";
import { buildGraph } from "../../dist/map/instance/build.js";
import { solve } from "../../dist/map/solve.js";
import { provenance } from "../../dist/rows/provenance.js";
import { loadHighs } from "../../dist/run/highs.js";
import { regionThreads } from "../../dist/run/region-threads.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cpu: { type: "string", default: "60" },
    seconds: { type: "string" },
    threads: { type: "string", default: "2" },
    rows: { type: "string" },
  },
});
const folder = positionals[0];
const threads = Number(options.threads);
const { problem } = readInstanceFolder(folder);
const { graph } = buildGraph(problem);
const used = () => Object.values(process.cpuUsage()).reduce((sum, value) => sum + value, 0) / 1e6;
const before = used();
let [read, at] = [0, 0];
const began = performance.now();
const byClock = () => (performance.now() - began) / 1000;
/** Read anew every 5 ms: steps ask often, and reading took a seventh of the time. */
const byCpu = () => {
  if (performance.now() - at > 5) [read, at] = [used() - before, performance.now()];
  return read;
};
const now = options.seconds === undefined ? byCpu : byClock;
const steps = createCpuSteps(graph, { threads, now });
const limits = { iterations: 1e6, gap: 0, time: Number(options.seconds ?? options.cpu) };
let said = 0;
const solution = await solve(graph, steps, {
  ascent: "bundle",
  integer: async () => (await loadHighs())?.solveInteger ?? null,
  exact: {
    load: async () => (await loadHighs())?.open ?? null,
    regions: regionThreads(threads),
    ...{ mostTriplets: 40_000, mostLeaves: 0, always: false },
    progress: ({ lowerBound, upperBound, leaves }) =>
      console.log(
        `regions  ${lowerBound.toFixed(3)}  ${upperBound.toFixed(3)}  ${leaves} leaves  ${now().toFixed(1)} s`,
      ),
  },
  ...limits,
  now,
  threads,
  progress({ iteration, lowerBound, upperBound, gap, seconds }) {
    if (seconds < said) return;
    said = 1.2 * seconds;
    console.log(
      `${iteration}  ${lowerBound.toFixed(3)}  ${upperBound.toFixed(3)}  ${(100 * gap).toFixed(3)} %  ${seconds.toFixed(1)} s`,
    );
  },
});
const { status, lowerBound, upperBound, gap, iterations } = solution;
const row = {
  benchmark: "lineages",
  instance: basename(resolve(folder)),
  edges: graph.edges,
  triplets: graph.triplets.count,
  threads,
  ...{ status, iterations, lowerBound, upperBound, gapPercent: 100 * gap },
  seconds: byClock(),
  cpuSeconds: used() - before,
  searchSeconds: solution.times.feasibleTracks,
  ...provenance(new Date()),
};
console.log(JSON.stringify(keepRow(options.rows, row)));
await steps.close();
