import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge } from "../../lab/truth/check.js";
import { bruteForce } from "../../lab/truth/tracks.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { uniformProblem } from "../../src/simulation/uniform.js";
import { anyRecipe, closedRecipe, openRecipe } from "./arbitrary.js";
import { openHighs } from "./exact/support.js";
import { problemOf, randomProblem, solveProblem } from "./problems.js";

/** Solves and compares with the enumeration, without any tolerance. */
async function expectTruth(problem: PricedProblem, ascent: AscentName = "bundle"): Promise<void> {
  const { graph, solution } = await solveProblem(problem, { ascent });
  expect(judge(problem, graph, solution, 0).violations).toEqual([]);
}

describe("bound ≤ optimum ≤ feasible, and optimal only when it is", () => {
  test("closed problems, by every ascent", async () => {
    await fc.assert(
      fc.asyncProperty(closedRecipe, fc.constantFrom(...(Object.keys(ASCENTS) as AscentName[])), (recipe, ascent) =>
        expectTruth(randomProblem(recipe), ascent),
      ),
      { numRuns: 300 },
    );
  });

  test("births and deaths, by every ascent", async () => {
    await fc.assert(
      fc.asyncProperty(openRecipe, fc.constantFrom(...(Object.keys(ASCENTS) as AscentName[])), (recipe, ascent) =>
        expectTruth(randomProblem(recipe), ascent),
      ),
      { numRuns: 300 },
    );
  });

  test("closed problems that may have no set of tracks at all", async () => {
    let none = 0;
    for (let seed = 0; seed < 150; seed++) {
      const problem = randomProblem({ seed, counts: [3, 3, 3, 3], links: 0.8, triplets: 0.6, planted: false });
      if (bruteForce(problem) === null) none++;
      // Where a detection has no edge left, building already says so.
      await expectTruth(problem).catch((error: Error) => {
        expect(error.name).toBe("InputError");
        expect(bruteForce(problem)).toBeNull();
      });
    }
    expect(none).toBeGreaterThan(20);
    expect(none).toBeLessThan(130);
  });

  test.each([1e6, 1e-6, 1e-12])("costs of the order of %d, with every digit used", async (scale) => {
    for (let seed = 0; seed < 60; seed++) {
      const births = seed % 2 === 0;
      const counts = births ? [3, 2, 3, 3] : [4, 4, 4];
      const range = { least: -scale, most: 2 * scale, grid: 1e-15 * scale };
      await expectTruth(randomProblem({ seed, counts, births, triplets: 0.7, ...range }));
    }
  });

  test("the optimum is found and proven on nearly every tiny problem", async () => {
    let [found, proven] = [0, 0];
    for (let seed = 0; seed < 100; seed++) {
      const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
      const { solution } = await solveProblem(problem);
      if (solution.upperBound <= (bruteForce(problem)?.cost ?? 0) + 1e-9) found++;
      if (solution.status === "optimal") proven++;
    }
    expect(found).toBeGreaterThanOrEqual(97);
    expect(proven).toBeGreaterThanOrEqual(50);
  });
});

describe("a gap that means nothing", () => {
  test("all costs zero: optimal at 0 with gap 0", async () => {
    for (const births of [false, true]) {
      const problem = randomProblem({ seed: 1, counts: [3, 3, 3], births, most: 0 });
      const { solution } = await solveProblem(problem);
      expect(solution).toMatchObject({ status: "optimal", lowerBound: 0, upperBound: 0, gap: 0 });
    }
  });

  test("costs of both signs with optimum zero: proven all the same", async () => {
    const problem = problemOf({
      counts: [1, 1, 1],
      links: [
        [0, 1, 0.1],
        [1, 2, -0.1],
      ],
    });
    const { solution } = await solveProblem(problem);
    expect(solution.lowerBound).toBeLessThanOrEqual(0);
    expect(solution.upperBound).toBeGreaterThanOrEqual(0);
    expect(solution.status).toBe("optimal");
  });

  test("an LP optimum below the integer optimum is a gap, small or not: stalled, or the gap that was asked for", async () => {
    const problem = uniformProblem(8, 5, 2);
    const plain = (await solveProblem(problem, { iterations: 1000 })).solution;
    expect(plain.status).toBe("stalled");
    expect(plain.gap).toBeGreaterThan(1e-4);
    expect(plain.gap).toBeLessThan(0.05);
    const asked = (await solveProblem(problem, { iterations: 1000, gap: 0.05 })).solution;
    expect(asked.status).toBe("gap");
    expect(asked.iterations).toBeLessThan(plain.iterations);
    const cut = (await solveProblem(problem, { iterations: 5 })).solution;
    expect(cut).toMatchObject({ status: "stopped", iterations: 5 });
  });

  test("an exact solve that follows in any case ends the ascent sooner, at the same optimum", async () => {
    const problem = uniformProblem(8, 5, 2);
    const open = await openHighs();
    const limits = { mostTriplets: 40_000, mostLeaves: Number.POSITIVE_INFINITY, load: async () => open };
    const [soon, late] = await Promise.all(
      [true, false].map(async (always) => {
        const exact = { always, ...limits };
        return (await solveProblem(problem, { iterations: 1000, gap: 0, exact })).solution;
      }),
    );
    for (const { status } of [soon, late]) expect(status).toBe("optimal");
    expect(soon.upperBound).toBeCloseTo(late.upperBound, 9);
    expect(soon.iterations).toBeLessThan(late.iterations);
  });

  test("only the answer of a finished proof is called optimal", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipe, fc.constantFrom(0.5, 0.01), async (recipe, gap) => {
        const problem = randomProblem(recipe);
        const { graph, solution } = await solveProblem(problem, { gap, iterations: 3 });
        expect(judge(problem, graph, solution, gap).violations).toEqual([]);
        if (solution.status === "stopped") expect(solution.iterations).toBe(3);
      }),
      { numRuns: 60 },
    );
  });
});
