import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { examine, examineWithMargins } from "../../../src/map/exact/examine.js";
import { reduceCosts } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { incidenceOf } from "../../../src/map/instance/incidence.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { chainsOf } from "../../../src/map/proof/chains.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { createElimination } from "../../../src/map/proof/elimination.js";
import { forcedCosts } from "../../../src/map/proof/exchange.js";
import { rounded } from "../../../src/map/proof/numbers.js";
import { solve } from "../../../src/map/solve.js";
import { anyRecipe } from "../arbitrary.js";
import { nextOf, type Recipe, randomMultipliers, randomProblem, seconds } from "../problems.js";

/** Tracks of a solve that stops early, with the multipliers it stood at. */
async function stopEarly(problem: PricedProblem, iterations: number, margins = false) {
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const options = { ascent: "bundle" as const, iterations, gap: 0, time: 60, now: seconds, margins };
  const solution = await solve(graph, steps, options);
  const { v, columnDual } = await steps.read();
  const state = { v: v.slice(), columnDual: columnDual.slice() };
  await steps.close();
  return { graph, solution, ...state };
}

/** The least cost of a set of tracks with, or without, the link (or death) out of a detection; null where there is none. */
function exactWith(problem: PricedProblem, d: number, wanted: (next: number) => boolean): bigint | null {
  const { frameStart } = problem.links;
  const p = frameStart.findIndex((_, q) => frameStart[q] <= d && d < frameStart[q + 1]);
  const truth = bruteForce(problem, (pair, matching) => pair !== p || wanted(matching[d - frameStart[p]]));
  return truth && exactCost(problem, truth.next);
}

const small = (recipe: Recipe): Recipe => ({ ...recipe, grid: recipe.grid === undefined ? 2 ** -10 : recipe.grid });

describe("margins", () => {
  test("no set of tracks without an edge comes closer than its margin, in exact arithmetic, births and deaths included", async () => {
    let [positive, negative, open] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(anyRecipe, fc.constantFrom(1, 3, 10, 100), async (recipe, iterations) => {
        const problem = randomProblem(small(recipe));
        const { graph, solution, v, columnDual } = await stopEarly(problem, iterations);
        // What is examined is the costs that are computed with; where they are not the stated ones, solve asks for no margins.
        if (solution.tracks === null || graph.surcharge !== null) return;
        const found = examine(graph, v, columnDual, solution.tracks);
        if (found === null) return;
        const truth = bruteForce(problem);
        const optimum = truth && exactCost(problem, truth.next);
        expect(optimum !== null && exactly(found.lowerBound) <= optimum).toBe(true);
        const { out } = found.margins();
        const next = nextOf(graph, solution.tracks);
        for (let d = 0; d < problem.links.frameStart[graph.frames - 1]; d++) {
          const own = next[d] < 0 ? -1 : next[d] - firstOfNext(graph, d);
          const without = exactWith(problem, d, (j) => j !== own);
          if (without === null) continue;
          const within = exactWith(problem, d, (j) => j === own);
          if (within === null) throw new Error("the tracks themselves are not allowed");
          expect(out[d]).not.toBe(Number.POSITIVE_INFINITY);
          expect(without - within >= exactly(roughly(out[d])), `margin ${out[d]} of detection ${d}`).toBe(true);
          if (out[d] > 0) positive++;
          else negative++;
          if (own < 0 || graph.edges > graph.links) open++;
        }
      }),
      { numRuns: 400 },
    );
    expect(positive).toBeGreaterThan(200);
    expect(negative).toBeGreaterThan(100);
    expect(open).toBeGreaterThan(100);
  });
});

