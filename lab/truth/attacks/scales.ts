import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { solve } from "../../../src/map/solve.js";
import { judge } from "../check.js";
import { problemOfAnyScale } from "../scales.js";
import { bruteForce } from "../tracks.js";
import type { Attack } from "./attack.js";

const GAPS = [0, 0, 1e-4, 0.05];

export const scales: Attack = {
  what: "links, triplets, births and deaths of 1e-12 to 1e30, each kind on a scale of its own or all on one, of one sign or of both",
  share: 220,
  perSeed: 1,
  async run(seed, { ended, violated }) {
    const now = () => performance.now() / 1000;
    const ascents = Object.keys(ASCENTS) as AscentName[];
    const problem = problemOfAnyScale(seed);
    // The default ascent twice as often as the others.
    const ascent = ascents[Math.max(0, (seed % (ascents.length + 1)) - 1)];
    const gap = GAPS[Math.floor(seed / (ascents.length + 1)) % GAPS.length];
    let built: ReturnType<typeof buildGraph>;
    try {
      built = buildGraph(problem);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "InputError") throw error;
      if (bruteForce(problem) !== null) violated(`refused (${error.message}), and has tracks`);
      ended("refused");
      return;
    }
    const { graph } = built;
    const steps = createCpuSteps(graph, { threads: 1, now });
    const solution = await solve(graph, steps, { ascent, iterations: 60, gap, time: 60, now });
    await steps.close();
    const { violations, truth } = judge(problem, graph, solution, gap);
    for (const what of violations) violated(`${ascent}: ${what}`);
    const missed = truth !== null && solution.tracks === null;
    ended(
      missed ? "unsolved though there are tracks" : `${solution.status}${graph.surcharge === null ? "" : ", capped"}`,
    );
  },
};
