import { describe, expect, test } from "vitest";
import { judge } from "../../../lab/truth/check.js";
import { problemOfAnyScale } from "../../../lab/truth/scales.js";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { nextOf, randomMultipliers, randomProblem, solveProblem, tracksOf } from "../problems.js";

/** The problem with births and deaths as they are computed with. */
function asComputed(problem: PricedProblem): PricedProblem | null {
  const { graph } = buildGraph(problem);
  if (graph.surcharge === null || problem.birthDeath === null) return null;
  const { frames, frameStart, deathOf, birthOf, cost } = graph;
  const lastFrame = frameStart[frames - 1];
  const birth = problem.birthDeath.birth.map((stated, d) => (d < frameStart[1] ? stated : cost[birthOf[d]]));
  const death = problem.birthDeath.death.map((stated, d) => (d < lastFrame ? cost[deathOf[d]] : stated));
  return { ...problem, birthDeath: { birth, death } };
}

const uniform = (problem: PricedProblem, birth: number, death = birth): PricedProblem => ({
  ...problem,
  birthDeath: {
    birth: new Float64Array(problem.links.frameStart.at(-1) ?? 0).fill(birth),
    death: new Float64Array(problem.links.frameStart.at(-1) ?? 0).fill(death),
  },
});

describe("births and deaths beyond any saving", () => {
  test("what is optimal in the costs computed with is optimal in those stated, wherever something was capped", () => {
    let [capped, forced] = [0, 0];
    for (let seed = 0; seed < 2500; seed++) {
      const problem = problemOfAnyScale(seed);
      if (problem.birthDeath === null) continue;
      const computed = asComputed(problem);
      if (computed === null) continue;
      capped++;
      const [truth, found] = [bruteForce(problem), bruteForce(computed)];
      if (truth === null || found === null) throw new Error("births and deaths always leave a set of tracks");
      expect(exactCost(problem, found.next), `seed ${seed}`).toBe(truth.exact);
      if (truth.exact > exactly(1e3) + found.exact) forced++;
    }
    expect(capped).toBeGreaterThan(150);
    expect(forced).toBeGreaterThan(30);
  });

  test("a proof bounds the stated costs, in f64 and exactly, wherever something was capped", async () => {
    let [capped, apart, optimal] = [0, 0, 0];
    for (let seed = 0; seed < 2500; seed++) {
      const problem = problemOfAnyScale(seed);
      if (problem.birthDeath === null || asComputed(problem) === null) continue;
      const { graph, solution } = await solveProblem(problem);
      const { tracks, proof } = solution;
      const truth = bruteForce(problem);
      if (tracks === null || proof === null || truth === null) continue;
      const checked = checkProof(graph, tracks, proof);
      const exact = checkExactly(graph, tracks, proof);
      if (!checked.valid || !exact.valid) continue;
      capped++;
      const cost = exactCost(problem, nextOf(graph, tracks));
      /** In units of 2⁻³⁰⁰, as `exactly` has. */
      const finer = (value: bigint): bigint => value << BigInt(300 - exact.shift);
      expect(exactly(checked.lowerBound) <= truth.exact, `seed ${seed}`).toBe(true);
      expect(cost !== null && exactly(checked.upperBound) >= cost, `seed ${seed}`).toBe(true);
      expect(finer(exact.lowerBound) <= truth.exact, `seed ${seed}`).toBe(true);
      expect(finer(exact.upperBound), `seed ${seed}`).toBe(cost);
      // What a relative gap of 0 says of the tracks must not rest on what all tracks pay.
      if (checked.gap === 0) expect(cost, `seed ${seed}`).toBe(truth.exact);
      if (exact.lowerBound === exact.upperBound) optimal++;
      if (truth.exact > exactly(1e3)) apart++;
    }
    expect(capped).toBeGreaterThan(150);
    expect(apart).toBeGreaterThan(30);
    expect(optimal).toBeGreaterThan(30);
  });

  test("costs of the usual size are computed with as they are", () => {
    for (const [births, deaths] of [
      [0, 0],
      [8, 8],
      [100, 3],
      [-5, 5],
    ]) {
      const problem = uniform(randomProblem({ seed: 1, counts: [3, 2, 4], births: true }), births, deaths);
      expect(buildGraph(problem).graph.surcharge).toBeNull();
    }
  });

  test("births and deaths that differ and are needed are left alone: capping would hide which is cheaper", async () => {
    const problem = uniform(randomProblem({ seed: 2, counts: [1, 2], births: true }), 1e12, 1e12);
    problem.birthDeath?.birth.set([2e12], 2);
    expect(buildGraph(problem).graph.surcharge).toBeNull();
    const { graph, solution } = await solveProblem(problem);
    expect(judge(problem, graph, solution, 0).violations).toEqual([]);
    expect(Array.from(nextOf(graph, solution.tracks ?? new Int32Array()))).toEqual([2, -1, -1]);
  });

  test.each([1e9, 1e20, 1e30])("at %d the tracks and their bound are those of closed problems", async (cost) => {
    for (let seed = 0; seed < 20; seed++) {
      const closed = randomProblem({ seed, counts: [4, 4, 4, 4], storage: "absolute" });
      const { solution } = await solveProblem(closed);
      const open = await solveProblem(uniform(closed, cost));
      expect(open.graph.surcharge).not.toBeNull();
      expect(open.solution.upperBound).toBeCloseTo(solution.upperBound, 12);
      expect(open.solution.lowerBound).toBeCloseTo(solution.lowerBound, 3);
    }
  });

  test("forced births are part of bound and tracks, and the rest still decides", async () => {
    for (let seed = 0; seed < 20; seed++) {
      const problem = uniform(randomProblem({ seed, counts: [2, 4, 3], births: true, storage: "absolute" }), 1e20);
      const { graph, solution } = await solveProblem(problem);
      expect(solution.upperBound).toBeCloseTo(3e20, -6);
      expect(solution.gap).toBeLessThanOrEqual(1e-9);
      // A gap relative to the births proves nothing; where the relaxation of what decides is not tight, all sets of tracks are gone through.
      expect(judge(problem, graph, solution, 0).violations).toEqual([]);
      expect(solution.status).toBe("optimal");
      const truth = bruteForce(problem);
      expect(exactCost(problem, nextOf(graph, solution.tracks ?? new Int32Array()))).toBe(truth?.exact);
    }
  });

  test("birth 1e18 and death −1e18 cancel: −10 is found and proved", async () => {
    const closed = randomProblem({ seed: 1, counts: [2, 2, 2], least: -2.5, most: -2.5, grid: 2.5, storage: "free" });
    const problem = uniform(closed, 1e18, -1e18);
    const { graph, solution } = await solveProblem(problem);
    expect(judge(problem, graph, solution, 0).violations).toEqual([]);
    expect(bruteForce(problem)?.cost).toBe(-10);
    expect(solution).toMatchObject({ status: "optimal", upperBound: expect.closeTo(-10, 12) });
    expect(solution.lowerBound).toBeCloseTo(-10, 12);
  });

  test("any multipliers bound the stated cost, and any tracks are priced by it", () => {
    for (let seed = 0; seed < 300; seed++) {
      const problem = uniform(randomProblem({ seed, counts: [2, 3, 1, 2], births: true, links: 0.7 }), 1e15, 1e13);
      const { graph } = buildGraph(problem);
      const truth = bruteForce(problem);
      if (truth === null) throw new Error("births and deaths always leave a set of tracks");
      const v = randomMultipliers(graph.edges, seed % 3, seed);
      const beta = randomMultipliers(graph.frameStart[graph.frames], seed % 5, seed + 1);
      expect(exactly(certifyBound(graph, v, beta).lowerBound) <= truth.exact).toBe(true);
      const priced = priceTracks(graph, tracksOf(graph, truth.next));
      if (priced.status !== "feasible") throw new Error("the enumeration's tracks are allowed");
      expect(exactly(priced.cost) >= truth.exact).toBe(true);
      expect(priced.cost).toBeLessThanOrEqual(truth.cost * (1 + 1e-14));
    }
  });
});
