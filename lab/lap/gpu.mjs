/**
 * Times batches of dense LAPs on a GPU: cold, warm on the same costs, and warm after n costs of each LAP changed by up to
 * ±0.025. Uniform f32 costs in [0, 1), fresh in each repetition; every answer is certified in f64 before its time counts. Costs
 * are drawn and answers certified on worker threads; neither depends on their number.
 *
 *     npm run build && node lab/lap/gpu.mjs [gpu|software] [size,laps ...]      prints one JSON line per batch
 */
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { BusyWork } from "../../dist/experiments/bench/timing.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { GpuLapBatch } from "../../dist/lap/gpu-batch.js";
import { provenance } from "../../dist/rows/provenance.js";
import { deviceNamed } from "../device.mjs";

const REPETITIONS = 5;
const WARM_UPS = 1;
/** Relative to the cost of the LAP; f32 answers stay near 1e-7. */
const MOST_GAP = 1e-5;
const STANDARD = ["50,50", "100,100", "200,200", "300,300", "512,512", "50,2000", "1024,128", "2048,64"];

const require = createRequire(import.meta.url);
const [device = "gpu", ...batches] = process.argv.slice(2);
const session = await openSession(deviceNamed(device));
if (session === null) throw new Error(`${device} names no GPU`);
const now = () => performance.now() / 1000;
const begin = now();
const busy = await BusyWork.create(session, now);
const threads = availableParallelism();
const filename = fileURLToPath(new URL("batch-worker.mjs", import.meta.url));
const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
for (const batch of batches.length > 0 ? batches : STANDARD) {
  const [size, laps] = batch.split(",").map(Number);
  console.log(JSON.stringify({ benchmark: "lap-gpu", ...(await measure(size, laps)) }));
  process.stderr.write(`# ${batch}: done at ${(now() - begin).toFixed(1)} s\n`);
}
await pool.destroy();
busy.destroy();
await session.close();

async function measure(size, laps) {
  const seed = size * 7919 + laps;
  const batch = await GpuLapBatch.create(session, denseShape(size, laps));
  const timer = new PassTimer(session, 1);
  const costs = new Float32Array(new SharedArrayBuffer(4 * laps * size * size));
  const times = { cold: [], warmSame: [], warmChanged: [], wallCold: [], wallWarmChanged: [] };
  let gap = 0;
  let longestChain = 0;
  const certified = async (warm) => {
    const { answer, ...run } = await solve(batch, timer, warm);
    gap = Math.max(gap, ...(await overLaps(size, laps, { pass: "certify", costs }, answer)));
    return run;
  };
  for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition++) {
    const streams = 100 * seed + 2 * (repetition + WARM_UPS);
    await overLaps(size, laps, { pass: "draw", costs, seed: streams });
    batch.writeDense(costs);
    const cold = await certified(false);
    const warmSame = await certified(true);
    await overLaps(size, laps, { pass: "change", costs, seed: streams + 1 });
    batch.writeDense(costs);
    const warmChanged = await certified(true);
    longestChain = Math.max(longestChain, cold.chain);
    if (repetition < 0) continue;
    times.cold.push(cold.gpu);
    times.warmSame.push(warmSame.gpu);
    times.warmChanged.push(warmChanged.gpu);
    times.wallCold.push(cold.wall);
    times.wallWarmChanged.push(warmChanged.wall);
  }
  const { path, constants } = batch.plan;
  batch.destroy();
  timer.destroy();
  if (!(gap <= MOST_GAP)) throw new Error(`${size}×${size}: gap ${gap}; no time is reported`);
  const milliseconds = Object.fromEntries(Object.entries(times).map(([what, list]) => [what, summary(list)]));
  const { name, driver } = session.description;
  const made = {
    seed,
    driver,
    versions: { webgpu: require("webgpu/package.json").version },
    ...provenance(new Date()),
  };
  return { device: name, size, laps, path, constants, milliseconds, gap, longestChain, ...made };
}

/** Has the workers do a task on all LAPs, each on a range of them with its part of the answer. */
function overLaps(size, laps, task, answer = {}) {
  const parts = Math.min(laps, 4 * threads);
  const cut = (part) => Math.floor((part * laps) / parts);
  return Promise.all(
    Array.from({ length: parts }, (_, part) => {
      const [first, end] = [cut(part), cut(part + 1)];
      // slice and not subarray: what is sent to a worker takes its whole buffer along.
      const own = Object.entries(answer).map(([name, values]) => [name, values.slice(first * size, end * size)]);
      return pool.run({ ...task, size, first, end, ...Object.fromEntries(own) });
    }),
  );
}

/** One submission after the clocks are up; times in ms, the answer, the longest serial chain. */
async function solve(batch, timer, warm) {
  await busy.run();
  const start = performance.now();
  const encoder = session.device.createCommandEncoder({ label: "timed" });
  const pass = encoder.beginComputePass({ label: "timed", timestampWrites: timer.next() });
  batch.encodeSolve(pass, { warm });
  pass.end();
  timer.resolve(encoder);
  session.device.queue.submit([encoder.finish()]);
  await session.finished();
  const wall = performance.now() - start;
  const [gpu] = await timer.read();
  const { outcomes, ...answer } = await batch.read();
  return { gpu, wall, answer, chain: longest(outcomes) };
}

function denseShape(size, laps) {
  const sizes = new Uint32Array(laps).fill(size);
  const limit = new Float32Array(laps * size).fill(Number.POSITIVE_INFINITY);
  return { rows: sizes, columns: sizes, rowLimit: limit, columnLimit: limit, entries: null };
}

function longest(outcomes) {
  return outcomes.reduce((most, { bidRounds, steps }) => Math.max(most, bidRounds + steps), 0);
}

function summary(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], least: sorted[0], most: sorted[sorted.length - 1] };
}
