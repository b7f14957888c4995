#!/usr/bin/env node
/**
 * Accuracy and time of the cost `motion`: stand-ins (stand-ins.mjs), and the recordings of a folder, positions only, solved as `rmap solve` solves them with no option and one
 * thread; each in a process of its own, so that none is warm from another one, and a crash or a limit of time costs one row.
 *
 *     npm run build && node lab/costs/suite.mjs LABEL --rows FILE [--kinds crowd,p_speeds] [--faults clean,mixed] [--seeds 1,2] [--long] [--recordings ../shared/data [--velocities]] [--gap PERCENT] [--shard 3/16] [--time 300]
 *     node lab/costs/suite.mjs --table FILE [LABEL LABEL]
 *
 * --long takes the long stand-ins instead of the short ones, --recordings adds a folder's, with their measured velocities by --velocities. DIST=FOLDER in the environment solves with another build; inputs are always those of ../../dist. The
 * table compares two labels, on what both have solved.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { randomStreams } from "../../dist/core/random.js";
import { longInputs, recordingInputs, shortInputs } from "./stand-ins.mjs";
import { printComparison } from "./suite-table.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string" },
    kinds: { type: "string" },
    faults: { type: "string" },
    seeds: { type: "string", default: "1,2" },
    long: { type: "boolean", default: false },
    recordings: { type: "string" },
    velocities: { type: "boolean", default: false },
    gap: { type: "string" },
    shard: { type: "string", default: "1/1" },
    time: { type: "string", default: "300" },
    one: { type: "string" },
    table: { type: "string" },
  },
});
const seeds = options.seeds.split(",").map(Number);
const wanted = (/** @type {string | undefined} */ list, /** @type {string} */ value) =>
  list === undefined || list.split(",").includes(value);
const inputs = [
  ...(options.long ? longInputs(seeds) : shortInputs(seeds)),
  ...(options.recordings === undefined ? [] : recordingInputs(options.recordings, options.velocities)),
].filter(({ kind, name }) => wanted(options.kinds, kind) && wanted(options.faults, name.split("/")[1]));

if (options.table !== undefined) printComparison(options.table, positionals);
else if (options.one !== undefined) console.log(JSON.stringify(await solved(options.one)));
else solveShard();

/** Every input of this shard in turn; shuffled, so that no shard has all the long ones. */
function solveShard() {
  const [label, ...rest] = positionals;
  if (label === undefined || rest.length > 0) throw new Error("give one label, by which the rows are told apart");
  const [shard, shards] = options.shard.split("/").map(Number);
  if (!(shard >= 1 && shard <= shards)) throw new Error(`--shard ${options.shard}: give for example 3/16`);
  if (inputs.length === 0) throw new Error("no input: --kinds, --faults and --seeds leave none");
  const order = Uint32Array.from(inputs.keys());
  randomStreams(1).next().value.shuffle(order);
  for (let n = shard - 1; n < order.length; n += shards) {
    const { name, group } = inputs[order[n]];
    const child = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), ...process.argv.slice(2), "--one", name],
      {
        timeout: 1000 * Number(options.time),
        killSignal: "SIGKILL",
        encoding: "utf8",
      },
    );
    const late = child.signal === "SIGKILL";
    const said = child.stderr.split("\n");
    const why = late
      ? `not solved in ${options.time} s`
      : (said.find((line) => /error/i.test(line)) ?? `${child.signal}`);
    const row = { label, name, group, ...(child.status === 0 ? JSON.parse(child.stdout) : { failed: why }) };
    if (options.rows !== undefined) appendFileSync(options.rows, `${JSON.stringify(row)}\n`);
    console.log(
      row.failed === undefined
        ? `${name}: IDF1 ${row.idf1.toFixed(2)} %, link errors ${row.linkErrors.toFixed(2)} %, ${row.status}, ${row.gapNats.toPrecision(2)} nats, ${row.cpuSeconds.toFixed(1)} CPU s`
        : `${name}: FAILED, ${row.failed}`,
    );
  }
}

/** @param {string} name */
async function solved(name) {
  const dist = pathToFileURL(`${resolve(process.env.DIST ?? fileURLToPath(new URL("../../dist", import.meta.url)))}/`);
  const load = (/** @type {string} */ file) => import(new URL(file, dist).href);
  /** @type {typeof import("../../dist/run/device.js")} */
  const { cpuBackend } = await load("run/device.js");
  /** @type {typeof import("../../dist/run/problem.js")} */
  const { makeProblem } = await load("run/problem.js");
  /** @type {typeof import("../../dist/run/run.js")} */
  const { runProblem } = await load("run/run.js");
  /** @type {typeof import("../../dist/formats/detections.js")} */
  const { recordingOf } = await load("formats/detections.js");
  const detections = inputs.find((input) => input.name === name).detections();
  const now = () => performance.now() / 1000;
  const before = process.cpuUsage();
  const began = now();
  const problem = await makeProblem(
    { kind: "detections", recording: recordingOf(name, detections) },
    {},
    { threads: 1, now },
  );
  const gapPercent = options.gap === undefined ? undefined : Number(options.gap);
  const backend = cpuBackend("cpu", 1, now);
  const { result } = await runProblem(problem, { gapPercent, cuts: "auto", began, threads: 1, backend, now });
  const { user, system } = process.cpuUsage(before);
  const { scores, status, lowerBound, upperBound, links, times } = result;
  if (scores === null) throw new Error(`${name}: nothing to score`);
  return {
    detections: result.detections,
    cpuSeconds: (user + system) / 1e6,
    idf1: Number(scores.idf1),
    linkErrors: Number(scores.linkErrors),
    status,
    gapNats: upperBound - lowerBound,
    gapPercent: result.gapPercent,
    sure: links?.sure ?? null,
    links: links?.total ?? null,
    passes: result.motion?.passes ?? null,
    passesSeconds: times.passes ?? null,
    solveSeconds: times.solve,
  };
}
