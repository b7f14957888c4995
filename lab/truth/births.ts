/**
 * Exact solves of random instances with births and deaths beside HiGHS's integer program: whether each is proved, and at HiGHS's cost. Five kinds in turn, of 3 to 6 frames with loose relaxations.
 *
 *     npm run build -w lab && node dist-lab/source/lab/truth/births.js [--from 1] [--count 200] [--rows lab/results/exact-births.jsonl]
 *
 * A row for the run; exit code 1 where HiGHS has an optimum that is not proved, or another one.
 */
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import loadHighsModule from "highs";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { solve } from "../../src/map/solve.js";
import { provenance } from "../../src/rows/provenance.js";
import { nextOf, type Recipe, randomProblem } from "../../test/map/problems.js";
import { createTruth, type Highs } from "./highs.js";
import { openHighs } from "./open-highs.js";
import { exactCost } from "./tracks.js";

const { values: options } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    rows: { type: "string", default: "lab/results/exact-births.jsonl" },
  },
});
const now = () => performance.now() / 1000;
const KINDS: readonly Omit<Recipe, "seed">[] = [
  { counts: [6, 6, 5, 6, 6] },
  { counts: [6, 6, 6, 6, 6], links: 0.7, triplets: 0.9 },
  { counts: [8, 7, 8, 7], least: -1 },
  { counts: [9, 8, 9], triplets: 0.9, links: 0.9 },
  { counts: [5, 6, 5, 6, 5, 6], least: -1, storage: "absolute" },
];
const truthOf = createTruth(loadHighsModule as unknown as () => Promise<Highs>);
const open = await openHighs();
const sums = {
  instances: 0,
  solvedByHighs: 0,
  gapsOfRelaxation: 0,
  beyondAscent: 0,
  withLeaves: 0,
  proved: 0,
  unproved: 0,
  wrong: 0,
};

for (let seed = Number(options.from), end = seed + Number(options.count); seed < end; seed++) {
  const problem = randomProblem({ seed, births: true, ...KINDS[seed % KINDS.length] });
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now });
  const exact = { load: async () => open, mostTriplets: 3e5, mostLeaves: Number.POSITIVE_INFINITY, always: true };
  const solution = await solve(graph, steps, { ascent: "bundle", iterations: 300, gap: 0, time: 60, now, exact });
  await steps.close();
  const truth = await truthOf(graph, 60);
  sums.instances++;
  if (solution.exact !== null) sums.beyondAscent++;
  if ((solution.exact?.leaves ?? 0) > 0) sums.withLeaves++;
  if (truth.status !== "solved") continue;
  sums.solvedByHighs++;
  if (!truth.lpIntegral) sums.gapsOfRelaxation++;
  const isProved = solution.status === "optimal";
  if (isProved) sums.proved++;
  else sums.unproved++;
  if (solution.tracks === null) throw new Error("births and deaths always leave a set of tracks");
  const [cost, best] = [nextOf(graph, solution.tracks), truth.next].map(
    (next) => Number(exactCost(problem, next)) * 2 ** -300,
  );
  // HiGHS is right to its own tolerance.
  const isWrong = isProved && Math.abs(cost - best) > 1e-6;
  if (isWrong) sums.wrong++;
  if (!isProved || isWrong)
    console.error(`seed ${seed}: ${solution.status} at ${cost}, gap ${solution.gap}, HiGHS ${best}`);
}
const row = { benchmark: "exact-births", from: Number(options.from), ...sums, ...provenance(new Date()) };
appendFileSync(options.rows, `${JSON.stringify(row)}\n`);
console.log(JSON.stringify(sums));
process.exitCode = sums.unproved + sums.wrong > 0 ? 1 : 0;
