import { beforeAll, describe, expect, test } from "vitest";
import { bruteForce, exactly } from "../../../lab/truth/tracks.js";
import { priceDetections } from "../../../src/costs/price-detections.js";
import { refuteTracks } from "../../../src/map/certificate/price-tracks.js";
import { ASCENTS, type AscentName } from "../../../src/map/dual/ascents.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { startWarm } from "../../../src/map/dual/warm-start.js";
import { createGpuSteps, type GpuOptions } from "../../../src/map/gpu/gpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { orphanIn } from "../../../src/map/instance/twins.js";
import { SEEDS } from "../../../src/map/primal/seeds.js";
import type { Solution, SolveOptions } from "../../../src/map/solution.js";
import { solve } from "../../../src/map/solve.js";
import { simulate } from "../../../src/simulation/trajectories.js";
import { uniformProblem } from "../../../src/simulation/uniform.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { randomMultipliers, randomProblem, seconds, solveProblem } from "../problems.js";
import { multiplied } from "../scene.js";

/** Whole ascents in f32 on software Vulkan: what they certify, against the CPU's; and that they do the same thing twice. */

const session = useSoftwareSession();
const NAMES = Object.keys(ASCENTS) as AscentName[];

async function solveOnGpu(
  problem: PricedProblem,
  options: Partial<SolveOptions> = {},
  gpu: Partial<GpuOptions> = {},
): Promise<Solution> {
  const { graph } = buildGraph(problem);
  return await session().scoped("solve", async () => {
    const steps = await createGpuSteps(session(), graph, { now: seconds, ...gpu });
    const limits = { ascent: "bundle", iterations: 300, gap: 0, time: 60, now: seconds } as const;
    const solution = await solve(graph, steps, { ...limits, ...options });
    await steps.close();
    return solution;
  });
}

const priced = (cost: "spline" | "likelihood", births: boolean, triplets?: "csr") =>
  priceDetections(
    simulate({ targets: 8, frames: 6, spread: 0 }, 3),
    { cost, gate: { epsilon: 5 }, birthDeath: births ? { birth: 2, death: 3 } : "none", triplets },
    { threads: 1 },
  );

const problems: Record<string, () => PricedProblem | Promise<PricedProblem>> = {
  "implicit absolute": () => priced("spline", false),
  "implicit square, births": () => priced("likelihood", true),
  "implicit absolute, tracks made on the device": () =>
    randomProblem({ seed: 5, counts: [33, 33, 33], storage: "absolute", grid: 2 ** -30 }),
  "stored, births": () => priced("spline", true, "csr"),
  "stored, complete, with a gap of its own": () => uniformProblem(5, 5, 5),
  "stored, forbidden, unequal frames": () =>
    randomProblem({ seed: 4, counts: [4, 5, 7, 0, 3], births: true, links: 0.7, triplets: 0.5, grid: 2 ** -30 }),
};

/** Relative; what f32 leaves of a bound. The monotone ascents' depend on which duals their X-LAPs end with. */
const SETTLED = 1e-5;

const camel = { sparse: "sparse", "block-hungarian": "blockHungarian" } as const;

