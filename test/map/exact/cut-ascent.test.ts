import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { goBeyond } from "../../../src/map/exact/beyond-ascent.js";
import { ascendWithCuts } from "../../../src/map/exact/cut-ascent.js";
import { reduceCore, reduceCosts } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { incidenceOf } from "../../../src/map/instance/incidence.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { solve } from "../../../src/map/solve.js";
import { randomProblem, seconds } from "../problems.js";

/** An ascent at its stall; null where it found no tracks. */
async function stalled(problem: PricedProblem) {
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const limits = { iterations: 400, gap: 0, time: 60 };
  const { tracks, upperBound } = await solve(graph, steps, { ascent: "bundle", ...limits, now: seconds });
  const { v, columnDual } = await steps.read();
  const start = { v: v.slice(), columnDual: columnDual.slice(), cuts: [], cutMultipliers: new Float64Array(0) };
  await steps.close();
  return tracks === null ? null : { graph, tracks, upperBound, start };
}

const optimumOf = (problem: PricedProblem): bigint =>
  exactCost(problem, (bruteForce(problem) as { next: Int32Array }).next) as bigint;

describe("ascendWithCuts", () => {
  test("raises the bound above what any ascent without cuts proves, never above the optimum, for every storage", async () => {
    /** Gaps that the relaxation leaves, and what cuts leave of them, by storage. */
    const gaps = new Map<string, { before: number; after: number }>();
    for (const storage of ["csr", "absolute", "square"] as const) {
      for (let seed = 0; seed < 16; seed++) {
        const births = storage !== "csr";
        const counts = births ? [4, 4, 4, 3] : [4, 4, 4, 4];
        const problem = randomProblem({ seed, counts, storage, births, least: births ? -1 : 0, triplets: 0.8 });
        const found = await stalled(problem);
        if (found === null) continue;
        const { graph, tracks, upperBound, start } = found;
        const incidence = incidenceOf(graph);
        const before = reduceCosts(graph, incidence, start.v, start.columnDual).constant;
        if (upperBound - before < 1e-6) continue;

        let heard = Number.NEGATIVE_INFINITY;
        const stage = await ascendWithCuts(graph, start, {
          upperBound,
          met: (bound) => upperBound - bound < 1e-10,
          iterations: 300,
          time: 60,
          now: seconds,
          progress: (bound) => {
            heard = bound;
          },
        });
        const after = reduceCore(wholeOf(graph, tracks), stage).constant;
        // The ascent's sum and the certificate, which shares nothing with it, agree: Δ was mended wherever a cut is charged.
        expect(Math.abs(after - heard)).toBeLessThan(1e-10);
        expect(after).toBeGreaterThanOrEqual(before - 1e-12);
        const optimum = optimumOf(problem);
        expect(exactly(after) <= optimum).toBe(true);
        const checked = checkProof(graph, tracks, { stages: [stage], leaves: [] });
        if (!checked.valid) throw new Error(checked.why);
        expect(exactly(checked.lowerBound) <= optimum).toBe(true);
        const sums = gaps.get(storage) ?? { before: 0, after: 0 };
        sums.before += upperBound - before;
        sums.after += upperBound - after;
        gaps.set(storage, sums);
      }
    }
    for (const { before, after } of gaps.values()) expect(after).toBeLessThan(0.1 * before);
  });
});

describe("goBeyond", () => {
  test("closes what cuts alone can close without a solver of linear programs, and says whose multipliers they are", async () => {
    let closed = 0;
    for (let seed = 0; seed < 25; seed++) {
      const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
      const found = await stalled(problem);
      if (found === null) continue;
      const { graph, tracks, start } = found;
      const limits = { mostTriplets: 1e6, mostLeaves: 0, gap: 0, time: 60, iterations: 300 };
      const outcome = await goBeyond(graph, start, tracks, { load: async () => null, ...limits, now: seconds });
      if (outcome === null) throw new Error("the tracks are not allowed");
      expect(outcome.by).toBe("bundle");
      const optimum = optimumOf(problem);
      expect(exactly(outcome.lowerBound) <= optimum).toBe(true);
      const checked = checkProof(graph, outcome.tracks, outcome.proof);
      if (!checked.valid) throw new Error(checked.why);
      expect(Math.abs(checked.lowerBound - outcome.lowerBound)).toBeLessThan(1e-9);
      if (outcome.outcome === "closed") closed++;
    }
    expect(closed).toBeGreaterThan(10);
  });
});
