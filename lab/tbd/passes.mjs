#!/usr/bin/env node
/**
 * Where the time of one pass of track-before-detect without decimation (D = 1) goes on a device, and other ways to run it: the state's layout, the
 * direction of a pass, pixels a thread, vectors compiled in, the workgroup.
 *
 *     npm run build && node lab/tbd/passes.mjs [--sides 1024,2048] [--device gpu|software] [--rows lab/results/tbd-passes.jsonl] [--repeat 20] [--only turning]
 *
 * A pass is timed twice: alone, in a compute pass of its own after a small upload, as rmap runs one; and as one of eleven that follow each other in one
 * compute pass, per dispatch. `nothing` is a dispatch of one idle workgroup, timed in the same two ways: what starting and timing cost. `copy` copies the state
 * and computes nothing. Every way's state after three passes over three frames is compared with the CPU twin's; one that differs ends the script. In a chain the frames
 * take turns, and the state of `turning` runs backwards in every other pass: what was written last is read first, while it is still in a cache.
 */
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { createStorage, readStorage, uploadStorage, uploadUniform } from "../../dist/gpu/buffers.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { weights } from "../../dist/pixels/before-detect/cpu.js";
import { bestOf } from "../../dist/pixels/before-detect/detect.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";
import { passKernel } from "./pass-kernel.mjs";
import { errorOf, noiseFrames, spreadOf, stateAfter } from "./scenes.mjs";

const { values: flags } = parseArgs({
  options: {
    sides: { type: "string", default: "1024,2048" },
    device: { type: "string", default: "gpu" },
    rows: { type: "string" },
    repeat: { type: "string", default: "20" },
    only: { type: "string", default: "" },
  },
});
const REPEAT = Number(flags.repeat);
/** A pass alone and then a chain of this many: together a multiple of the frames and of the two directions. */
const CHAIN = 11;
const FRAMES = 3;
const TOLERANCE = 1e-6;

const now = () => performance.now() / 1000;
const device = await openDevice(deviceNamed(flags.device));
const { session } = device;
if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
const most = session.device.limits.maxComputeInvocationsPerWorkgroup;
const busy = await BusyWork.create(session, now);
const timer = new PassTimer(session, 4);
const vectors = motionVectors(2);
const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation: 1 };
const WORKGROUPS = {
  1: [
    [32, 8],
    [64, 4],
    [128, 2],
    [256, 1],
    [128, 1],
    [64, 8],
  ],
  4: [
    [32, 8],
    [64, 4],
    [32, 4],
    [256, 1],
    [64, 1],
    [32, 2],
  ],
};
const ways = [{ kind: "nothing", workgroup: [1, 1] }, ...several({ kind: "copy", pixels: 4 })];
for (const layout of ["vector", "row"]) {
  for (const kind of ["vectors as an argument", "vectors and their number as an argument"]) {
    ways.push(...several({ kind, layout, pixels: 1 }));
  }
  for (const pixels of [1, 4]) ways.push(...several({ kind: "vectors compiled in", layout, pixels }));
}

console.log(
  `${device.actual}, ${vectors.length} vectors, D = 1; ms a pass, median of ${REPEAT} (least), state compared with the twin's`,
);
for (const side of flags.sides.split(",").map(Number)) await run(side);
timer.destroy();
busy.destroy();
await device.close();

/** A way in its workgroups, forwards and turning. */
function several(way) {
  const shapes = WORKGROUPS[way.pixels].filter(([x, y]) => x * y <= most);
  return [false, true].flatMap((turning) => shapes.map((workgroup) => ({ ...way, turning, workgroup })));
}

function nameOf({ kind, layout, pixels, turning }) {
  return [kind, layout && `by ${layout}`, pixels && `${pixels} px`, turning && "turning"].filter(Boolean).join(", ");
}

async function run(side) {
  const field = { width: side, height: side };
  const frames = noiseFrames(side, side, FRAMES);
  const twin = await stateAfter(frames, field, options);
  /** @type {any[]} */
  const measured = [];
  for (const way of ways) {
    if (!nameOf(way).includes(flags.only)) continue;
    const row = await session.scoped(nameOf(way), () => measure(way, field, frames, twin));
    keepRow(flags.rows, row);
    measured.push(row);
  }
  for (const name of new Set(measured.map(({ scheme }) => scheme))) {
    const own = measured.filter(({ scheme }) => scheme === name);
    const best = (series) => own.reduce((a, b) => (b[series].median < a[series].median ? b : a));
    const show = (series) => {
      const row = best(series);
      return `${row[series].median.toFixed(4)} (${row[series].min.toFixed(4)}) ${row.workgroup.join("x").padEnd(6)}`;
    };
    const tb = (own[0].bytes / best("milliseconds").milliseconds.median / 1e9).toFixed(2);
    console.log(`${side}² ${name.padEnd(46)} alone ${show("alone")} chained ${show("milliseconds")} ${tb} TB/s`);
  }
}

