import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tripletList } from "../../../lab/truth/highs.js";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { createJvWorkspace } from "../../../src/lap/jv/jv.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { createPairKernels } from "../../../src/map/dual/kernels.js";
import { type AscentState, createAscentState } from "../../../src/map/dual/state.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { type Graph, isLink } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { anyRecipe } from "../arbitrary.js";
import { randomMultipliers, randomProblem } from "../problems.js";
import {
  chosen,
  evaluate,
  multiplied,
  pairOf,
  type Scene,
  scene,
  setMultipliers,
  slowDelta,
  slowReducedCost,
} from "../scene.js";

/** Every kernel against the formula it computes, written down slowly. Costs and multipliers lie on a grid: sums are exact. */

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe("price and assign", () => {
  test("Δ and Ĉ are what they are defined as, and the best triplet attains Δ", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph, state } = here;
        evaluate(here);
        const delta = slowDelta(graph, state.v);
        const triplets = tripletList(graph);
        for (let e = 0; e < graph.edges; e++) {
          expect(state.delta[e] + 0).toBe(delta[e] + 0);
          expect(state.reduced[e]).toBe(graph.cost[e] + state.v[e] + delta[e]);
          const f = state.bestSuccessor[e];
          const own = triplets.filter((triplet) => triplet.e === e);
          if (own.length === 0) expect(f).toBe(-1);
          else expect((own.find((triplet) => triplet.f === f)?.cost ?? Number.NaN) - state.v[f]).toBe(delta[e]);
        }
      }),
      { numRuns: 150 },
    );
  });

  test("prices of what moved alone are those of everything, after any steps", async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(anyRecipe, seed, fc.array(fc.nat(7), { maxLength: 12 }), async (recipe, seed, walk) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const steps = createCpuSteps(graph, { threads: 1, now: () => 0 });
        const first = new Float64Array(graph.edges);
        for (const f of multiplied(graph)) first[f] = randomMultipliers(graph.edges, 1, seed)[f];
        await steps.setMultipliers(first);
        await steps.evaluate();
        await steps.keep();
        await steps.beginBundle();
        for (const step of walk) {
          if (step === 0) await steps.stand(0.25);
          else if (step === 1) await steps.refine(0.25);
          else if (step === 2) await steps.refineKept(0.5);
          else if (step === 3) await steps.visit(1);
          else if (step === 4) await steps.pushReducedCosts(0.5);
          else if (step === 5) await steps.restore();
          else if (step === 6) await steps.setMultipliers(first);
          else {
            await steps.subgradient();
            await steps.follow(0.125);
          }
          const state = (await steps.read()) as AscentState;
          kept += state.staleDelta.filter((stale, d) => stale === 0 && d >= graph.frameStart[1]).length;
          await steps.evaluate();
          const { v, delta, reduced, bestSuccessor } = state;
          const expected = createAscentState(graph);
          expected.v.set(v);
          const whole = createPairKernels(graph, expected, createJvWorkspace(10, 10));
          for (let p = 0; p + 1 < graph.frames; p++) whole.price(p);
          expect(unsigned(delta)).toEqual(unsigned(expected.delta));
          expect(unsigned(reduced)).toEqual(unsigned(expected.reduced));
          expect(bestSuccessor).toEqual(expected.bestSuccessor);
        }
        await steps.close();
      }),
      { numRuns: 150 },
    );
    expect(kept).toBeGreaterThan(100);
  });

  test("the pair's value is the cheapest matching at Ĉ, by enumeration", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph, state, problem, pairs } = here;
        evaluate(here);
        for (let p = 0; p < pairs; p++) expect(state.pairValue[p]).toBe(cheapestMatching(graph, state, problem, p));
      }),
      { numRuns: 100 },
    );
  });

  test("reduced costs are nowhere negative, and nothing on the edges chosen", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph } = here;
        evaluate(here);
        for (let e = 0; e < graph.edges; e++) expect(slowReducedCost(here, e)).toBeGreaterThanOrEqual(0);
        for (const e of chosen(here)) expect(slowReducedCost(here, e)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});

describe("moving the multipliers", () => {
  test("pushLeft takes its share of the reduced costs off the pair's multipliers, and off no other", () => {
    fc.assert(
      fc.property(anyRecipe, seed, fc.constantFrom(1, 0.5, 0.25), (recipe, seed, share) => {
        const here = scene(recipe, seed);
        const { graph, state, kernels, pairs } = here;
        evaluate(here);
        for (let p = 0; p < pairs; p++) {
          const expected = state.v.map((value, e) =>
            graph.tail[e] >= graph.frameStart[1] && pairOf(graph, e) === p
              ? value - share * slowReducedCost(here, e)
              : value,
          );
          const reduced = Float64Array.from(state.reduced);
          kernels.pushLeft(p, share);
          expect(unsigned(state.v)).toEqual(unsigned(expected));
          expect(unsigned(state.reduced)).toEqual(unsigned(reduced));
          evaluate(here);
        }
      }),
      { numRuns: 80 },
    );
  });

  test("pushRight gives each f the least of D_ef − v_f − Δ_e + share · r_e", () => {
    fc.assert(
      fc.property(anyRecipe, seed, fc.constantFrom(0, 0.5, 1), (recipe, seed, share) => {
        const here = scene(recipe, seed);
        const { state, kernels, pairs } = here;
        for (let p = 0; p < pairs; p++) {
          evaluate(here);
          const expected = raised(here, p, share);
          kernels.pushRight(p, share);
          expect(unsigned(state.v)).toEqual(unsigned(expected));
        }
      }),
      { numRuns: 80 },
    );
  });

  test("pull takes all slack of the triplets before, and leaves Δ of the pair before alone", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph, state, kernels, pairs } = here;
        for (let p = 0; p < pairs; p++) {
          const before = slowDelta(graph, state.v);
          const expected = p === 0 ? Float64Array.from(state.v) : raised(here, p - 1, 0);
          kernels.pull(p);
          expect(unsigned(state.v)).toEqual(unsigned(expected));
          const after = slowDelta(graph, state.v);
          for (let e = 0; e < graph.edges; e++) if (pairOf(graph, e) === p - 1) expect(after[e]).toBe(before[e]);
        }
      }),
      { numRuns: 80 },
    );
  });

  test("keep, follow and restore move along g and back", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph, state, kernels, pairs } = here;
        evaluate(here);
        const v = Float64Array.from(state.v);
        for (let p = 0; p < pairs; p++) {
          kernels.subgradient(p);
          kernels.keep(p);
          kernels.follow(p, 0.25);
        }
        for (const e of multiplied(graph)) expect(state.v[e]).toBe(v[e] + 0.25 * state.gradient[e]);
        for (let p = 0; p < pairs; p++) kernels.restore(p);
        expect(unsigned(state.v)).toEqual(unsigned(v));
      }),
      { numRuns: 60 },
    );
  });
});

