import highs from "highs";
import { describe, expect, test } from "vitest";
import { createTruth, type Highs } from "../../lab/truth/highs.js";
import { bruteForce, exactCost, exactly } from "../../lab/truth/tracks.js";
import { priceDetections } from "../../src/costs/price-detections.js";
import { certifyBound } from "../../src/map/certificate/certificate.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import { buildGraph } from "../../src/map/instance/build.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { simulateAuthorsGenerator } from "../../src/simulation/authors-generator.js";
import { simulate } from "../../src/simulation/trajectories.js";
import { uniformProblem } from "../../src/simulation/uniform.js";
import { randomProblem, solveProblem } from "./problems.js";

// The package's types describe its CommonJS build; what an ES module imports is the loader itself.
const load = highs as unknown as () => Promise<Highs>;
const truth = createTruth(load);

const tracking = (seed: number, spread: number, birthDeath: "none" | { birth: number; death: number }) =>
  priceDetections(
    simulate({ targets: 9, frames: 6, spread, noise: { position: 0.2, velocity: 0 } }, seed),
    { cost: "spline", gate: { epsilon: 5 }, birthDeath },
    { threads: 1 },
  );

/** The kinds of lab/truth in smaller numbers, and one with births and deaths. */
const KINDS: Record<string, (seed: number) => PricedProblem | Promise<PricedProblem>> = {
  easy: (seed) => tracking(seed, 20, "none"),
  crowded: (seed) => tracking(seed, 0, "none"),
  authors: (seed) => simulateAuthorsGenerator(10, 6, seed),
  uniform: (seed) => uniformProblem(4, 5, seed),
  open: (seed) => tracking(seed, 1, { birth: 0.6, death: 0.3 }),
};

describe("HiGHS agrees with the enumeration", () => {
  test("on small problems of every storage, closed and open", async () => {
    for (let seed = 0; seed < 24; seed++) {
      const births = seed % 2 === 0;
      const counts = births ? [3, 2, 0, 3, 2] : [3, 3, 3, 3];
      const storage = (["csr", "absolute", "square", "free"] as const)[(seed >> 1) % 4];
      const problem = randomProblem({ seed, counts, births, storage, least: -0.5, links: 0.8, triplets: 0.7 });
      const { graph } = buildGraph(problem);
      const found = await truth(graph, 10);
      if (found.status !== "solved") throw new Error(JSON.stringify(found));
      const best = bruteForce(problem);
      expect(exactCost(problem, found.next)).toBe(best && exactCost(problem, best.next));
      expect(found.lp).toBeLessThanOrEqual((best?.cost ?? Number.NaN) + 1e-6);
    }
  });

  test("that there are no tracks at all", async () => {
    let none = 0;
    for (let seed = 0; seed < 40; seed++) {
      const problem = randomProblem({ seed, counts: [3, 3, 3, 3], links: 0.8, triplets: 0.6, planted: false });
      const possible = bruteForce(problem) !== null;
      try {
        const { graph } = buildGraph(problem);
        expect((await truth(graph, 10)).status).toBe(possible ? "solved" : "infeasible");
      } catch (error) {
        expect((error as Error).name).toBe("InputError");
        expect(possible).toBe(false);
      }
      if (!possible) none++;
    }
    expect(none).toBeGreaterThan(5);
  });
});

describe.each(Object.entries(KINDS))("%s", (_, problemOf) => {
  test("L(v) ≤ LP optimum, bound ≤ integer optimum ≤ feasible, for every ascent", async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const problem = await problemOf(seed);
      const { graph } = buildGraph(problem);
      const found = await truth(graph, 20);
      if (found.status !== "solved") throw new Error(JSON.stringify(found));
      const optimum = exactCost(problem, found.next);
      if (optimum === null) throw new Error("the integer program's tracks are not allowed");
      const tolerance = 1e-6 * Math.abs(found.lp);
      for (const ascent of Object.keys(ASCENTS) as AscentName[]) {
        const { solution } = await solveProblem(problem, { ascent });
        expect(exactly(solution.lowerBound) <= optimum).toBe(true);
        expect(exactly(solution.upperBound) >= optimum).toBe(true);
        // Elimination may prove more than the relaxation is worth; the multipliers by themselves cannot.
        const [{ v, columnDual }] = solution.proof?.stages ?? [];
        const { lowerBound: ofMultipliers } = certifyBound(graph, v, columnDual);
        expect(ofMultipliers).toBeLessThanOrEqual(found.lp + tolerance);
        expect(ofMultipliers).toBeGreaterThan(-Infinity);
        expect(solution.lowerBound).toBeGreaterThanOrEqual(ofMultipliers);
        if (solution.status === "optimal") {
          const difference = Number(exactly(solution.upperBound) - optimum) * 2 ** -300;
          expect(difference).toBeLessThanOrEqual(1e-8 * Math.abs(found.lp));
        }
        if (ascent === "bundle") expect(solution.lowerBound).toBeGreaterThan(found.lp - 1e-4 * Math.abs(found.lp));
      }
    }
  });
});
