import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { searchWithNoise } from "../../../src/map/exact/noise-search.js";
import { reduceCosts } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { incidenceOf } from "../../../src/map/instance/incidence.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { randomProblem, solveProblem } from "../problems.js";
import { looseRecipes } from "./support.js";

/** A clock that counts how often it is read, once a try, so that a search does the same every time. */
const counter = () => {
  let read = 0;
  return () => ++read;
};

const priceOf = (graph: Graph, tracks: Int32Array): number => {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
};

const times = (values: Float64Array, unit: number): Float64Array => values.map((value) => value * unit);

/** The same costs in another unit; a power of 2, so that nothing is rounded. */
function scaled(graph: Graph, unit: number): Graph {
  const { triplets } = graph;
  if (triplets.kind !== "csr") throw new Error("a rule of its own");
  return { ...graph, cost: times(graph.cost, unit), triplets: { ...triplets, cost: times(triplets.cost, unit) } };
}

describe("searchWithNoise", () => {
  test("finds the optimum of enumeration from the tracks of one iteration nearly always, and never worse tracks", async () => {
    let [worse, found, tried] = [0, 0, 0];
    for (const recipe of looseRecipes(20)) {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const { solution } = await solveProblem(problem, { ascent: "rmap", iterations: 1 });
      if (solution.tracks === null || solution.proof === null) continue;
      const { v, columnDual } = solution.proof.stages[0];
      const reduced = reduceCosts(graph, incidenceOf(graph), v, columnDual);
      const before = priceOf(graph, solution.tracks);
      const after = priceOf(graph, await searchWithNoise(reduced, solution.tracks, { time: 200, now: counter() }));
      const least = bruteForce(problem)?.cost as number;
      expect(after).toBeLessThanOrEqual(before);
      expect(after).toBeGreaterThan(least - 1e-9);
      tried++;
      if (before > least + 1e-9) worse++;
      if (before > least + 1e-9 && after < least + 1e-9) found++;
    }
    expect(tried).toBeGreaterThan(30);
    expect(worse).toBeGreaterThan(5);
    expect(found).toBeGreaterThan(0.9 * worse);
  });

  test("does the same in another unit of the costs", async () => {
    const problem = randomProblem({ seed: 3, counts: [6, 6, 6, 6], triplets: 0.8 });
    const { graph } = buildGraph(problem);
    const { solution } = await solveProblem(problem, { ascent: "rmap", iterations: 1 });
    const { tracks, proof } = solution;
    if (tracks === null || proof === null) throw new Error("no tracks");
    const { v, columnDual } = proof.stages[0];
    const inUnit = async (unit: number): Promise<number[]> => {
      const other = scaled(graph, unit);
      const reduced = reduceCosts(other, incidenceOf(other), times(v, unit), times(columnDual, unit));
      return Array.from(await searchWithNoise(reduced, tracks, { time: 50, now: counter() }));
    };
    expect(await inUnit(2 ** 20)).toEqual(await inUnit(1));
  });
});
