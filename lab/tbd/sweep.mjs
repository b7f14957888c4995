/**
 * Fig. 3 and 4 of Mazurek 2010 as they are printed: his sixteen variants and our two over 8 widths and 16 heights of a workgroup and D = 1 to 20, images of 1024² and 13 vectors. Of a
 * variant these are 8 · 16 · 20 = 2,560 points; a row has the 20 of a variant and a workgroup, so that there are 18 · 128 = 2,304 rows.
 *
 *     npm run build && node lab/tbd/sweep.mjs [--device gpu|software] [--rows lab/results/tbd-sweep.jsonl] [--size 1024] [--seconds 400] [--most 20] [--groups 8x1,64x16] [--alone]
 *     node lab/tbd/sweep.mjs --table [--rows …] [--size 1024]      the best time of each variant at each D, and its workgroup
 *
 * After --seconds it stops; the next call goes on with what has no row of this device and size, workgroups from all over the field first. A pass is timed as one, with the dispatches of
 * all its vectors: the median of 3 to 10 repetitions (the paper has 10), fewer where a pass is long. At every point the state after a pass is compared with the twin's on the device.
 * Kernels of later rows are compiled meanwhile; --alone compiles those of a row before it is timed, which shows whether that matters.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { medianOf, SweepField } from "./sweep-field.mjs";
import { PAPER_VARIANTS, parseVariant, variantName } from "./variant.mjs";

const { values: flags } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "lab/results/tbd-sweep.jsonl" },
    size: { type: "string", default: "1024" },
    seconds: { type: "string", default: "400" },
    most: { type: "string", default: "20" },
    groups: { type: "string" },
    alone: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
  },
});
const REPETITIONS = { least: 3, most: 10 };
/** Milliseconds that all repetitions of a point may take, but for the least number of them. */
const POINT = 2.5;
/** Pipelines that may be compiled ahead. */
const AHEAD = 1000;
/** Pipelines after which those that are no longer needed are let go: they are small to the collector and large to the driver. */
const KEPT = 4000;
const side = Number(flags.size);
const decimations = Array.from({ length: Number(flags.most) }, (_, n) => n + 1);
const workgroups =
  flags.groups?.split(",").map((text) => text.split("x").map(Number)) ??
  Array.from({ length: 128 }, (_, n) => [8 * (1 + (n >> 4)), 1 + (n & 15)]);
