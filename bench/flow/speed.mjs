// Times the schemes of `rmap flow` on a device, after `npm run build`; two to three minutes on one H100:
//
//     node bench/flow/speed.mjs [gpu|software] [--rows FILE] [--parts table,sizes,depth,frames,errors,power] [--repeat 20] [--scale 1]
//
//   table   2048², one level, one warp, 10 iterations: Table 1 of Romera et al. 2023, every scheme in every format
//   sizes   the same from 128² to 2048²: its Fig. 8
//   depth   the same over the iterations of one dispatch, and for tiled over the workgroup: its Fig. 11
//   frames  640 × 480 whole: paper preset of 10 iterations and quality preset, one pair and 16 in a batch; larger frames: its Table 3
//   errors  error over time in every format: its Table 2
//   power   nJ a pixel, where nvidia-smi answers
//
// Times are the device's own, the median of so many; every row has the difference of that run's flow from the CPU twin's or, at large sizes, from
// scheme global in f32 on the device, which is itself held to the twin; a difference over the acceptance limits ends the script. `--scale` below 1
// shrinks all sizes, to try the script where there is no GPU.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PassTimer } from "../../dist/gpu/timer.js";
import { createCpuFlow } from "../../dist/pixels/flow/cpu-flow.js";
import { computeFlow, computeFlows, scaledTogether } from "../../dist/pixels/flow/flow.js";
import { createGpuFlow } from "../../dist/pixels/flow/gpu/gpu-flow.js";
import { greatestDepth } from "../../dist/pixels/flow/gpu/scheme.js";
import { FLOW_PRECISIONS, FLOW_PRESETS, FLOW_SCHEMES } from "../../dist/pixels/flow/options.js";
import { pyramidSizes } from "../../dist/pixels/pyramid.js";
import { flowSpeedRow } from "../../dist/rows/kinds/flow-speed.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { scoreFlow } from "../../dist/scores/flow.js";
import { makeFlowPair } from "../../dist/simulation/flow-pairs.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    parts: { type: "string", default: "table,sizes,depth,frames,errors,power" },
    repeat: { type: "string", default: "20" },
    scale: { type: "string", default: "1" },
  },
});
const [choice = "gpu"] = positionals;
const parts = values.parts.split(",");
const repeat = Number(values.repeat);
const scale = Number(values.scale);
const now = () => performance.now() / 1000;
const begin = now();
const say = (text) => console.log(`${(now() - begin).toFixed(1).padStart(6)} s  ${text}`);
const scaled = (size) => Math.max(32, Math.round(size * scale));

const { session, actual, close } = await openDevice(choice, ["shader-f16"]);
if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
const hasHalves = session.device.features.has("shader-f16");
const formats = FLOW_PRECISIONS.filter((precision) => precision !== "f16" || hasHalves);
if (!hasHalves) say(`${actual} has no shader-f16: nothing is timed in f16`);

