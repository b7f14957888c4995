import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solve } from "../../../src/map/solve.js";
import { randomProblem } from "../../../test/map/problems.js";
import { judge } from "../check.js";
import { Garbler } from "../garble.js";
import { graphOrNull } from "../small.js";
import type { Attack } from "./attack.js";

/** A small problem of costs around 1, to some kind of which a large number is added that decides nothing, or hardly anything. */
function problemWithOffset(seed: number, garbler: Garbler): PricedProblem {
  const births = garbler.chance(0.6);
  const targets = garbler.pick(2, 3, 3, 4);
  const frames = garbler.pick(3, 3, 4);
  const problem = randomProblem({
    seed,
    counts: Array.from({ length: frames }, () => (births ? garbler.pick(1, 2, 3) : targets)),
    triplets: garbler.pick(1, 0.7),
    least: garbler.pick(0, -1),
    grid: garbler.pick(2 ** -10, 2 ** -40),
    births,
    storage: garbler.pick("csr", "csr", "free", "absolute"),
  });
  const { links, triplets, birthDeath } = problem;
  const much = garbler.pick(1e9, 1e12, 10 ** garbler.uniform(3, 15)) * garbler.pick(1, 1, -1);
  const added = (values: Float64Array, offset: number) => values.map((value) => value + offset);
  const kind = garbler.pick("links", "links", "triplets", "ends", "ends", "all");
  const ends = garbler.pick([1, -1], [-1, 1], [1, 1]);
  return {
    links: kind === "links" || kind === "all" ? { ...links, cost: added(links.cost, much) } : links,
    triplets:
      triplets?.kind === "csr" && (kind === "triplets" || kind === "all")
        ? { ...triplets, cost: added(triplets.cost, much) }
        : triplets,
    birthDeath:
      birthDeath !== null && (kind === "ends" || kind === "all")
        ? { birth: added(birthDeath.birth, ends[0] * much), death: added(birthDeath.death, ends[1] * much) }
        : birthDeath,
  };
}

export const offsets: Attack = {
  what: "costs around 1 with 1e3 to 1e15 added to all links, all triplets, or births and deaths, so that a small share of a cost is much",
  share: 180,
  perSeed: 1,
  async run(seed, { ended, violated }) {
    const garbler = new Garbler(seed);
    const problem = problemWithOffset(seed, garbler);
    const now = () => performance.now() / 1000;
    const ascent = garbler.pick(...(Object.keys(ASCENTS) as AscentName[]));
    const gap = garbler.pick(0, 0, 1e-4);
    const graph = graphOrNull(problem);
    if (graph === null) return ended("refused");
    const steps = createCpuSteps(graph, { threads: 1, now });
    const solution = await solve(graph, steps, { ascent, iterations: garbler.pick(1, 5, 60), gap, time: 60, now });
    await steps.close();
    for (const what of judge(problem, graph, solution, gap).violations) violated(`${ascent}: ${what}`);
    ended(solution.status);
  },
};