test("margins of whole costs are whole, and none is below what the bound says of all tracks", async () => {
  let [below, fractions] = [0, 0];
  for (let seed = 0; seed < 60; seed++) {
    const problem = randomProblem({
      seed,
      counts: [3, 3, 3, 3],
      least: -3,
      most: 6,
      grid: [1, 2 ** -10][(seed % 3) >> 1],
      births: seed % 2 === 0,
    });
    const { graph, solution, v, columnDual } = await stopEarly(problem, 30, true);
    if (solution.tracks === null || solution.margins === null) continue;
    const whole = seed % 3 < 2;
    const before = examine(graph, v, columnDual, solution.tracks)?.margins().out ?? new Float64Array(0);
    for (const margin of before) {
      if (margin < 0 && solution.status === "optimal") below++;
      if (whole && !Number.isInteger(margin) && Number.isFinite(margin)) fractions++;
    }
    const next = nextOf(graph, solution.tracks);
    for (const [d, margin] of solution.margins.out.entries()) {
      if (!Number.isFinite(margin)) continue;
      if (whole) expect(Number.isInteger(margin)).toBe(true);
      expect(margin).toBeGreaterThanOrEqual(solution.lowerBound - solution.upperBound);
      if (whole && solution.status === "optimal") expect(margin).toBeGreaterThanOrEqual(0);
      const own = next[d] < 0 ? -1 : next[d] - firstOfNext(graph, d);
      const [within, without] = [true, false].map((kept) => exactWith(problem, d, (j) => (j === own) === kept));
      if (without !== null) expect(without - (within as bigint) >= exactly(margin)).toBe(true);
    }
  }
  expect(Math.min(below, fractions)).toBeGreaterThan(10);
});

/**
 * Pairs of tracks that cost nothing and change places freely in stretches of twelve frame pairs, with one frame pair between two stretches
 * where each has one link only: more than 100,000 edges, nearly all of which elimination leaves.
 */
function interchangeablePairs(): PricedProblem {
  const [pairs, stretches, length] = [10, 201, 13];
  const links: [number, number, number][] = [];
  for (let p = 0; p < stretches * length; p++) {
    for (let i = 0; i < 2 * pairs; i++) {
      const [from, to] = [2 * pairs * p + i, 2 * pairs * (p + 1) + i];
      if (p % length === length - 1) links.push([from, to, 0]);
      else links.push([from, Math.min(to, to ^ 1), 0], [from, Math.max(to, to ^ 1), 0]);
    }
  }
  const frameStart = Uint32Array.from({ length: stretches * length + 2 }, (_, p) => 2 * pairs * p);
  return {
    links: {
      frameStart,
      tail: Int32Array.from(links, ([tail]) => tail),
      head: Int32Array.from(links, ([, head]) => head),
      cost: Float64Array.from(links, ([, , cost]) => cost),
    },
    triplets: null,
    birthDeath: null,
  };
}

test("margins on several threads are those of one, with births and without", async () => {
  for (const births of [true, false]) {
    const problem = randomProblem({ seed: 7, counts: Array<number>(12).fill(24), births, links: 0.3 });
    const { graph, solution, v, columnDual } = await stopEarly(problem, 12);
    if (solution.tracks === null) throw new Error("no tracks");
    const found = examine(graph, v, columnDual, solution.tracks);
    if (found === null) throw new Error("nothing was examined");
    const alone = found.margins();
    expect(new Set(alone.out).size).toBeGreaterThan(20);
    for (const threads of [1, 2, 4]) {
      expect(await found.marginsOnThreads(threads)).toEqual(alone);
      const multipliers = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
      const beside = await examineWithMargins(graph, multipliers, solution.tracks, threads);
      expect(beside?.margins()).toEqual(alone);
      expect(beside?.lowerBound).toBe(found.lowerBound);
      const later = await examineWithMargins(graph, multipliers, solution.tracks, threads, () => false);
      expect(await later?.marginsOnThreads(threads)).toEqual(alone);
      expect(beside?.left?.active).toEqual(found.left?.active);
    }
  }
});

