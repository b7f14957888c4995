#!/usr/bin/env node
/**
 * The JV solver against SciPy's, on one thread each, taking turns on the same matrices. An answer without a certificate, or
 * with another cost than SciPy's, ends the run. `ours` and `scipy` hold only the solver's call; `build` is what denseLap takes.
 *
 *     npm run build && node lab/lap/scipy.mjs [--dist dist] [--npm folder] [--append lab/results/lap-cpu.jsonl]
 *
 * --npm: a folder in which the LAP packages of npm are installed. They solve the dense matrices, the fastest of three calls
 * each; one that takes over a second is left out at the next size.
 */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { denseUniform, gated, sparseUniform } from "./matrices.mjs";

const { values: options } = parseArgs({
  options: {
    dist: { type: "string", default: "dist" },
    npm: { type: "string" },
    append: { type: "string" },
    sizes: { type: "string", default: "100,300,1000" },
    seeds: { type: "string", default: "5" },
    python: { type: "string", default: "/usr/bin/python3" },
  },
});
const load = (file) => import(pathToFileURL(resolve(options.dist, "lap", file)).href);
const { solveJv, createJvWorkspace } = await load("jv/jv.js");
const { denseLap, createLapSolution } = await load("dense.js");
const { certifyLap } = await load("certificate.js");

const kinds = [
  { kind: "dense uniform", make: denseUniform },
  { kind: "gated, 16 in a gate", make: (n, seed) => gated(n, 16, seed) },
  { kind: "sparse uniform, 5 %", make: (n, seed) => sparseUniform(n, 0.05, seed) },
];
/** Packages of npm that took over a second at the last size. */
const tooSlow = new Set();
const repetitionsOf = (n) => Math.max(11, Math.min(61, Math.round(30_000 / n)));

