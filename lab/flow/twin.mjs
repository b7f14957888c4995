#!/usr/bin/env node
/**
 * Times the flow on the CPU, the plain twin and what a user gets, which computes four pixels at a time on all cores: 640 × 480, 3 levels, 1 warp, 10 iterations, one pair in
 * memory to a field in memory, in turns, by the process's CPU time and the wall clock.
 *
 *     npm run build && node lab/flow/twin.mjs [--repeat 15] [--preset paper|quality] [--threads 1,2] [--than DIST] [--rows lab/results/flow-speed.jsonl]
 *
 * --than names the dist folder of another checkout, whose twin takes turns with this one; both must give the same bits. On each number of --threads the flow must be within 2e-5 px
 * of the twin's in the mean.
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { computeFlow, createSimdFlow, FLOW_PRESETS } from "rmap/pixels";
import { scoreFlow } from "rmap/scores";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { now, pairOf, spread } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    repeat: { type: "string", default: "15" },
    preset: { type: "string", default: "paper" },
    threads: { type: "string", default: "1,2" },
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
const turns = (run) => ({ run, cpu: [], wall: [], parts: [] });
for (const [name, folder] of Object.entries(folders)) {
  const load = (file) => import(pathToFileURL(resolve(folder, file)).href);
  const { computeFlow } = await load("pixels/flow/flow.js");
  const { createCpuFlow } = await load("pixels/flow/cpu-flow.js");
  twins[name] = turns(() =>
    computeFlow(pair.first, pair.second, optionsOf(FLOW_PRESETS), createCpuFlow({ now: cpuSeconds })),
  );
}
for (const threads of values.threads.split(",").map(Number)) {
  const steps = createSimdFlow({ threads, now });
  twins[`simd, ${threads}`] = turns(() => computeFlow(pair.first, pair.second, optionsOf(FLOW_PRESETS), steps));
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
console.log(
  `${machine}, Node ${node}: 640 × 480, ${values.preset}; milliseconds, ${values.repeat} times in one process, the first apart`,
);
const { levels, warps, iterations, median } = optionsOf(FLOW_PRESETS);
for (const [name, { cpu, wall, parts }] of Object.entries(twins)) {
  const { epe: mean, quantiles } = scoreFlow(flows[name], flows.this);
  if (!(mean <= 2e-5)) throw new Error(`${name} is ${mean} px from the twin; no time is reported`);
  const { epe } = scoreFlow(flows[name], pair.truth, 8);
  const [used, waited] = [milliseconds(cpu), milliseconds(wall)];
  const shown = ({ median, min }) => `${median.toFixed(1)} (least ${min.toFixed(1)})`;
  const of = Object.keys(parts[0]).map(
    (key) => `${key} ${(1000 * spread(parts.map((one) => one[key])).median).toFixed(1)}`,
  );
  const faster = (milliseconds(twins.this.wall).median / waited.median).toFixed(2);
  console.log(
    `${name.padEnd(8)} CPU ${shown(used)}; wall ${shown(waited)}, the twin ${faster} times; ${of.join(", ")}; EPE ${epe.toFixed(4)} px, to the twin ${mean.toExponential(1)}`,
  );
  if (values.rows === undefined || name === "other") continue;
  const threads = name === "this" ? 1 : Number(name.slice("simd, ".length));
  keepRow(values.rows, {
    benchmark: "flow-speed",
    part: "twin",
    device: "cpu",
    scheme: name === "this" ? "global" : "simd",
    threads,
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
    milliseconds: used,
    nanosecondsPerPixel: (1e6 * used.median) / (640 * 480),
    repetitions: Number(values.repeat) - 1,
    difference: { mean, p999: quantiles.p999 },
    epe,
    wall: waited,
    first: 1000 * cpu[0],
    ...(flows.other !== undefined && { than: milliseconds(twins.other.cpu) }),
    cpu: machine,
    node,
    ...made,
  });
}
