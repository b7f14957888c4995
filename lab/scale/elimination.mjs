// CPU seconds that the calling thread spends on elimination and on margins, after a solve on one thread, by this build or another one:
//
//     npm run build && node lab/scale/elimination.mjs [--dist dist] [--build now] [--gap 0.01] [--rows lab/results/elimination.jsonl] INPUT…
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: "string", default: "dist" },
    build: { type: "string", default: "now" },
    gap: { type: "string", default: "0.01" },
    rows: { type: "string" },
  },
});
/** @param {string} file */
const load = (file) => import(pathToFileURL(resolve(options.dist, file)).href);
const [{ readInput }, { makeProblem }, { buildGraph }, { createCpuSteps }, { solve }, { examine }, { provenance }] =
  await Promise.all(
    [
      "formats/input.js",
      "run/problem.js",
      "map/instance/build.js",
      "map/dual/cpu-steps.js",
      "map/solve.js",
      "map/exact/examine.js",
      "rows/provenance.js",
    ].map(load),
  );
const now = () => performance.now() / 1000;
const cpu = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e9;

for (const input of positionals) {
  const problem = await makeProblem(await readInput(input, {}), {}, { threads: 1, now });
  const { graph } = buildGraph(problem.priced, problem.numbers);
  const steps = createCpuSteps(graph, { threads: 1, now });
  const limits = { ascent: "bundle", iterations: 2000, gap: Number(options.gap) / 100, time: 600, now };
  const { proof, tracks } = await solve(graph, steps, limits);
  await steps.close();
  const [{ v, columnDual }] = proof.stages;
  const begin = cpu();
  const found = examine(graph, v, columnDual, tracks);
  const examined = cpu();
  const { out, into } = await found.margins();
  const seconds = { elimination: examined - begin, margins: cpu() - examined };
  const digest = createHash("sha256");
  for (const values of [out, into, Float64Array.of(found.lowerBound)]) digest.update(new Uint8Array(values.buffer));
  const { edges, triplets } = graph;
  keepRow(options.rows, {
    ...{ benchmark: "elimination", build: options.build, input, edges, triplets: triplets.count, seconds },
    ...{ lowerBound: found.lowerBound, digest: digest.digest("hex").slice(0, 12) },
    ...provenance(new Date()),
  });
  console.log(
    `${options.build}: ${input}: elimination ${seconds.elimination.toFixed(3)}, margins ${seconds.margins.toFixed(3)} CPU s`,
  );
}
