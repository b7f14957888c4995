// Times 100 iterations of each ascent on a device, on the dense generator and on the gated scenarios, after `npm run build`:
//
//     node bench/ascent/ascent.mjs [gpu|software|cpu] [--rows FILE] [--repeat 5] [--profile] [PROBLEM…]
//
// PROBLEM is authors:N,T or gated:N,T. Upload and pipelines are apart; the device is kept busy before each timing; every answer is
// certified in f64 afterwards, against tracks found once by a full solve. A row per problem and ascent.
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

const dist = new URL("../../dist/", import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { openBackend } = await load("run/device.js");
const { ASCENTS } = await load("map/ascents.js");
const { buildInstance } = await load("map/build.js");
const { certifyBound } = await load("map/certificate.js");
const { relativeGap, solve } = await load("map/solve.js");
const { simulate } = await load("costs/trajectories.js");
const { scoreDetections } = await load("costs/score.js");
const { simulateAuthorsGenerator } = await load("costs/authors-generator.js");
const { provenance } = await load("io/provenance.js");
const { appendFileSync } = await import("node:fs");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    repeat: { type: "string", default: "5" },
    iterations: { type: "string", default: "100" },
    profile: { type: "boolean", default: false },
    ascents: { type: "string", default: "rmap,bidirectional,polyak,bundle" },
  },
});
const [device = "gpu", ...chosen] = positionals;
const problems =
  chosen.length > 0
    ? chosen
    : ["authors:50,50", "authors:100,100", "authors:200,200", "gated:100,100", "gated:300,300"];
const iterations = Number(values.iterations);
const now = () => performance.now() / 1000;
const seed = 1;

/** The monotone ascents without their test for a fixed point: exactly so many iterations, a bound every boundEvery of them. */
const UNTESTED = {
  async rmap(steps, control) {
    for (let k = 0; ; k++) {
      if (k % steps.boundEvery === 0) await steps.evaluate();
      else await steps.assign();
      if (await control.iterated()) return;
      await steps.pushReducedCosts();
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

async function instanceOf(problem) {
  const [kind, size] = problem.split(":");
  const [targets, frames] = size.split(",").map(Number);
  if (kind === "authors") return buildInstance(simulateAuthorsGenerator(targets, frames, seed)).instance;
  const detections = simulate({ targets, frames }, seed);
  const parameters = { cost: "spline", gate: { epsilon: 5 }, birthDeath: "none" };
  return buildInstance(await scoreDetections(detections, parameters)).instance;
}

const backend = await openBackend(device, { threads: availableParallelism(), now, profile: values.profile });
for (const problem of problems) {
  const instance = await instanceOf(problem);
  const steps = await backend.createSteps(instance);
  const solvedAt = now();
  const best = await solve(instance, steps, { ascent: "bundle", iterations: 500, gap: 1e-4, time: 60, now });
  const fullSeconds = now() - solvedAt;
  console.log(
    `${problem}: solved to ${(100 * best.gap).toFixed(5)} % in ${best.iterations} iterations, ${fullSeconds.toFixed(3)} s`,
  );
  for (const ascent of values.ascents.split(",")) {
    const seconds = [];
    let bound = Number.NEGATIVE_INFINITY;
    let times = {};
    let done = 0;
    for (let repeat = 0; repeat <= Number(values.repeat); repeat++) {
      // The clocks of an idle GPU are slow for most of a second.
      for (const from = now(); now() - from < (device === "gpu" ? 0.5 : 0); ) await steps.evaluate();
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
      if (repeat > 0) seconds.push(taken);
      bound = Math.max(bound, certifyBound(instance, v, columnDual).lowerBound);
      times = Object.fromEntries(Object.entries(steps.times).map(([phase, s]) => [phase, s - before[phase]]));
    }
    seconds.sort((a, b) => a - b);
    const median = seconds[Math.floor(seconds.length / 2)];
    const row = {
      benchmark: "ascent",
      problem,
      ascent,
      iterations: done,
      seconds: { median, min: seconds[0], max: seconds[seconds.length - 1] },
      certified: true,
      lowerBound: bound,
      upperBound: best.upperBound,
      gapPercent: 100 * relativeGap(bound, best.upperBound),
      times,
      profile: values.profile,
      edges: instance.edges,
      triplets: instance.triplets.count,
      storage: instance.triplets.kind,
      seed,
      full: { gapPercent: 100 * best.gap, iterations: best.iterations, seconds: fullSeconds, status: best.status },
      device: { requested: device, actual: backend.actual },
      ...provenance(new Date()),
    };
    if (values.rows) appendFileSync(values.rows, `${JSON.stringify(row)}\n`);
    const shown = Object.entries(times).map(([phase, s]) => `${phase} ${(1000 * s).toFixed(1)}`);
    console.log(
      `  ${ascent.padEnd(14)} ${done} it  ${(1000 * median).toFixed(1)} ms (${(1000 * seconds[0]).toFixed(1)}–${(1000 * seconds[seconds.length - 1]).toFixed(1)})  gap ${row.gapPercent.toFixed(4)} %  [${shown.join(", ")}]`,
    );
  }
  await steps.close();
}
await backend.close();
