#!/usr/bin/env node
/**
 * Times the CPU's twin of the flow: 640 × 480, 3 levels, 1 warp, 10 iterations, one pair in memory to a field in memory, by the process's CPU time.
 *
 *     npm run build && node lab/flow/twin.mjs [--repeat 15] [--preset paper|quality] [--than DIST] [--rows lab/results/flow-speed.jsonl]
 *
 * --than names the dist folder of another checkout, whose twin takes turns with this one; both must give the same bits.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { FLOW_PRESETS } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { now, pairOf, spread } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    repeat: { type: "string", default: "15" },
    preset: { type: "string", default: "paper" },
    than: { type: "string" },
    rows: { type: "string" },
  },
});
/** CPU time of all the process's threads, of which one computes. */
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
/** Of the preset; the paper's of 10 iterations. */
const optionsOf = ({ paper, quality }) => (values.preset === "paper" ? { ...paper, iterations: 10 } : quality);
const folders = { this: resolve(import.meta.dirname, "../../dist") };
if (values.than !== undefined) folders.other = resolve(values.than);
const pair = pairOf(640, 480);
const twins = {};
for (const [name, folder] of Object.entries(folders)) {
  const load = (file) => import(pathToFileURL(resolve(folder, file)).href);
  const { computeFlow } = await load("pixels/flow/flow.js");
  const { createCpuFlow } = await load("pixels/flow/cpu-flow.js");
  twins[name] = {
    run: () => computeFlow(pair.first, pair.second, optionsOf(FLOW_PRESETS), createCpuFlow({ now: cpuSeconds })),
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
const milliseconds = (series) => spread(series.slice(1).map((seconds) => 1000 * seconds));
const { cpu: machine, node, ...made } = provenance(new Date());
const epe = scoreFlow(flows.this, pair.truth, 8).epe;
console.log(
  `${machine}, Node ${node}: 640 × 480, ${values.preset}, EPE ${epe.toFixed(4)} px; seconds, ${values.repeat} times in one process, the first apart`,
);
for (const [name, { cpu, wall, parts }] of Object.entries(twins)) {
  const shown = (series) => {
    const { median, min } = spread(series.slice(1));
    return `${median.toFixed(3)} (${min.toFixed(3)}), first ${series[0].toFixed(3)}`;
  };
  const of = Object.keys(parts[0]).map((key) => `${key} ${spread(parts.map((one) => one[key])).median.toFixed(3)}`);
  console.log(`${name.padEnd(6)} CPU ${shown(cpu)}; wall ${shown(wall)}; ${of.join(", ")}`);
}
const [own, other] = Object.values(twins).map(({ cpu }) => milliseconds(cpu));
if (other !== undefined) console.log(`this / other: ${(own.median / other.median).toFixed(3)}`);
if (values.rows !== undefined) {
  const { levels, warps, iterations, median } = optionsOf(FLOW_PRESETS);
  keepRow(values.rows, {
    benchmark: "flow-speed",
    part: "twin",
    device: "cpu",
    scheme: "global",
    precision: "f32",
    width: 640,
    height: 480,
    pairs: 1,
    levels,
    warps,
    iterations,
    median,
    whole: true,
    workgroup: null,
    rows: null,
    dispatches: null,
    milliseconds: own,
    nanosecondsPerPixel: (1e6 * own.median) / (640 * 480),
    repetitions: Number(values.repeat) - 1,
    difference: { mean: 0, p999: 0 },
    epe,
    wall: milliseconds(twins.this.wall),
    first: 1000 * twins.this.cpu[0],
    ...(other !== undefined && { than: other }),
    cpu: machine,
    node,
    ...made,
  });
}