/** Runs scipy-turns.py beside this process; each question waits for its answer, so only one of the two works at a time. */
function startScipy() {
  const single = { OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" };
  const child = spawn(options.python, [join(import.meta.dirname, "scipy-turns.py")], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...single },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("SciPy's process has ended");
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

/** The LAP packages installed in a folder, each as a function from an array of rows to the cost of its assignment. */
async function loadPackages(folder) {
  const requireThere = createRequire(join(resolve(folder), "package.json"));
  const costOf = (rows, pairs) => pairs.reduce((sum, [i, j]) => sum + rows[i][j], 0);
  const Munkres = requireThere("munkres-js");
  const { munkres } = requireThere("munkres");
  const hungarianOn3 = requireThere("hungarian-on3");
  const { linearSumAssignment } = await import(pathToFileURL(requireThere.resolve("linear-sum-assignment")).href);
  const version = (name) =>
    `${name}@${requireThere(join(resolve(folder), "node_modules", name, "package.json")).version}`;
  return [
    { name: version("munkres-js"), solve: (rows) => costOf(rows, Munkres(rows)) },
    { name: version("munkres"), solve: (rows) => costOf(rows, munkres(rows)) },
    { name: version("hungarian-on3"), solve: (rows) => costOf(rows, hungarianOn3(rows)) },
    {
      name: version("linear-sum-assignment"),
      solve: (rows) => costOf(rows, [...linearSumAssignment(rows, { maximaze: false }).rowAssignments.entries()]),
    },
  ];
}

function timed(work) {
  const start = performance.now();
  const value = work();
  return { ms: performance.now() - start, value };
}

/** Median, extremes, and the spread: half the distance between the quartiles over the median. */
function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  return {
    median: at(0.5),
    min: sorted[0],
    max: sorted[sorted.length - 1],
    spread: (at(0.75) - at(0.25)) / 2 / at(0.5),
  };
}

function requireEqual(cost, truth, who) {
  if (!(Math.abs(cost - truth) <= 1e-9 * Math.abs(truth)))
    throw new Error(`${who} found ${cost}, the optimum is ${truth}`);
}

async function measure(n, { kind, make }, scipy, packages, file) {
  const samples = { ours: [], scipy: [], ratio: [], build: [], sparse: [], sparseRatio: [] };
  const packageTimes = Object.fromEntries(packages.map(({ name }) => [name, []]));
  const workspace = createJvWorkspace(n, n);
  const solution = createLapSolution(n, n);
  const repetitions = repetitionsOf(n);
  const seeds = Array.from({ length: Number(options.seeds) }, (_, at) => at + 1);
  let entries = 0;
  for (const seed of seeds) {
    const { costs, forbidden } = make(n, seed);
    writeFileSync(
      file,
      costs.map((cost, at) => (forbidden[at] ? Infinity : cost)),
    );
    await scipy.ask({ ask: "load", n, file });
    const problem = denseLap(n, n, costs, { forbidden });
    entries += problem.cost.length;
    let optimum = Number.NaN;
    const [ours, theirs, sparse] = [[], [], []];
    // The first turns warm both up and are not kept.
    for (let turn = -5; turn < repetitions; turn++) {
      const mine = timed(() => solveJv(problem, solution, workspace));
      const certificate = certifyLap(problem, solution);
      const optimal = certificate.complete && certificate.gap <= 1e-9 * Math.abs(certificate.primalCost);
      if (mine.value.status !== "optimal" || !optimal)
        throw new Error(`no certificate for ${kind}, n ${n}, seed ${seed}`);
      optimum = certificate.primalCost;
      requireEqual(mine.value.cost, optimum, "solveJv");
      const other = await scipy.ask({ ask: "linear_sum_assignment" });
      requireEqual(other.cost, certificate.primalCost, "linear_sum_assignment");
      const matching = await scipy.ask({ ask: "min_weight_full_bipartite_matching" });
      requireEqual(matching.cost, certificate.primalCost, "min_weight_full_bipartite_matching");
      if (turn < 0) continue;
      ours.push(mine.ms);
      theirs.push(other.ms);
      sparse.push(matching.ms);
    }
    samples.ours.push(...ours);
    samples.scipy.push(...theirs);
    samples.sparse.push(...sparse);
    samples.ratio.push(summary(ours).median / summary(theirs).median);
    samples.sparseRatio.push(summary(ours).median / summary(sparse).median);
    samples.build.push(timed(() => denseLap(n, n, costs, { forbidden })).ms);
    if (kind !== kinds[0].kind) continue;
    const rows = Array.from({ length: n }, (_, i) => [...costs.subarray(i * n, (i + 1) * n)]);
    for (const { name, solve } of packages) {
      if (tooSlow.has(name)) continue;
      const calls = [1, 2, 3].map(() => timed(() => solve(rows)));
      for (const { value } of calls) requireEqual(value, optimum, name);
      packageTimes[name].push(Math.min(...calls.map(({ ms }) => ms)));
    }
  }
  for (const { name } of packages) if (Math.max(...packageTimes[name]) > 1000) tooSlow.add(name);
  return {
    benchmark: "lap-cpu",
    n,
    kind,
    density: entries / seeds.length / n ** 2,
    ours: summary(samples.ours),
    scipy: summary(samples.scipy),
    ratio: summary(samples.ratio),
    build: summary(samples.build),
    scipySparse: summary(samples.sparse),
    sparseRatio: summary(samples.sparseRatio),
    npm: Object.fromEntries(
      Object.entries(packageTimes).flatMap(([name, times]) => (times.length > 0 ? [[name, summary(times)]] : [])),
    ),
    repetitions,
    seeds,
  };
}

const scipy = startScipy();
const folder = mkdtempSync(join(tmpdir(), "rmap-lap-"));
try {
  const packages = options.npm === undefined ? [] : await loadPackages(options.npm);
  const git = (...args) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const system = {
    unit: "ms",
    versions: { node: process.version, ...(await scipy.ask({ ask: "versions" })) },
    cpu: cpus()[0].model,
    date: new Date().toISOString(),
    revision: git("rev-parse", "HEAD"),
    dirty: git("status", "--porcelain", "--", "src/lap", "lab/lap") !== "",
  };
  const number = (value) => value.toPrecision(3).padStart(9);
  console.log(
    "      n  kind                   ours ms  scipy ms     ratio   (least to most)   sparse ms     ratio  npm, times ours",
  );
  for (const n of options.sizes.split(",").map(Number)) {
    for (const kind of kinds) {
      const row = await measure(n, kind, scipy, packages, join(folder, "matrix.f64"));
      const { ours, ratio } = row;
      const others = Object.entries(row.npm).map(
        ([name, time]) => `${name} ${(time.median / ours.median).toPrecision(3)}`,
      );
      const [mine, theirs, middle] = [ours.median, row.scipy.median, ratio.median].map(number);
      const range = `(${ratio.min.toPrecision(3)} to ${ratio.max.toPrecision(3)})`.padEnd(18);
      const head = `${String(n).padStart(7)}  ${kind.kind.padEnd(20)}`;
      console.log(
        head,
        mine,
        theirs,
        middle,
        ` ${range}`,
        number(row.scipySparse.median),
        number(row.sparseRatio.median),
        "",
        others.join(", "),
      );
      if (options.append) appendFileSync(options.append, `${JSON.stringify({ ...row, ...system })}\n`);
    }
  }
} finally {
  scipy.end();
  rmSync(folder, { recursive: true, force: true });
}
