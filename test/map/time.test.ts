import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce, exactly } from "../../lab/truth/tracks.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { solve } from "../../src/map/solve.js";
import { anyRecipe } from "./arbitrary.js";
import { randomProblem } from "./problems.js";

/** A clock that goes on by 1 whenever it is asked, so that any pair of any step may be the first one that is late. */
function ticking(): () => number {
  let ticks = 0;
  return () => ++ticks;
}

describe("a solve that is cut short", () => {
  test("anywhere, states what is true, and loses no bound that it had", async () => {
    const ascent = fc.constantFrom(...(Object.keys(ASCENTS) as AscentName[]));
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(anyRecipe, ascent, fc.integer({ min: 1, max: 400 }), async (recipe, ascent, time) => {
        const problem = randomProblem(recipe);
        const truth = bruteForce(problem);
        if (truth === null) return;
        const { graph } = buildGraph(problem);
        const now = ticking();
        const steps = createCpuSteps(graph, { threads: 1, now });
        const bounds: number[] = [];
        const solution = await solve(graph, steps, {
          ascent,
          iterations: 1e6,
          gap: 0,
          time,
          now,
          progress: ({ lowerBound }) => bounds.push(lowerBound),
        });
        await steps.close();
        const { status, lowerBound, upperBound } = solution;
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
        expect(exactly(Math.max(lowerBound, -1e30)) <= truth.exact).toBe(true);
        if (upperBound < Infinity) expect(exactly(upperBound) >= truth.exact).toBe(true);
        if (status === "optimal") expect(upperBound - lowerBound).toBeLessThanOrEqual(1e-9 * Math.max(1, upperBound));
        const known = Math.max(...bounds.slice(0, -1), -Infinity);
        expect(lowerBound).toBeGreaterThanOrEqual(known - 1e-9 * (1 + Math.abs(known)));
      }),
      { numRuns: 400 },
    );
    for (const status of ["optimal", "stopped", "unsolved"]) expect(outcomes.get(status) ?? 0).toBeGreaterThan(3);
  });
});
