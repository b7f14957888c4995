import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priceDetections } from "../../../src/costs/price-detections.js";
import type { AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { solve } from "../../../src/map/solve.js";
import { simulateAuthorsGenerator } from "../../../src/simulation/authors-generator.js";
import { simulate } from "../../../src/simulation/trajectories.js";
import { uniformProblem } from "../../../src/simulation/uniform.js";
import { anyRecipe } from "../arbitrary.js";
import { randomProblem, seconds, solveProblem } from "../problems.js";

/** L(v) after every iteration, as the steps give it and not as the best so far. */
async function bounds(problem: PricedProblem, ascent: "rmap" | "bidirectional", iterations: number): Promise<number[]> {
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const values = [await steps.evaluate()];
  for (let k = 0; k < iterations; k++) {
    if (ascent === "rmap") await steps.pushReducedCosts(1);
    else for (const parity of [0, 1] as const) await steps.visit(parity);
    values.push(await steps.evaluate());
  }
  return values;
}

function expectNeverFalling(values: readonly number[]): void {
  for (let k = 1; k < values.length; k++) {
    expect(values[k]).toBeGreaterThanOrEqual(values[k - 1] - 1e-9 * Math.abs(values[k - 1]));
  }
}

const crowd = () =>
  priceDetections(
    simulate({ targets: 15, frames: 8, spread: 0 }, 7),
    { cost: "spline", gate: { epsilon: 5 }, birthDeath: { birth: 2, death: 3 } },
    { threads: 1 },
  );

describe.each(["rmap", "bidirectional"] as const)("%s", (ascent) => {
  test("never falls on small problems of any kind", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipe, async (recipe) =>
        expectNeverFalling(await bounds(randomProblem(recipe), ascent, 12)),
      ),
      { numRuns: 150 },
    );
  });

  test("never falls on larger ones, and rises", async () => {
    const problems = [uniformProblem(12, 8, 1), await simulateAuthorsGenerator(12, 8, 2), await crowd()];
    for (const problem of problems) {
      const values = await bounds(problem, ascent, 40);
      expectNeverFalling(values);
      expect(values[40]).toBeGreaterThan(values[0]);
    }
  });

  test("rises to the fixed point it stops at: more iterations add nothing", async () => {
    const problem = uniformProblem(8, 6, 3);
    const { solution } = await solveProblem(problem, { ascent, iterations: 10_000 });
    expect(solution.status).toBe("stalled");
    const values = await bounds(problem, ascent, solution.iterations + 50);
    expect(values[values.length - 1] / solution.lowerBound).toBeCloseTo(1, 4);
  });
});

test("each ascent's last bound is the best it saw, though polyak and bundle may fall between", async () => {
  const problem = uniformProblem(10, 6, 5);
  for (const ascent of ["bundle", "polyak", "bidirectional", "rmap"] satisfies AscentName[]) {
    const { solution } = await solveProblem(problem, { ascent, iterations: 120 });
    const best = Math.max(...solution.history.map((row) => row.lowerBound));
    expect(solution.lowerBound / best, ascent).toBeCloseTo(1, 9);
    expectNeverFalling(solution.history.slice(0, -1).map((row) => row.lowerBound));
    expectNeverFalling(solution.history.map((row) => -row.upperBound));
  }
});

test("the ascents rank as their theory says: rmap below bidirectional below the LP optimum that bundle finds", async () => {
  const problem = uniformProblem(10, 6, 5);
  const bound = async (ascent: AscentName) =>
    (await solveProblem(problem, { ascent, iterations: 400 })).solution.lowerBound;
  const [rmap, bidirectional, polyak, bundle] = [
    await bound("rmap"),
    await bound("bidirectional"),
    await bound("polyak"),
    await bound("bundle"),
  ];
  expect(rmap).toBeLessThan(bidirectional);
  expect(bidirectional).toBeLessThan(bundle);
  expect(polyak).toBeLessThan(bundle * (1 + 1e-6));
});

test("rise stops an ascent at the first iteration that the bound has risen by less over five", async () => {
  const { graph } = buildGraph(uniformProblem(12, 8, 1));
  const run = async (rise?: number) => {
    const steps = createCpuSteps(graph, { threads: 1, now: seconds });
    const limits = {
      ascent: "bidirectional",
      iterations: 60,
      gap: 0,
      time: Number.POSITIVE_INFINITY,
      now: seconds,
    } as const;
    return solve(graph, steps, rise === undefined ? limits : { ...limits, rise });
  };
  const full = await run();
  const bounds = full.history.map(({ lowerBound }) => lowerBound);
  const stopped = await run(0.02);
  expect(stopped.status).toBe("stopped");
  expect(stopped.iterations).toBeLessThan(full.iterations);
  // The bound of row k is that before iteration k + 1 moves the multipliers.
  const rose = (iterations: number) =>
    bounds[iterations - 1] - bounds[iterations - 6] >= 0.02 * Math.abs(bounds[iterations - 1]);
  for (let k = 6; k < stopped.iterations; k++) expect(rose(k)).toBe(true);
  expect(rose(stopped.iterations)).toBe(false);
});
