/**
 * Times a batch of dense LAPs, cold, by each path, number of threads and number of bidding rounds; milliseconds of the device's clock, the first of which may hold a
 * compilation. All solve the same uniform costs, and agree in the values' sum but for the rounding of f32.
 *
 *     npm run build && node lab/lap/paths.mjs [gpu|software] [size,laps] [--paths wide,portable] [--threads 256,512,1024] [--bids 3,12] [--rows lab/results/lap-paths.jsonl]
 */
import { parseArgs } from "node:util";
import { openSession } from "../../dist/gpu/open-session.js";
import { PassTimer } from "../../dist/gpu/timer.js";
import { GpuLapBatch } from "../../dist/lap/gpu-batch.js";
import { provenance } from "../../dist/rows/provenance.js";
import { deviceNamed } from "../device.mjs";
import { keepRow } from "../rows.mjs";

const REPETITIONS = 4;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    paths: { type: "string", default: "wide,portable" },
    threads: { type: "string", default: "256,512,1024" },
    bids: { type: "string", default: "3,12" },
    rows: { type: "string" },
  },
});
const [device = "gpu", batch = "2048,64"] = positionals;
const [size, laps] = batch.split(",").map(Number);
const session = await openSession(deviceNamed(device));
if (session === null) throw new Error(`${device} names no GPU`);
const limit = new Float32Array(laps * size).fill(Number.POSITIVE_INFINITY);
const sizes = new Uint32Array(laps).fill(size);
const shape = { rows: sizes, columns: sizes, rowLimit: limit, columnLimit: limit, entries: null, mayBeLeft: false };
const cost = uniform(laps * size * size);
for (const path of options.paths.split(",")) {
  for (const threads of options.threads.split(",").map(Number)) {
    for (const bidRounds of options.bids.split(",").map(Number)) await measure(path, threads, bidRounds);
  }
}
await session.close();

/**
 * @param {string} path
 * @param {number} threads
 * @param {number} bidRounds
 */
async function measure(path, threads, bidRounds) {
  const one = await GpuLapBatch.create(session, shape, { path: /** @type {any} */ (path), threads, bidRounds });
  const timer = new PassTimer(session, 1);
  one.writeDense(cost);
  const milliseconds = [];
  let [longestChain, value] = [0, 0];
  for (let k = 0; k < REPETITIONS; k++) {
    const encoder = session.device.createCommandEncoder();
    const pass = encoder.beginComputePass({ timestampWrites: timer.next() });
    one.encodeSolve(pass, { warm: false });
    pass.end();
    timer.resolve(encoder);
    session.device.queue.submit([encoder.finish()]);
    milliseconds.push((await timer.read())[0]);
    const { outcomes } = await one.read();
    longestChain = Math.max(...outcomes.map(({ steps }) => steps));
    value = outcomes.reduce((sum, outcome) => sum + outcome.value, 0);
  }
  const held = one.plan?.constants.HELD;
  const measured = { path, threads, bidRounds, held, milliseconds, longestChain, value };
  const row = { benchmark: "lap-paths", device: session.description.name, size, laps, ...measured };
  keepRow(options.rows, { ...row, ...provenance(new Date()) });
  console.log(JSON.stringify(row));
  one.destroy();
  timer.destroy();
}

/** Numbers in [0, 1) of a linear congruence. @param {number} length */
function uniform(length) {
  const numbers = new Float32Array(length);
  let state = 12345;
  for (let k = 0; k < length; k++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    numbers[k] = (state >>> 8) / 2 ** 24;
  }
  return numbers;
}
