import { describe, expect, test } from "vitest";
import { bruteForce, exactCost } from "../../../lab/truth/tracks.js";
import { goalOf, reduceCore } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { type Graph, isLink } from "../../../src/map/instance/instance.js";
import { chainsOf } from "../../../src/map/proof/chains.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { cheaperThan } from "../../../src/map/proof/dominated.js";
import { CHECK_LIMITS, exhaust, type SearchLimits } from "../../../src/map/proof/exhaustion.js";
import { rounded } from "../../../src/map/proof/numbers.js";
import type { Stage } from "../../../src/map/proof/proof.js";
import { nextOf, type Recipe, randomMultipliers, randomProblem, tracksOf } from "../problems.js";

/** Links that fit any costs: the first detection to the first, the second to the second and so on, or none where tracks may start and end anywhere. */
function plain(graph: Graph, births: boolean): Int32Array {
  const { frameStart, frames } = graph;
  const next = Int32Array.from({ length: frameStart[frames] }, (_, d) => (births ? -1 : d + frameStart[1]));
  return tracksOf(graph, next.fill(-1, frameStart[frames - 1]));
}

/** Three frames with tracks that cost more than need be in most, and multipliers that nobody has fitted. */
function instanceOf(recipe: Partial<Recipe> & { readonly seed: number }) {
  const births = recipe.births ?? false;
  const problem = randomProblem({ counts: births ? [4, 3, 4] : [4, 4, 4], ...recipe });
  const { graph } = buildGraph(problem);
  const tracks = plain(graph, births);
  const goal = goalOf(graph, tracks);
  if (goal === null) throw new Error("the tracks are not allowed");
  const spread = recipe.seed % 3 === 0 ? 0 : 0.3 * (recipe.most ?? 1);
  const stage: Stage = {
    v: randomMultipliers(graph.edges, spread, recipe.seed),
    columnDual: randomMultipliers(graph.frameStart[3], spread, recipe.seed + 1),
    cuts: [],
    cutMultipliers: new Float64Array(0),
  };
  return { problem, graph, tracks, goal, stage };
}

function exhausted({ graph, tracks, goal, stage }: ReturnType<typeof instanceOf>, limits: SearchLimits, share = 1) {
  const core = wholeOf(graph, tracks);
  const reduced = reduceCore(core, stage);
  const chains = chainsOf(rounded, core, reduced);
  const limit = share * (goal.cost - reduced.constant);
  return exhaust(rounded, core, reduced, { active: cheaperThan(chains, limit), chains, limit }, limits);
}

const KINDS: readonly Partial<Recipe>[] = [
  { most: 8, grid: 1, triplets: 0.7 },
  { least: -1 },
  { births: true, triplets: 0.8 },
  { births: true, most: 6, grid: 1, storage: "absolute" },
];

