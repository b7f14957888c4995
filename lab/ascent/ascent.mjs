// Times 100 iterations of each ascent on a device, on the dense generator and on the gated scenarios, after `npm run build`:
//
//     node lab/ascent/ascent.mjs [gpu|software|cpu] [--rows FILE] [--repeat 5] [--ascents rmap,…] [--profile] [PROBLEM…]
//
// PROBLEM is authors:N,T or gated:N,T. Upload and pipelines are apart; the device is kept busy before each timing; every answer is
// certified in f64 afterwards, against tracks found once by a full solve of at most --solve-time seconds. A row per problem and
// ascent. Where the links were priced from detections a GPU prices them itself; `upload` in the row has the seconds from the
// instance to a device that is ready for the ascent in this way and with the costs uploaded, after a first time that compiles.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ASCENTS, certifyBound, solve } from "rmap/map";
import { BUSY } from "../../dist/experiments/bench/timing.js";
import { relativeGap } from "../../dist/map/certificate/gap.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openBackend } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";
import { makeProblem, summary } from "./problems.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    repeat: { type: "string", default: "5" },
    iterations: { type: "string", default: "100" },
    profile: { type: "boolean", default: false },
    ascents: { type: "string", default: "rmap,bidirectional,polyak,bundle" },
    "solve-time": { type: "string", default: "60" },
  },
});
const [device = "gpu", ...chosen] = positionals;
const problems =
  chosen.length > 0
    ? chosen
    : ["authors:50,50", "authors:100,100", "authors:200,200", "gated:100,100", "gated:300,300"];
const iterations = Number(values.iterations);
const repeat = Number(values.repeat);
const threads = availableParallelism();
const now = () => performance.now() / 1000;
const begin = now();
const say = (text) => console.log(`${(now() - begin).toFixed(1).padStart(6)} s  ${text}`);
const milliseconds = (seconds) => (1000 * seconds).toFixed(1);
const seed = 1;

let idleSince = Number.NEGATIVE_INFINITY;

/** The monotone ascents without their test for a fixed point: exactly so many iterations, a bound every boundEvery of them. */
const UNTESTED = {
  async rmap(steps, control) {
    for (let k = 0; ; k++) {
      if (k % steps.boundEvery === 0) await steps.evaluate();
      else await steps.assign();
      if (await control.iterated()) return;
      await steps.pushReducedCosts(1);
    }
  },
  async bidirectional(steps, control) {
    for (let k = 0; ; k++) {
      if (k % steps.boundEvery === 0) await steps.evaluate();
      if (await control.iterated()) return;
      await steps.visit(0);
      await steps.visit(1);
    }
  },
};

