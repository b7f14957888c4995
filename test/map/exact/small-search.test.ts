import { expect, test } from "vitest";
import { bruteForce, exactCost } from "../../../lab/truth/tracks.js";
import { costOf } from "../../../src/map/exact/paid.js";
import { searchSmallCore } from "../../../src/map/exact/small-search.js";
import { goalOf, reduceCore } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { nextOf, randomProblem, tracksOf } from "../problems.js";

/** Tracks that link the first detection to the first, the second to the second and so on. */
function straight(graph: Graph): Int32Array {
  const { frameStart, frames } = graph;
  const next = Int32Array.from({ length: frameStart[frames] }, (_, d) => d + frameStart[1]);
  return tracksOf(graph, next.fill(-1, frameStart[frames - 1]));
}

/** The search through all of an instance, from multipliers of 0 and straight tracks. */
function searched(problem: PricedProblem, below?: number) {
  const { graph } = buildGraph(problem);
  const tracks = straight(graph);
  const goal = goalOf(graph, tracks);
  if (goal === null) throw new Error("the tracks are not allowed");
  const core = wholeOf(graph, tracks);
  const none = {
    v: new Float64Array(graph.edges),
    columnDual: new Float64Array(graph.frameStart[graph.frames]),
    cuts: [],
    cutMultipliers: new Float64Array(0),
  };
  return { graph, goal, found: searchSmallCore(core, reduceCore(core, none), goal, below ?? goal.cost) };
}

test("finds the optimum of enumeration", () => {
  for (let seed = 0; seed < 60; seed++) {
    const problem = randomProblem({ seed, counts: [4, 4, 4], most: 8, grid: 1, triplets: seed % 2 ? 0.7 : 1 });
    const { graph, found } = searched(problem);
    const truth = bruteForce(problem);
    if (truth === null || !(found instanceof Int32Array))
      throw new Error("straight tracks are optimal, or none are allowed");
    expect(exactCost(problem, nextOf(graph, found))).toBe(exactCost(problem, truth.next));
  }
});

test("looks only for what costs less than it is told, and leaves other cores alone", () => {
  const problem = randomProblem({ seed: 3, counts: [4, 4, 4], most: 8, grid: 1 });
  const found = searched(problem).found;
  if (!(found instanceof Int32Array)) throw new Error("the tracks are optimal");
  const { graph } = buildGraph(problem);
  const cost = costOf(graph, found);
  expect(searched(problem, cost - 0.5).found).toBe("none");
  expect(searched(problem, cost + 0.5).found).toEqual(found);
  // Costs without a grain, four frames, and births.
  expect(searched(randomProblem({ seed: 3, counts: [4, 4, 4] })).found).toBe(null);
  expect(searched(randomProblem({ seed: 3, counts: [3, 3, 3, 3], grid: 1 })).found).toBe(null);
  expect(searched(randomProblem({ seed: 3, counts: [4, 4, 4], grid: 1, births: true })).found).toBe(null);
});
