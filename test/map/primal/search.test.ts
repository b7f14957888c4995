import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { createTracksSearch } from "../../../src/map/primal/feasible.js";
import { fuseTracks } from "../../../src/map/primal/fusion.js";
import { anyRecipe } from "../arbitrary.js";
import { nextOf, problemOf, type Recipe, randomProblem, tracksOf } from "../problems.js";
import { evaluate, scene } from "../scene.js";

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

/** Allowed tracks of a problem that are good for other costs, and so about random for its own. */
function allowedTracks(recipe: Recipe, problem: PricedProblem, graph: Graph, seed: number): Int32Array | null {
  const other = randomProblem({ ...recipe, most: 1, least: -1, grid: 2 ** -10 });
  const shaken = randomCosts(other, seed);
  const found = bruteForce({ ...problem, links: { ...problem.links, cost: shaken } });
  return found && tracksOf(graph, found.next);
}

function randomCosts(problem: PricedProblem, seed: number): Float64Array {
  const dense = randomProblem({ seed, counts: [1, problem.links.cost.length], least: -64, most: 64, births: true });
  return Float64Array.from(dense.links.cost.subarray(0, problem.links.cost.length));
}

const costOf = (graph: Graph, tracks: Int32Array): number => {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.cost : Number.POSITIVE_INFINITY;
};

describe("TracksSearch.improve", () => {
  test("never makes tracks dearer, and leaves no pair that could be better with its neighbours fixed", () => {
    let improved = 0;
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const problem = randomProblem(recipe);
        const { graph } = buildGraph(problem);
        const tracks = allowedTracks(recipe, problem, graph, seed);
        if (tracks === null) return;
        const before = costOf(graph, tracks);
        createTracksSearch(graph).improve(tracks);
        const after = costOf(graph, tracks);
        expect(after).toBeLessThanOrEqual(before + 1e-12 * Math.abs(before));
        if (after < before) improved++;
        const next = nextOf(graph, tracks);
        const { frameStart } = graph;
        for (let free = 0; free + 1 < graph.frames; free++) {
          const around = bruteForce(problem, (pair, matching) =>
            matching.every(
              (j, i) => pair === free || (j < 0 ? -1 : frameStart[pair + 1] + j) === next[frameStart[pair] + i],
            ),
          );
          expect(after).toBeCloseTo(around?.cost ?? Number.NaN, 9);
        }
      }),
      { numRuns: 200 },
    );
    expect(improved).toBeGreaterThan(30);
  });

  test("never trades allowed tracks for forbidden ones, however much cheaper the rest of them is", () => {
    // In the middle pair the shifted matching saves 6 a link; but one of its triplets is forbidden with what comes before.
    const n = 6;
    const links: [number, number, number][] = [];
    const triplets: [number, number, number, number][] = [];
    for (let i = 0; i < n; i++) {
      // Link 1 → n + 0 is there so that the forbidden triplet's links lie on tracks.
      if (i === 1) links.push([1, n, 0]);
      links.push([i, n + i, 0]);
      for (const j of [i, (i + 1) % n]) {
        if (j === i || i > 0) triplets.push([i, n + i, 2 * n + j, j === i ? 1 : -1]);
        else triplets.push([1, n, 2 * n + j, 1]);
      }
    }
    for (let i = 0; i < n; i++) {
      for (const j of [i, (i + 1) % n].sort((a, b) => a - b)) links.push([n + i, 2 * n + j, j === i ? 1 : -1]);
    }
    for (let j = 0; j < n; j++) {
      links.push([2 * n + j, 3 * n + j, 0]);
      for (const i of [j, (j + n - 1) % n]) triplets.push([n + i, 2 * n + j, 3 * n + j, j === i ? 1 : -1]);
    }
    const problem = problemOf({ counts: [n, n, n, n], links, triplets });
    const { graph, stats } = buildGraph(problem);
    expect(stats.deadLinks).toBe(0);
    const tracks = tracksOf(
      graph,
      Int32Array.from({ length: 4 * n }, (_, d) => (d < 3 * n ? d + n : -1)),
    );
    const before = costOf(graph, tracks);
    expect(before).toBeCloseTo(3 * n, 9);
    createTracksSearch(graph).improve(tracks);
    expect(costOf(graph, tracks)).toBeLessThanOrEqual(before);
  });
});

describe("the tracks of TracksSearch.construct", () => {
  test("are sets of tracks, in both directions", () => {
    fc.assert(
      fc.property(anyRecipe, seed, fc.constantFrom("forward", "backward"), (recipe, seed, direction) => {
        const here = scene(recipe, seed);
        evaluate(here);
        const tracks = Int32Array.from(here.state.linkOfRow);
        createTracksSearch(here.graph).construct(here.state, direction, tracks);
        expect(() => priceTracks(here.graph, tracks)).not.toThrow();
      }),
      { numRuns: 200 },
    );
  });

  test("of two frames are the optimum", () => {
    for (let seed = 0; seed < 50; seed++) {
      const problem = randomProblem({ seed, counts: [4, 3], births: true });
      const { graph } = buildGraph(problem);
      const zero = new Float64Array(graph.edges);
      for (const direction of ["forward", "backward"] as const) {
        const tracks = new Int32Array(7).fill(-1);
        createTracksSearch(graph).construct(
          { v: zero, delta: zero, columnDual: new Float64Array(7) },
          direction,
          tracks,
        );
        expect(costOf(graph, tracks)).toBeCloseTo(bruteForce(problem)?.cost ?? Number.NaN, 9);
      }
    }
  });
});

