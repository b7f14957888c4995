/**
 * Fig. 3 and 4 of Mazurek 2010 as they are printed: his sixteen variants and our two over 8 widths and 16 heights of a workgroup and D = 1 to 20. A row has a variant and a
 * workgroup, with a time for each D.
 *
 *     npm run build && node lab/tbd/sweep.mjs [--device gpu|software] [--rows lab/results/tbd-sweep.jsonl] [--size 512] [--seconds 230] [--most 20] [--groups 8x1,64x16]
 *     node lab/tbd/sweep.mjs --table [--rows …]      the best time of each variant at each D, and its workgroup
 *
 * After --seconds it stops; the next call goes on with what has no row of this device and size: the variants with an argument first, since those with constants compile a kernel for
 * each vector, and workgroups from all over the field. Each workgroup's state is compared with the twin's at one D before its times count, another one from workgroup to workgroup.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { BEFORE_DETECT_DEFAULTS, motionVectors } from "rmap/pixels";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { PassLog } from "../../dist/gpu/timer.js";
import { provenance } from "../../dist/rows/provenance.js";
import { openDevice } from "../../dist/run/device.js";
import { deviceNamed } from "../device.mjs";
import { keepRow, rowsOf } from "../rows.mjs";
import { LabTbd } from "./lab-tbd.mjs";
import { errorOf, noiseFrames, stateAfter, sumOf } from "./scenes.mjs";
import { PAPER_VARIANTS, parseVariant, variantName } from "./variant.mjs";

const { values: flags } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "lab/results/tbd-sweep.jsonl" },
    size: { type: "string", default: "512" },
    seconds: { type: "string", default: "230" },
    most: { type: "string", default: "20" },
    groups: { type: "string" },
    table: { type: "boolean", default: false },
  },
});
const REPETITIONS = 2;
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
const callable = [
  ...PAPER_VARIANTS.filter(({ kernel }) => kernel === "argument"),
  ...["all", "in-place"].map(parseVariant),
];
const compiled = PAPER_VARIANTS.filter(({ kernel }) => kernel === "constant");
const rows = existsSync(flags.rows) ? rowsOf(flags.rows).filter(({ width }) => width === side) : [];
const now = () => performance.now() / 1000;
const begun = now();

if (flags.table) table();
else await measure();

async function measure() {
  const device = await openDevice(deviceNamed(flags.device));
  const { session, actual } = device;
  if (session === null || !session.hasTimestamps) throw new Error("a device with timestamps is needed");
  const busy = await BusyWork.create(session, now);
  const log = new PassLog(session, 2000);
  const vectors = motionVectors(2);
  const field = { width: side, height: side };
  const frames = noiseFrames(side, side, 2 * decimations.length);
  const twins = new Map();
  const optionsOf = (decimation) => ({ ...BEFORE_DETECT_DEFAULTS, vectors, decimation });
  const known = new Set(
    rows.filter((row) => row.device === actual).map(({ scheme, workgroup }) => `${scheme} ${workgroup}`),
  );
  const threads = session.device.limits.maxComputeInvocationsPerWorkgroup;
  const wanted = [callable, compiled]
    .flatMap((variants) =>
      spread(workgroups).flatMap((workgroup) => variants.map((variant) => ({ variant, workgroup }))),
    )
    .filter(({ variant, workgroup: [x, y] }) => x * y <= threads && !known.has(`${variantName(variant)} ${[x, y]}`));
  let done = 0;
  for (const { variant, workgroup } of wanted) {
    if (now() - begun > Number(flags.seconds)) break;
    const steps = new LabTbd(session, { variant, workgroup });
    const checked = decimations[done % decimations.length];
    if (!twins.has(checked)) {
      twins.set(checked, await stateAfter(frames.slice(0, 2 * checked), field, optionsOf(checked)));
    }
    const state = await stateAfter(frames.slice(0, 2 * checked), field, optionsOf(checked), steps);
    const error = errorOf(state, twins.get(checked));
    if (!(error <= 1e-6))
      throw new Error(`${variantName(variant)} D ${checked} ${workgroup}: off the twin by ${error}`);
    const milliseconds = [];
    await busy.run();
    for (const decimation of decimations) {
      await steps.begin(field, optionsOf(decimation));
      await steps.advance(frames.slice(0, decimation), 0);
      const times = [];
      for (let n = -1; n < REPETITIONS; n++) {
        const time = sumOf(await log.of(() => steps.again(decimation * (n + 10)), true));
        if (n >= 0) times.push(time / decimation);
      }
      milliseconds.push(Number(Math.min(...times).toPrecision(4)));
    }
    steps.destroy();
    keepRow(flags.rows, {
      benchmark: "tbd-sweep",
      device: actual,
      ...field,
      vectors: vectors.length,
      scheme: variantName(variant),
      workgroup,
      /** Least of an input frame, for D = 1, 2, … */
      milliseconds,
      checked: { decimation: checked, error },
      ...provenance(new Date()),
    });
    done++;
  }
  log.destroy();
  busy.destroy();
  await device.close();
  console.log(`${done} of ${wanted.length} in ${(now() - begun).toFixed(0)} s; the next call goes on`);
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
