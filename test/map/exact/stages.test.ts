import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { reduceCosts } from "../../../src/map/certificate/reduced-costs.js";
import { goalOf, narrow, narrowBelow, wholeOf } from "../../../src/map/exact/stages.js";
import { randomProblem, seconds, solveProblem } from "../problems.js";

describe("multipliers that prove nothing", () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e308])("leave all of an instance: %d", async (value) => {
    const problem = randomProblem({ seed: 1, counts: [4, 4, 4], triplets: 0.8 });
    const { graph, solution } = await solveProblem(problem, { iterations: 1 });
    if (solution.tracks === null) throw new Error("no tracks");
    const v = new Float64Array(graph.edges);
    v.fill(value, graph.outStart[graph.frameStart[1]]);
    const { incidence } = wholeOf(graph, solution.tracks);
    const reduced = reduceCosts(graph, incidence, v, new Float64Array(graph.frameStart[graph.frames]).fill(-value));
    expect(reduced.constant).toBe(Number.NEGATIVE_INFINITY);
    const goal = goalOf(graph, solution.tracks);
    if (goal === null) throw new Error("the tracks are not allowed");
    // An empty core would say that nothing is cheaper.
    expect(narrow(reduced, incidence, solution.tracks, goal, 1e6)).toBeNull();
    expect(narrowBelow(reduced, incidence, solution.tracks, goal.least, 1e6)).toBeNull();
  });

  test("are no start of a solve", async () => {
    const problem = randomProblem({ seed: 1, counts: [3, 3, 3] });
    const { graph } = await solveProblem(problem, { iterations: 1 });
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY]) {
      const start = new Float64Array(graph.edges);
      start[graph.edges - 1] = value;
      await expect(solveProblem(problem, { start, now: seconds })).rejects.toThrow(InputError);
    }
  });
});
