import fc from "fast-check";
import { expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { Blocks } from "../../../src/map/primal/blocks.js";
import { randomProblem } from "../problems.js";
import { costOf, randomTracks } from "./free.js";

const CLOSE = 1e-9;

const recipe = (most: number) =>
  fc
    .record({
      seed: fc.nat(2 ** 31 - 1),
      counts: fc.array(fc.integer({ min: 1, max: most }), { minLength: 2, maxLength: 5 }),
      exclusions: fc.boolean(),
      divisions: fc.boolean(),
    })
    .map((drawn) => ({ ...drawn, links: 0.8, births: true, least: -1.5, storage: "free" as const }));

/** Any prices: those of multipliers only say where to look. */
function randomPrices({ edges, birthOf: { length } }: Graph, seed: number, most: number) {
  const [random] = randomStreams(seed);
  const draw = (count: number, least: number) =>
    Float64Array.from({ length: count }, () => random.uniform(least, most));
  const combined = Float64Array.from({ length }, () => random.uniform(0, 2 / most));
  return { v: draw(edges, -most), slack: draw(edges, 0), charge: draw(length, 0), combined };
}

test("tracks that are laid anew in blocks are allowed, cost no more, and differ in the window alone", () => {
  let better = 0;
  fc.assert(
    fc.property(recipe(6), fc.nat(1e6), fc.nat(1e6), (recipe, seed, place) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const tracks = randomTracks(graph, seed);
      const improved = tracks.slice();
      const first = place % (graph.frames - 1);
      const last = Math.min(graph.frames - 1, first + 1 + (place % 4));
      const blocks = new Blocks(graph, conflictsOf(graph), () => false);
      blocks.improve(tracks, randomPrices(graph, seed, 0.3), first, last, improved);
      expect(costOf(graph, improved)).toBeLessThanOrEqual(costOf(graph, tracks) + CLOSE);
      if (costOf(graph, improved) < costOf(graph, tracks) - CLOSE) better++;
      const [begin, end] = [graph.frameStart[first], graph.frameStart[last]];
      for (const [d, link] of tracks.entries()) if (d < begin || d >= end) expect(improved[d]).toBe(link);
    }),
    { numRuns: 500 },
  );
  expect(better).toBeGreaterThan(200);
});

test("a block that is the whole of a small instance ends at the optimum", () => {
  let [optimal, all] = [0, 0];
  fc.assert(
    fc.property(recipe(3), fc.nat(1e6), (recipe, seed) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const tracks = randomTracks(graph, seed);
      const improved = tracks.slice();
      const blocks = new Blocks(graph, conflictsOf(graph), () => false);
      blocks.improve(tracks, randomPrices(graph, seed, 0.03), 0, graph.frames - 1, improved);
      all++;
      const optimum = bruteForce(problem)?.cost as number;
      expect(costOf(graph, improved)).toBeGreaterThanOrEqual(optimum - CLOSE);
      if (costOf(graph, improved) <= optimum + CLOSE) optimal++;
    }),
    { numRuns: 200 },
  );
  expect(optimal).toBeGreaterThan(0.9 * all);
});