async function measure(way, field, frames, twin) {
  const { width, height } = field;
  const cells = width * height;
  const { code, groups, bytes } = passKernel(way, { ...field, vectors });
  const module = session.device.createShaderModule({ code });
  const pipeline = await session.device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const buffers = {
    frames: frames.map(({ pixels }) => uploadStorage(session, "frame", pixels)),
    states: [0, 1].map(() => createStorage(session, "state", vectors.length * cells)),
    best: createStorage(session, "best", cells),
    which: createStorage(session, "which", cells),
    offsets: uploadStorage(session, "offsets", Int32Array.from(vectors.flatMap(({ x, y }) => [x, y]))),
    runs: [0, 1].map((backwards) => uploadUniform(session, "run", packed(backwards))),
  };
  const groupOf = (k) => {
    const resources = [
      buffers.runs[way.turning ? k % 2 : 0],
      buffers.frames[k % FRAMES],
      buffers.states[k % 2],
      buffers.states[(k + 1) % 2],
      buffers.best,
      buffers.which,
      buffers.offsets,
    ];
    const entries = resources.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const used = entries.filter(({ binding }) => code.includes(`@binding(${binding})`));
    return session.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: used });
  };
  const bound = Array.from({ length: CHAIN + 1 }, (_, k) => groupOf(k));
  /** Milliseconds of passes k0, k0 + 1, … one after the other. */
  const passes = async (k0, count) => {
    session.device.queue.writeBuffer(buffers.offsets, 0, Int32Array.from(vectors.flatMap(({ x, y }) => [x, y])));
    const encoder = session.device.createCommandEncoder();
    const pass = encoder.beginComputePass({ timestampWrites: timer.next() });
    pass.setPipeline(pipeline);
    for (let k = k0; k < k0 + count; k++) {
      pass.setBindGroup(0, bound[k % bound.length]);
      pass.dispatchWorkgroups(groups[0], groups[1]);
    }
    pass.end();
    timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    return (await timer.read())[0];
  };
  try {
    await passes(0, FRAMES);
    let error = 0;
    if (way.kind.startsWith("vectors")) {
      const read = await readStorage(session, [buffers.states[FRAMES % 2], buffers.best, buffers.which]);
      const state = byVector(new Float32Array(read[0]), way.layout, field);
      error = errorOf(state, twin);
      checkBest(state, new Float32Array(read[1]), new Uint32Array(read[2]), nameOf(way));
      if (!(error <= TOLERANCE))
        throw new Error(`${nameOf(way)} ${way.workgroup}: off the twin by ${error}; no time is reported`);
    }
    const [alone, chained] = [[], []];
    await busy.run();
    for (let n = -3; n < REPEAT; n++) {
      const one = await passes(0, 1);
      const many = await passes(1, CHAIN);
      if (n < 0) continue;
      alone.push(one);
      chained.push(many / CHAIN);
    }
    return {
      benchmark: "tbd-pass",
      device: device.actual,
      ...field,
      vectors: vectors.length,
      decimation: 1,
      scheme: nameOf(way),
      workgroup: way.workgroup,
      milliseconds: spreadOf(chained),
      alone: spreadOf(alone),
      chain: CHAIN,
      bytes,
      repetitions: REPEAT,
      clocks: "up",
      error,
      ...provenance(new Date()),
    };
  } finally {
    for (const buffer of Object.values(buffers).flat()) buffer.destroy();
  }
}

/** The arguments of a pass, in the order of Run in pass-kernel.mjs. */
function packed(backwards) {
  const words = new Uint32Array(4);
  new Float32Array(words.buffer).set(weights(options.alpha));
  words[2] = backwards;
  words[3] = vectors.length;
  return words;
}

/** The largest over the vectors, and the first that has it. */
function checkBest(state, value, vector, name) {
  const cells = value.length;
  const best = bestOf(vectors.map((_, v) => state.subarray(v * cells, (v + 1) * cells)));
  for (let i = 0; i < cells; i++) {
    if (best.value[i] === value[i] && best.vector[i] === vector[i]) continue;
    throw new Error(`${name}: pixel ${i} has ${value[i]} of ${vector[i]}, not ${best.value[i]} of ${best.vector[i]}`);
  }
}

/** A state by rows of all vectors as one by vectors. */
function byVector(state, layout, { width, height }) {
  if (layout === "vector") return state;
  const own = new Float32Array(state.length);
  for (let v = 0; v < vectors.length; v++) {
    for (let y = 0; y < height; y++) {
      const from = (y * vectors.length + v) * width;
      own.set(state.subarray(from, from + width), (v * height + y) * width);
    }
  }
  return own;
}
