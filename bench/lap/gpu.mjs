/**
 * Times batches of dense LAPs on a GPU: cold, warm on the same costs, and warm after n costs of each LAP changed by up to
 * ±0.025. Uniform f32 costs in [0, 1), fresh in each repetition; every answer is certified in f64 before its time counts.
 *
 *     npm run build && node bench/lap/gpu.mjs [gpu|software] [size,laps ...]      prints one JSON line per batch
 */

import { openSession } from "../../dist/gpu/session.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { certifyLap } from "../../dist/lap/certificate.js";
import { denseLap } from "../../dist/lap/dense.js";
import { GpuLapBatch } from "../../dist/lap/gpu-batch.js";

const REPETITIONS = 5;
const WARM_UPS = 2;
/** An idle GPU lowers its clocks within a second; this much work in front of a timed submission brings them back. */
const BUSY_MS = 1000;
/** Relative to the cost of the LAP; f32 answers stay near 1e-7. */
const MOST_GAP = 1e-5;
const STANDARD = ["50,50", "100,100", "200,200", "300,300", "512,512", "50,2000"];

const [device = "gpu", ...batches] = process.argv.slice(2);
const session = await openSession(device);
if (session === null) throw new Error(`${device} names no GPU`);
const busy = await GpuLapBatch.create(session, denseShape(50, device === "software" ? 2 : 264));
const noise = xorshift(1);
busy.writeDense(Float32Array.from({ length: busy.shape.rowLimit.length * 50 }, noise));
for (const batch of batches.length > 0 ? batches : STANDARD) {
  const [size, laps] = batch.split(",").map(Number);
  console.log(JSON.stringify(await measure(session, size, laps)));
}
busy.destroy();
await session.close();

async function measure(session, size, laps) {
  const random = xorshift(size * 7919 + laps);
  const batch = await GpuLapBatch.create(session, denseShape(size, laps));
  const timer = new PassTimer(session, 1);
  const costs = new Float32Array(laps * size * size);
  const times = { cold: [], warmSame: [], warmChanged: [], wallCold: [], wallWarmChanged: [] };
  let gap = 0;
  let longestChain = 0;
  for (let repetition = -WARM_UPS; repetition < REPETITIONS; repetition++) {
    for (let k = 0; k < costs.length; k++) costs[k] = random();
    const cold = await solve(session, batch, timer, costs, false);
    const warmSame = await solve(session, batch, timer, costs, true);
    for (let lap = 0; lap < laps; lap++) {
      for (let change = 0; change < size; change++) {
        costs[lap * size * size + Math.floor(random() * size * size)] += 0.05 * (random() - 0.5);
      }
    }
    const warmChanged = await solve(session, batch, timer, costs, true);
    for (const run of [cold, warmSame, warmChanged]) gap = Math.max(gap, run.gap);
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
  return { device: session.description.name, size, laps, path, constants, milliseconds, gap, longestChain };
}

/** One submission after the clocks are up; times in ms, the worst certified gap of the batch, its longest serial chain. */
async function solve(session, batch, timer, costs, warm) {
  batch.writeDense(costs);
  await keepBusy(session, busy);
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
  const result = await batch.read();
  return { gpu, wall, gap: worstGap(batch.shape, costs, result), chain: longest(result.outcomes) };
}

/** Solves a batch of its own over and over. */
async function keepBusy(session, busy) {
  for (const start = performance.now(); performance.now() - start < BUSY_MS; ) {
    const encoder = session.device.createCommandEncoder({ label: "busy" });
    const pass = encoder.beginComputePass({ label: "busy" });
    for (let turn = 0; turn < 50; turn++) busy.encodeSolve(pass, { warm: false });
    pass.end();
    session.device.queue.submit([encoder.finish()]);
    await session.finished();
  }
}

function denseShape(size, laps) {
  const sizes = new Uint32Array(laps).fill(size);
  const limit = new Float32Array(laps * size).fill(Number.POSITIVE_INFINITY);
  return { rows: sizes, columns: sizes, rowLimit: limit, columnLimit: limit, entries: null };
}

function worstGap({ rows }, costs, { columnOfRow, rowDual, columnDual }) {
  let worst = 0;
  let row = 0;
  let at = 0;
  for (const size of rows) {
    const problem = denseLap(size, size, Float64Array.from(costs.subarray(at, at + size * size)), {});
    const links = columnOfRow.slice(row, row + size);
    const rowOfColumn = new Int32Array(size).fill(-1);
    for (const [i, j] of links.entries()) rowOfColumn[j] = i;
    const certificate = certifyLap(problem, {
      columnOfRow: links,
      entryOfRow: Int32Array.from(links, (j, i) => i * size + j),
      rowOfColumn,
      rowDual: Float64Array.from(rowDual.subarray(row, row + size)),
      columnDual: Float64Array.from(columnDual.subarray(row, row + size)),
    });
    worst = certificate.complete ? Math.max(worst, certificate.gap / certificate.primalCost) : Number.POSITIVE_INFINITY;
    row += size;
    at += size * size;
  }
  return worst;
}

function longest(outcomes) {
  return outcomes.reduce((most, { bidRounds, steps }) => Math.max(most, bidRounds + steps), 0);
}

function summary(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return { median: sorted[sorted.length >> 1], least: sorted[0], most: sorted[sorted.length - 1] };
}

function xorshift(seed) {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
