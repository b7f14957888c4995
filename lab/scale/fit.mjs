#!/usr/bin/env node
/**
 * Fits the seconds of src/run/speed.ts, by which --device auto chooses, to the rows of scale.mjs: to every other problem by size. Of the others it says how far the
 * fit is off, and how long their solves take where it chooses, and with each device for all.
 *
 *     npm run build && node lab/scale/fit.mjs [results/scale-x-laps.jsonl lab/results/scale.jsonl]
 */
import { join } from "node:path";
import { usefulThreads } from "../../dist/run/speed.js";
import { rowsOf } from "../rows.mjs";

const root = join(import.meta.dirname, "../..");
const ROWS = [join(root, "results/scale-x-laps.jsonl"), join(root, "lab/results/scale.jsonl")];

if (process.argv[1] === import.meta.filename) {
  const files = process.argv.slice(2);
  const { seconds, judged } = fitted(files.length === 0 ? ROWS : files);
  console.log(JSON.stringify(seconds));
  console.log(judged);
}

/** @param {readonly string[]} files */
export function fitted(files = ROWS) {
  // Later runs of the same in results/scale-x-laps.jsonl were told which kernels to use, or profiled; those of scale.mjs are of later programs.
  const [first, ...later] = files.map((file) => rowsOf(file).map(sample));
  const all = new Map(
    [...first.reverse(), ...later.flat()].map((row) => [`${row.problem} ${row.isGpu} ${row.threads}`, row]),
  );
  const rows = [...all.values()];
  const problems = [...new Set(rows.toSorted((a, b) => a.work - b.work).map(({ problem }) => problem))];
  const isJudged = (/** @type {Sample} */ { problem }) => problems.indexOf(problem) % 2 === 1;
  const [start, work, shared, startOfGpu, workOfGpu] = leastOff(rows.filter((row) => !isJudged(row)));
  const rounded = (/** @type {number} */ value) => Number(value.toPrecision(2));
  const seconds = {
    cpu: { start: rounded(start), work: rounded(work), shared: rounded(shared) },
    gpu: { start: rounded(startOfGpu), work: rounded(work + workOfGpu) },
  };
  return { seconds, judged: judge(rows.filter(isJudged), seconds) };
}

/** @typedef {ReturnType<typeof sample>} Sample */

/** @param {any} row */
function sample({ name, problem = name, device, threads, edges, triplets, storage, times, wall = times.wall }) {
  const work = edges + (storage === "csr" ? triplets : 0);
  const { generate, price, exact } = times;
  const isGpu = device.actual !== "cpu";
  return { problem, isGpu, threads, work, seconds: wall - generate - price - exact };
}

/**
 * The positive numbers of which the sum of |log(expected / measured)| is least, by a search in ever smaller steps: start and work of either device, a part of the
 * CPU's that its threads share, the start of a GPU, and the work that only a GPU has. A run that was disturbed counts no more than another.
 * @param {readonly Sample[]} rows
 */
function leastOff(rows) {
  const terms = rows.map(({ isGpu, threads, work }) =>
    isGpu ? [0, work, 0, 1, work] : [1, work, work / usefulThreads(work, threads), 0, 0],
  );
  const off = (/** @type {readonly number[]} */ found) =>
    terms.reduce((sum, term, n) => {
      const expected = term.reduce((total, value, k) => total + value * found[k], 0);
      return sum + Math.abs(Math.log(expected / rows[n].seconds));
    }, 0);
  let found = [0.5, 1e-5, 1e-5, 1, 1e-6];
  let least = off(found);
  for (let step = 1; step > 1e-4; ) {
    const tried = found.flatMap((_, k) =>
      [step, -step].map((by) => found.map((value, n) => (n === k ? value * Math.exp(by) : value))),
    );
    const best = tried.map((one) => ({ one, off: off(one) })).reduce((a, b) => (b.off < a.off ? b : a));
    if (best.off < least) [found, least] = [best.one, best.off];
    else step /= 2;
  }
  return found;
}

/**
 * @param {readonly Sample[]} rows
 * @param {{ cpu: { start: number, work: number, shared: number }, gpu: { start: number, work: number } }} seconds
 */
function judge(rows, { cpu, gpu }) {
  const expected = (/** @type {Sample} */ { isGpu, threads, work }) =>
    isGpu ? gpu.start + work * gpu.work : cpu.start + work * (cpu.work + cpu.shared / usefulThreads(work, threads));
  const errors = rows.map((row) => Math.abs(Math.log(expected(row) / row.seconds))).sort((a, b) => a - b);
  const sums = { chosen: 0, best: 0, cpu: 0, gpu: 0 };
  let [right, choices] = [0, 0];
  for (const onCpu of rows) {
    const onGpu = rows.find(({ isGpu, problem }) => isGpu && problem === onCpu.problem);
    if (onCpu.isGpu || onGpu === undefined) continue;
    const chosen = expected(onCpu) <= expected(onGpu) ? onCpu : onGpu;
    const best = Math.min(onCpu.seconds, onGpu.seconds);
    sums.chosen += chosen.seconds;
    sums.best += best;
    sums.cpu += onCpu.seconds;
    sums.gpu += onGpu.seconds;
    choices++;
    if (chosen.seconds === best) right++;
  }
  const [median, most] = [errors[errors.length >> 1], errors[Math.floor(0.9 * errors.length)]].map((error) =>
    Math.exp(error),
  );
  const said = Object.entries(sums).map(([name, sum]) => `${name} ${sum.toFixed(1)}`);
  return `other half: off by a factor of ${median.toFixed(2)} in the median and ${most.toFixed(2)} in nine of ten; the faster device in ${right} of ${choices} choices; seconds in all: ${said.join(", ")}`;
}