describe.each(Object.entries(problems))("%s", (_, make) => {
  let problem: PricedProblem;
  let settled: Solution;
  beforeAll(async () => {
    problem = await make();
    settled = (await solveProblem(problem, { iterations: 1000 })).solution;
  });

  // The bundle goes on until it stalls: it begins with pushes by duals that are not unique, so that only its end is the same.
  test.each(NAMES)("%s certifies what the CPU's does", async (ascent) => {
    const iterations = ascent === "bundle" ? 1000 : ascent === "polyak" ? 40 : 20;
    const limits = { ascent, iterations, gap: SETTLED / 2 };
    const gpu = await solveOnGpu(problem, limits);
    const cpu = (await solveProblem(problem, limits)).solution;
    const unit = Math.abs(settled.upperBound);
    expect(gpu.lowerBound).toBeLessThanOrEqual(gpu.upperBound);
    expect(gpu.lowerBound).toBeLessThanOrEqual(settled.upperBound);
    expect(gpu.upperBound).toBeGreaterThanOrEqual(settled.lowerBound);
    // No multipliers lead beyond the LP optimum.
    expect((gpu.lowerBound - settled.lowerBound) / unit).toBeLessThanOrEqual(SETTLED);
    if (ascent === "bundle" || ascent === "polyak") {
      expect((cpu.lowerBound - gpu.lowerBound) / unit).toBeLessThanOrEqual(SETTLED);
    }
    for (const { lowerBound, upperBound, gap } of gpu.history) {
      expect([lowerBound, upperBound, gap].some(Number.isNaN)).toBe(false);
    }
  });

  test.each(["sparse", "block-hungarian"] as const)(
    "with %s X-LAPs a bound is the CPU's, cold and warm",
    async (xLaps) => {
      const { graph } = buildGraph(problem);
      const allowed = 2 ** -20 * graph.cost.reduce((sum, value) => sum + Math.abs(value), 0);
      const twin = createCpuSteps(graph, { threads: 1, now: seconds });
      const steps = await createGpuSteps(session(), graph, { now: seconds, xLaps });
      expect(steps.xLaps).toEqual({ sparse: 0, blockHungarian: 0, [camel[xLaps]]: graph.frames - 1 });
      for (let seed = 1; seed < 4; seed++) {
        const values = randomMultipliers(graph.edges, 1, seed);
        const v = new Float64Array(graph.edges);
        for (const f of multiplied(graph)) v[f] = Math.fround(values[f]);
        for (const one of [twin, steps]) await one.setMultipliers(v);
        expect(Math.abs((await steps.evaluate()) - (await twin.evaluate()))).toBeLessThanOrEqual(allowed);
      }
      await steps.close();
      await twin.close();
    },
  );

  test.each(["rmap", "bidirectional"] as const)("%s never falls by more than f32 rounds", async (ascent) => {
    const { graph } = buildGraph(problem);
    const steps = await createGpuSteps(session(), graph, { now: seconds });
    const allowed = 2 ** -20 * graph.cost.reduce((sum, value) => sum + Math.abs(value), 0);
    const bounds = [await steps.evaluate()];
    for (let k = 0; k < 6; k++) {
      if (ascent === "rmap") await steps.pushReducedCosts(1);
      else for (const parity of [0, 1] as const) await steps.visit(parity);
      bounds.push(await steps.evaluate());
    }
    await steps.close();
    for (let k = 1; k < bounds.length; k++) expect(bounds[k]).toBeGreaterThanOrEqual(bounds[k - 1] - allowed);
    expect(bounds[bounds.length - 1]).toBeLessThanOrEqual(settled.upperBound + allowed);
  });

  test("a warm start ends at or above what its CPU twin says of the multipliers given", async () => {
    const { graph } = buildGraph(problem);
    const allowed = 2 ** -20 * graph.cost.reduce((sum, value) => sum + Math.abs(value), 0);
    const values = randomMultipliers(graph.edges, 1, 5);
    const v = new Float64Array(graph.edges);
    for (const f of multiplied(graph)) v[f] = Math.fround(values[f]);
    const twin = createCpuSteps(graph, { threads: 1, now: seconds });
    await twin.setMultipliers(v);
    const steps = await createGpuSteps(session(), graph, { now: seconds });
    await startWarm(steps, v, { iterated: async () => false });
    const bound = await steps.evaluate();
    await steps.close();
    const [least, cold] = [await twin.evaluate(), settled.history[0].lowerBound];
    expect(bound).toBeGreaterThanOrEqual(least - allowed);
    expect(bound).toBeLessThanOrEqual(settled.upperBound + allowed);
    const solution = await solveOnGpu(problem, { initialMultipliers: v, iterations: 12, gap: SETTLED / 2 });
    expect(solution.lowerBound).toBeLessThanOrEqual(settled.upperBound);
    expect(solution.lowerBound).toBeGreaterThan(Math.max(least, cold) - allowed);
  });
});

test.each(NAMES)("%s twice: the same tracks, bounds and history to the last bit", async (ascent) => {
  const problem = await priced("spline", true);
  const limits = { ascent, iterations: 16 };
  const [once, again] = [await solveOnGpu(problem, limits), await solveOnGpu(problem, limits)];
  const facts = ({ history, tracks, lowerBound, upperBound, iterations, status }: Solution) => ({
    rows: history.map(({ seconds: _, ...row }) => row),
    tracks,
    lowerBound,
    upperBound,
    iterations,
    status,
  });
  expect(facts(again)).toEqual(facts(once));
});

describe("an instance without a complete assignment", () => {
  // Both detections of frame 1 can only go on to the same one of frame 2.
  const links = {
    frameStart: Uint32Array.of(0, 2, 4, 6),
    tail: Int32Array.of(0, 1, 2, 3),
    head: Int32Array.of(2, 3, 4, 4),
    cost: Float64Array.of(1, 1, 1, 1),
  };

  test("is found infeasible, and the frame pair named", async () => {
    const solution = await solveOnGpu({ links, triplets: null, birthDeath: null });
    expect(solution).toMatchObject({ status: "infeasible", shortage: { pair: 1 }, tracks: null });
  });

  test("has no tracks on the device, from any seed and of any X-LAPs", async () => {
    const triplets = { kind: "implicit", rule: "absolute", perLink: Float64Array.of(0, 1, 2, 3) } as const;
    const { graph } = buildGraph({ links, triplets, birthDeath: null });
    for (const xLaps of ["sparse", "block-hungarian"] as const) {
      await session().scoped("infeasible", async () => {
        const steps = await createGpuSteps(session(), graph, { now: seconds, xLaps });
        expect(await steps.evaluate()).toBe(Number.POSITIVE_INFINITY);
        for (const seed of SEEDS) {
          expect(refuteTracks(graph, (await steps.tracks?.from(seed)) as Int32Array), seed).not.toBeNull();
        }
        await steps.close();
      });
    }
  });
});

test("divisions: no bound above the optimum of lineages, and tracks without orphans", async () => {
  let divided = 0;
  for (let seed = 0; seed < 4; seed++) {
    const problem = randomProblem({
      ...{ seed, counts: [2, 3, 3, 3], births: true, divisions: true, grid: 2 ** -20 },
      ...{ storage: "csr", least: -2, most: 1 },
    });
    const truth = bruteForce(problem);
    const solution = await solveOnGpu(problem, { iterations: 40 });
    if (truth === null || solution.tracks === null) throw new Error("there are always tracks");
    expect(exactly(solution.lowerBound) <= truth.exact).toBe(true);
    expect(exactly(solution.upperBound) >= truth.exact).toBe(true);
    expect(orphanIn({ motherOf: problem.motherOf ?? null }, solution.tracks)).toBe(-1);
    if (problem.motherOf?.some((mother, d) => mother >= 0 && (solution.tracks as Int32Array)[d] >= 0)) divided++;
  }
  expect(divided).toBeGreaterThanOrEqual(2);
});
