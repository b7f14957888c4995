import { beforeAll, describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { goBeyond } from "../../../src/map/exact/beyond-ascent.js";
import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { roundDown } from "../../../src/map/proof/numbers.js";
import type { Proof } from "../../../src/map/proof/proof.js";
import { solve } from "../../../src/map/solve.js";
import { looseRecipes, openHighs } from "../exact/support.js";
import { nextOf, type Recipe, randomMultipliers, randomProblem, seconds, solveProblem } from "../problems.js";

let open: OpenLinearProgram;
beforeAll(async () => {
  open = await openHighs();
});

const recipes = looseRecipes(30);

/** A proof after few iterations, by linear programs or by the bundle, and the optimum in units of 2⁻³⁰⁰. */
async function proofOf(recipe: Recipe, solver: OpenLinearProgram | null) {
  const problem = randomProblem(recipe);
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const { tracks } = await solve(graph, steps, { ascent: "bundle", iterations: 3, gap: 0, time: 60, now: seconds });
  const { v, columnDual } = await steps.read();
  const start = { v: v.slice(), columnDual: columnDual.slice(), cuts: [], cutMultipliers: new Float64Array(0) };
  if (tracks === null) return null;
  const limits = { mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 60, iterations: 200, now: seconds };
  const outcome = await goBeyond(graph, start, tracks, { load: async () => solver, ...limits });
  const truth = bruteForce(problem);
  if (outcome === null || truth === null) return null;
  const cost = exactCost(problem, nextOf(graph, outcome.tracks)) as bigint;
  return { graph, tracks: outcome.tracks, proof: outcome.proof, optimum: truth.exact, cost, start };
}

describe("checkExactly", () => {
  test("proves at least what the f64 check does and never more than the optimum, in exact numbers", async () => {
    let [stages, cuts, exact] = [0, 0, 0];
    for (const recipe of recipes) {
      for (const solver of [open, null]) {
        const found = await proofOf(recipe, solver);
        if (found === null) continue;
        const { graph, tracks, proof, optimum, cost } = found;
        const checked = checkExactly(graph, tracks, proof);
        if (!checked.valid) throw new Error(checked.why);
        const f64 = checkProof(graph, tracks, proof);
        if (!f64.valid) throw new Error(f64.why);
        const { shift } = checked;
        expect(checked.upperBound << BigInt(300 - shift)).toBe(cost);
        expect(checked.lowerBound << BigInt(300 - shift) <= optimum).toBe(true);
        expect(roundDown(checked.lowerBound, shift)).toBeGreaterThanOrEqual(f64.lowerBound);
        if (checked.lowerBound === checked.upperBound) exact++;
        stages += proof.stages.length;
        cuts += f64.cuts;
      }
    }
    expect(stages).toBeGreaterThan(100);
    expect(cuts).toBeGreaterThan(20);
    expect(exact).toBeGreaterThan(20);
  });

  test("holds for any multipliers, and refuses a proof that was tampered with", async () => {
    let refused = 0;
    for (const recipe of recipes.slice(0, 40)) {
      const found = await proofOf(recipe, null);
      if (found === null) continue;
      const { graph, tracks, optimum, start, proof } = found;
      const shaken = start.v.map((value, e) => value + randomMultipliers(start.v.length, 0.2, recipe.seed)[e]);
      const any: Proof = { stages: [{ ...start, v: shaken }], leaves: [] };
      const checked = checkExactly(graph, tracks, any);
      if (!checked.valid) throw new Error(checked.why);
      expect(checked.lowerBound << BigInt(300 - checked.shift) <= optimum).toBe(true);
      const at = proof.stages.findLastIndex(({ cuts }) => cuts.length > 0);
      if (at < 0) continue;
      const { core: _, ...weighed } = proof.stages[at];
      const negative = { ...weighed, cutMultipliers: weighed.cutMultipliers.map((mu) => -mu) };
      const wrong = checkExactly(graph, tracks, { stages: [...proof.stages.slice(0, at), negative], leaves: [] });
      expect(wrong.valid).toBe(false);
      refused++;
    }
    expect(refused).toBeGreaterThan(2);
  });
});

describe("proofs of what costs less than a bound below the tracks", () => {
  test("hold in f64 and in exact numbers, never above the optimum, and not with another bound", async () => {
    let [partial, raised, refused] = [0, 0, 0];
    for (const recipe of recipes) {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const { solution } = await solveProblem(problem, { ascent: "rmap", iterations: 1 });
      const truth = bruteForce(problem);
      if (solution.tracks === null || solution.proof === null || truth === null) continue;
      const limits = { mostTriplets: 25, mostLeaves: 4, gap: 0, time: 60, restrict: true, now: seconds };
      const start = solution.proof.stages[0];
      const found = await solveExactly(graph, start, solution.tracks, { open, ...limits });
      if (found === null) throw new Error("the tracks are not allowed");
      const { tracks, proof } = found;
      const f64 = checkProof(graph, tracks, proof);
      if (!f64.valid) throw new Error(f64.why);
      expect(f64.lowerBound).toBeGreaterThanOrEqual(found.lowerBound);
      expect(exactly(f64.lowerBound) <= truth.exact).toBe(true);
      const exact = checkExactly(graph, tracks, proof);
      if (!exact.valid) throw new Error(exact.why);
      expect(exact.lowerBound << BigInt(300 - exact.shift) <= truth.exact).toBe(true);
      expect(roundDown(exact.lowerBound, exact.shift)).toBeGreaterThanOrEqual(f64.lowerBound);

      const [opening, ...rest] = proof.stages;
      if (opening.below === undefined) continue;
      partial++;
      if (f64.lowerBound > found.lowerBound - 1e-9 && proof.stages.length > 1) raised++;
      for (const below of [f64.upperBound + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const wrong = { stages: [{ ...opening, below }, ...rest], leaves: proof.leaves };
        expect(checkProof(graph, tracks, wrong).valid).toBe(false);
        expect(checkExactly(graph, tracks, wrong).valid).toBe(false);
        refused++;
      }
      // Nothing beyond the bound is claimed, although the rest of the proof would allow it.
      const lower = { stages: [{ ...opening, below: opening.below - 0.01 }, ...rest], leaves: proof.leaves };
      const checked = checkProof(graph, tracks, lower);
      if (checked.valid)
        expect(checked.lowerBound).toBeLessThanOrEqual(Math.max(opening.below - 0.01, found.lowerBound));
    }
    expect(partial).toBeGreaterThan(20);
    expect(raised).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(60);
  });
});
