import { InputError } from "../../../src/core/errors.js";
import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { solve } from "../../../src/map/solve.js";
import { judge } from "../check.js";
import { Garbler } from "../garble.js";
import { judgeMargins } from "../margins.js";
import { graphOrNull, looseProblem } from "../small.js";
import type { Attack } from "./attack.js";

/** Multipliers as those of a similar problem may be, and as they may not. */
function anyStart({ edges, tail, frameStart }: Graph, garbler: Garbler): Float64Array {
  const spread = garbler.pick(0.1, 1, 10, 10 ** garbler.uniform(-12, 30));
  const start = Float64Array.from({ length: edges }, (_, e) =>
    tail[e] < frameStart[1] && garbler.chance(0.9) ? 0 : garbler.uniform(-spread, spread),
  );
  if (garbler.chance(0.5)) garbler.entries(start);
  return start;
}

export const starts: Attack = {
  what: "ascents that begin at multipliers of no problem, random, huge, infinite or no numbers, and go on with cuts from there",
  share: 60,
  perSeed: 1,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const problem = looseProblem(seed, garbler);
    const graph = graphOrNull(problem);
    if (graph === null) return ended("not built");
    const ascent = garbler.pick(...(Object.keys(ASCENTS) as AscentName[]));
    const gap = garbler.pick(0, 0, 1e-4);
    const now = () => performance.now() / 1000;
    const steps = createCpuSteps(graph, { threads: 1, now });
    try {
      const solution = await solve(graph, steps, {
        ascent,
        initialMultipliers: anyStart(graph, garbler),
        iterations: garbler.pick(4, 10, 60),
        gap,
        time: 60,
        margins: true,
        now,
        // Without linear programs, cuts are found and weighed by the bundle.
        ...(garbler.chance(0.5) && {
          exact: { always: true, load: async () => null, mostTriplets: 1e6, mostLeaves: 100 },
        }),
      });
      for (const what of judge(problem, graph, solution, gap).violations) violated(`${ascent}: ${what}`);
      if (solution.margins !== null && solution.tracks !== null)
        for (const what of judgeMargins(problem, graph, solution.tracks, solution.margins))
          violated(`${ascent}: ${what}`);
      ended(solution.status);
    } catch (error) {
      if (!(error instanceof InputError)) violated(`${ascent}: ended with ${error}`);
      ended("refused");
    } finally {
      await steps.close();
    }
  },
};
