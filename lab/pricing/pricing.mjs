#!/usr/bin/env node
/**
 * Prices the same gated links on the CPU in f64, on one thread and on the worker threads, and with gpu.js's webasm mode (SIMD,
 * f32) without and with its own threads, taking turns. The workers' numbers must be those of one thread to the bit and
 * webasm's those of f64 but for f32 digits, or the run ends.
 *
 *     npm run build && node lab/pricing/pricing.mjs [--rows lab/results/pricing.jsonl] [--repeat 9] [N,T …]
 *
 * Pools are warm and webasm is compiled before anything is timed; `webasmFirst` is its first call, compilation included. The
 * workers gate all pairs again on the way, the others are handed the links that pass.
 */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import * as gpuJs from "gpu.js";
import { priceDetections } from "rmap/costs";
import { simulate } from "rmap/simulation";
import { sharedFloat64, sharedInt32 } from "../../dist/core/shared-arrays.js";
import { openCrew } from "../../dist/core/team.js";
import { CELL, inUnits } from "../../dist/costs/gpu-pricing.js";
import { ARC_RULE } from "../../dist/costs/models/arc-length.js";
import { COST_MODELS } from "../../dist/costs/models/cost-models.js";
import { BLOCKS, price } from "../../dist/costs/price.js";
import { provenance } from "../../dist/rows/provenance.js";
import { keepRow } from "../rows.mjs";
import { WEBASM_KERNELS } from "./webasm-kernels.mjs";

/** A detection's numbers in the order that webasm-kernels.mjs reads them in. */
const FIELDS = ["cellX", "cellY", "offsetX", "offsetY", "stepX", "stepY"];
const ORDER = { words: FIELDS.length, wordOf: (name) => FIELDS.indexOf(name) };

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: "string" }, repeat: { type: "string", default: "9" } },
});
const sizes = (positionals.length > 0 ? positionals : ["50,50", "100,100", "200,200", "300,300"]).map((size) =>
  size.split(",").map(Number),
);
const { GPU } = gpuJs;
/** Which the types of gpu.js leave out. */
const { input } = /** @type {any} */ (gpuJs);
const threads = availableParallelism();
const require = createRequire(import.meta.url);
const DIGITS = 2 ** -19;

for (const cost of ["spline", "euclidean"]) {
  for (const [targets, frames] of sizes) await measure(cost, targets, frames);
}

async function measure(cost, targets, frames) {
  const detections = simulate({ targets, frames }, 1);
  const priced = await priceDetections(detections, { cost, gate: { epsilon: 5 }, birthDeath: "none" }, { threads: 1 });
  const { links, pricing } = priced;
  const { tail, head } = links;
  const count = tail.length;
  const outStart = new Uint32Array(detections.x.length + 1);
  for (const i of tail) outStart[i + 1]++;
  for (let i = 0; i < detections.x.length; i++) outStart[i + 1] += outStart[i];

  const own = { cost: new Float64Array(count), perLink: new Float64Array(count) };
  const { link } = COST_MODELS[cost].bind(pricing.detections, pricing.constants, pricing.parameters);
  const one = () => {
    for (let e = 0; e < count; e++) own.cost[e] = link(tail[e], head[e], own.perLink, e);
  };

  const shared = { outStart, tail: sharedInt32(count), head: sharedInt32(count) };
  const pooled = { ...shared, cost: sharedFloat64(count), perLink: sharedFloat64(count) };
  /** @type {import("../../dist/costs/price.js").PricingPass} */
  const pass = { ...pricing, pass: "links", links: pooled, size: detections.x.length };
  const crew = openCrew(threads, "#pricing-worker", pass, price(pass, COST_MODELS[cost]));
  const workers = () => crew.run(0, BLOCKS);

  const simd = webasm(cost, pricing, links, false);
  const simdThreads = webasm(cost, pricing, links, true);
  const begin = performance.now();
  await simd.run();
  const webasmFirst = performance.now() - begin;
  await simdThreads.run();
  await workers();

  const times = { one: [], workers: [], webasm: [], webasmThreads: [] };
  for (let k = 0; k < Number(options.repeat); k++) {
    times.one.push(await timed(one));
    times.workers.push(await timed(workers));
    times.webasm.push(await timed(simd.run));
    times.webasmThreads.push(await timed(simdThreads.run));
  }
  for (const [name, values] of Object.entries(own)) {
    if (values.some((value, e) => value !== pooled[name][e])) throw new Error(`${cost}: the workers' ${name} differs`);
  }
  for (const { cost: c, perLink: m } of [simd.result, simdThreads.result]) requireTwins(pricing, links, own, c, m);
  crew.close();
  await simd.close();
  await simdThreads.close();

  const best = (k) => Math.min(times.one[k], times.workers[k]) / Math.min(times.webasm[k], times.webasmThreads[k]);
  const milliseconds = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, spread(values)]));
  const row = {
    benchmark: "pricing",
    name: `${cost} ${targets}x${frames}`,
    cost,
    n: targets,
    t: frames,
    links: count,
    unit: "ms",
    ...milliseconds,
    webasmFirst,
    /** Faster f64 way over faster webasm way. */
    ratio: spread(times.one.map((_, k) => best(k))),
    certified: true,
    repetitions: Number(options.repeat),
    threads,
    versions: { "gpu.js": require("gpu.js/package.json").version },
    ...provenance(new Date()),
  };
  const medians = Object.entries(milliseconds).map(([name, { median }]) => `${name} ${median.toFixed(2)}`);
  console.log(`${row.name}: ${count} links; ${medians.join(", ")} ms; ratio ${row.ratio.median.toFixed(2)}`);
  keepRow(options.rows, row);
}

/** Both kernels in webasm mode; a run takes the f64 detections and leaves C and m as Float32Arrays. */
function webasm(cost, { detections }, { tail, head }, asyncMode) {
  const gpu = new GPU({ mode: "webasm" });
  const kernels = WEBASM_KERNELS[cost];
  const settings = { asyncMode, output: [tail.length], constants: { rule: ARC_RULE } };
  const [pair, perLink] = [kernels.pair, kernels.perLink].map((kernel) => gpu.createKernel(kernel, settings));
  const [tails, heads] = [tail, head].map((ends) => Float32Array.from(ends));
  const made = {
    result: null,
    async run() {
      const { unit, at } = inUnits(detections, ORDER);
      const inputs = [input(at, [6, detections.x.length]), tails, heads, [CELL, unit]];
      made.result = { cost: await pair(...inputs), perLink: await perLink(...inputs) };
    },
    close: () => gpu.destroy(),
  };
  return made;
}

function requireTwins({ detections: { x, y, vx, vy, timeStep } }, { tail, head }, own, c, m) {
  tail.forEach((i, e) => {
    const j = head[e];
    const size = Math.hypot(x[j] - x[i], y[j] - y[i], ...[vx[i], vy[i], vx[j], vy[j]].map((v) => v * timeStep));
    const error = Math.max(Math.abs(c[e] - own.cost[e]), Math.abs(m[e] - own.perLink[e]));
    if (!(error <= DIGITS * size)) throw new Error(`link ${e}: webasm is ${error} off, at a size of ${size}`);
  });
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function spread(values) {
  const sorted = Float64Array.from(values).sort();
  return { median: sorted[sorted.length >> 1], min: sorted[0], max: sorted[sorted.length - 1] };
}
