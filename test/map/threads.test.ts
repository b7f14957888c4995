import { describe, expect, test } from "vitest";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { uniformProblem } from "../../src/simulation/uniform.js";
import { tries } from "../tries.js";
import { randomProblem, seconds, solveProblem } from "./problems.js";

const problems: readonly [string, PricedProblem, threads: number][] = [
  ["dense", uniformProblem(8, 7, 11), 3],
  [
    "births, deaths and an empty frame",
    randomProblem({ seed: 3, counts: [6, 8, 0, 7, 8, 5], births: true, links: 0.7 }),
    2,
  ],
];

/** Worker threads run the built files: `npm run build` comes before this test. */
describe.each(problems)("%s", (_, problem, threads) => {
  test.each(Object.keys(ASCENTS) as AscentName[])("%s gives the same bits on any number of threads", async (ascent) => {
    const outcomes = [];
    for (const count of tries([1, threads], [1, 2, 3])) {
      const { solution } = await solveProblem(
        problem,
        { ascent, iterations: 40, threads: count, threadsFrom: 0 },
        { threads: count, threadsFrom: 0 },
      );
      const history = solution.history.map(({ lowerBound, upperBound }) => [lowerBound, upperBound]);
      outcomes.push({ ...solution, history, times: null });
    }
    for (const outcome of outcomes.slice(1)) expect(outcome).toEqual(outcomes[0]);
    expect(outcomes[0].history.length).toBeGreaterThan(1);
  });
});

test("the state is the same after every step, to the last bit", async () => {
  const { graph } = buildGraph(problems[0][1]);
  const [one, two, five] = [1, 2, 5].map((threads) => createCpuSteps(graph, { threads, threadsFrom: 0, now: seconds }));
  const models: number[] = [];
  try {
    for (const steps of [one, two, five]) {
      await steps.evaluate();
      await steps.visit(0);
      await steps.visit(1);
      await steps.evaluate();
      await steps.pushReducedCosts(1);
      await steps.evaluate();
      await steps.subgradient();
      await steps.follow(0.01);
      await steps.evaluate();
      await steps.keep();
      await steps.beginBundle();
      await steps.stand(0.1);
      await steps.refine(0.1);
      await steps.refineKept(0.1);
      models.push((await steps.evaluateBundle()).model);
      await steps.collectPlanes();
      await steps.refineKept(0.1);
    }
    expect(models).toEqual([models[0], models[0], models[0]]);
    for (const others of [two, five]) expect(await others.read()).toEqual(await one.read());
  } finally {
    await five.close();
    await two.close();
    await one.close();
  }
});
