#!/usr/bin/env node
/**
 * Times the CPU's twin of the flow: 640 × 480, 3 levels, 1 warp, 10 iterations, one pair in memory to a field in memory, by the process's CPU time.
 *
 *     npm run build && node bench/flow/twin.mjs [--repeat 15] [--preset paper|quality] [--than DIST]
 *
 * --than names the dist folder of another checkout, whose twin takes turns with this one; both must give the same bits.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { provenance } from "../../dist/rows/provenance.js";
import { scoreFlow } from "../../dist/scores/flow.js";
import { now, pairOf } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    repeat: { type: "string", default: "15" },
    preset: { type: "string", default: "paper" },
    than: { type: "string" },
  },
});
/** CPU time of all the process's threads, of which one computes. */
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const folders = { this: resolve(import.meta.dirname, "../../dist") };
if (values.than !== undefined) folders.other = resolve(values.than);
const pair = pairOf(640, 480);
const twins = {};
for (const [name, folder] of Object.entries(folders)) {
  const load = (file) => import(pathToFileURL(resolve(folder, file)).href);
  const { computeFlow } = await load("pixels/flow/flow.js");
  const { createCpuFlow } = await load("pixels/flow/cpu-flow.js");
  const { FLOW_PRESETS } = await load("pixels/flow/options.js");
  const options = values.preset === "paper" ? { ...FLOW_PRESETS.paper, iterations: 10 } : FLOW_PRESETS.quality;
  twins[name] = {
    run: () => computeFlow(pair.first, pair.second, options, createCpuFlow({ now: cpuSeconds })),
    cpu: [],
    wall: [],
    parts: [],
  };
}
const flows = {};
for (let n = 0; n < Number(values.repeat); n++) {
  for (const [name, { run, cpu, wall, parts }] of Object.entries(twins)) {
    const [from, used] = [now(), cpuSeconds()];
    flows[name] = await run();
    cpu.push(cpuSeconds() - used);
    wall.push(now() - from);
    parts.push(flows[name].times);
  }
}
if (
  flows.other &&
  !["u", "v"].every((c) => Buffer.from(flows.this[c].buffer).equals(Buffer.from(flows.other[c].buffer)))
)
  throw new Error("the two twins differ; no time is reported");
const median = (series) => series.slice().sort((a, b) => a - b)[series.length >> 1];
const show = (seconds) => seconds.toFixed(3);
const { cpu: machine, node } = provenance(new Date());
console.log(
  `${machine}, Node ${node}: 640 × 480, ${values.preset}, EPE ${scoreFlow(flows.this, pair.truth, 8).epe.toFixed(4)} px; seconds, ${values.repeat} times in one process`,
);
for (const [name, { cpu, wall, parts }] of Object.entries(twins)) {
  const later = (series) => `${show(median(series.slice(1)))} (${show(Math.min(...series))}), first ${show(series[0])}`;
  const of = Object.keys(parts[0]).map((key) => `${key} ${show(median(parts.map((one) => one[key])))}`);
  console.log(`${name.padEnd(6)} CPU ${later(cpu)}; wall ${later(wall)}; ${of.join(", ")}`);
}
if (flows.other)
  console.log(`this / other: ${(median(twins.this.cpu.slice(1)) / median(twins.other.cpu.slice(1))).toFixed(3)}`);
