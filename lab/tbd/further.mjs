/**
 * What Mazurek 2010 leaves out, measured: frames in workgroup memory, fractional vectors that are compiled in, coupled vectors by two frames a dispatch, and the noise of coupled vectors on the
 * device. Every state is compared with the twin's before it is timed.
 *
 *     npm run build && node lab/tbd/further.mjs PART… [--device gpu|software] [--size 1024] [--rows lab/results/tbd-further.jsonl]
 *
 *     tiles      `all` with the frames of a pass in workgroup memory, beside `all`          pair    two coupled frames in a dispatch, beside one
 *     fractions  argument and constant with 49 vectors of halves                            noise   maxima of coupled vectors, beside reading the state for them
 */
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { readStorage } from "../../dist/gpu/buffers.js";
import { PassLog } from "../../dist/gpu/timer.js";
import { loadKernel } from "../../dist/gpu/wgsl/kernel.js";
import { Workspace } from "../../dist/gpu/workspace.js";
import { weights } from "../../dist/pixels/before-detect/cpu.js";
import { bestOf, findPeaks, inOwnNoise } from "../../dist/pixels/before-detect/detect.js";
import { createGpuTbd } from "../../dist/pixels/before-detect/gpu/gpu-tbd.js";
import { nearestVectors, offsetsBack } from "../../dist/pixels/before-detect/vectors.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { requireParts } from "../parts.mjs";
import { keepRow } from "../rows.mjs";
import { LabTbd } from "./lab-tbd.mjs";
import { passText } from "./pass-text.mjs";
import { errorOf, noiseFrames, passTimes, spreadOf, stateAfter, sumOf } from "./scenes.mjs";
import { parseVariant } from "./variant.mjs";

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    size: { type: "string", default: "1024" },
    rows: { type: "string", default: "lab/results/tbd-further.jsonl" },
  },
});
const REPEAT = 20;
const WORKGROUPS = [
  [32, 8],
  [64, 4],
];
const PARTS = { tiles, fractions, pair, noise };
requireParts(parts, PARTS);

const side = Number(flags.size);
const field = { width: side, height: side };
const now = () => performance.now() / 1000;
const device = await openDevice(deviceNamed(flags.device));
const { session } = device;
if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
const busy = await BusyWork.create(session, now);
const twins = new Map();
for (const part of parts) await PARTS[part]();
busy.destroy();
await device.close();

/** Milliseconds of an input frame of each way and workgroup: the best one is printed. */
async function compare(part, names, vectors, decimation) {
  const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation };
  const frames = noiseFrames(side, side, 2 * decimation);
  const twin = await twinOf(frames, options);
  for (const name of names) {
    const found = [];
    for (const workgroup of WORKGROUPS) {
      const { TILES = 0 } = passText(parseVariant(name), decimation, vectors, workgroup).constants;
      if (4 * TILES > session.device.limits.maxComputeWorkgroupStorageSize) continue;
      const steps = new LabTbd(session, { variant: parseVariant(name), workgroup });
      const error = check(errorOf(await stateAfter(frames, field, options, steps), twin), name);
      const times = await passTimes(steps, busy, decimation, REPEAT);
      const milliseconds = spreadOf(times.map((time) => time / decimation));
      steps.destroy();
      found.push({ workgroup, milliseconds });
      keep(part, { vectors: vectors.length, decimation, scheme: steps.scheme, workgroup, milliseconds, error });
    }
    if (found.length === 0) {
      console.log(`${part}: the frames of D ${decimation} do not fit into workgroup memory`);
      continue;
    }
    const best = found.reduce((a, b) => (b.milliseconds.median < a.milliseconds.median ? b : a));
    say(part, `${vectors.length} vectors, D ${decimation}, ${name}`, best.milliseconds, best.workgroup);
  }
}

async function tiles() {
  for (const decimation of [1, 2, 4, 8]) await compare("tiles", ["all", "all,tiles"], motionVectors(2), decimation);
}

async function fractions() {
  const names = ["argument", "constant"].flatMap((kernel) => ["loop", "unrolled"].map((body) => `${kernel},${body}`));
  for (const decimation of [1, 10]) await compare("fractions", names, motionVectors(2, 0.5), decimation);
}

async function pair() {
  const vectors = motionVectors(2);
  const decimation = 10;
  const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation, switching: 0.2 };
  const frames = noiseFrames(side, side, decimation);
  const twin = await twinOf(frames, options);
  for (const way of ["coupled", "pair"]) {
    for (const workgroup of WORKGROUPS) {
      const work = new Workspace(session, way);
      const steps = await coupledSteps(work, way, workgroup, frames, options);
      const pass = () => work.submit((encoder) => work.record(encoder, /** @type {any} */ (steps)));
      await session.scoped(way, pass);
      const [bytes] = await readStorage(session, [work.buffer("state 0")]);
      const error = check(errorOf(new Float32Array(bytes), twin), way);
      const milliseconds = await timed(pass, (time) => time / decimation);
      work.destroy();
      keep("pair", { vectors: vectors.length, decimation, scheme: way, workgroup, milliseconds, error });
      say("pair", way, milliseconds, workgroup);
    }
  }
}

