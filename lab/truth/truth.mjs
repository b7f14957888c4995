/**
 * How often the solver finds and proves the integer optimum, against HiGHS on small seeded instances.
 *
 *     npm run build && node lab/truth/truth.mjs [seeds per size] [kind ...]
 *
 * Appends a row per kind and ascent to lab/results/truth.jsonl; lab/notes/truth.md comes from the rows by lab/truth/table.mjs.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import highs from "highs";
import { ASCENTS, buildGraph, createCpuSteps, solve } from "rmap/map";
import { provenance } from "../../dist/rows/provenance.js";
import { KINDS } from "./instances.mjs";
import { importTypeScript } from "./typescript.mjs";

const room = new URL("./", import.meta.url);
const { createTruth } = await importTypeScript(new URL("highs.ts", room));
const { exactCost, exactly } = await importTypeScript(new URL("tracks.ts", room));

const ITERATIONS = 500;
/** Seconds HiGHS may take for one program. */
const HIGHS_LIMIT = 60;
const [seedsPerSize = "20", ...only] = process.argv.slice(2);
const seeds = Number(seedsPerSize);
const now = () => performance.now() / 1000;
const truth = createTruth(/** @type {any} */ (highs));

const results = new URL("../results/", import.meta.url);
mkdirSync(results, { recursive: true });
for (const [kind, { sizes, problem }] of Object.entries(KINDS)) {
  if (only.length > 0 && !only.includes(kind)) continue;
  const runs = [];
  for (const [targets, frames] of sizes) {
    for (let seed = 1; seed <= seeds; seed++) runs.push(...(await solveOne(kind, targets, frames, seed, problem)));
  }
  for (const ascent of Object.keys(ASCENTS)) {
    const row = {
      benchmark: "truth",
      kind,
      ascent,
      sizes,
      seeds: [1, seeds],
      iterationLimit: ITERATIONS,
      ...summary(runs.filter((run) => run.ascent === ascent)),
      ...provenance(new Date()),
    };
    appendFileSync(new URL("truth.jsonl", results), `${JSON.stringify(row)}\n`);
    const { instances, foundPercent, provenPercent, violations } = row;
    progress(`${kind} ${ascent}: ${instances} instances, ${foundPercent} % found, ${provenPercent} % proven`);
    if (violations > 0) process.exitCode = 1;
  }
}

/** One instance by HiGHS and by every ascent, with every inequality that must hold between them. */
async function solveOne(kind, targets, frames, seed, problem) {
  const priced = await problem(targets, frames, seed);
  const { graph } = buildGraph(priced);
  const begin = now();
  const found = await truth(graph, HIGHS_LIMIT);
  const label = `${kind} ${targets} × ${frames}, seed ${seed}`;
  progress(`${label}: HiGHS ${found.status} ${found.message ?? ""} in ${(now() - begin).toFixed(1)} s`);
  const exact = found.status === "solved" ? exactCost(priced, found.next) : null;
  const optimum = exact === null ? null : Number(exact) * 2 ** -300;
  const runs = [];
  for (const ascent of Object.keys(ASCENTS)) {
    const steps = createCpuSteps(graph, { threads: 1, now });
    const bounds = [];
    const watched = {
      ...steps,
      async evaluate() {
        const bound = await steps.evaluate();
        bounds.push(bound);
        return bound;
      },
    };
    const solution = await solve(graph, watched, {
      ascent: /** @type {import("rmap/map").AscentName} */ (ascent),
      iterations: ITERATIONS,
      gap: 0,
      time: 600,
      now,
    });
    const { lowerBound, upperBound, status } = solution;
    const broken = [];
    const mustHold = (holds, what) => holds || broken.push(what);
    if (exact !== null) {
      const { lp } = found;
      mustHold(exactly(lowerBound) <= exact, `bound ${lowerBound} above the integer optimum ${optimum}`);
      mustHold(upperBound === Infinity || exactly(upperBound) >= exact, `tracks at ${upperBound} below ${optimum}`);
      mustHold(lowerBound <= lp + 1e-6 * Math.abs(lp), `bound ${lowerBound} above the LP optimum ${lp}`);
      mustHold(status !== "optimal" || equal(upperBound, optimum), `${upperBound} called optimal, ${optimum} is`);
    }
    if (ascent === "rmap" || ascent === "bidirectional") {
      const falls = bounds.some((bound, k) => k > 0 && bound < bounds[k - 1] - 1e-9 * Math.abs(bound));
      mustHold(!falls, "the bound fell");
    }
    for (const what of broken) progress(`VIOLATION ${label}, ${ascent}: ${what}`);
    runs.push({ ascent, solution, optimum, lp: found.lp, lpIntegral: found.lpIntegral, violations: broken.length });
  }
  return runs;
}

/** Figures of one kind and ascent; those against the truth over the instances that HiGHS solved. */
function summary(runs) {
  const compared = runs.filter((run) => run.optimum !== null);
  const solved = compared.filter((run) => run.solution.tracks !== null);
  const relative = (difference, to) => percent(difference / Math.abs(to));
  const gaps = solved.map(({ solution }) => percent(solution.gap));
  const excess = solved.map(({ solution, optimum }) =>
    equal(solution.upperBound, optimum) ? 0 : relative(solution.upperBound - optimum, optimum),
  );
  return {
    instances: runs.length,
    highsFailed: runs.length - compared.length,
    unsolved: compared.length - solved.length,
    violations: runs.reduce((sum, run) => sum + run.violations, 0),
    foundPercent: round(percent(excess.filter((value) => value === 0).length / compared.length)),
    provenPercent: round(percent(share(compared, ({ solution }) => solution.status === "optimal"))),
    lpIntegralPercent: round(percent(share(compared, (run) => run.lpIntegral))),
    meanGapPercent: round(mean(gaps)),
    maxGapPercent: round(Math.max(...gaps)),
    meanExcessPercent: round(mean(excess)),
    maxExcessPercent: round(Math.max(...excess)),
    meanBoundDeficitPercent: round(mean(compared.map(({ solution, lp }) => relative(lp - solution.lowerBound, lp)))),
    meanIntegralityGapPercent: round(mean(compared.map(({ optimum, lp }) => relative(optimum - lp, optimum)))),
    meanIterations: round(mean(compared.map(({ solution }) => solution.iterations))),
  };
}

function equal(a, b) {
  return Math.abs(a - b) <= 1e-8 * Math.abs(b);
}

function share(list, holds) {
  return list.filter(holds).length / list.length;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(fraction) {
  return 100 * fraction;
}

/** Four significant digits; below 1e-7 % there is only rounding and the tolerance of HiGHS. */
function round(value) {
  if (!Number.isFinite(value)) return null;
  return Math.abs(value) < 1e-7 ? 0 : Number(value.toPrecision(4));
}

function progress(line) {
  process.stderr.write(`${line}\n`);
}