/** Records dispatches and runs them in one pass with timestamps when told to. */
class OnePass {
  #work = [];
  #timer = new PassTimer(session, 4);
  kernel(phase, work) {
    this.#work.push({ phase, work });
  }
  copy() {
    throw new Error("not part of what is timed");
  }
  /** Milliseconds of the device for what was recorded; those of `phase` alone with its name, before it ran the rest. */
  async run(phase = null) {
    const last = this.#work.findIndex((one) => one.phase === phase);
    const groups = phase === null ? [this.#work] : [this.#work.slice(0, last), this.#work.slice(last)];
    this.#work = [];
    const encoder = session.device.createCommandEncoder();
    for (const group of groups) {
      const pass = encoder.beginComputePass({ timestampWrites: this.#timer.next() });
      for (const { work } of group) work(pass);
      pass.end();
    }
    this.#timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    const milliseconds = await this.#timer.read();
    return { milliseconds: milliseconds[milliseconds.length - 1], dispatches: groups[groups.length - 1].length };
  }
  async readBack(buffers) {
    if (this.#work.length > 0) await this.run();
    const { readStorage } = await import("../../dist/gpu/buffers.js");
    return await readStorage(session, buffers);
  }
  destroy() {
    this.#timer.destroy();
  }
}

/** A pair of the size, scaled as the flow scales it, whose true flow is known; large ones repeat a smaller one, and their truth is not used. */
const made = new Map();
function pairOf(width, height) {
  const key = `${width} ${height}`;
  if (!made.has(key)) {
    const side = [Math.min(width, 640), Math.min(height, 640)];
    const tile = makeFlowPair("turn", 1, ...side);
    const image = (grey) => ({
      width,
      height,
      pixels: Float32Array.from({ length: width * height }, (_, i) => {
        return grey[(Math.floor(i / width) % side[1]) * side[0] + ((i % width) % side[0])];
      }),
    });
    const truth = width <= 640 && height <= 640 ? tile.truth : null;
    made.set(key, { ...scaledTogether({ first: image(tile.first), second: image(tile.second) }), truth });
  }
  return made.get(key);
}

const references = new Map();
/** The flow in f32 that others are held to: the CPU twin's up to a megapixel, else scheme global's, which is held to the twin at smaller sizes. */
async function reference(pair, options) {
  const key = JSON.stringify([pair.first.width, pair.first.height, options]);
  if (!references.has(key)) {
    const small = pair.first.width * pair.first.height <= 2 ** 20;
    const steps = small ? createCpuFlow({ now }) : createGpuFlow(session, { scheme: "global", now });
    references.set(key, await computeFlow(pair.first, pair.second, options, steps));
    if (!small) steps.destroy();
  }
  return references.get(key);
}

/** The acceptance limits on the mean and the 99.9 % quantile of |Δu| in px, in the paper preset; medians are discontinuous. */
const LIMITS = { f32: [0.0005, 0.005], f16s: [0.002, 0.02], f16: [0.002, 0.02] };

/** Large fields are judged on every 17th row, which meets every row of a tile: no tile's stride is a multiple of 17. */
function thinned(field, border) {
  const { width } = field;
  if (width * field.height <= 2 ** 20) return { ...field, border };
  const height = Math.floor(field.height / 17);
  const thin = (from) =>
    Float32Array.from({ length: width * height }, (_, i) => from[i + 16 * width * Math.floor(i / width)]);
  return { width, height, u: thin(field.u), v: thin(field.v), border };
}

const origin = provenance(new Date());

async function judge(flow, pair, options, precision) {
  const judged = thinned(flow, Math.min(8, flow.width >> 3));
  const { epe: mean, quantiles } = scoreFlow(judged, thinned(await reference(pair, options), 0), judged.border);
  const [mostMean, mostQuantile] = LIMITS[precision];
  if (options.median === 0 && !(mean <= mostMean && quantiles.p999 <= mostQuantile)) {
    throw new Error(
      `${flow.schemes} ${precision}: mean |Δu| ${mean}, 99.9 % ${quantiles.p999}: wrong, so no time is reported`,
    );
  }
  return { difference: { mean, p999: quantiles.p999 }, epe: pair.truth && scoreFlow(flow, pair.truth, 8).epe };
}

const spread = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] };
};

/** Times a whole flow (`phase` null) or its iterations alone, and appends the row. */
async function measure(part, { width, height, options, pairs = 1, phase = null, ...own }) {
  const precision = own.precision ?? "f32";
  const pair = pairOf(width, height);
  const recorder = new OnePass();
  const steps = createGpuFlow(session, { ...own, recorder, now });
  try {
    const sizes = pyramidSizes(pair.first, options.levels, options.zoom);
    await steps.begin(
      Array.from({ length: pairs }, () => pair),
      sizes,
      options,
    );
    const pyramid = await recorder.run();
    const once = async () => {
      for (let level = sizes.length - 1; level >= 0; level--) {
        steps.enter(level);
        for (let warp = 0; warp < options.warps; warp++) {
          steps.warp();
          steps.iterate(options.iterations);
        }
      }
      return await recorder.run(phase);
    };
    const warmUntil = now() + 0.1;
    do await once();
    while (now() < warmUntil);
    const times = [];
    let dispatches = 0;
    for (let k = 0; k < repeat; k++) {
      const time = await once();
      times.push(time.milliseconds + (phase === null ? pyramid.milliseconds : 0));
      dispatches = time.dispatches + (phase === null ? pyramid.dispatches : 0);
    }
    const [flow] = await steps.finish();
    const judged = await judge({ ...flow, schemes: steps.schemes }, pair, options, precision);
    const milliseconds = spread(times);
    const row = {
      benchmark: "flow-speed",
      part,
      device: actual,
      scheme: steps.schemes[0],
      precision,
      width,
      height,
      pairs,
      levels: sizes.length,
      warps: options.warps,
      iterations: options.iterations,
      median: options.median,
      whole: phase === null,
      workgroup: own.workgroup ?? null,
      rows: own.rows ?? null,
      dispatches,
      milliseconds,
      nanosecondsPerPixel: (1e6 * milliseconds.median) / (width * height * pairs),
      repetitions: repeat,
      ...judged,
      ...origin,
      date: new Date().toISOString(),
    };
    write(row);
    return row;
  } finally {
    steps.destroy();
  }
}

function write(row) {
  const checked = flowSpeedRow.parse(row);
  if (values.rows !== undefined) appendFileSync(values.rows, `${JSON.stringify(checked)}\n`);
}

const show = (row) =>
  `${row.width}×${row.height}${row.pairs > 1 ? ` × ${row.pairs}` : ""} ${row.scheme.padEnd(20)} ${row.precision.padEnd(5)} ${row.milliseconds.median.toFixed(4)} ms  ${row.nanosecondsPerPixel.toFixed(4)} ns/px  ${row.dispatches} dispatches  |Δu| ${row.difference.mean.toExponential(1)}${row.epe === null ? "" : `  EPE ${row.epe.toFixed(4)}`}`;

/** One that a device refuses (too deep, too large) is named, and the others go on. */
async function tried(part, settings) {
  try {
    const row = await measure(part, settings);
    say(show(row));
    return row;
  } catch (error) {
    if (error.name !== "InputError" && error.name !== "DeviceError") throw error;
    say(`refused: ${error.message}`);
    return null;
  }
}

const { paper, quality } = FLOW_PRESETS;
/** One level, one warp, 10 iterations, of which the pipelines run five at a time: the paper's timing. */
const monoscale = { ...paper, levels: 1, iterations: 10 };
const square = (side) => ({ width: scaled(side), height: scaled(side), options: monoscale, phase: "iterations" });
const depthOf = (scheme) => (/pipeline|tiled/.test(scheme) ? 5 : undefined);
const fitsAnywhere = (scheme) => scheme !== "level";

const best = new Map();
const keepBest = (row, settings) => {
  if (row !== null && !(best.get(row.precision)?.row.milliseconds.median <= row.milliseconds.median)) {
    best.set(row.precision, { row, settings });
  }
};

if (parts.includes("table")) {
  say("iterations alone, 2048², 10 iterations, 5 a dispatch where they are fused (Table 1)");
  for (const scheme of FLOW_SCHEMES.filter(fitsAnywhere)) {
    for (const precision of formats) {
      const settings = { ...square(2048), scheme, precision, depth: depthOf(scheme) };
      keepBest(await tried("table", settings), settings);
    }
  }
}
if (parts.includes("depth")) {
  say("the same over the iterations of a dispatch (Fig. 11), and over workgroups");
  const limits = session.device.limits;
  const bounds = { threads: limits.maxComputeInvocationsPerWorkgroup, bytes: limits.maxComputeWorkgroupStorageSize };
  const shapes = {
    tiled: [
      [32, 32],
      [32, 16],
      [64, 16],
      [64, 8],
      [32, 8],
      [16, 8],
    ],
    "shared-pipeline": [
      [128, 1],
      [256, 1],
    ],
    "global-pipeline": [
      [256, 1],
      [1024, 1],
    ],
  };
  for (const precision of formats) {
    for (const [scheme, workgroups] of Object.entries(shapes)) {
      for (const workgroup of workgroups.filter(([x, y]) => x * y <= bounds.threads)) {
        const most = Math.min(greatestDepth(scheme, workgroup, precision, bounds), 10);
        for (const depth of [1, 2, 3, 4, 5, 6, 7, 10].filter((k) => k <= most)) {
          const settings = { ...square(2048), scheme, precision, depth, workgroup };
          keepBest(await tried("depth", settings), settings);
        }
      }
    }
  }
  for (const rows of [8, 16, 64, 128]) {
    for (const scheme of ["shared-pipeline", "global-pipeline"]) {
      await tried("depth", { ...square(2048), scheme, precision: "f32", depth: 5, rows });
    }
  }
}
const fastest = (precision) => {
  const { scheme = "tiled", depth, workgroup } = best.get(precision)?.settings ?? {};
  return { precision, scheme, depth, workgroup };
};
if (parts.includes("sizes")) {
  say("iterations alone over the size (Fig. 8)");
  for (const side of [128, 256, 512, 1024]) {
    for (const scheme of FLOW_SCHEMES.filter(fitsAnywhere)) {
      for (const precision of formats)
        await tried("sizes", { ...square(side), scheme, precision, depth: depthOf(scheme) });
    }
  }
}
if (parts.includes("frames")) {
  say("whole flows, pyramid to field, 640 × 480");
  const vga = { width: scaled(640), height: scaled(480) };
  for (const options of [{ ...paper, iterations: 10 }, quality]) {
    for (const precision of formats) {
      for (const pairs of [1, 16]) {
        await tried("frames", { ...vga, options, pairs, ...fastest(precision) });
        await tried("frames", { ...vga, options, pairs, precision, scheme: "level" });
      }
    }
  }
  say("whole flows over the size, 3 levels, 1 warp, 10 iterations (Table 3)");
  for (const side of [512, 1024, 1448, 2048, 2896, 4096, 5793]) {
    const frame = { width: scaled(side), height: scaled(side), options: { ...paper, iterations: 10 } };
    for (const precision of formats) await tried("frames", { ...frame, ...fastest(precision) });
  }
}
if (parts.includes("errors")) {
  say("error over time, 640 × 480, 3 levels, 1 warp (Table 2)");
  for (const precision of formats) {
    for (const iterations of [5, 10, 20, 30, 50, 100]) {
      const options = { ...paper, iterations };
      await tried("errors", { width: scaled(640), height: scaled(480), options, ...fastest(precision) });
    }
  }
}
if (parts.includes("frames")) {
  say("wall time of a pair in memory to a field in memory, 640 × 480: scaling, upload, flow, readback");
  const pair = pairOf(scaled(640), scaled(480));
  for (const [name, options] of [
    ["paper, 10 iterations", { ...paper, iterations: 10 }],
    ["quality", quality],
  ]) {
    for (const pairs of [1, 16]) {
      const steps = createGpuFlow(session, { ...fastest("f32"), now });
      const times = [];
      for (let k = 0; k < 8; k++) {
        const from = now();
        await computeFlows(
          Array.from({ length: pairs }, () => pair),
          options,
          steps,
        );
        times.push(1000 * (now() - from));
      }
      steps.destroy();
      const { median, min, max } = spread(times.slice(2));
      say(
        `${name}, ${pairs} pair(s): ${median.toFixed(2)} ms (${min.toFixed(2)} to ${max.toFixed(2)}), ${(median / pairs).toFixed(2)} a pair`,
      );
    }
  }
}
if (parts.includes("power")) await power();
await close();
say("done");

/** Mean draw over two seconds of the same iterations again and again; idle draw is not taken off. */
async function power() {
  for (const precision of formats) {
    const settings = { ...square(2048), ...fastest(precision) };
    const recorder = new OnePass();
    const pair = pairOf(settings.width, settings.height);
    const steps = createGpuFlow(session, { ...settings, recorder, now });
    await steps.begin([pair], pyramidSizes(pair.first, 1, 0.5), settings.options);
    steps.enter(0);
    steps.warp();
    await recorder.run();
    const watts = [];
    const meter = spawn("nvidia-smi", ["--query-gpu=power.draw", "--format=csv,noheader,nounits", "-lms", "100"]);
    const absent = new Promise((resolve) => meter.on("error", () => resolve(true)));
    let warm = false;
    meter.stdout?.on("data", (text) => {
      if (warm) watts.push(...String(text).trim().split("\n").map(Number).filter(Number.isFinite));
    });
    const from = now();
    let runs = 0;
    while (now() - from < 3) {
      for (let k = 0; k < 50; k++) steps.iterate(10);
      await recorder.run();
      runs += 50;
      warm ||= now() - from > 1;
    }
    meter.kill();
    steps.destroy();
    if (watts.length === 0) {
      say(
        (await Promise.race([absent, Promise.resolve(false)]))
          ? "nvidia-smi is not there: no power"
          : "nvidia-smi says no power draw",
      );
      return;
    }
    const draw = watts.reduce((sum, one) => sum + one, 0) / watts.length;
    const seconds = (now() - from) / runs;
    const nanojoules = (1e9 * draw * seconds) / (settings.width * settings.height);
    say(
      `${precision}, ${settings.scheme}: ${draw.toFixed(0)} W, ${(1000 * seconds).toFixed(3)} ms a run by the wall, ${nanojoules.toFixed(1)} nJ/px`,
    );
  }
}
