// Times the schemes of `rmap flow` on a device, after `npm run build`; each part alone takes a minute at most:
//
//     node lab/flow/speed.mjs PART… [--device gpu|software] [--rows FILE] [--seconds 55] [--repeat 20] [--scale 1]
//
//   table            2048², one level, one warp, 10 iterations: Table 1 of Romera et al. 2023, every scheme in every format
//   depth-f32, depth-f16s, depth-f16, strips   the same over the iterations of one dispatch and the workgroup: its Fig. 11
//   blocks-f32, blocks-f16   30 iterations of 16 pairs of 640 × 480 over the pixels of a thread, the workgroup and the iterations of a dispatch, scheme tiled
//   blocks-whole     the quality preset over the same
//   sizes            the same from 128² to 1024²: its Fig. 8
//   vga              640 × 480 whole: paper preset of 10 iterations and quality preset, one pair and 16 in a batch
//   large            whole flows up to 5793²: its Table 3
//   errors           error over time in every format: its Table 2
//   wall             wall clock of a pair in memory to a field in memory
//   power            nJ a pixel of every scheme in every format, and the clocks, where nvidia-smi answers: its Fig. 12
//
// Times are the device's own, the median of so many, after busy work that brings its clocks up; every row has the difference of that run's flow from the CPU
// twin's or, at large sizes, from scheme global in f32 on the device, which is itself held to the twin; a difference over the acceptance limits, four times that in half floats, ends the script.
// vga, large, errors and wall take scheme tiled in its default shape. After --seconds the rest is left for the next call, which
// goes on with what has no row of this version. `--scale` below 1 shrinks all sizes, to try the script where there is no GPU.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { mean } from "d3-array";
import { computeFlows, FLOW_PRESETS } from "rmap/pixels";
import { scaleOf } from "../../dist/pixels/flow/flow.js";
import { tiledShape } from "../../dist/pixels/flow/gpu/tiled.js";
import { FLOW_PRECISIONS } from "../../dist/pixels/flow/options.js";
import { pyramidSizes } from "../../dist/pixels/pyramid.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { SCHEMES } from "../kernels/flow/schemes.mjs";
import { requireParts } from "../parts.mjs";
import { FlowBench, now, pairOf, stepsOf } from "./measure.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string" },
    seconds: { type: "string", default: "55" },
    repeat: { type: "string", default: "20" },
    scale: { type: "string", default: "1" },
  },
});
const parts = {
  table,
  "depth-f32": () => depths("f32"),
  "depth-f16s": () => depths("f16s"),
  "depth-f16": () => depths("f16"),
  strips,
  "blocks-f32": () => blocks("f32"),
  "blocks-f16": () => blocks("f16"),
  "blocks-whole": wholeBlocks,
  sizes,
  vga,
  large,
  errors,
  wall,
  power,
};
requireParts(positionals, parts);
const scale = Number(values.scale);
const scaled = (size) => Math.max(32, Math.round(size * scale));

const device = await openDevice(deviceNamed(values.device), ["shader-f16"]);
const { session, actual } = device;
if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
const own = { seconds: Number(values.seconds), repeat: Number(values.repeat) };
const bench = await FlowBench.create({ session, actual }, { rows: values.rows, own });
const say = (text) => bench.say(text);
const hasHalves = session.device.features.has("shader-f16");
const formats = FLOW_PRECISIONS.filter((precision) => precision !== "f16" || hasHalves);
if (!hasHalves) say(`${actual} has no shader-f16: nothing is timed in f16`);

const { paper, quality } = FLOW_PRESETS;
const short = { ...paper, iterations: 10 };
/** One level, one warp, 10 iterations, of which the pipelines run five at a time: the paper's timing. */
const square = (side) => ({
  width: scaled(side),
  height: scaled(side),
  options: { ...short, levels: 1 },
  phase: "iterations",
});
const schemes = Object.keys(SCHEMES).filter((scheme) => scheme !== "level");
const { limits } = session.device;
const threads = limits.maxComputeInvocationsPerWorkgroup;
/** What runs where nothing is asked for, named so that its row tells. */
const usual = (precision) => ({ precision, scheme: /** @type {const} */ ("tiled"), ...tiledShape(precision, threads) });
const shapeOf = (scheme, precision) =>
  scheme === "tiled" ? usual(precision) : { scheme, precision, depth: scheme.endsWith("pipeline") ? 5 : undefined };

/** @type {[[number, number], [number, number]][]} */
const BLOCKS = [
  [
    [1, 2],
    [32, 16],
  ],
  [
    [1, 4],
    [32, 8],
  ],
  [
    [1, 4],
    [32, 16],
  ],
  [
    [2, 2],
    [16, 16],
  ],
  [
    [2, 2],
    [32, 16],
  ],
  [
    [2, 4],
    [16, 8],
  ],
  [
    [2, 4],
    [16, 16],
  ],
  [
    [2, 4],
    [32, 8],
  ],
  [
    [2, 4],
    [32, 16],
  ],
];