const backend = await openBackend(deviceNamed(device), { threads, now, profile: values.profile });
for (const problem of problems) {
  const { graph, pricing } = await makeProblem(problem, seed, threads);
  say(`${problem}: ${graph.edges} edges, ${graph.triplets.count} triplets made`);
  const linkPricing = backend.actual === "cpu" ? null : pricing;
  const { steps, upload } = await readySteps(graph, linkPricing);
  say(`on the device: ${JSON.stringify(upload)}`);
  const solvedAt = now();
  const time = Number(values["solve-time"]);
  const best = await solve(graph, steps, {
    ascent: "bundle",
    iterations: 500,
    gap: 1e-4,
    time,
    threads: availableParallelism(),
    now,
  });
  const fullSeconds = now() - solvedAt;
  say(`solved to ${(100 * best.gap).toFixed(5)} % in ${best.iterations} iterations, ${fullSeconds.toFixed(3)} s`);
  for (const ascent of values.ascents.split(",")) {
    const seconds = [];
    const certify = certifier(graph);
    let bound = Number.NEGATIVE_INFINITY;
    let times = {};
    let done = 0;
    for (let repetition = 0; repetition <= repeat; repetition++) {
      await keepBusy(steps);
      await steps.reset();
      await steps.read();
      const before = { ...steps.times };
      done = 0;
      const control = {
        upperBound: () => best.upperBound,
        iterated: async () => ++done >= iterations,
        bounded: async () => false,
      };
      const from = now();
      await (UNTESTED[ascent] ?? ASCENTS[ascent])(steps, control);
      const { v, columnDual } = await steps.read();
      const taken = now() - from;
      idleSince = now();
      if (repetition > 0) seconds.push(taken);
      times = Object.fromEntries(Object.entries(steps.times).map(([phase, s]) => [phase, s - before[phase]]));
      const certified = certify(v, columnDual);
      if (!Number.isFinite(certified))
        throw new Error(`${problem}, ${ascent}: no certified bound; no time is reported`);
      bound = Math.max(bound, certified);
    }
    const { median, least: min, most: max } = summary(seconds);
    const row = {
      benchmark: "ascent",
      problem,
      ascent,
      iterations: done,
      seconds: { median, min, max },
      certified: true,
      lowerBound: bound,
      upperBound: best.upperBound,
      gapPercent: 100 * relativeGap(bound, best.upperBound),
      times,
      profile: values.profile,
      edges: graph.edges,
      triplets: graph.triplets.count,
      storage: graph.triplets.kind,
      linksPricedOnDevice: linkPricing !== null,
      upload,
      seed,
      full: { gapPercent: 100 * best.gap, iterations: best.iterations, seconds: fullSeconds, status: best.status },
      device: { requested: device, actual: backend.actual },
      ...provenance(new Date()),
    };
    keepRow(values.rows, row);
    const shown = Object.entries(times).map(([phase, s]) => `${phase} ${milliseconds(s)}`);
    const spread = `${milliseconds(median)} ms (${milliseconds(min)}–${milliseconds(max)})`;
    say(`  ${ascent.padEnd(14)} ${done} it  ${spread}  gap ${row.gapPercent.toFixed(4)} %  [${shown.join(", ")}]`);
  }
  await steps.close();
}
await backend.close();

/**
 * Steps for the instance, and how long it took to get them ready: the first time, and, where there are two ways to take turns, in
 * so many repetitions of each.
 */
async function readySteps(graph, pricing) {
  const ready = async (linkPricing) => {
    const from = now();
    const steps = await backend.createSteps(graph, linkPricing);
    await steps.finished();
    return { steps, seconds: now() - from };
  };
  const { steps, seconds: first } = await ready(pricing);
  if (pricing === null) return { steps, upload: { costs: { first } } };
  const ways = { costs: null, priced: pricing };
  const seconds = { costs: [], priced: [] };
  for (let repetition = 0; repetition <= repeat; repetition++) {
    for (const [way, linkPricing] of Object.entries(ways)) {
      await keepBusy(steps);
      const again = await ready(linkPricing);
      await again.steps.close();
      if (repetition > 0) seconds[way].push(again.seconds);
    }
  }
  return { steps, upload: { costs: summary(seconds.costs), priced: { first, ...summary(seconds.priced) } } };
}

/** Evaluates until a GPU's clocks are up; see BusyWork. */
async function keepBusy(steps) {
  if (device !== "gpu") return;
  const seconds = now() - idleSince < BUSY.followSeconds ? BUSY.keepUpSeconds : BUSY.seconds;
  for (const from = now(); now() - from < seconds; ) await steps.evaluate();
  idleSince = now();
}

/** The certified bound of multipliers and duals; computed once for those that come again, as they do on one device. */
function certifier(graph) {
  let last = null;
  const bytes = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);
  const same = (a, b) => bytes(a).equals(bytes(b));
  return (v, columnDual) => {
    if (last === null || !same(v, last.v) || !same(columnDual, last.columnDual)) {
      const { lowerBound } = certifyBound(graph, v, columnDual);
      last = { v: v.slice(), columnDual: columnDual.slice(), lowerBound };
    }
    return last.lowerBound;
  };
}
