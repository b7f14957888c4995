import { beforeAll, describe, expect, test } from "vitest";
import { bruteForce, exactCost } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { cutRegion, type Region } from "../../../src/map/exact/region.js";
import { searchRegions } from "../../../src/map/exact/region-search.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { reduceCosts } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { incidenceOf } from "../../../src/map/instance/incidence.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { numberTracks } from "../../../src/map/primal/tracks.js";
import type { Proof } from "../../../src/map/proof/proof.js";
import { trackEdgesOf } from "../../../src/map/proof/track-edges.js";
import { nextOf, randomProblem, seconds, solveProblem, tracksOf } from "../problems.js";
import { looseRecipes, openHighs } from "./support.js";

let open: OpenLinearProgram;
beforeAll(async () => {
  open = await openHighs();
});

const recipes = looseRecipes(40);

const limits = { mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 60, now: seconds };
const priceOf = (graph: Graph, tracks: Int32Array): number => {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
};

/** The tracks of the instance with those of a region taken over. */
function spliced(graph: Graph, tracks: Int32Array, { edgeOf, detections }: Region, inside: Int32Array, last: number) {
  const all = Int32Array.from(tracks);
  for (const [n, d] of detections.entries())
    if (d < graph.frameStart[last]) all[d] = inside[n] < 0 ? -1 : edgeOf[inside[n]];
  return all;
}

describe("cutRegion", () => {
  test("has the least cost of all tracks that differ within the region, and prices them as the instance does", async () => {
    let [better, smaller] = [0, 0];
    for (const recipe of recipes) {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const { solution } = await solveProblem(problem, { ascent: "rmap", iterations: 1 });
      const [random] = randomStreams(recipe.seed);
      // Without links where tracks may end, else those of one iteration: neither is the best.
      const tracks = recipe.births ? new Int32Array(graph.frameStart[graph.frames]).fill(-1) : solution.tracks;
      if (tracks === null || solution.proof === null) continue;
      const { v, columnDual } = solution.proof.stages[0];
      const reduced = reduceCosts(graph, incidenceOf(graph), v, columnDual);
      const { frames, frameStart, head } = graph;
      const number = numberTracks(graph, tracks);

      for (const [first, last] of [
        [0, frames - 1],
        [1, frames - 1],
        [0, frames - 2],
        [1, frames - 2],
      ]) {
        const chosen = Array.from({ length: Math.max(...number) + 1 }, () => random.uniform(0, 1) < 0.7);
        const free = (d: number): boolean => chosen[number[d]] && d >= frameStart[first] && d < frameStart[last + 1];
        const detections = Uint32Array.from(Array.from(number.keys()).filter(free));
        const region = cutRegion(reduced, trackEdgesOf(graph, tracks), detections, { first, last }, 1e6);
        if (region === null) throw new Error("a region of so few triplets");
        if (detections.length === 0) continue;
        const solved = await solveExactly(region.graph, region.stage, region.tracks, { open, ...limits });
        if (solved === null) throw new Error("the tracks are not allowed in their region");

        const after = spliced(graph, tracks, region, solved.tracks, last);
        const saved = priceOf(region.graph, region.tracks) - priceOf(region.graph, solved.tracks);
        expect(priceOf(graph, tracks) - priceOf(graph, after)).toBeCloseTo(saved, 10);
        const truth = bruteForce(problem, (pair, matching) =>
          matching.every((column, row) => {
            const i = frameStart[pair] + row;
            const j = column < 0 ? -1 : frameStart[pair + 1] + column;
            const own = tracks[i] < 0 ? -1 : head[tracks[i]];
            return j === own || (pair >= first && pair < last && free(i) && (j < 0 || free(j)));
          }),
        );
        expect(priceOf(graph, after)).toBeCloseTo(truth?.cost as number, 10);
        if (saved > 1e-9) better++;
        if (region.graph.links < graph.links) smaller++;
      }
    }
    expect(better).toBeGreaterThan(50);
    expect(smaller).toBeGreaterThan(100);
  });
});

describe("searchRegions", () => {
  test("finds the optimum of enumeration where one region holds all tracks, from bad tracks", async () => {
    let improved = 0;
    for (const recipe of recipes) {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const detections = graph.frameStart[graph.frames];
      const straight = Int32Array.from({ length: detections }, (_, d) => d + recipe.counts[0]);
      const bad = recipe.births ? new Int32Array(detections).fill(-1) : tracksOf(graph, straight);
      const stage = {
        v: new Float64Array(graph.edges),
        columnDual: new Float64Array(detections),
        cuts: [],
        cutMultipliers: new Float64Array(0),
      };
      const found = await searchRegions(graph, stage, bad, { open, time: 60, now: seconds });
      const truth = bruteForce(problem);
      expect(exactCost(problem, nextOf(graph, found))).toBe(truth?.exact);
      if (priceOf(graph, found) < priceOf(graph, bad)) improved++;
    }
    expect(improved).toBeGreaterThan(60);
  });

  test("makes lineages cheaper, and finds the cheapest of small ones", async () => {
    let [improved, cheapest] = [0, 0];
    for (let seed = 0; seed < 16; seed++) {
      const problem = randomProblem({
        ...{ seed, counts: [2, 3, 3, 2], links: 0.8, triplets: 0.9, births: true, storage: "csr", least: -1 },
        ...{ divisions: true, exclusions: seed % 2 === 0 },
      });
      const { graph } = buildGraph(problem);
      const none = new Int32Array(graph.frameStart[graph.frames]).fill(-1);
      const { solution } = await solveProblem(problem, { iterations: 6 });
      const { v, columnDual } = (solution.proof as Proof).stages[0];
      const stage = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
      const found = await searchRegions(graph, stage, none, { open, time: 60, now: seconds });
      const best = bruteForce(problem)?.cost as number;
      expect(priceOf(graph, found)).toBeGreaterThan(best - 1e-9);
      if (priceOf(graph, found) < priceOf(graph, none)) improved++;
      if (priceOf(graph, found) < best + 1e-9) cheapest++;
    }
    expect([improved, cheapest]).toEqual([expect.toSatisfy((n) => n >= 15), expect.toSatisfy((n) => n >= 13)]);
  });
});