describe("going through all that is left", () => {
  test("finds what enumeration finds, or nothing where the tracks are the cheapest", () => {
    for (let seed = 0; seed < 160; seed++) {
      const instance = instanceOf({ seed, ...KINDS[seed % KINDS.length] });
      const { problem, graph, goal } = instance;
      const all = exhausted(instance, CHECK_LIMITS);
      const truth = bruteForce(problem);
      if (all === null || truth === null) throw new Error(`seed ${seed} is too large`);
      if (all.found === null) expect(truth.cost).toBeGreaterThan(goal.cost - 1e-9);
      else {
        const tracks = plain(graph, true).fill(-1);
        for (const e of all.found) if (isLink(graph, e)) tracks[graph.tail[e]] = e;
        expect(exactCost(problem, nextOf(graph, tracks))).toBe(exactCost(problem, truth.next));
      }
    }
  });

  test("proves tracks optimal from any multipliers, in f64 and in integers, and no others", () => {
    let [optimal, others] = [0, 0];
    for (let seed = 0; seed < 80; seed++) {
      const { problem, graph, goal, tracks, stage } = instanceOf({ seed, ...KINDS[seed % KINDS.length] });
      const best = bruteForce(problem);
      if (best === null) throw new Error("planted tracks are allowed");
      const proof = { stages: [stage], leaves: [] };
      const ofBest = checkProof(graph, tracksOf(graph, best.next), proof);
      // Costs on a grid have ties, but a saving of the grain tells those from cheaper tracks.
      expect(ofBest).toMatchObject({ valid: true, optimal: true });
      const exactly = checkExactly(graph, tracksOf(graph, best.next), proof);
      if (exactly.valid) expect(exactly.lowerBound).toBe(exactly.upperBound);
      optimal++;
      if (goal.cost <= best.cost + 1e-9) continue;
      const ofOthers = checkProof(graph, tracks, proof);
      expect(ofOthers).toMatchObject({ valid: true, optimal: false });
      if (ofOthers.valid) expect(ofOthers.lowerBound).toBeLessThanOrEqual(best.cost);
      others++;
    }
    expect([optimal, others > 40]).toEqual([80, true]);
  });

  test("tells tracks from those that are hardly cheaper, by less than a unit of the search in half of them", () => {
    for (let seed = 0; seed < 40; seed++) {
      const instance = instanceOf({ seed, most: 8, grid: 2 ** -30 });
      const { triplets, links } = instance.problem;
      if (triplets?.kind !== "csr") throw new Error("stored triplets were asked for");
      // Two sets of tracks are cheap, and the other one costs less than the plain one by very little.
      links.cost.fill(0);
      let more = seed % 2 ? 2 ** -34 : 2 ** -39;
      let last = -1;
      for (let e = 0; e < 16; e++) {
        for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
          const [i, j, k] = [links.tail[e], links.head[e] - 4, links.head[triplets.successor[t]] - 8];
          if (i === j && j === k) more -= triplets.cost[t];
          else if (j !== (i + 1) % 4 || k !== (i + 2) % 4) triplets.cost[t] += 100;
          else if (i < 3) more += triplets.cost[t];
          else last = t;
        }
      }
      triplets.cost[last] = -more;
      const { graph } = buildGraph(instance.problem);
      const of = (tracks: Int32Array) => checkProof(graph, tracks, { stages: [instance.stage], leaves: [] });
      expect(of(plain(graph, false))).toMatchObject({ valid: true, optimal: false });
      const next = Int32Array.from({ length: 12 }, (_, d) => (d < 8 ? 4 * (1 + (d >> 2)) + ((d + 1) % 4) : -1));
      if (seed % 2) expect(of(tracksOf(graph, next))).toMatchObject({ valid: true, optimal: true });
    }
  });

  test("says nothing beyond its limits, nor about more frames", () => {
    const instance = instanceOf({ seed: 1, least: -1 });
    expect(exhausted(instance, CHECK_LIMITS)?.found).not.toBe(null);
    expect(exhausted(instance, { ...CHECK_LIMITS, mostTracks: 10 })).toBe(null);
    expect(exhausted(instance, { ...CHECK_LIMITS, mostSteps: 100 })).toBe(null);
    // No set of tracks costs less than the bound itself.
    expect(exhausted(instance, CHECK_LIMITS, 0)).toEqual({ found: null });
    const long = randomProblem({ seed: 1, counts: [3, 3, 3, 3] });
    const { graph } = buildGraph(long);
    const tracks = tracksOf(
      graph,
      Int32Array.from({ length: 12 }, (_, d) => (d < 9 ? d + 3 : -1)),
    );
    const core = wholeOf(graph, tracks);
    const none = { v: new Float64Array(graph.edges), columnDual: new Float64Array(12) };
    const reduced = reduceCore(core, { ...none, cuts: [], cutMultipliers: new Float64Array(0) });
    const chains = chainsOf(rounded, core, reduced);
    expect(exhaust(rounded, core, reduced, { active: cheaperThan(chains, 9), chains, limit: 9 }, CHECK_LIMITS)).toBe(
      null,
    );
  });
});
