/**
 * How much the boards' times vary: the list form on the six sets in several runs, each a process of its own, and the geometric means of (a) with the host's test over (d) as median and
 * range over the runs. Then (d) again, frame by frame in several passes: which frames take more than 1 ms, whether they are the same in every pass, and in which part of them the time
 * goes. Every answer is certified.
 *
 *     npm run build && node lab/sorting/repeated.mjs BELT.csv… [--runs 5] [--passes 10] [--device gpu|software] --rows FILE
 */
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readDetections } from "rmap/formats";
import { BusyWork, geometricMean, spreadOf } from "../../dist/experiments/bench/timing.js";
import { openSession } from "../../dist/gpu/open-session.js";
import { certifyAuction } from "../../dist/lap/auction/certificate.js";
import { GRID_ERROR, ofScene } from "../../dist/lap/auction/fixed-point.js";
import { GpuAuction } from "../../dist/lap/auction/gpu-auction.js";
import { auctionOf } from "../../dist/track/auction.js";
import { framesOf, overFrames } from "../../dist-lab/sorting/auction.js";
import { problemOf } from "../../dist-lab/sorting/forms.js";
import { deviceNamed } from "../device.mjs";

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "5" },
    passes: { type: "string", default: "10" },
    device: { type: "string", default: "gpu" },
    rows: { type: "string" },
  },
});
if (files.length === 0 || flags.rows === undefined) throw new Error("give CSV files of belts, and --rows FILE");
const root = fileURLToPath(new URL("../../", import.meta.url));
const FRAMES = 40;
const LONG = 1;
const MOST_ROUNDS = 10_000;

/** @type {Record<string, number[]>} */
const ofRuns = {};
for (let run = 0; run < Number(flags.runs); run++) {
  const options = ["--frames", String(FRAMES), "--form", "list", "--device", flags.device, "--append", flags.rows];
  const args = [join(root, "dist-lab/sorting/bench.js"), ...files, ...options, "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(stderr);
  /** @type {{ rows: { set: string, board: string, loop: string, milliseconds: { median: number, max: number } }[] }} */
  const { rows } = JSON.parse(stdout);
  const of = (set, board, loop) => rows.find((row) => row.set === set && row.board === board && row.loop === loop);
  const sets = [...new Set(rows.map(({ set }) => set))];
  const ratio = (set, one, loop) =>
    of(set, one, loop).milliseconds.median / of(set, "workgroup", "submit").milliseconds.median;
  const add = (name, value) => {
    ofRuns[name] ??= [];
    ofRuns[name].push(value);
  };
  add(
    "(a) with the host's test over (d), geometric mean",
    geometricMean(sets.map((set) => ratio(set, "matrix", "host"))),
  );
  add(
    "(c) with the host's test over (d), geometric mean",
    geometricMean(sets.map((set) => ratio(set, "packed", "host"))),
  );
  for (const set of sets) {
    add(`${set}: (a) with the host's test over (d)`, ratio(set, "matrix", "host"));
    add(`${set}: (a) with the host's test, median ms`, of(set, "matrix", "host").milliseconds.median);
    add(`${set}: (d), median ms`, of(set, "workgroup", "submit").milliseconds.median);
    add(`${set}: (d), worst ms`, of(set, "workgroup", "submit").milliseconds.max);
  }
}
for (const [name, values] of Object.entries(ofRuns)) {
  const { median, min, max } = spreadOf(values);
  console.log(
    `${name.padEnd(64)} ${median.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)}), runs ${values.map((value) => value.toFixed(2)).join(" ")}`,
  );
}

/** Pauses of the collector: begin and end. */
const pauses = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push([startTime, startTime + duration]);
}).observe({ entryTypes: ["gc"] });
const session = await openSession(deviceNamed(flags.device));
if (session === null) throw new Error(`${flags.device} is no GPU`);
const busy = await BusyWork.create(session, () => performance.now() / 1000);
const auction = await GpuAuction.create(session);
for (const file of files) {
  const { detections } = readDetections(file, "ignored");
  const frames = await framesOf(detections, { count: FRAMES, border: false, tiles: 1, crowd: 1 });
  const all = [];
  for (let pass = -2; pass < Number(flags.passes); pass++) {
    if (pass === 0) await busy.run();
    for (const [number, frame] of frames.entries()) {
      const begin = performance.now();
      const problem = problemOf(auctionOf(frame), "list", 0.01);
      const prepared = performance.now();
      const answer = await auction.solve(problem, MOST_ROUNDS);
      const end = performance.now();
      const { objectOfPerson, price } = ofScene(problem, answer, auctionOf(frame));
      const { legal, gap } = certifyAuction(auctionOf(frame), objectOfPerson, price);
      const slack = ((problem.epsilon + 2 * GRID_ERROR) / problem.reach) * frame.reach * Math.max(1, problem.persons);
      if (!(legal && gap <= slack)) throw new Error(`an answer is ${gap} from its bound, more than ${slack}`);
      const { rounds } = answer;
      if (pass >= 0) all.push({ pass, number, rounds, begin, end, host: prepared - begin, rest: end - prepared });
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  const whole = overFrames(all.map(({ begin, end }) => end - begin));
  const host = overFrames(all.map((frame) => frame.host));
  const show = ({ median, p99, max }) => [median, p99, max].map((value) => value.toFixed(3)).join(" / ");
  const long = all.filter(({ begin, end }) => end - begin > LONG);
  console.log(
    `${basename(file)}: ${all.length} frames of ${flags.passes} passes, (d), median / p99 / worst ms ${show(whole)}; of it the host's preparation ${show(host)}; ${long.length} above ${LONG} ms`,
  );
  for (const { pass, number, rounds, begin, end, host, rest } of long) {
    const collected = pauses.some(([from, to]) => from < end && to > begin);
    console.log(
      `  pass ${pass}, frame ${number}: ${(end - begin).toFixed(2)} ms, preparation ${host.toFixed(2)}, upload to answer ${rest.toFixed(2)}, ${rounds} rounds${collected ? ", with a collection" : ""}`,
    );
  }
}
auction.destroy();
busy.destroy();
await session.close();