describe("margins of more than 100,000 edges", () => {
  test("no link of tracks that can change places for nothing is called one of every optimal set of tracks", () => {
    const { graph } = buildGraph(interchangeablePairs());
    expect(graph.edges).toBeGreaterThan(100_000);
    const v = randomMultipliers(graph.edges, 1, 1);
    const columnDual = new Float64Array(graph.frameStart[graph.frames]);
    const tracks = new Int32Array(graph.frameStart[graph.frames]).fill(-1);
    for (let e = 0; e < graph.links; e++) {
      const width = graph.frameStart[1];
      if (graph.head[e] === graph.tail[e] + width) tracks[graph.tail[e]] = e;
    }
    const found = examine(graph, v, columnDual, tracks);
    if (found === null) throw new Error("nothing was examined");
    expect(found.activeEdges).toBeGreaterThan(0.95 * graph.edges);
    const { out } = found.margins();
    let open = 0;
    for (let d = 0; d < graph.frameStart[graph.frames - 1]; d++) {
      if (graph.linkEnd[d] - graph.linkStart[d] === 1) continue;
      open++;
      expect(out[d], `margin of the link out of detection ${d}`).toBeLessThanOrEqual(0);
    }
    expect(open).toBeGreaterThan(48_000);
  });
});

/** A double just below, without bits that `exactly` cannot hold. */
function roughly(value: number): number {
  return Math.abs(value) < 2 ** -200 ? -(2 ** -200) : value;
}

function firstOfNext({ frameStart }: Graph, d: number): number {
  return frameStart.find((start) => start > d) as number;
}

describe("elimination", () => {
  test("never lifts the bound above the optimum, for any multipliers, and closes gaps that the bound leaves open", async () => {
    let [open, closed, lifted] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        anyRecipe,
        fc.constantFrom(0, 0.05, 0.3),
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.constantFrom(2, 8, 100),
        async (recipe, noise, seed, iterations) => {
          const problem = randomProblem(small(recipe));
          const { graph, solution, v, columnDual } = await stopEarly(problem, iterations);
          if (solution.tracks === null || graph.surcharge !== null) return;
          const truth = bruteForce(problem);
          const optimum = truth && exactCost(problem, truth.next);
          if (optimum === null) throw new Error("tracks where there are none");
          const moved = v.map((value, e) => value + randomMultipliers(v.length, noise, seed)[e]);
          const found = examine(graph, moved, columnDual, solution.tracks);
          expect(found).not.toBeNull();
          if (found === null) return;
          expect(exactly(found.lowerBound) <= optimum).toBe(true);
          const incidence = incidenceOf(graph);
          const plain = reduceCosts(graph, incidence, moved, columnDual).constant;
          expect(found.lowerBound).toBeGreaterThanOrEqual(plain);
          if (found.lifts) lifted++;
          else expect(found.lowerBound).toBeLessThan(plain + 1e-10 * Math.max(1, Math.abs(plain)));
          if (solution.upperBound - plain < 1e-7) return;
          open++;
          if (found.activeEdges === 0) {
            closed++;
            expect(exactly(solution.upperBound) >= optimum).toBe(true);
            expect(solution.upperBound).toBeCloseTo(truth?.cost as number, 9);
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(open).toBeGreaterThan(30);
    expect(closed).toBeGreaterThan(10);
    expect(lifted).toBeGreaterThan(closed);
  });

  test("needs the room: with less than the tracks cost beyond the bound it would drop what is cheaper", async () => {
    let wrong = 0;
    for (let seed = 0; seed < 300; seed++) {
      const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
      const { graph, solution, v, columnDual } = await stopEarly(problem, 1);
      const truth = bruteForce(problem)?.cost as number;
      if (solution.tracks === null || solution.upperBound < truth + 1e-6) continue;
      const incidence = incidenceOf(graph);
      const reduced = reduceCosts(graph, incidence, v, columnDual);
      const whole = wholeOf(graph, solution.tracks);
      const chains = chainsOf(rounded, whole, reduced);
      const room = solution.upperBound - reduced.constant;
      const forced = forcedCosts(rounded, whole, chains, room);
      expect(createElimination(rounded, whole, reduced, forced, room)().activeEdges).toBeGreaterThan(0);
      if (createElimination(rounded, whole, reduced, forced, room / 4)().activeEdges === 0) wrong++;
    }
    expect(wrong).toBeGreaterThan(3);
  });
});
