// Tracks that a device finds by itself against those of the host's search, from the same states of an ascent, after `npm run build`:
//
//     node lab/ascent/device-tracks.mjs [gpu|software] [--rows FILE] [--iterations 60] [--sweeps 6] INPUT…
//
// Every ten iterations or more both sides search from their own seeds, and keep the best tracks that they have found by then. A row an input, with the
// cost of these by check and the seconds of both.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ASCENTS } from "rmap/map";
import { createLinkPricer } from "../../dist/costs/gpu-pricing.js";
import { readInput } from "../../dist/formats/input.js";
import { createGpuSteps } from "../../dist/map/gpu/gpu-steps.js";
import { SWEEPS } from "../../dist/map/gpu/gpu-tracks.js";
import { buildGraph } from "../../dist/map/instance/build.js";
import { BestTracks } from "../../dist/map/primal/best-tracks.js";
import { createTracksSearch } from "../../dist/map/primal/feasible.js";
import { createSeeds, SEEDS } from "../../dist/map/primal/seeds.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { makeProblem } from "../../dist/run/problem.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    iterations: { type: "string", default: "60" },
    sweeps: { type: "string", default: String(SWEEPS) },
  },
});
const [device = "gpu", ...inputs] = positionals;
const iterations = Number(values.iterations);
const threads = availableParallelism();
const now = () => performance.now() / 1000;
const sweeps = Number(values.sweeps);
const opened = await openDevice(deviceNamed(device));
const { session } = opened;
if (session === null) throw new Error(`${device}: there is no such device`);
let [logarithms, count] = [0, 0];

for (const input of inputs) {
  const problem = await makeProblem(await readInput(input, {}), {}, { threads, now });
  const { graph } = buildGraph(problem.priced, problem.numbers);
  const priceLinks = problem.linkPricing && (await createLinkPricer(session, problem.linkPricing));
  const steps = await createGpuSteps(session, graph, { now, sweeps, priceLinks });
  if (steps.tracks === undefined) {
    console.log(`${input}: its triplets are stored, so the host searches`);
    await steps.close();
    continue;
  }
  const { checks, seconds } = await compare(graph, steps, steps.tracks);
  await steps.close();
  const ratios = checks.map(({ host, device }) => device / host);
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  for (const ratio of ratios) {
    logarithms += Math.log(ratio);
    count++;
  }
  keepRow(values.rows, {
    benchmark: "device-tracks",
    input,
    edges: graph.edges,
    sweeps,
    checks,
    ratio: mean,
    seconds,
    threads,
    device: { requested: device, actual: opened.actual },
    ...provenance(new Date()),
  });
  console.log(`${input}: ${checks.length} checks, device / host ${mean.toFixed(9)}, last ${ratios.at(-1)?.toFixed(9)}`);
  console.log(
    `  host ${seconds.host.toFixed(2)} s, device ${seconds.device.toFixed(2)} s, reading ${seconds.read.toFixed(2)} s`,
  );
}
if (count > 0) console.log(`geometric mean of all checks ${Math.exp(logarithms / count).toFixed(9)}`);
await opened.close();

async function compare(graph, steps, tracks) {
  const search = createTracksSearch(graph);
  const seeds = createSeeds(graph, { threads, after: 1, now });
  const [host, device] = [new BestTracks(graph, search), new BestTracks(graph, search)];
  const checks = [];
  const seconds = { host: 0, device: 0, read: 0 };
  let [done, searched] = [0, Number.NEGATIVE_INFINITY];
  await ASCENTS.bundle(steps, {
    upperBound: () => Math.min(host.upperBound, device.upperBound),
    iterated: async () => ++done >= iterations,
    async bounded() {
      if (done - searched < 10) return false;
      searched = done;
      const from = now();
      for (const seed of SEEDS) await device.offerRepaired(await tracks.from(seed), tracks);
      seconds.device += now() - from;
      const reading = now();
      const state = await steps.read();
      seconds.read += now() - reading;
      const searching = now();
      for (const candidate of await seeds.from(state)) host.offer(candidate);
      seconds.host += now() - searching;
      checks.push({ iteration: done, host: host.cost, device: device.cost });
      return false;
    },
  });
  await seeds.close();
  return { checks, seconds };
}