describe("subgradient", () => {
  test("g = x − Σ y of the assignment, and its norm", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { graph, state, kernels, pairs } = here;
        evaluate(here);
        const expected = new Float64Array(graph.edges);
        for (const e of chosen(here)) {
          if (graph.tail[e] >= graph.frameStart[1]) expected[e] += 1;
          if (state.bestSuccessor[e] >= 0) expected[state.bestSuccessor[e]] -= 1;
        }
        for (let p = 0; p < pairs; p++) kernels.subgradient(p);
        expect(unsigned(state.gradient)).toEqual(unsigned(expected));
        const norm = state.pairNorm.reduce((sum, value) => sum + value, 0);
        expect(norm).toBe(expected.reduce((sum, value) => sum + value * value, 0));
      }),
      { numRuns: 150 },
    );
  });

  test("is a supergradient: L(w) ≤ L(v) + g · (w − v) for any w", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const here = scene(recipe, seed);
        const { state, kernels, pairs } = here;
        const bound = evaluate(here);
        for (let p = 0; p < pairs; p++) kernels.subgradient(p);
        const v = Float64Array.from(state.v);
        setMultipliers(here, seed + 1);
        const along = state.v.reduce((sum, w, e) => sum + state.gradient[e] * (w - v[e]), 0);
        expect(evaluate(here)).toBeLessThanOrEqual(bound + along);
      }),
      { numRuns: 200 },
    );
  });

  test("is zero only at an optimum", () => {
    let zeros = 0;
    for (let seed = 0; seed < 200; seed++) {
      const here = scene({ seed, counts: [2, 2, 2], grid: 0.25 }, seed);
      const bound = evaluate(here);
      for (let p = 0; p < here.pairs; p++) here.kernels.subgradient(p);
      if (here.state.pairNorm.some((norm) => norm > 0)) continue;
      zeros++;
      expect(bound).toBe(bruteForce(here.problem)?.cost);
    }
    expect(zeros).toBeGreaterThan(5);
  });
});

/** The values with −0 as 0, which Vitest tells apart. */
function unsigned(values: Float64Array): Float64Array {
  return values.map((value) => value + 0);
}

/** v after the slack of the triplets of pair p, and `share` of its reduced costs, have gone into pair p + 1. */
function raised(here: Scene, p: number, share: number): Float64Array {
  const { graph, state } = here;
  const delta = slowDelta(graph, state.v);
  const least = new Float64Array(graph.edges).fill(Number.POSITIVE_INFINITY);
  for (const { e, f, cost } of tripletList(graph)) {
    if (pairOf(graph, e) !== p) continue;
    const given = share === 0 ? 0 : share * slowReducedCost(here, e);
    least[f] = Math.min(least[f], cost - state.v[f] - delta[e] + given);
  }
  return state.v.map((value, f) => (least[f] === Number.POSITIVE_INFINITY ? value : value + least[f]));
}

/** The pair on its own, its edges at Ĉ: the enumeration of brute-force.ts on two frames. */
function cheapestMatching(graph: Graph, state: AscentState, problem: PricedProblem, p: number): number {
  const { frameStart, tail, head } = graph;
  const inPair = [...tail.keys()].filter((e) => isLink(graph, e) && pairOf(graph, e) === p);
  const from = frameStart[p];
  const size = frameStart[p + 2] - from;
  const birth = new Float64Array(size);
  const death = new Float64Array(size);
  for (let e = 0; e < graph.edges; e++) {
    if (isLink(graph, e) || pairOf(graph, e) !== p) continue;
    if (tail[e] >= 0) death[tail[e] - from] = state.reduced[e];
    else birth[head[e] - from] = state.reduced[e];
  }
  const alone = bruteForce({
    links: {
      frameStart: Uint32Array.from([0, frameStart[p + 1] - from, size]),
      tail: Int32Array.from(inPair, (e) => tail[e] - from),
      head: Int32Array.from(inPair, (e) => head[e] - from),
      cost: Float64Array.from(inPair, (e) => state.reduced[e]),
    },
    triplets: null,
    birthDeath: problem.birthDeath && { birth, death },
  });
  return alone?.cost ?? Number.POSITIVE_INFINITY;
}
