#!/usr/bin/env node
/**
 * The sixteen variants of Mazurek 2010 and our own, over workgroups and decimations, and whether his six claims hold on this device. Every
 * configuration's state is compared with the twin's before it is timed; each row is appended as it is ready.
 *
 *     npm run build && node lab/tbd/variants.mjs PART… [--device gpu|software] [--rows lab/results/tbd-variants.jsonl] [--size 1024] [--seconds 55] [--full]
 *
 *     argument   one kernel called with the vector: 8 variants          ours     all and in-place
 *     constant   a kernel compiled for each vector: 8 variants          claims   nothing is measured: what all rows of --rows say
 *
 * After --seconds it stops; the next call goes on with what has no row of this device, size and version yet. Without --full four workgroups and
 * D = 1, 2, 5, 10, 20; with it the paper's 8 … 64 × 1 … 16 and D = 1 … 20, which takes hours.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { requireParts } from "../parts.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { printClaims } from "./claims.mjs";
import { LabTbd } from "./lab-tbd.mjs";
import { errorOf, noiseFrames, passTimes, spreadOf, stateAfter } from "./scenes.mjs";
import { PAPER_VARIANTS, parseVariant, variantName } from "./variant.mjs";

const { values: flags, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "lab/results/tbd-variants.jsonl" },
    size: { type: "string", default: "1024" },
    seconds: { type: "string", default: "55" },
    full: { type: "boolean" },
  },
});
const REPEAT = 10;
const range = (first, last, step = 1) =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => first + n * step);
/** The most telling first, so that a run cut short has them. */
const DECIMATIONS = flags.full ? range(1, 20) : [1, 10, 5, 20, 2];
const WORKGROUPS = flags.full
  ? range(8, 64, 8).flatMap((x) => range(1, 16).map((y) => [x, y]))
  : [
      [32, 8],
      [64, 4],
      [16, 16],
      [64, 1],
    ];
const VARIANTS = {
  argument: PAPER_VARIANTS.filter(({ kernel }) => kernel === "argument"),
  constant: PAPER_VARIANTS.filter(({ kernel }) => kernel === "constant"),
  ours: ["all", "all,texture", "in-place", "in-place,texture"].map(parseVariant),
  claims: [],
};
requireParts(parts, VARIANTS);

const now = () => performance.now() / 1000;
const begun = now();
const side = Number(flags.size);
const vectors = motionVectors(2);
const field = { width: side, height: side };
const read = () =>
  existsSync(flags.rows) ? rowsOf(flags.rows).filter((row) => row.width === side && row.height === side) : [];

const variants = parts.flatMap((part) => VARIANTS[part]);
if (variants.length > 0) await measureAll();
const rows = read();
for (const device of new Set(rows.map((row) => row.device))) {
  printClaims(
    device,
    side,
    rows.filter((row) => row.device === device),
  );
}

async function measureAll() {
  const device = await openDevice(deviceNamed(flags.device));
  const { session } = device;
  if (session === null) throw new Error(`--device ${flags.device} names no GPU`);
  if (!session.hasTimestamps) throw new Error("this device has no timestamps; other clocks are not comparable");
  const busy = await BusyWork.create(session, now);
  const most = session.device.limits.maxComputeInvocationsPerWorkgroup;
  const { version } = provenance(new Date());
  const keyOf = (scheme, decimation, workgroup) => `${scheme} ${decimation} ${workgroup}`;
  const known = new Set(
    read()
      .filter((row) => row.device === device.actual && row.version === version)
      .map((row) => keyOf(row.scheme, row.decimation, row.workgroup)),
  );
  const wanted = WORKGROUPS.filter(([x, y]) => x * y <= most)
    .flatMap((workgroup) =>
      DECIMATIONS.flatMap((decimation) => variants.map((variant) => [variant, decimation, workgroup])),
    )
    .filter(([variant, decimation, workgroup]) => !known.has(keyOf(variantName(variant), decimation, workgroup)));
  const frames = noiseFrames(side, side, 2 * Math.max(...DECIMATIONS));
  const twins = new Map();
  await busy.run();
  const copied = await copySpeed(session);
  while (wanted.length > 0 && now() - begun < Number(flags.seconds)) {
    const [variant, decimation, workgroup] = wanted.shift();
    const options = { ...BEFORE_DETECT_DEFAULTS, vectors, decimation };
    if (!twins.has(decimation)) {
      twins.set(decimation, await stateAfter(frames.slice(0, 2 * decimation), field, options));
    }
    const steps = new LabTbd(session, { variant, workgroup });
    const from = now();
    const state = await stateAfter(frames.slice(0, 2 * decimation), field, options, steps);
    const error = errorOf(state, twins.get(decimation));
    if (!(error <= 1e-6)) {
      throw new Error(`${variantName(variant)} D ${decimation} ${workgroup}: off the twin by ${error}`);
    }
    const ready = now();
    const times = (await passTimes(steps, busy, decimation, REPEAT)).map((time) => time / decimation);
    steps.destroy();
    const row = keepRow(flags.rows, {
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
      repetitions: REPEAT,
      clocks: "up",
      /** Bytes a second that a copy of the state reads and writes together. */
      copied,
      error,
      ...provenance(new Date()),
    });
    console.log(
      `${(now() - begun).toFixed(1).padStart(6)} s  ${row.scheme.padEnd(40)} D ${String(decimation).padEnd(3)} ${workgroup.join("x").padEnd(6)}` +
        `${row.milliseconds.median.toFixed(4)} ms (ready in ${(ready - from).toFixed(2)} s)`,
    );
  }
  busy.destroy();
  await device.close();
  if (wanted.length > 0)
    console.log(`after ${flags.seconds} s ${wanted.length} configurations are left for the next call`);
}

/** Bytes a second that a copy reads and writes together, by the wall clock over many copies. */
async function copySpeed(session) {
  const size = 4 * vectors.length * side * side;
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [from, to] = [0, 1].map(() => session.device.createBuffer({ size, usage }));
  const run = async (count) => {
    const encoder = session.device.createCommandEncoder();
    for (let n = 0; n < count; n++) encoder.copyBufferToBuffer(from, 0, to, 0, size);
    session.device.queue.submit([encoder.finish()]);
    await session.finished();
  };
  const count = session.description.kind === "software" ? 5 : 200;
  await run(count >> 2);
  const start = now();
  await run(count);
  const speed = (count * 2 * size) / (now() - start);
  for (const buffer of [from, to]) buffer.destroy();
  return speed;
}
