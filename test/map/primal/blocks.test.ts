import fc from "fast-check";
import { expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { Blocks } from "../../../src/map/primal/blocks.js";
import { EditedTracks } from "../../../src/map/primal/edited-tracks.js";
import { randomProblem } from "../problems.js";

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

function costOf(graph: Graph, tracks: Int32Array): number {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
}

/** Links in random order, each taken where the tracks stay allowed. */
function randomTracks(graph: Graph, seed: number): Int32Array {
  const [random] = randomStreams(seed);
  const { tail, head } = graph;
  const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
  const entered = new Set<number>();
  const links = Array.from(tail.keys()).filter((e) => tail[e] >= 0 && head[e] >= 0);
  for (const [, e] of links.map((e) => [random.uniform(0, 1), e]).sort(([a], [b]) => a - b)) {
    if (tracks[tail[e]] !== UNASSIGNED || entered.has(head[e])) continue;
    tracks[tail[e]] = e;
    if (costOf(graph, tracks) < Number.POSITIVE_INFINITY) entered.add(head[e]);
    else tracks[tail[e]] = UNASSIGNED;
  }
  return tracks;
}

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

test("links that are replaced cost what the price of the tracks says, and can be undone", () => {
  fc.assert(
    fc.property(recipe(6), fc.nat(1e6), (recipe, seed) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const edited = new EditedTracks(graph, conflictsOf(graph));
      const [one, other] = [seed, seed + 1].map((each) => randomTracks(graph, each));
      edited.become(one);
      edited.replaced.length = 0;
      const ends = Array.from(one.keys(), (d) => [d, UNASSIGNED] as const);
      const begins = Array.from(other.entries());
      const cost = [...ends, ...begins].reduce((sum, [d, link]) => sum + edited.put(d, link), 0);
      expect(cost).toBeCloseTo(costOf(graph, other) - costOf(graph, one), 9);
      edited.undo(0);
      expect(edited.tracks).toEqual(one);
    }),
    { numRuns: 200 },
  );
});