/** Numbers in an order in which the first few are spread over all: by their bits, the last one first. */
const spread = (list) => {
  const reversed = (n) => Array.from({ length: 8 }, (_, bit) => ((n >> bit) & 1) << (7 - bit)).reduce((a, b) => a | b);
  return list
    .map((item, n) => ({ item, at: reversed(n) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
};
const variants = [...PAPER_VARIANTS, ...["all", "in-place"].map(parseVariant)];
const rows = existsSync(flags.rows) ? rowsOf(flags.rows).filter(({ width }) => width === side) : [];
const now = () => performance.now() / 1000;
const begun = now();

if (flags.table) table();
else await measure();

async function measure() {
  const device = await openDevice(deviceNamed(flags.device));
  const { session, actual } = device;
  if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
  const known = new Set(
    rows
      .filter((row) => row.device === actual && (row.alone ?? false) === flags.alone)
      .map(({ scheme, workgroup }) => `${scheme} ${workgroup}`),
  );
  const threads = session.device.limits.maxComputeInvocationsPerWorkgroup;
  const wanted = spread(workgroups)
    .flatMap((workgroup) => variants.map((variant) => ({ variant, workgroup })))
    .filter(({ variant, workgroup: [x, y] }) => x * y <= threads && !known.has(`${variantName(variant)} ${[x, y]}`));
  const field = new SweepField(session, { width: side, height: side }, motionVectors(2), decimations);
  await field.prepare();
  const busy = await BusyWork.create(session, now);
  await busy.run();
  const spent = { ready: now() - begun, compiled: 0, device: 0, waited: 0 };
  let done = 0;
  for await (const job of compiled(field, wanted, spent)) {
    const from = now();
    keepRow(flags.rows, await rowOf(field, job, actual));
    spent.device += now() - from;
    done++;
    if (now() - begun > Number(flags.seconds)) break;
  }
  field.destroy();
  busy.destroy();
  await device.close();
  const { ready, compiled: pipelines, device: measured, waited } = spent;
  const shown = [now() - begun, ready, measured, waited].map((seconds) => seconds.toFixed(1));
  console.log(
    `${done} of ${wanted.length} rows in ${shown[0]} s: ${shown[1]} s until ready, ${shown[2]} s of passes, ${shown[3]} s of waiting for ${pipelines} kernels; the next call goes on`,
  );
}

/** Work whose kernels are compiled, while those of the next are being compiled. */
async function* compiled(field, wanted, spent) {
  const free = collector();
  const queue = [];
  let [ahead, sinceFree, next] = [0, 0, 0];
  while (next < wanted.length || queue.length > 0) {
    while (next < wanted.length && (queue.length === 0 || (!flags.alone && ahead < AHEAD))) {
      const job = wanted[next++];
      const { pipelines, made } = field.compile(job.variant, job.workgroup);
      // The error is thrown where the promise is awaited.
      pipelines.catch(() => undefined);
      queue.push({ ...job, pipelines, made });
      ahead += made;
    }
    const from = now();
    const { made, pipelines, ...job } = queue.shift();
    const ready = { ...job, pipelines: await pipelines };
    spent.waited += now() - from;
    spent.compiled += made;
    ahead -= made;
    yield ready;
    sinceFree += made;
    if (sinceFree > KEPT) {
      free();
      sinceFree = 0;
    }
  }
}

/** Node's own collector, which it hides unless asked. */
function collector() {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

async function rowOf(field, { variant, workgroup, pipelines }, device) {
  const first = await field.run(
    variant,
    workgroup,
    pipelines,
    decimations.map(() => REPETITIONS.least),
  );
  const more = first.map(({ times }) => {
    const room = Math.floor(POINT / Math.max(medianOf(times), 1e-6));
    return Math.min(REPETITIONS.most, Math.max(REPETITIONS.least, room)) - REPETITIONS.least;
  });
  const second = more.some((count) => count > 0) ? await field.run(variant, workgroup, pipelines, more) : first;
  const error = Math.max(...[...first, ...second].map((point) => point.error));
  if (!(error <= 1e-6)) throw new Error(`${variantName(variant)} ${workgroup}: off the twin by ${error}`);
  const times = first.map((point, n) => (second === first ? point.times : [...point.times, ...second[n].times]));
  return {
    benchmark: "tbd-sweep",
    device,
    width: side,
    height: side,
    vectors: field.vectors.length,
    scheme: variantName(variant),
    workgroup,
    /** Median of an input frame, for D = 1, 2, … */
    milliseconds: times.map((list, n) => Number((medianOf(list) / decimations[n]).toPrecision(4))),
    repetitions: times.map((list) => list.length),
    /** Of a pass of one idle workgroup, by the same clock. */
    idle: Number(field.idle.toPrecision(3)),
    /** Largest over all D. */
    error,
    ...(flags.alone && { alone: true }),
    ...provenance(new Date()),
  };
}

function table() {
  for (const device of new Set(rows.map((row) => row.device))) {
    console.log(
      `${device}, ${side}²: best ms an input frame (workgroup) at D = 1, 2, 5, 10, 20, the best D, and workgroups measured`,
    );
    for (const scheme of new Set(rows.map((row) => row.scheme))) {
      const those = rows.filter((row) => row.device === device && row.scheme === scheme);
      if (those.length === 0) continue;
      const bestAt = (d) => those.reduce((a, b) => (b.milliseconds[d] < a.milliseconds[d] ? b : a));
      const shown = [1, 2, 5, 10, 20]
        .filter((decimation) => decimation <= those[0].milliseconds.length)
        .map((decimation) => {
          const best = bestAt(decimation - 1);
          return `${best.milliseconds[decimation - 1].toFixed(4)} (${best.workgroup.join(" × ")})`;
        });
      const least = those[0].milliseconds.map((_, d) => bestAt(d).milliseconds[d]);
      console.log(
        `${scheme.padEnd(40)} ${shown.join("  ")}  D ${1 + least.indexOf(Math.min(...least))}  ${those.length}`,
      );
    }
  }
}