/** Blocks and workgroups that the device takes. */
const shapes = () => BLOCKS.filter(([, [x, y]]) => x * y <= threads);

say(actual);
for (const part of positionals) await parts[part]();
bench.close();
await device.close();

async function table() {
  say("iterations alone, 2048², 10 iterations, 5 a dispatch where they are fused (Table 1)");
  for (const precision of formats) {
    for (const scheme of schemes) await bench.tried("table", { ...square(2048), ...shapeOf(scheme, precision) });
  }
}

async function depths(precision) {
  if (!formats.includes(precision)) return say(`${actual} has no ${precision}`);
  say(`the same in ${precision} over the iterations of a dispatch (Fig. 11), and over workgroups`);
  /** @type {[string, [number, number], [number, number]?][]} */
  const shapes = [
    ["tiled", [16, 16], [2, 2]],
    ["tiled", [32, 16], [2, 2]],
    ["tiled", [32, 8], [2, 4]],
    ["tiled", [32, 16], [1, 2]],
    ["tiled", [64, 16], [1, 2]],
    ["tiled", [32, 32], [1, 2]],
    ["tiled", [64, 8], [1, 2]],
    ["shared-pipeline", [128, 1]],
    ["shared-pipeline", [256, 1]],
    ["global-pipeline", [1024, 1]],
  ];
  for (const [scheme, workgroup, block] of shapes.filter(([, [x, y]]) => x * y <= threads)) {
    // Those that do not fit are refused, and named.
    for (const depth of [1, 2, 3, 4, 5, 6, 7, 10]) {
      await bench.tried("depth", { ...square(2048), scheme, precision, depth, workgroup, ...(block && { block }) });
    }
  }
}

async function strips() {
  say("the pipelines over the rows of a strip, 5 iterations a dispatch");
  for (const rows of [8, 16, 32, 64, 128]) {
    for (const scheme of ["shared-pipeline", "global-pipeline"]) {
      await bench.tried("depth", { ...square(2048), scheme, precision: "f32", depth: 5, rows });
    }
  }
}

async function blocks(precision) {
  if (!formats.includes(precision)) return say(`${actual} has no ${precision}`);
  say(
    `iterations alone, 16 pairs of 640 × 480, 30 iterations in ${precision}, tiled: pixels of a thread, workgroup, iterations a dispatch`,
  );
  const options = { ...quality, levels: 1, warps: 1, median: 0 };
  const frames = { width: scaled(640), height: scaled(480), pairs: 16, options, phase: "iterations" };
  for (const [block, workgroup] of shapes()) {
    for (const depth of [5, 6, 8, 10]) {
      await bench.tried("blocks", { ...frames, scheme: "tiled", precision, depth, workgroup, block });
    }
  }
}

async function wholeBlocks() {
  say("whole flows in the quality preset, 640 × 480, over the same");
  const frames = { width: scaled(640), height: scaled(480), options: quality };
  for (const [block, workgroup] of shapes()) {
    for (const pairs of [16, 1]) {
      for (const precision of formats.filter((one) => one !== "f16s")) {
        for (const depth of pairs === 16 ? [5, 6, 8] : [6]) {
          await bench.tried("blocks", { ...frames, pairs, scheme: "tiled", precision, depth, workgroup, block });
        }
      }
    }
  }
}

async function sizes() {
  say("iterations alone over the size (Fig. 8)");
  for (const side of [128, 256, 512, 1024]) {
    for (const precision of formats) {
      for (const scheme of schemes) {
        await bench.tried("sizes", { ...square(side), ...shapeOf(scheme, precision) });
      }
    }
  }
}

async function vga() {
  say("whole flows, pyramid to field, 640 × 480");
  const frame = { width: scaled(640), height: scaled(480) };
  for (const options of [short, quality]) {
    for (const pairs of [1, 16]) {
      for (const precision of formats) {
        await bench.tried("frames", { ...frame, options, pairs, ...usual(precision) });
        await bench.tried("frames", { ...frame, options, pairs, precision, scheme: "level" });
      }
    }
  }
}

async function large() {
  say("whole flows over the size, 3 levels, 1 warp, 10 iterations (Table 3)");
  const measured = new Map(formats.map((precision) => [precision, []]));
  for (const side of [512, 1024, 1448, 2048, 2896, 4096, 5793]) {
    for (const precision of formats) {
      const settings = { width: scaled(side), height: scaled(side), options: short, ...usual(precision) };
      const row = await bench.tried("frames", settings);
      if (row !== null) measured.get(precision).push(row);
    }
  }
  for (const [precision, rows] of measured) {
    const sides = [5, 10, 20, 40].map((limit) => `${limit} ms ${sideWithin(rows, limit)}`);
    say(`${precision}: largest square in ${sides.join(", ")}`);
  }
}

