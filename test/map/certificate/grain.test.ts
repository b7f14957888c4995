import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { grainOf, leastSaving, roundUpToGrain } from "../../../src/map/certificate/grain.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { roundDown } from "../../../src/map/proof/numbers.js";
import { rmap } from "../../cli/rmap.js";
import { nextOf, type Recipe, randomMultipliers, randomProblem, solveProblem } from "../problems.js";

const base: Recipe = { seed: 1, counts: [3, 3, 3], most: 9, grid: 1 };
const sizeOf = (problem: PricedProblem) => grainOf(buildGraph(problem).graph)?.size ?? null;
const withCosts = (problem: PricedProblem, change: (cost: number, e: number) => number): PricedProblem => ({
  ...problem,
  links: { ...problem.links, cost: problem.links.cost.map(change) },
});

describe("the grain of costs", () => {
  test("is their greatest common divisor, of links, triplets, births and deaths", () => {
    expect(sizeOf(randomProblem(base))).toBe(1);
    expect(sizeOf(randomProblem({ ...base, grid: 3, most: 90 }))).toBe(3);
    expect(sizeOf(randomProblem({ ...base, grid: 0.75 }))).toBe(0.75);
    expect(sizeOf(randomProblem({ ...base, grid: 2 ** -10 }))).toBe(2 ** -10);
    expect(sizeOf(randomProblem({ ...base, storage: "free" }))).toBe(1);
    expect(sizeOf(randomProblem({ ...base, storage: "absolute", grid: 0.5 }))).toBe(0.5);
    const births = randomProblem({ ...base, births: true });
    expect(sizeOf(births)).toBe(1);
    const death = births.birthDeath?.death.map((cost, d) => (d === 1 ? cost + 0.25 : cost)) as Float64Array;
    expect(sizeOf({ ...births, birthDeath: { birth: births.birthDeath?.birth as Float64Array, death } })).toBe(0.25);
    const { triplets } = randomProblem(base);
    if (triplets?.kind !== "csr") throw new Error("stored triplets are asked for");
    const halves = { ...triplets, cost: triplets.cost.map((cost, t) => (t === 5 ? cost + 0.5 : cost)) };
    expect(sizeOf({ ...randomProblem(base), triplets: halves })).toBe(0.5);
  });

  test("is none where a cost is nearly an integer, no f64 fraction, or so large that sums might be rounded", () => {
    const problem = randomProblem(base);
    for (const wrong of [1e-9, 2 ** -45, -(2 ** -43), 0.1, 1 / 3, 2 ** 40, 2 ** 52, 1e300, Number.MIN_VALUE])
      expect(sizeOf(withCosts(problem, (cost, e) => (e === 4 ? cost + wrong || wrong : cost))), `${wrong}`).toBe(
        wrong === Number.MIN_VALUE && problem.links.cost[4] !== 0 ? 1 : null,
      );
    expect(sizeOf(randomProblem({ ...base, grid: 0.1 }))).toBeNull();
    expect(sizeOf(randomProblem({ ...base, grid: 2 ** -42 }))).toBeNull();
    expect(sizeOf(randomProblem({ ...base, storage: "square" }))).toBeNull();
    expect(sizeOf(randomProblem({ ...base, least: 0, most: 0 }))).toBeNull();
  });

  test("is none where births and deaths are not computed with as they are stated", () => {
    const problem = randomProblem({ ...base, births: true });
    const dear = new Float64Array(problem.links.frameStart[3]).fill(2 ** 30);
    const { graph } = buildGraph({ ...problem, birthDeath: { birth: dear, death: dear } });
    expect(graph.surcharge).not.toBeNull();
    expect(grainOf(graph)).toBeNull();
  });
});

test("a bound is rounded up to the next multiple and no further, in exact numbers", () => {
  const size = fc.constantFrom(1, 3, 0.75, 7, 2 ** -10, 1000);
  fc.assert(
    fc.property(
      size,
      fc.integer({ min: -4000, max: 4000 }),
      fc.integer({ min: -(2 ** 20), max: 2 ** 20 }),
      (g, k, part) => {
        const grain = { size: g, exactUpTo: 2 ** 40 };
        for (const bound of [k * g, k * g + 2 ** -20 * part * g, k * g * (1 + 2 ** -52), k * g * (1 - 2 ** -53)]) {
          const up = roundUpToGrain(grain, bound);
          expect(up).toBeGreaterThanOrEqual(bound);
          // The greatest multiple below `up` is below the bound: nothing above the least multiple is claimed.
          if (up !== bound) expect(exactly(up) - exactly(g) < exactly(bound)).toBe(true);
        }
        expect(roundUpToGrain(grain, k * g)).toBe(k * g);
      },
    ),
  );
  const grain = { size: 1, exactUpTo: 2 ** 40 };
  for (const bound of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, -1e300, 2 ** 41 + 0.5])
    expect(roundUpToGrain(grain, bound)).toBe(bound);
  expect(roundUpToGrain(null, 0.5)).toBe(0.5);
  expect(Object.is(roundUpToGrain(grain, -0.5), 0)).toBe(true);
});

const recipes: Recipe[] = Array.from({ length: 120 }, (_, seed) => ({
  seed,
  counts: seed % 3 === 0 ? [3, 2, 3] : [4, 4, 4],
  births: seed % 3 === 0,
  least: seed % 2 === 0 ? 0 : -9,
  most: seed % 5 === 0 ? 30 : 9,
  grid: [1, 1, 0.75, 2][seed % 4],
  links: seed % 7 === 0 ? 0.7 : 1,
  triplets: 0.8,
  storage: seed % 6 === 0 ? "absolute" : "csr",
}));

