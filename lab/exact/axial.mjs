#!/usr/bin/env node
/**
 * Axial three-index assignment: three frames of n detections, links that cost nothing, and triplets of whole costs, uniform from 0 to 100 (E. Balas, M. J. Saltzman, "An algorithm for the
 * three-index assignment problem", Operations Research 39, 1991). Twelve instances, n = 12 to 26, solved by `rmap solve --exact`, CBC and HiGHS: a row each in lab/results/exact-axial.jsonl.
 *
 *     npm run build && node lab/exact/axial.mjs [--seeds 1,2,3] [--solvers rmap,cbc,highs] [--rounds 3] [--time 120] [--python python3]
 *     node lab/exact/axial.mjs --table [--docs lab/notes/exact.md]                        the table from rows alone
 *
 * Every solver is a process of its own that reads files, and seconds are of the wall clock and of the processor, from its start to its end, with one thread: medians of rounds, in which the solvers take turns. CBC and HiGHS get the formulation that suits them
 * best, a column for each triplet and a row for each detection. HiGHS is highspy of --python where that has it, else the WebAssembly of the package `highs`. An optimum that two solvers do not agree about is an error.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median, sum } from "d3-array";
import { randomStreams } from "../../dist/core/random.js";
import { provenance } from "../../dist/rows/provenance.js";
import { putTable } from "../docs-table.mjs";
import { keepRow } from "../rows.mjs";
import { rowsSoFar } from "./instance.mjs";

const { values: options } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3,4,5,6,7,8,9,10,11,12" },
    solvers: { type: "string", default: "rmap,cbc,highs" },
    rounds: { type: "string", default: "3" },
    time: { type: "string", default: "120" },
    python: { type: "string", default: "python3" },
    rows: { type: "string", default: "lab/results/exact-axial.jsonl" },
    table: { type: "boolean", default: false },
    docs: { type: "string" },
  },
});
/** Detections a frame by seed, from 1, and again from 13 on: the table has the first twelve. The choices were made on even seeds. */
const SIZES = [12, 12, 14, 14, 16, 18, 18, 20, 20, 22, 26, 26];
const MOST = 100;
const main = new URL("../../dist/cli/main.js", import.meta.url).pathname;

/** Costs by i, j, k. */
function costsOf(/** @type {number} */ seed) {
  const n = SIZES[(seed - 1) % SIZES.length];
  const random = randomStreams(seed).next().value;
  return { n, cost: Array.from({ length: n ** 3 }, () => Math.floor(random.uniform(0, MOST + 1))) };
}

/** @typedef {ReturnType<typeof costsOf>} Costs */

/** An instance folder, and the program that CBC and HiGHS read. */
function writeInputs(/** @type {string} */ folder, /** @type {Costs} */ { n, cost }) {
  const all = Array.from({ length: n }, (_, i) => i);
  const pairs = [0, 1].flatMap((frame) => all.flatMap((i) => all.map((j) => `${frame},${i},${j},0\n`)));
  const triplets = cost.map((value, at) => {
    const [i, j, k] = [Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n];
    return `0,${i},${j},${k},${value}\n`;
  });
  mkdirSync(join(folder, "axial"));
  writeFileSync(join(folder, "axial/pairs.csv"), `frame,i,j,cost\n${pairs.join("")}`);
  writeFileSync(join(folder, "axial/triplets.csv"), `frame,i,j,k,cost\n${triplets.join("")}`);
  const columns = cost.flatMap((value, at) => {
    const rows = [`I${Math.floor(at / n ** 2)}`, `J${Math.floor(at / n) % n}`, `K${at % n}`];
    return [` Y${at} OBJ ${value}\n`, ...rows.map((row) => ` Y${at} ${row} 1\n`)];
  });
  const rows = ["I", "J", "K"].flatMap((axis) => all.map((d) => `${axis}${d}`));
  writeFileSync(
    join(folder, "axial.mps"),
    [
      "NAME axial FREE\nROWS\n N OBJ\n",
      ...rows.map((row) => ` E ${row}\n`),
      "COLUMNS\n MARKER 'MARKER' 'INTORG'\n",
      ...columns,
      " MARKER 'MARKER' 'INTEND'\nRHS\n",
      ...rows.map((row) => ` RHS ${row} 1\n`),
      "BOUNDS\n",
      ...cost.map((_, at) => ` BV BND Y${at}\n`),
      "ENDATA\n",
    ].join(""),
  );
}

const PYTHON = `
import sys, highspy
h = highspy.Highs(); h.silent(); h.setOptionValue("threads", 1); h.setOptionValue("time_limit", float(sys.argv[2])); h.setOptionValue("mip_rel_gap", 0.0); h.setOptionValue("mip_abs_gap", 0.999)
h.readModel(sys.argv[1]); h.run(); i = h.getInfo()
print(h.modelStatusToString(h.getModelStatus()), i.objective_function_value, i.mip_dual_bound, h.version())
`;
const WASM = `
import load from "highs"; import { readFileSync } from "node:fs";
const highs = await load();
const r = highs.solve(readFileSync(process.argv[1], "utf8"), { time_limit: Number(process.argv[2]), mip_rel_gap: 0, mip_abs_gap: 0.999 });
console.log(r.Status, r.ObjectiveValue, "-", "wasm");
`;
const hasHighspy = spawnSync(options.python, ["-c", "import highspy"]).status === 0;

/**
 * Each solver: its command, and what its output says.
 * @type {Record<string, { command: (folder: string) => string[], read: (out: string, folder: string) => { cost: number | null, proved: boolean, solver?: string, exact?: object } }>}
 */
