import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce, exactly } from "../../../lab/truth/tracks.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { startWarm, WARM_ITERATIONS } from "../../../src/map/dual/warm-start.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solve } from "../../../src/map/solve.js";
import { anyRecipe } from "../arbitrary.js";
import { randomMultipliers, randomProblem, seconds, solveProblem } from "../problems.js";
import { multiplied } from "../scene.js";

const stepsOf = (graph: Graph) => createCpuSteps(graph, { threads: 1, now: seconds });

const unhurried = { iterated: async () => false };

/** Random multipliers of an instance, those that it has none of being 0. */
function drawn(graph: Graph, size: number, seed: number): Float64Array {
  const values = randomMultipliers(graph.edges, size, seed);
  const v = new Float64Array(graph.edges);
  for (const f of multiplied(graph)) v[f] = values[f];
  return v;
}

/** The multipliers that an ascent ends with, and L(v). */
async function solvedMultipliers(problem: PricedProblem) {
  const { graph } = buildGraph(problem);
  const steps = stepsOf(graph);
  const limits = { ascent: "bundle", iterations: 500, gap: 0, time: 60, now: seconds } as const;
  await solve(graph, steps, limits);
  return { v: (await steps.read()).v.slice(), bound: await steps.evaluate() };
}

describe("a warm start", () => {
  test("ends at L(v) of the multipliers it was given or above, on small problems of any kind", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipe, fc.integer({ min: 1, max: 1000 }), async (recipe, seed) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const v = drawn(graph, recipe.most ?? 1, seed);
        const [given, warm] = [stepsOf(graph), stepsOf(graph)];
        await given.setMultipliers(v);
        await startWarm(warm, v, unhurried);
        const [least, bound] = [await given.evaluate(), await warm.evaluate()];
        expect(bound).toBeGreaterThanOrEqual(least - 1e-9 * Math.abs(least));
      }),
      { numRuns: 150 },
    );
  });

  test("certifies bounds that no set of tracks undercuts, and finds the best tracks where it proves them", async () => {
    let proved = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const problem = randomProblem({ seed, counts: [4, 3, 4, 4], most: 4, births: true });
      const truth = bruteForce(problem);
      if (truth === null) throw new Error("births allow everything");
      const initialMultipliers = drawn(buildGraph(problem).graph, 4, seed);
      const { solution } = await solveProblem(problem, { initialMultipliers, iterations: 200 });
      expect(exactly(solution.lowerBound) <= truth.exact).toBe(true);
      if (solution.status !== "optimal") continue;
      proved++;
      expect(solution.upperBound).toBeCloseTo(truth.cost, 9);
    }
    expect(proved).toBeGreaterThan(20);
  });

  test("begins where the solve before ended, if the costs are the same", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const problem = randomProblem({ seed, counts: new Array(6).fill(6), most: 4, births: true });
      const { v, bound } = await solvedMultipliers(problem);
      const { history } = (await solveProblem(problem, { initialMultipliers: v, gap: 0.5 })).solution;
      expect(history[0].iteration).toBe(WARM_ITERATIONS);
      expect(history[0].lowerBound).toBeGreaterThanOrEqual(bound - 1e-9 * Math.abs(bound));
    }
  });

  test("gives slack back to the triplets, so that fewer multipliers are at odds", async () => {
    let [without, withSlack] = [0, 0];
    for (let seed = 1; seed <= 10; seed++) {
      const { graph } = buildGraph(randomProblem({ seed, counts: new Array(8).fill(8), most: 4, births: true }));
      const [fitted, warm] = [stepsOf(graph), stepsOf(graph)];
      for (let visit = 0; visit < 4; visit++) await fitted.visit(visit % 2 === 0 ? 0 : 1);
      await startWarm(warm, new Float64Array(graph.edges), unhurried);
      for (const steps of [fitted, warm]) await steps.evaluate();
      without += await fitted.subgradient();
      withSlack += await warm.subgradient();
    }
    expect(withSlack).toBeLessThan(0.8 * without);
  });

  test("counts its rounds as iterations, with a pause in each, and tracks are looked for at its end", async () => {
    const problem = randomProblem({ seed: 3, counts: new Array(6).fill(6), most: 4, births: true });
    const initialMultipliers = drawn(buildGraph(problem).graph, 4, 1);
    let pauses = 0;
    const pause = async () => void pauses++;
    const { history, iterations } = (await solveProblem(problem, { initialMultipliers, iterations: 12, pause }))
      .solution;
    expect(history[0].iteration).toBe(WARM_ITERATIONS);
    expect(history[0].upperBound).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(pauses).toBe(iterations);
  });

  test("ends early when it is interrupted, and what is known then is certified", async () => {
    for (const rounds of [0, 1, 2]) {
      const problem = randomProblem({ seed: 5, counts: [4, 3, 4, 4], most: 4, births: true });
      const initialMultipliers = drawn(buildGraph(problem).graph, 4, 1);
      let asked = 0;
      const { solution } = await solveProblem(problem, { initialMultipliers, interrupted: () => asked++ >= rounds });
      expect(solution.status).toMatch(/^(stopped|gap|optimal)$/);
      expect(solution.hurried).toBe(true);
      expect(solution.iterations).toBeLessThanOrEqual(WARM_ITERATIONS + 1);
      expect(exactly(solution.lowerBound) <= (bruteForce(problem)?.exact ?? 0n)).toBe(true);
    }
  });

  test("certifies a valid bound, without tracks, where time is over inside it", async () => {
    const problem = randomProblem({ seed: 5, counts: [4, 3, 4, 4], most: 4, births: true });
    const initialMultipliers = drawn(buildGraph(problem).graph, 4, 1);
    // Time stands still until the first step looks at the clock.
    let clock = 0;
    const { solution } = await solveProblem(problem, { initialMultipliers, time: 3, now: () => clock++ });
    expect(solution.status).toBe("unsolved");
    expect(solution.hurried).toBe(true);
    expect(exactly(solution.lowerBound) <= (bruteForce(problem)?.exact ?? 0n)).toBe(true);
  });

  test("is left out where no more iterations are allowed than it takes", async () => {
    const problem = randomProblem({ seed: 3, counts: [5, 5, 5, 5], most: 4, births: true });
    const initialMultipliers = drawn(buildGraph(problem).graph, 4, 1);
    const { solution } = await solveProblem(problem, { initialMultipliers, iterations: WARM_ITERATIONS });
    expect(solution.history[0].iteration).toBe(0);
    expect(solution.iterations).toBeLessThanOrEqual(WARM_ITERATIONS);
  });

  test("refuses multipliers of another number of edges", async () => {
    const problem = randomProblem({ seed: 3, counts: [3, 3, 3], births: true });
    await expect(solveProblem(problem, { initialMultipliers: new Float64Array(5) })).rejects.toThrow(
      /^initialMultipliers: 5 multipliers for \d+/,
    );
  });
});