/** Dispatches over the frames, one or two a dispatch, from a state of zeros into "state 0". */
async function coupledSteps(work, way, workgroup, frames, { alpha, vectors, switching }) {
  const [x, y] = workgroup;
  const reach = Math.max(...vectors.flatMap((vector) => [Math.abs(vector.x), Math.abs(vector.y)]));
  const isPair = way === "pair";
  const threads = { THREADS_X: x, THREADS_Y: y };
  const tile = { VECTORS: vectors.length, REACH: reach, TILE: vectors.length * (x + 2 * reach) * (y + 2 * reach) };
  const kernel = isPair
    ? await loadKernel(session, new URL("../kernels/before-detect/coupled-pair.wgsl", import.meta.url), {
        constants: { ...threads, ...tile },
      })
    : await loadKernel(session, new URL("../../dist/pixels/before-detect/gpu/coupled.wgsl", import.meta.url), {
        constants: threads,
      });
  for (const turn of [0, 1]) work.storage(`state ${turn}`, vectors.length * side * side);
  work.storage("frames", frames.length * side * side);
  frames.forEach(({ pixels }, k) => {
    session.device.queue.writeBuffer(work.buffer("frames"), 4 * k * side * side, pixels);
  });
  const offsets = frames.flatMap((_, k) => [...offsetsBack(vectors, k, 1).filter((_, at) => at % 4 < 2)]);
  work.upload("offsets", Int32Array.from(offsets));
  const near = nearestVectors(vectors);
  const nearStart = [near.length + 1];
  for (const list of near) nearStart.push(nearStart.at(-1) + list.length);
  work.upload("near", Uint32Array.from([...nearStart, ...near.flat()]));
  const [a, b] = weights(alpha);
  const record = { ...field, vectors: vectors.length, first: 0, reach: 0, backwards: 0, a, b };
  const run = work.constant(kernel.struct("Pass"), record);
  const each = isPair ? 2 : 1;
  const dispatches = frames.length / each;
  return Array.from({ length: dispatches }, (_, n) => {
    // The last one leaves "state 0".
    const turn = (dispatches - n) % 2;
    const coupling = work.constant(kernel.struct("Coupling"), { frame: each * n, largest: 0, switching });
    const bound = { run, coupling, before: `state ${turn}`, after: `state ${1 - turn}` };
    return { kernel, groups: [Math.ceil(side / x), Math.ceil(side / y)], bound };
  });
}

async function noise() {
  const vectors = motionVectors(2);
  for (const coupling of [{ switching: 0.2 }, { combine: "max" }]) {
    /** @type {any} */
    const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation: 10, ...coupling };
    const steps = createGpuTbd(session);
    const twin = await stateAfter(noiseFrames(side, side, 10), field, options, steps);
    const level = 4.5;
    const [onDevice, onHost] = [[], []];
    let found = null;
    let expected = null;
    for (let n = 0; n < 5; n++) {
      let from = now();
      found = await steps.peaks(level, 2);
      onDevice.push(1000 * (now() - from));
      from = now();
      const state = await steps.state();
      const planes = vectors.map((_, v) => state.subarray(v * side * side, (v + 1) * side * side));
      expected = findPeaks(bestOf(inOwnNoise(planes, options)), field, level, 2);
      onHost.push(1000 * (now() - from));
    }
    if (twin.length === 0 || String(found.pixel) !== String(expected.pixel)) throw new Error("other maxima");
    const kernels = await timed(
      () => steps.peaks(level, 2),
      (time) => time,
    );
    steps.destroy();
    const scheme = coupling.combine ?? "switching";
    const times = { milliseconds: kernels, wall: spreadOf(onDevice), wallOfReading: spreadOf(onHost) };
    keep("noise", { vectors: vectors.length, decimation: 10, scheme, found: found.pixel.length, ...times });
    say("noise", `${scheme}, ${found.pixel.length} maxima: device`, kernels, []);
    say("noise", `${scheme}: wall`, times.wall, []);
    say("noise", `${scheme}: wall with the state read`, times.wallOfReading, []);
  }
}

/** The coupled state of a decimation is that of any other; that of vectors alone too. */
async function twinOf(frames, options) {
  const key = JSON.stringify([frames.length, options.vectors, options.switching]);
  if (!twins.has(key)) twins.set(key, await stateAfter(frames, field, options));
  return twins.get(key);
}

/** Milliseconds of the device for some work, median of some, after some that do not count. */
async function timed(work, scaled) {
  const log = new PassLog(session, 200);
  const times = [];
  await busy.run();
  for (let n = -3; n < REPEAT; n++) {
    const time = scaled(sumOf(await log.of(work)));
    if (n >= 0) times.push(time);
  }
  log.destroy();
  return spreadOf(times);
}

function check(error, name) {
  if (!(error <= 1e-6)) throw new Error(`${name}: off the twin by ${error}; no time is reported`);
  return error;
}

function keep(part, row) {
  const common = { benchmark: "tbd-further", part, device: device.actual, ...field, repetitions: REPEAT };
  keepRow(flags.rows, { ...common, ...row, ...provenance(new Date()) });
}

function say(part, what, { median, min, max }, workgroup) {
  const spread = `${median.toFixed(4)} ms (${min.toFixed(4)} to ${max.toFixed(4)})`;
  console.log(`${part.padEnd(10)} ${what.padEnd(56)} ${spread} ${workgroup.join(" × ")}`);
}
