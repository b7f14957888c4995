#!/usr/bin/env node
/**
 * What cuts cost the bundle on the CPU: the shares of a profile of its passes with cuts, from the multipliers at which it stalled without them. A row in lab/results/exact-cut-share.jsonl.
 *
 *     npm run build && node lab/exact/cut-share.mjs [--iterations 150] [SCENARIO.json…]       default: instances/scenarios/crowd-100x60-1.json
 *
 * Shares are of the samples, by the file that a function is in: "cuts" is what only the cuts need (plane-cuts: costs of items, rows that are mended, coordinates of planes, the point),
 * "separation" the search for new ones, "bundle" the steps that run on GPUs without cuts as well. One thread; the machine may be shared, which moves no shares.
 */
import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { createCpuSteps, solve } from "rmap/map";
import { ascendWithCuts } from "../../dist/map/exact/cut-ascent.js";
import { appendExact, graphOf, now, secondsSince } from "./instance.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    iterations: { type: "string", default: "150" },
    rows: { type: "string", default: "lab/results/exact-cut-share.jsonl" },
  },
});
const files = positionals.length > 0 ? positionals : ["instances/scenarios/crowd-100x60-1.json"];
for (const file of files) await measure(file);

async function measure(file) {
  const graph = await graphOf(file);
  const steps = createCpuSteps(graph, { threads: 1, now });
  const first = await solve(graph, steps, { ascent: "bundle", iterations: 2000, gap: 0, time: 600, now });
  if (first.proof === null) throw new Error(`${file}: no tracks`);

  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  const begin = now();
  let [rounds, last, cuts] = [0, first.lowerBound, 0];
  await ascendWithCuts(graph, first.proof.stages[0], {
    upperBound: first.upperBound,
    met: () => false,
    iterations: Number(options.iterations),
    time: 600,
    now,
    progress: (bound, count) => {
      rounds++;
      [last, cuts] = [bound, count];
    },
  });
  const cpuSeconds = secondsSince(begin);
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();

  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const samples = profile.samples ?? [];
  const deltas = profile.timeDeltas ?? [];
  const parts = { bundle: 0, cuts: 0, separation: 0, other: 0 };
  samples.forEach((id, n) => {
    const name = basename(nodes.get(id)?.callFrame.url ?? "", ".js");
    const part =
      name === "plane-cuts" ? "cuts" : name === "separation" ? "separation" : name === "" ? "other" : "bundle";
    parts[part] += deltas[n];
  });
  const whole = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const share = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, Math.round((1000 * part) / whole) / 1000]),
  );
  const row = appendExact(options.rows, graph, {
    name: basename(file, ".json"),
    method: "bundle with cuts, profiled",
    lowerBound: last,
    upperBound: first.upperBound,
    gapPercent: (100 * (first.upperBound - last)) / Math.abs(first.upperBound),
    status: "stopped",
    cuts,
    leaves: 0,
    cpuSeconds,
    rounds,
    share,
  });
  process.stdout.write(
    `${row.name}: ${rounds} rounds, ${cuts} cuts, ${((1000 * cpuSeconds) / rounds).toFixed(1)} ms of CPU a round; ` +
      `${Object.entries(share)
        .map(([name, part]) => `${name} ${(100 * part).toFixed(1)} %`)
        .join(", ")}\n`,
  );
}