/** The side whose time is `limit`, between the measured ones by their pixels. */
function sideWithin(rows, limit) {
  const above = rows.findIndex((row) => row.milliseconds.median > limit);
  if (rows.length === 0) return "not measured";
  if (above === -1) return `above ${rows.at(-1).width}²`;
  if (above === 0) return `below ${rows[0].width}²`;
  const [a, b] = [rows[above - 1], rows[above]];
  const share = (limit - a.milliseconds.median) / (b.milliseconds.median - a.milliseconds.median);
  return `${Math.round(Math.sqrt(a.width ** 2 + share * (b.width ** 2 - a.width ** 2)))}²`;
}

async function errors() {
  say("error over time, 640 × 480, 3 levels, 1 warp (Table 2)");
  for (const precision of formats) {
    for (const iterations of [5, 10, 20, 50, 100]) {
      const options = { ...paper, iterations };
      await bench.tried("errors", { width: scaled(640), height: scaled(480), options, ...usual(precision) });
    }
  }
}

async function wall() {
  say("wall clock of a pair in memory to a field in memory, 640 × 480: scaling, upload, flow, readback");
  const pair = pairOf(scaled(640), scaled(480));
  const { width, height } = pair.first;
  for (const options of [short, quality]) {
    for (const pairs of [1, 16]) {
      if (bench.isOver()) continue;
      const way = usual("f32");
      const steps = stepsOf(session, way);
      const several = Array.from({ length: pairs }, () => pair);
      const times = [];
      let flow = null;
      for (let k = -2; k < 6; k++) {
        const from = now();
        [flow] = await computeFlows(several, options, steps);
        if (k >= 0) times.push(1000 * (now() - from));
      }
      steps.destroy();
      const judged = await bench.judge(flow, pair, options, "f32");
      const asked = { width, height, options, pairs, ...way, phase: null };
      const { schemes } = flow;
      const levels = flow.levels.length;
      bench.keep(bench.row("wall", { times, asked, scheme: schemes[0], levels, dispatches: null, ...judged }));
    }
  }
}

/** Mean draw over two seconds of the same iterations again and again; idle draw is not taken off. The answer judged is that of one more run. */
async function power() {
  for (const precision of formats)
    for (const scheme of schemes) if (!(await powerOf({ ...square(2048), ...shapeOf(scheme, precision) }))) return;
}

/** Four seconds of iterations, of which the last two are metered, since the meter's own mean goes over one second. False where there is no meter. */
async function powerOf(settings) {
  const { width, height, options, precision } = settings;
  const pair = pairOf(width, height);
  const steps = stepsOf(session, settings);
  await steps.begin([{ ...pair, scale: scaleOf(pair) }], pyramidSizes(pair.first, 1, 0.5), options);
  const begin = async () => {
    await steps.enter(0);
    await steps.warp();
  };
  await begin();
  const readings = [];
  const query = ["--query-gpu=power.draw,clocks.sm,clocks.mem", "--format=csv,noheader,nounits", "-lms", "100"];
  const meter = spawn("nvidia-smi", query);
  let absent = false;
  meter.on("error", () => {
    absent = true;
  });
  let warm = false;
  meter.stdout?.on("data", (text) => {
    const lines = String(text).trim().split("\n");
    const numbers = lines.map((line) => line.split(",").map(Number));
    if (warm) readings.push(...numbers.filter((line) => line.length === 3 && line.every(Number.isFinite)));
  });
  const from = now();
  const times = [];
  for (let last = from; last - from < 4; ) {
    await steps.iterate(50 * options.iterations - 1);
    // The last one waits for the device.
    await steps.iterateMeasured();
    if (warm) times.push((1000 * (now() - last)) / 50);
    last = now();
    warm ||= last - from > 2;
  }
  meter.kill();
  await begin();
  await steps.iterate(options.iterations);
  const [flow] = await steps.finish();
  const scheme = steps.schemes[0];
  steps.destroy();
  if (readings.length === 0) {
    say(absent ? "nvidia-smi is not there: no power" : "nvidia-smi says no power draw");
    return false;
  }
  const judged = await bench.judge({ ...flow, schemes: [scheme] }, pair, options, precision);
  const [watts, coreMegahertz, memoryMegahertz] = [0, 1, 2].map((k) => mean(readings.map((line) => line[k])));
  const row = bench.row("power", { times, asked: settings, scheme, levels: 1, dispatches: null, ...judged });
  const nanojoulesPerPixel = watts * row.nanosecondsPerPixel;
  bench.keep({ ...row, watts, nanojoulesPerPixel, coreMegahertz, memoryMegahertz });
  say(`${precision}: ${watts.toFixed(0)} W, ${nanojoulesPerPixel.toFixed(1)} nJ/px at ${coreMegahertz.toFixed(0)} MHz`);
  return true;
}
