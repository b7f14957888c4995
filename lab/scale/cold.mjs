// Seconds, page faults and CPU seconds of elimination with margins after an ascent, three times one after the other: on a GPU, on the CPU, on the CPU while a GPU is open (beside), and on a GPU after
// the same was done to a smaller problem (warm).
//
//     npm run build && node lab/scale/cold.mjs [--on gpu,cpu,beside,warm] [--threads 16] [--rows lab/results/cold.jsonl] [INPUT]
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hireAhead } from "../../dist/core/team.js";
import { readInput } from "../../dist/formats/input.js";
import { examineWithMargins } from "../../dist/map/exact/examine.js";
import { buildOnThreads } from "../../dist/map/instance/build.js";
import { solve } from "../../dist/map/solve.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openBackend } from "../../dist/run/device.js";
import { makeProblem } from "../../dist/run/problem.js";
import { keepRow } from "../rows.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    on: { type: "string", default: "gpu,cpu,beside,warm" },
    device: { type: "string", default: "gpu" },
    threads: { type: "string", default: "16" },
    rows: { type: "string" },
  },
});
const [input = "scenarios/scale/n1000-t100.json"] = positionals;
const places = options.on.split(",");
if (places.length > 1) {
  for (const place of places) {
    const rest = [
      "--device",
      options.device,
      "--threads",
      options.threads,
      ...(options.rows ? ["--rows", options.rows] : []),
    ];
    spawnSync(process.execPath, [process.argv[1], "--on", place, ...rest, input], { stdio: "inherit" });
  }
  process.exit();
}
const [place] = places;
const threads = Number(options.threads);
const now = () => performance.now() / 1000;
hireAhead(threads);
const device = /** @type {"gpu"} */ (options.device);
const opened = place === "cpu" ? null : await openBackend(device, { threads, now });
const backend = opened === null || place === "beside" ? await openBackend("cpu", { threads, now }) : opened;

/** @param {string} file */
async function examined(file) {
  const problem = await makeProblem(await readInput(file, {}), {}, { threads, now });
  const { graph } = await buildOnThreads(problem.priced, problem.numbers, threads);
  const steps = await backend.createSteps(graph, problem.linkPricing);
  const limits = /** @type {const} */ ({
    ascent: "bundle",
    iterations: 9,
    gap: 1e-4,
    time: 600,
    eliminate: false,
    threads,
    now,
  });
  const { proof, tracks } = await solve(graph, steps, limits);
  await steps.close();
  const [{ v, columnDual }] = /** @type {any} */ (proof).stages;
  const multipliers = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  const seen = [];
  for (let round = 0; round < 3; round++) {
    const [begin, cpu, faults] = [now(), process.cpuUsage(), process.resourceUsage().minorPageFault];
    const found = await examineWithMargins(graph, multipliers, /** @type {Int32Array} */ (tracks), threads);
    const { user, system } = process.cpuUsage(cpu);
    const minorPageFaults = process.resourceUsage().minorPageFault - faults;
    seen.push({
      seconds: now() - begin,
      user: user / 1e6,
      system: system / 1e6,
      minorPageFaults,
      lowerBound: found?.lowerBound,
    });
  }
  return { edges: graph.edges, triplets: graph.triplets.count, seen };
}

if (place === "warm") {
  const small = join(tmpdir(), "rmap-cold.json");
  const simulation = { targets: 700, frames: 60, path: "spline", spread: 110 };
  writeFileSync(small, JSON.stringify({ name: "small", simulation, cost: "spline", births: "none", seed: 5 }));
  await examined(small);
}
const row = { benchmark: "cold", input, place, threads, ...(await examined(input)), ...provenance(new Date()) };
keepRow(options.rows, row);
for (const { seconds, user, system, minorPageFaults, lowerBound } of row.seen)
  console.log(
    `${place}: ${seconds.toFixed(3)} s, user ${user.toFixed(2)}, system ${system.toFixed(2)}, ${minorPageFaults} faults, ${lowerBound}`,
  );
await opened?.close();
process.exit();
