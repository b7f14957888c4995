/**
 * Where the wall clock of a flow goes besides the device: images of 8 bits and the same numbers in f32, from memory to a field in memory, and the
 * device's own time by its clock. The answers must be the same to the last bit. Prints a table and writes no rows (speed.mjs wall does).
 *
 *     npm run build && node lab/flow/upload.mjs [gpu|software] [WIDTHxHEIGHT ...]
 */
import { computeFlow, createGpuFlow, FLOW_PRESETS } from "rmap/pixels";
import { PassLog } from "../../dist/gpu/timer.js";
import { scaleOf } from "../../dist/pixels/flow/scale.js";
import { openDevice } from "../../dist/run/device.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";
import { deviceNamed } from "../device.mjs";

const [device = "gpu", ...sizes] = process.argv.slice(2);
const isSoftware = device === "software";
const RUNS = isSoftware ? 3 : 30;
const now = () => performance.now() / 1000;
const { paper, quality } = FLOW_PRESETS;
/** Without iterations almost nothing is left but the ways of images and field. */
const PRESETS = isSoftware
  ? { "no iterations": { ...paper, levels: 1, iterations: 0 } }
  : { "no iterations": { ...paper, levels: 1, iterations: 0 }, paper, quality };

const opened = await openDevice(deviceNamed(device));
const { session, actual } = opened;
if (session === null) throw new Error(`${device} names no GPU`);
const log = new PassLog(session, 1024);
console.log(`${actual}; medians of ${RUNS}, milliseconds`);
for (const size of sizes.length > 0 ? sizes : ["640x480", "1920x1080"]) {
  const [width, height] = size.split("x").map(Number);
  const made = makeFlowPair("turn", 1, width, height);
  const pairOf = (numbers) => ({
    first: { width, height, pixels: numbers.from(made.first) },
    second: { width, height, pixels: numbers.from(made.second) },
  });
  for (const [name, options] of Object.entries(PRESETS)) {
    const steps = createGpuFlow(session, { now });
    const fields = [];
    for (const numbers of [Uint8Array, Float32Array]) {
      const pair = pairOf(numbers);
      const flow = () => computeFlow(pair.first, pair.second, options, steps);
      fields.push(await flow());
      const range = await median(() => scaleOf(pair));
      const wall = await median(flow);
      const passes = await log.of(flow);
      const onDevice = passes.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      const label = `${size} ${name}, ${numbers === Uint8Array ? "8 bits" : "f32"}`;
      console.log(
        `${label.padEnd(34)} wall ${wall.toFixed(2)}, device ${onDevice.toFixed(2)}, range of the values ${range.toFixed(2)}`,
      );
    }
    const [one, other] = fields;
    if (!one.u.every((u, i) => u === other.u[i] && one.v[i] === other.v[i])) throw new Error("the fields differ");
    steps.destroy();
  }
}
log.destroy();
await opened.close();

/** The first fifth of the runs warms up. */
async function median(work) {
  const times = [];
  for (let run = -Math.ceil(RUNS / 5); run < RUNS; run++) {
    const from = performance.now();
    await work();
    if (run >= 0) times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}
