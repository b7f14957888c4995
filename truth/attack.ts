import { ASCENTS, type AscentName } from "../src/map/dual/ascents.js";
import { createCpuSteps } from "../src/map/dual/cpu-steps.js";
import { buildGraph } from "../src/map/instance/build.js";
import { solve } from "../src/map/solve.js";
import { judge } from "./check.js";
import { problemOfAnyScale } from "./scales.js";
import { bruteForce } from "./tracks.js";

/** What many solves came to. */
export interface Tally {
  instances: number;
  /** Seed, ascent and what is false. */
  readonly violations: string[];
  /** Solves by status; "refused" where building says that there is no set of tracks. */
  readonly statuses: Record<string, number>;
  /** Unsolved although there are tracks. */
  missed: number;
  /** Costs of the tracks are the optimum's, up to rounding. */
  found: number;
  /** Births or deaths were capped. */
  capped: number;
}

const GAPS = [0, 0, 1e-4, 0.05];

/** Solves the problems of seeds `from` to `from + count − 1`, each by one ascent in turn, and judges every answer in exact arithmetic. */
export async function attack(from: number, count: number, until = Number.POSITIVE_INFINITY): Promise<Tally> {
  const now = () => performance.now() / 1000;
  const ascents = Object.keys(ASCENTS) as AscentName[];
  const tally: Tally = { instances: 0, violations: [], statuses: {}, missed: 0, found: 0, capped: 0 };
  const counted = (status: string) => {
    tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
  };
  for (let seed = from; seed < from + count && now() < until; seed++) {
    const problem = problemOfAnyScale(seed);
    // The default ascent twice as often as the others.
    const ascent = ascents[Math.max(0, (seed % (ascents.length + 1)) - 1)];
    const gap = GAPS[Math.floor(seed / (ascents.length + 1)) % GAPS.length];
    tally.instances++;
    let built: ReturnType<typeof buildGraph>;
    try {
      built = buildGraph(problem);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "InputError") throw error;
      if (bruteForce(problem) !== null)
        tally.violations.push(`seed ${seed}: refused (${error.message}), and has tracks`);
      counted("refused");
      continue;
    }
    const { graph } = built;
    const steps = createCpuSteps(graph, { threads: 1, now });
    const solution = await solve(graph, steps, { ascent, iterations: 60, gap, time: 60, now });
    await steps.close();
    const { violations, truth } = judge(problem, graph, solution, gap);
    for (const what of violations) tally.violations.push(`seed ${seed}, ${ascent}: ${what}`);
    counted(solution.status);
    if (graph.surcharge !== null) tally.capped++;
    if (truth === null) continue;
    if (solution.tracks === null) tally.missed++;
    else if (solution.upperBound - truth.cost <= 1e-9 * Math.abs(truth.cost)) tally.found++;
  }
  return tally;
}