const SOLVERS = {
  rmap: {
    command: (folder) => [
      process.execPath,
      main,
      "solve",
      join(folder, "axial"),
      "--exact",
      "--time",
      options.time,
      "--threads",
      "1",
      "--device",
      "cpu",
      "-q",
      "-o",
      join(folder, "out"),
    ],
    read(_, folder) {
      const { status, upperBound, lowerBound, exact } = JSON.parse(
        readFileSync(join(folder, "out/result.json"), "utf8"),
      );
      return { cost: upperBound, bound: lowerBound, proved: status === "optimal", exact };
    },
  },
  cbc: {
    command: (folder) => [
      "cbc",
      join(folder, "axial.mps"),
      "-sec",
      options.time,
      "-solve",
      "-solution",
      join(folder, "cbc.txt"),
    ],
    read(out, folder) {
      const [head] = readFileSync(join(folder, "cbc.txt"), "utf8").split("\n");
      const cost = Number(/objective value\s+(\S+)/.exec(head)?.[1] ?? Number.NaN);
      return {
        cost: Number.isNaN(cost) ? null : cost,
        proved: /^Optimal/.test(head),
        solver: /Version: (\S+)/.exec(out)?.[1],
      };
    },
  },
  highs: {
    command: (folder) =>
      hasHighspy
        ? [options.python, "-c", PYTHON, join(folder, "axial.mps"), options.time]
        : [process.execPath, "--input-type=module", "-e", WASM, join(folder, "axial.mps"), options.time],
    read(out) {
      const [, status, cost, , version] = /(.*?) (\S+) (\S+) (\S+)\s*$/.exec(out.trim()) ?? [];
      return { cost: Number(cost), proved: status === "Optimal", solver: version };
    },
  },
};

if (options.table) printTable();
else for (const seed of options.seeds.split(",").map(Number)) measure(seed);

function measure(/** @type {number} */ seed) {
  const folder = mkdtempSync(join(tmpdir(), "rmap-axial-"));
  const costs = costsOf(seed);
  writeInputs(folder, costs);
  let proved = null;
  /** @type {Map<string, { seconds: number[], cpuSeconds: number[], found: ReturnType<(typeof SOLVERS)[string]["read"]> }>} */
  const runs = new Map();
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const name of options.solvers.split(",")) {
      const { command, read } = SOLVERS[name];
      const [file, ...args] = command(folder);
      const [begin, before] = [performance.now(), childSeconds()];
      const { stdout } = spawnSync(file, args, {
        encoding: "utf8",
        maxBuffer: 2 ** 28,
        cwd: new URL(".", import.meta.url),
      });
      const { seconds, cpuSeconds } = runs.get(name) ?? { seconds: [], cpuSeconds: [] };
      seconds.push((performance.now() - begin) / 1000);
      cpuSeconds.push(childSeconds() - before);
      const found = read(stdout, folder);
      if (found.proved && proved !== null && Math.abs((found.cost ?? Number.NaN) - proved) > 1e-6)
        throw new Error(`seed ${seed}: ${name} proves ${found.cost}, another one ${proved}`);
      if (found.proved) proved = found.cost;
      runs.set(name, { seconds, cpuSeconds, found });
    }
  }
  for (const [name, { seconds, cpuSeconds, found }] of runs) {
    const row = {
      benchmark: /** @type {const} */ ("exact-axial"),
      seed,
      n: costs.n,
      by: name,
      seconds: Number(median(seconds)?.toFixed(3)),
      cpuSeconds: Number(median(cpuSeconds)?.toFixed(2)),
      rounds: Number(options.rounds),
      limit: Number(options.time),
      ...found,
      ...provenance(new Date()),
    };
    keepRow(options.rows, row);
    process.stderr.write(
      `seed ${seed}, n ${costs.n}, ${name}: ${found.cost}${found.proved ? " proved" : ""} in ${row.seconds} s, ${row.cpuSeconds} CPU s ${JSON.stringify(found.exact ?? "")}\n`,
    );
  }
  rmSync(folder, { recursive: true });
}

/** CPU seconds of all ended children. */
function childSeconds() {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function printTable() {
  const rows = rowsSoFar(options.rows);
  const names = Object.keys(SOLVERS);
  const last = (seed, by) => rows.findLast((row) => row.seed === seed && row.by === by);
  const cell = (row) =>
    row === undefined
      ? "–"
      : `${row.cost === null ? "none" : Math.round(row.cost)}${row.proved ? "" : " (not proved)"} · ${row.seconds} s · ${row.cpuSeconds} s`;
  const times = (by) => SIZES.map((_, n) => last(n + 1, by)?.cpuSeconds ?? Number.NaN);
  const better = times("cbc").map((time, n) => Math.min(time, times("highs")[n]));
  const row = (title, of) =>
    `| ${title} | | ${names.map((by) => `${of(times(by)).toFixed(1)} s`).join(" | ")} | ${of(better).toFixed(1)} s |`;
  const lines = [
    `| seed | n | ${names.join(" | ")} | the better of both |`,
    `|---|---|${names.map(() => "---").join("|")}|---|`,
    ...SIZES.map(
      (n, at) => `| ${at + 1} | ${n} | ${names.map((by) => cell(last(at + 1, by))).join(" | ")} | ${better[at]} s |`,
    ),
    row("median, CPU", median),
    row("sum, CPU", sum),
  ];
  const table = `${lines.join("\n")}\n`;
  if (options.docs === undefined) process.stdout.write(table);
  else putTable(options.docs, "axial", table);
}
