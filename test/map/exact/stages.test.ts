import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/errors.js";
import { examine } from "../../../src/map/exact/examine.js";
import { goalOf, narrow, narrowBelow, reduceCosts } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { problemOf, randomProblem, seconds, solveProblem, tracksOf } from "../problems.js";

describe("multipliers that prove nothing", () => {
  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e308])("leave all of an instance: %d", async (value) => {
    const problem = randomProblem({ seed: 1, counts: [4, 4, 4], triplets: 0.8 });
    const { graph, solution } = await solveProblem(problem, { iterations: 1 });
    if (solution.tracks === null) throw new Error("no tracks");
    const v = new Float64Array(graph.edges);
    v.fill(value, graph.edgeStart[1]);
    const whole = wholeOf(graph, solution.tracks);
    const reduced = reduceCosts(
      graph,
      whole.incidence,
      v,
      new Float64Array(graph.frameStart[graph.frames]).fill(-value),
    );
    expect(reduced.constant).toBe(Number.NEGATIVE_INFINITY);
    const goal = goalOf(graph, solution.tracks);
    if (goal === null) throw new Error("the tracks are not allowed");
    // An empty core would say that nothing is cheaper.
    expect(narrow(whole, reduced, goal, 1e6)).toBeNull();
    expect(narrowBelow(whole, reduced, goal.least, 1e6)).toBeNull();
  });

  test("are those whose bound is farther from the tracks' cost than f64 reaches", () => {
    // Of the ten links of a detection, one is dearer than the others, which a cyclic shift of all but one could take instead.
    const n = 10;
    const links = Array.from({ length: n * n }, (_, e) => [Math.floor(e / n), n + (e % n)] as const);
    const cost = (i: number, j: number) => (j === n ? 0 : j === n + i ? 0.17e308 : 0.1e308);
    const { graph } = buildGraph(
      problemOf({ counts: [n, n], links: links.map(([i, j]) => [i, j, cost(i, j)] as const) }),
    );
    const tracks = tracksOf(
      graph,
      Int32Array.from({ length: 2 * n }, (_, d) => (d < n ? n + d : -1)),
    );
    const [v, columnDual] = [new Float64Array(graph.edges), new Float64Array(2 * n)];
    columnDual[n] = 0.15e308;
    expect(examine(graph, v, columnDual, tracks)).toBeNull();
    const stage = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
    const checked = checkProof(graph, tracks, { stages: [stage], leaves: [] });
    expect(checked.valid && checked.optimal).toBe(false);
    if (checked.valid) expect(checked.lowerBound).toBeLessThanOrEqual(0.9e308);
  });

  test("are no start of a solve", async () => {
    const problem = randomProblem({ seed: 1, counts: [3, 3, 3] });
    const { graph } = await solveProblem(problem, { iterations: 1 });
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY]) {
      const initialMultipliers = new Float64Array(graph.edges);
      initialMultipliers[graph.edges - 1] = value;
      await expect(solveProblem(problem, { initialMultipliers, now: seconds })).rejects.toThrow(InputError);
    }
  });
});
