#!/usr/bin/env node
/**
 * The sixteen variants of Mazurek 2010 and our own, over workgroups and decimations, and whether his six claims hold on this device. Every
 * configuration's state is compared with the twin's before it is timed.
 *
 *     npm run build && node bench/tbd/variants.mjs [--device gpu|software] [--rows results/tbd-variants.jsonl] [--size 1024] [--seconds 100] [--full]
 *
 * Without --full six workgroups and D = 1, 2, 5, 10, 20; with it the paper's 8 … 64 × 1 … 16 and D = 1 … 20, which takes hours. After --seconds
 * it stops, with a line that says what is left out.
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createGpuTbd } from "../../dist/pixels/before-detect/gpu/gpu-tbd.js";
import { PAPER_VARIANTS, parseVariant, variantName } from "../../dist/pixels/before-detect/gpu/variant.js";
import { BEFORE_DETECT_DEFAULTS } from "../../dist/pixels/before-detect/options.js";
import { motionVectors } from "../../dist/pixels/before-detect/vectors.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { errorOf, noiseFrames, spreadOf, stateAfter } from "./scenes.mjs";

const { values: flags } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string" },
    size: { type: "string", default: "1024" },
    seconds: { type: "string", default: "100" },
    full: { type: "boolean" },
  },
});
const REPEAT = 10;
const range = (first, last, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => first + n * step);
const DECIMATIONS = flags.full ? range(1, 20) : [1, 2, 5, 10, 20];
const ALL_WORKGROUPS = range(8, 64, 8).flatMap((x) => range(1, 16).map((y) => [x, y]));
const SOME_WORKGROUPS = [
  [32, 4],
  [32, 8],
  [64, 4],
  [16, 16],
  [64, 1],
  [8, 8],
];

const now = () => performance.now() / 1000;
const begun = now();
const device = await openDevice(flags.device);
const { session } = device;
if (session === null) throw new Error(`--device ${flags.device} names no GPU`);
const most = session.device.limits.maxComputeInvocationsPerWorkgroup;
const workgroups = (flags.full ? ALL_WORKGROUPS : SOME_WORKGROUPS).filter(([x, y]) => x * y <= most);
const side = Number(flags.size);
const field = { width: side, height: side };
const vectors = motionVectors(2);
const frames = noiseFrames(side, side, 2 * Math.max(...DECIMATIONS));
const twins = new Map();
for (const decimation of DECIMATIONS) {
  const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation };
  twins.set(decimation, (await stateAfter(frames.slice(0, 2 * decimation), field, options)).state);
}
const variants = [...PAPER_VARIANTS, ...["all", "all,texture", "in-place", "in-place,texture"].map(parseVariant)];
const rows = [];
let left = 0;
// A workgroup of every variant first, so that a run cut short has all variants.
for (const workgroup of workgroups) {
  for (const decimation of DECIMATIONS) {
    for (const variant of variants) {
      if (now() - begun > Number(flags.seconds)) left++;
      else rows.push(await measure(variant, decimation, workgroup));
    }
  }
}
if (flags.rows) for (const row of rows) appendFileSync(flags.rows, `${JSON.stringify(row)}\n`);
const bytesPerSecond = await copySpeed();
await device.close();
report();

async function measure(variant, decimation, workgroup) {
  const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation };
  const steps = createGpuTbd(session, { now, profile: true, variant, workgroup });
  const some = frames.slice(0, decimation);
  const { state } = await stateAfter(frames.slice(0, 2 * decimation), field, options, steps);
  const error = errorOf(state, twins.get(decimation));
  if (!(error <= 1e-6))
    throw new Error(`${variantName(variant)} D ${decimation} ${workgroup}: off the twin by ${error}`);
  const times = [];
  for (let n = -1; n < REPEAT; n++) {
    const before = steps.times().recursion;
    await steps.advance(some, decimation * (n + 3));
    await steps.peaks(0.75, 2);
    if (n >= 0) times.push((1000 * (steps.times().recursion - before)) / decimation);
  }
  steps.destroy();
  return {
    benchmark: "tbd-variants",
    device: device.actual,
    ...field,
    vectors: vectors.length,
    decimation,
    scheme: variantName(variant),
    variant,
    state: "f32",
    workgroup,
    milliseconds: spreadOf(times),
    error,
    ...provenance(new Date()),
  };
}

/** Bytes a second that a copy reads and writes together, by the wall clock over many copies. */
async function copySpeed() {
  const size = 4 * vectors.length * side * side;
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [from, to] = [0, 1].map(() => session.device.createBuffer({ size, usage }));
  const run = async (count) => {
    const encoder = session.device.createCommandEncoder();
    for (let n = 0; n < count; n++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    session.device.queue.submit([encoder.finish()]);
    await session.finished();
  };
  await run(10);
  const start = now();
  await run(200);
  return (200 * 2 * size) / (now() - start);
}

/** The best over workgroups for a variant and decimation; over all decimations where none is given. */
function best(matches, decimation = null) {
  const own = rows.filter((row) => matches(row.variant) && (decimation === null || row.decimation === decimation));
  return own.length === 0 ? null : own.reduce((a, b) => (b.milliseconds.median < a.milliseconds.median ? b : a));
}

function report() {
  const ms = (row) => (row === null ? Number.NaN : row.milliseconds.median);
  console.log(
    `${device.actual}, ${side}², ${vectors.length} vectors, ms an input frame, best of ${workgroups.length} workgroups; all states within 1e-6 of the twin's`,
  );
  if (left > 0) console.log(`after ${flags.seconds} s ${left} of ${left + rows.length} configurations are left out`);
  console.log(`${"variant".padEnd(40)}${DECIMATIONS.map((d) => `D ${d}`.padStart(9)).join("")}`);
  for (const variant of variants) {
    const same = (other) => variantName(other) === variantName(variant);
    const cells = DECIMATIONS.map((d) => ms(best(same, d)).toFixed(4).padStart(9));
    console.log(`${variantName(variant).padEnd(40)}${cells.join("")}`);
  }
  const papers = (wanted) => (variant) =>
    ["argument", "constant"].includes(variant.kernel) &&
    Object.entries(wanted).every(([part, word]) => variant[part] === word);
  const at1 = (wanted) => ms(best(papers(wanted), 1));
  const top = (wanted) => ms(best(papers(wanted)));
  const beyond = (wanted) => Math.min(...DECIMATIONS.filter((d) => d >= 5).map((d) => ms(best(papers(wanted), d))));
  const say = (n, holds, text) => {
    const decided = !/NaN|Infinity/.test(text);
    console.log(
      `claim ${n} ${decided ? `${holds ? "holds" : "does not hold"}: ${text}` : "is not decided: too much is left out"}`,
    );
  };
  const ratio = (a, b) => (a / b).toFixed(2);
  const decimated = Math.min(...DECIMATIONS.filter((d) => d > 1).map((d) => ms(best(papers({ input: "texture" }), d))));
  const gain = at1({ input: "texture" }) / decimated;
  say(1, gain >= 2, `texture with decimation is ${gain.toFixed(2)} times as fast as without`);
  const direct = at1({ input: "texture" }) / at1({ input: "storage" });
  const later = beyond({ input: "storage" }) / beyond({ input: "texture" });
  say(
    2,
    direct > 1.02 && later > 1.1,
    `at D 1 texture takes ${direct.toFixed(2)} of direct reads' time; from D 5 on direct reads ${later.toFixed(2)} of texture's`,
  );
  const perVector = ["loop", "unrolled"].map(
    (body) => top({ kernel: "argument", body }) / top({ kernel: "constant", body }),
  );
  say(
    3,
    perVector.every((value) => value > 1.02),
    `the argument takes ${perVector.map((value) => value.toFixed(2)).join(" and ")} of a kernel per vector's time (loop, unrolled)`,
  );
  const shared = top({ carry: "shared" }) / top({ carry: "register" });
  say(4, shared > 1.02, `workgroup memory takes ${shared.toFixed(2)} of a register's time`);
  const bytes = 4 * side * side * (2 * vectors.length + vectors.length);
  const reached = bytes / (at1({}) / 1000) / bytesPerSecond;
  say(
    5,
    reached > 0.6,
    `at D 1 the best reads and writes at ${reached.toFixed(2)} of a copy's speed (${(bytesPerSecond / 1e12).toFixed(2)} TB/s, each vector's read of the frame counted)`,
  );
  const unrolled = at1({ body: "loop" }) / at1({ body: "unrolled" });
  say(6, Math.abs(unrolled - 1) < 0.05, `at D 1 a loop takes ${unrolled.toFixed(2)} of the unrolled time`);
  const ours = best((variant) => !["argument", "constant"].includes(variant.kernel));
  const theirs = best(papers({}));
  if (ours && theirs)
    console.log(
      `beyond the paper: ${ours.scheme}, D ${ours.decimation}: ${ms(ours).toFixed(4)} ms; the best of the sixteen: ${theirs.scheme}, D ${theirs.decimation}: ${ms(theirs).toFixed(4)} ms; ratio ${ratio(ms(theirs), ms(ours))}`,
    );
}
