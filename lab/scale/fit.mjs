#!/usr/bin/env node
/**
 * Fits the seconds of src/run/speed.ts, by which --device auto chooses, to the rows of scale.mjs: to every other problem by size. Of the others it says how far the
 * fit is off, and how long their solves take where it chooses, and with each device for all. Of the same problem on the same device the last row counts.
 *
 *     npm run build && node lab/scale/fit.mjs [lab/results/scale-auto.jsonl …]
 */
import { join } from "node:path";
import { expectedBy, termsOf } from "../../dist/run/speed.js";
import { rowsOf } from "../rows.mjs";

/** @type {Seconds} */
const START = {
  ...{ startOfCpu: 0.3, startOfGpu: 0.6, edgeOfGpu: 8e-7, edgeOfCpu: 1e-6, triplet: 1e-7 },
  examined: 6e-7,
};
const ROWS = [join(import.meta.dirname, "../results/scale-auto.jsonl")];

if (process.argv[1] === import.meta.filename) {
  const files = process.argv.slice(2);
  const { seconds, judged } = fitted(files.length === 0 ? ROWS : files);
  console.log(JSON.stringify(seconds));
  console.log(judged);
}

/** @param {readonly string[]} files */
export function fitted(files = ROWS) {
  const all = new Map(
    files.flatMap((file) => rowsOf(file).map(sample)).map((row) => [`${row.problem} ${row.isGpu} ${row.threads}`, row]),
  );
  const rows = [...all.values()];
  const problems = [...new Set(rows.toSorted((a, b) => a.sizes.edges - b.sizes.edges).map(({ problem }) => problem))];
  const isJudged = (/** @type {Sample} */ { problem }) => problems.indexOf(problem) % 2 === 1;
  const seconds = leastOff(rows.filter((row) => !isJudged(row)));
  return { seconds, judged: judge(rows.filter(isJudged), seconds) };
}

/** @typedef {ReturnType<typeof sample>} Sample */
/** @typedef {import("../../dist/run/speed.js").Seconds} Seconds */

/** @param {any} row */
function sample({ problem, device, threads, edges, triplets, storage, times, wall }) {
  const sizes = { edges, triplets, stored: storage === "csr" ? triplets : 0 };
  const { generate, price, exact, passes = 0 } = times;
  const isGpu = device.actual !== "cpu";
  const terms = termsOf(sizes, threads)[isGpu ? "gpu" : "cpu"];
  return { problem, isGpu, threads, sizes, terms, seconds: wall - generate - price - exact - passes };
}

/**
 * The positive numbers of which the sum of |log(expected / measured)| is least, by a search in ever smaller steps. A run that was disturbed counts no more than another.
 * @param {readonly Sample[]} rows
 * @returns {Seconds}
 */
function leastOff(rows) {
  const off = (/** @type {Seconds} */ found) =>
    rows.reduce((sum, { terms, seconds }) => sum + Math.abs(Math.log(expectedBy(found, terms) / seconds)), 0);
  const names = /** @type {(keyof Seconds)[]} */ (Object.keys(START));
  // One number at a time, and two against each other, which share out what the rows do not tell apart well.
  const moves = names.flatMap((name) => names.map((other) => [name, other]));
  let found = START;
  let least = off(found);
  for (let step = 2; step > 1e-4; ) {
    const tried = moves.flatMap(([name, other]) =>
      [step, -step].map((by) => {
        const moved = { ...found, [other]: found[other] * Math.exp(-by) };
        return { ...moved, [name]: found[name] * Math.exp(by) };
      }),
    );
    const best = tried.map((one) => ({ one, off: off(one) })).reduce((a, b) => (b.off < a.off ? b : a));
    if (best.off < least) [found, least] = [best.one, best.off];
    else step /= 2;
  }
  return /** @type {any} */ (Object.fromEntries(names.map((name) => [name, Number(found[name].toPrecision(2))])));
}

/**
 * @param {readonly Sample[]} rows
 * @param {Seconds} found
 */
function judge(rows, found) {
  const expected = (/** @type {Sample} */ { terms }) => expectedBy(found, terms);
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