test("bounds that are rounded up are true, by solver and check, after few iterations and by wrong multipliers", async () => {
  let [raised, proved] = [0, 0];
  for (const recipe of recipes) {
    const problem = randomProblem(recipe);
    const truth = bruteForce(problem);
    for (const iterations of [1, 4, 30]) {
      const { graph, solution } = await solveProblem(problem, { iterations });
      const grain = grainOf(graph);
      const { lowerBound, tracks, proof, status } = solution;
      if (truth === null || tracks === null || proof === null || grain === null) continue;
      expect(exactly(lowerBound) <= truth.exact).toBe(true);
      expect(exactly(lowerBound) % exactly(grain.size)).toBe(0n);
      const cost = exactCost(problem, nextOf(graph, tracks)) as bigint;
      expect(exactly(solution.upperBound)).toBe(cost);
      if (status === "optimal") expect(cost).toBe(truth.exact);
      const [{ v, columnDual }] = proof.stages;
      if (status === "optimal") proved++;
      if (lowerBound > certifyBound(graph, v, columnDual).lowerBound + 0.01) raised++;

      const shaken = v.map((value, e) => value + randomMultipliers(v.length, 3, recipe.seed)[e]);
      for (const any of [proof, { stages: [{ ...proof.stages[0], v: shaken }], leaves: [] }]) {
        const [checked, exact] = [checkProof(graph, tracks, any), checkExactly(graph, tracks, any)];
        if (!checked.valid || !exact.valid) throw new Error("the proof does not hold");
        expect(checked.grain).toBe(grain.size);
        expect(exactly(checked.lowerBound) <= truth.exact).toBe(true);
        expect(exact.lowerBound << BigInt(300 - exact.shift) <= truth.exact).toBe(true);
        expect(exact.lowerBound % (exactly(grain.size) >> BigInt(300 - exact.shift))).toBe(0n);
        expect(roundDown(exact.lowerBound, exact.shift)).toBeGreaterThanOrEqual(checked.lowerBound);
        if (checked.optimal) expect(cost).toBe(truth.exact);
      }
    }
  }
  expect(raised).toBeGreaterThan(60);
  expect(proved).toBeGreaterThan(100);
});

test("the same problem with a cost that is no integer is not rounded, and says so", async () => {
  for (let seed = 0; seed < 20; seed++) {
    const problem = randomProblem({ seed, counts: [4, 4, 4], most: 30, grid: 1 });
    const near = withCosts(problem, (cost, e) => (e === 0 ? cost + 2 ** -43 : cost));
    const { graph, solution } = await solveProblem(near, { iterations: 3 });
    const { proof, tracks } = solution;
    if (proof === null || tracks === null) continue;
    expect(leastSaving(grainOf(graph))).toBe(0);
    expect(checkProof(graph, tracks, proof)).toMatchObject({ valid: true, grain: null });
    const truth = bruteForce(near);
    expect(truth !== null && exactly(solution.lowerBound) <= truth.exact).toBe(true);
  }
});

test("an ascent whose multipliers alone count, as in windows, does not end where the rounded bound would", async () => {
  let later = 0;
  for (let seed = 0; seed < 20; seed++) {
    const problem = randomProblem({ seed, counts: [4, 4, 4], most: 9, grid: 1 });
    const rounded = await solveProblem(problem, { iterations: 60 });
    const alone = await solveProblem(problem, { iterations: 60, eliminate: false });
    if (alone.solution.iterations > rounded.solution.iterations) later++;
  }
  expect(later).toBeGreaterThan(5);
});

test("solve and check say that the bound is rounded up, and why", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "rmap-grain-"));
  const pairs = "frame,i,j,cost\n0,0,0,1\n0,0,1,4\n0,1,0,3\n0,1,1,1\n1,0,0,2\n1,0,1,1\n1,1,0,1\n1,1,1,3\n";
  for (const [name, text, note] of [
    ["whole", pairs, "costs are integers, so the bound is rounded up"],
    [
      "thirds",
      pairs.replace(/\d$/gm, (cost) => `${3 * Number(cost)}`),
      "costs are multiples of 3, so the bound is rounded up",
    ],
    ["tenths", pairs.replace("1,1,0,1\n", "1,1,0,1.1\n"), null],
  ] as const) {
    mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, name, "pairs.csv"), text);
    const solved = await rmap(["solve", name, "--gap", "0", "-o", `${name}-out`], { cwd });
    const checked = await rmap(["check", `${name}-out/proof.json`, name], { cwd });
    expect([solved.code, checked.code]).toEqual([0, 0]);
    const { grain = null } = JSON.parse(readFileSync(join(cwd, `${name}-out/result.json`), "utf8"));
    expect(grain).toBe(note === null ? null : name === "whole" ? 1 : 3);
    for (const { stdout } of [solved, checked]) {
      if (note === null) expect(stdout).not.toContain("rounded up");
      else expect(stdout).toMatch(new RegExp(`^  (proof .*; ${note}|lower bound .* counted; ${note}\\))$`, "m"));
    }
  }
  // Earlier versions stated a cost rounded up, of 0 too; any other number is refused.
  const file = join(cwd, "whole-out/proof.json");
  const proof = readFileSync(file, "utf8");
  for (const [by, code] of [
    [2e-15, 0],
    [0.5, 3],
  ] as const) {
    writeFileSync(
      file,
      proof.replace(/"upperBound":\s*([\d.]+)/, (_, cost) => `"upperBound":${Number(cost) + by}`),
    );
    expect((await rmap(["check", "whole-out/proof.json", "whole"], { cwd })).code).toBe(code);
  }
  rmSync(cwd, { recursive: true });
});