describe("fuseTracks", () => {
  test("gives the best of all mixtures of two sets of tracks, by enumeration", () => {
    let fused = 0;
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const problem = randomProblem(recipe);
        const { graph } = buildGraph(problem);
        const first = allowedTracks(recipe, problem, graph, seed);
        const second = allowedTracks(recipe, problem, graph, seed + 1);
        if (first === null || second === null) return;
        const [one, two] = [nextOf(graph, first), nextOf(graph, second)];
        const { frameStart } = graph;
        const best = bruteForce(problem, (pair, matching) => isMixture(matching, pair, frameStart, one, two));
        const before = costOf(graph, first);
        const untouched = Int32Array.from(second);
        const decrease = fuseTracks(graph, first, second);
        expect(second).toEqual(untouched);
        expect(costOf(graph, first)).toBeCloseTo(best?.cost ?? Number.NaN, 9);
        expect(before - costOf(graph, first)).toBeCloseTo(decrease, 9);
        if (costOf(graph, first) < Math.min(before, costOf(graph, second)) - 1e-9) fused++;
      }),
      { numRuns: 400 },
    );
    // Mixtures better than both are what it is for.
    expect(fused).toBeGreaterThan(5);
  });

  test("finds nothing between a set of tracks and itself", () => {
    const problem = randomProblem({ seed: 4, counts: [4, 4, 4] });
    const { graph } = buildGraph(problem);
    const tracks = tracksOf(graph, bruteForce(problem)?.next ?? new Int32Array());
    expect(fuseTracks(graph, tracks, Int32Array.from(tracks))).toBe(0);
  });

  test("exchanges of one pair that the next pair ties together are taken or left one by one", () => {
    // From identity to two swaps, of 0 and 1 (dearer) and of 2 and 3 (cheaper); a turn of all four ties them in the second pair.
    const swap = [1, 0, 3, 2];
    const links = [0, 1].flatMap((pair) =>
      [0, 1, 2, 3].flatMap((i) =>
        [0, 1, 2, 3].map((j): [number, number, number] => {
          const same = i === j;
          const cost = pair === 1 ? (same ? 0 : 1) : same ? (i < 2 ? 0 : 5) : i < 2 ? 1 : 0;
          return [4 * pair + i, 4 * pair + 4 + j, cost];
        }),
      ),
    );
    const { graph } = buildGraph(problemOf({ counts: [4, 4, 4], links }));
    const none = [-1, -1, -1, -1];
    const tracks = (first: number[], second: number[]) =>
      tracksOf(graph, Int32Array.from([...first.map((j) => 4 + j), ...second.map((j) => 8 + j), ...none]));
    const mixed = tracks([0, 1, 2, 3], [0, 1, 2, 3]);
    expect(fuseTracks(graph, mixed, tracks(swap, [1, 2, 3, 0]))).toBe(10);
    expect(mixed).toEqual(tracks([0, 1, 3, 2], [0, 1, 2, 3]));
  });

  test("many exchanges in one pair: never worse, though not all mixtures are tried", () => {
    for (let seed = 0; seed < 20; seed++) {
      const recipe = { seed, counts: [24, 24, 24], births: true, links: 0.4 };
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const search = createTracksSearch(graph);
      const [first, second] = [1, 2].map((k) => {
        const tracks = new Int32Array(graph.frameStart[3]).fill(-1);
        const shaken = Float64Array.from({ length: graph.edges }, (_, e) => Math.sin(e * 12.9898 * k + seed));
        search.construct({ v: shaken, delta: shaken, columnDual: new Float64Array(72) }, "forward", tracks);
        return tracks;
      });
      const before = costOf(graph, first);
      const decrease = fuseTracks(graph, first, second);
      expect(decrease).toBeGreaterThanOrEqual(0);
      expect(costOf(graph, first)).toBeCloseTo(before - decrease, 9);
    }
  });
});

/** Whether every row and every column of a pair's matching is served as one of the two sets serves it. */
function isMixture(
  matching: readonly number[],
  pair: number,
  frameStart: Uint32Array,
  one: Int32Array,
  two: Int32Array,
): boolean {
  const rows = frameStart[pair];
  const columns = frameStart[pair + 1];
  for (let i = rows; i < columns; i++) {
    const j = matching[i - rows] < 0 ? -1 : columns + matching[i - rows];
    if (j !== one[i] && j !== two[i]) return false;
  }
  for (let j = columns; j < frameStart[pair + 2]; j++) {
    const row = matching.indexOf(j - columns);
    const i = row < 0 ? -1 : rows + row;
    if (i !== one.indexOf(j) && i !== two.indexOf(j)) return false;
  }
  return true;
}
