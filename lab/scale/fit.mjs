#!/usr/bin/env node
/**
 * Fits the seconds of src/run/speed.ts, by which --device auto chooses, to the rows of scale.mjs: to every other problem by size. Of the others it says how far the
 * fit is off, and how long their solves take where it chooses, and with each device for all. Of the same problem on the same device the last row counts. The bytes of
 * src/run/memory.ts are fitted likewise.
 *
 *     npm run build && node lab/scale/fit.mjs [lab/results/scale-auto.jsonl …]
 */
import { join } from "node:path";
import { processTerms, storedBytes } from "../../dist/run/memory.js";
import { expectedBy, termsOf } from "../../dist/run/speed.js";
import { rowsOf } from "../rows.mjs";

const START = {
  ...{ startOfCpu: 0.3, startOfGpu: 0.6, edgeOfGpu: 8e-7, edgeOfCpu: 1e-6, triplet: 1e-7 },
  examined: 6e-7,
};
/** Of a stored triplet, of which these rows have few: by n300-t300 with a user's cost, 59 million of them on an H200 (8.5 and 7.5 s) and on two cores (17.8 s of CPU time), in lab/notes/own-costs.md. */
const HELD = { storedOfGpu: 1e-7, storedOfCpu: 2.7e-7 };
const START_OF_BYTES = { program: 1e8, share: 0.5, thread: 2e7, examined: 100 };
const ROWS = [join(import.meta.dirname, "../results/scale-auto.jsonl")];

if (process.argv[1] === import.meta.filename) {
  const files = process.argv.slice(2);
  const { seconds, bytes, judged } = fitted(files.length === 0 ? ROWS : files);
  console.log(JSON.stringify({ seconds, bytes }, null, 2));
  console.log(judged.join("\n"));
}

/** @param {readonly string[]} files */
export function fitted(files = ROWS) {
  const all = new Map(
    files
      .flatMap((file) => rowsOf(file).map(sample))
      .map((row) => [`${row.problem} ${row.isGpu} ${row.threads} ${row.storage}`, row]),
  );
  const rows = [...all.values()];
  const problems = [...new Set(rows.toSorted((a, b) => a.edges - b.edges).map(({ problem }) => problem))];
  const isJudged = (/** @type {Sample} */ { problem }) => problems.indexOf(problem) % 2 === 1;
  const [chosen, judged] = [rows.filter((row) => !isJudged(row)), rows.filter(isJudged)];
  const seconds = leastOff(
    chosen.map(({ seconds }) => seconds),
    START,
    HELD,
  );
  const bytesOn = (/** @type {boolean} */ isGpu) =>
    leastOff(
      chosen.flatMap((row) => (row.isGpu === isGpu && row.bytes.measured > 0 ? [row.bytes] : [])),
      START_OF_BYTES,
      {},
    );
  const bytes = { cpu: bytesOn(false), gpu: bytesOn(true) };
  const said = [false, true].map((isGpu) => {
    const of = judged.flatMap((row) => (row.isGpu === isGpu && row.bytes.measured > 0 ? [row.bytes] : []));
    return `bytes with the solve on ${isGpu ? "a GPU" : "the CPU"}: ${errorsOf(of, bytes[isGpu ? "gpu" : "cpu"])}`;
  });
  return { seconds, bytes, judged: [judge(judged, seconds), ...said] };
}

/** @typedef {ReturnType<typeof sample>} Sample */
/** @typedef {{ readonly terms: any, readonly fixed: number, readonly measured: number }} Measured */

/**
 * A row's seconds and bytes. With a cost of one's own, whose triplets may be stored, the seconds are those of prices too.
 * @param {any} row
 */
function sample({ problem, cost: own, device, threads, detections, edges, triplets, storage, times, wall, hostMiB }) {
  const sizes = { detections, edges, triplets, stored: storage === "csr" ? triplets : 0 };
  const { generate, price, exact, passes = 0 } = times;
  const isGpu = device.actual !== "cpu";
  const measured = wall - generate - exact - passes - (own === undefined ? price : 0);
  return {
    ...{ problem: `${problem} ${own ?? ""}`, isGpu, threads, edges, storage },
    seconds: { terms: termsOf(sizes, threads)[isGpu ? "gpu" : "cpu"], fixed: 0, measured },
    bytes: {
      terms: processTerms(sizes, threads),
      // Recordings, whose triplets are stored, have births.
      fixed: storedBytes(sizes.stored, own === undefined),
      measured: 2 ** 20 * (hostMiB ?? 0),
    },
  };
}

/**
 * The positive numbers of which the sum of |log(expected / measured)| is least, by a search in ever smaller steps. A run that was disturbed counts no more than another.
 * @template {{ readonly [name: string]: any }} Each
 * @template {{ readonly [name: string]: any }} Held
 * @param {readonly Measured[]} of
 * @param {Each} start
 * @param {Held} held numbers that stay
 * @returns {Each & Held}
 */
function leastOff(of, start, held) {
  const off = (/** @type {Each} */ found) => of.reduce((sum, one) => sum + errorOf(one, { ...held, ...found }), 0);
  const names = Object.keys(start);
  // One number at a time, and two against each other, which share out what the rows do not tell apart well.
  const moves = names.flatMap((name) => names.map((other) => [name, other]));
  let found = start;
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
  const rounded = Object.fromEntries(names.map((name) => [name, Number(found[name].toPrecision(2))]));
  return /** @type {any} */ ({ ...rounded, ...held });
}

/**
 * |log(expected / measured)|.
 * @param {Measured} one
 * @param {any} found
 */
function errorOf({ terms, fixed, measured }, found) {
  return Math.abs(Math.log((expectedBy(found, terms) + fixed) / measured));
}

/**
 * @param {readonly Measured[]} of
 * @param {any} found
 */
function errorsOf(of, found) {
  const errors = of.map((one) => errorOf(one, found)).sort((a, b) => a - b);
  const [median, most] = [errors[errors.length >> 1], errors[Math.floor(0.9 * errors.length)]].map(Math.exp);
  return `off by a factor of ${median.toFixed(2)} in the median and ${most.toFixed(2)} in nine of ten`;
}

/**
 * @param {readonly Sample[]} rows
 * @param {any} found
 */
function judge(rows, found) {
  const expected = (/** @type {Sample} */ { seconds }) => expectedBy(found, seconds.terms);
  const sums = { chosen: 0, best: 0, cpu: 0, gpu: 0 };
  let [right, choices] = [0, 0];
  for (const onCpu of rows) {
    const onGpu = rows.find(({ isGpu, problem }) => isGpu && problem === onCpu.problem);
    if (onCpu.isGpu || onGpu === undefined) continue;
    const chosen = expected(onCpu) <= expected(onGpu) ? onCpu : onGpu;
    const [ofCpu, ofGpu] = [onCpu, onGpu].map(({ seconds }) => seconds.measured);
    const best = Math.min(ofCpu, ofGpu);
    sums.chosen += chosen.seconds.measured;
    sums.best += best;
    sums.cpu += ofCpu;
    sums.gpu += ofGpu;
    choices++;
    if (chosen.seconds.measured === best) right++;
  }
  const said = Object.entries(sums).map(([name, sum]) => `${name} ${sum.toFixed(1)}`);
  return `other half: ${errorsOf(
    rows.map(({ seconds }) => seconds),
    found,
  )}; the faster device in ${right} of ${choices} choices; seconds in all: ${said.join(", ")}`;
}
