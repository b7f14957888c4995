import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactBound } from "../../../lab/truth/bound.js";
import { tripletList } from "../../../lab/truth/highs.js";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { certifyBound, certifyOnThreads } from "../../../src/map/certificate/certificate.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { certifySurcharge } from "../../../src/map/certificate/surcharge.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { type Graph, isLink } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { anyRecipe } from "../arbitrary.js";
import { nextOf, type Recipe, randomMultipliers, randomProblem, seconds, solveProblem, tracksOf } from "../problems.js";

const spread = fc.constantFrom(0, 0.1, 1, 1000);
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe("certifyBound", () => {
  test("is below the optimum for any multipliers and any column duals", () => {
    fc.assert(
      fc.property(anyRecipe, spread, spread, seed, (recipe, vSpread, betaSpread, seed) => {
        const problem = randomProblem(recipe);
        const truth = bruteForce(problem);
        const optimum = truth && exactCost(problem, truth.next);
        if (optimum === null) return;
        const { graph } = buildGraph(problem);
        const v = randomMultipliers(graph.edges, vSpread, seed);
        const beta = randomMultipliers(graph.frameStart[graph.frames], betaSpread, seed + 1);
        const { lowerBound, roundingAllowance } = certifyBound(graph, v, beta);
        expect(exactly(lowerBound) <= optimum).toBe(true);
        expect(roundingAllowance).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 500 },
    );
  });

  test("ignores multipliers where there are none: of the first frame pair and of births", () => {
    fc.assert(
      fc.property(anyRecipe, seed, (recipe, seed) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const beta = randomMultipliers(graph.frameStart[graph.frames], 1, seed);
        const v = randomMultipliers(graph.edges, 1, seed + 1);
        const cleared = v.map((value, e) => (graph.tail[e] < graph.frameStart[1] ? 0 : value));
        expect(certifyBound(graph, v, beta)).toEqual(certifyBound(graph, cleared, beta));
      }),
      { numRuns: 100 },
    );
  });

  test("is the same to the bit on any number of threads, and so where nothing is proved", async () => {
    for (let seed = 0; seed < 6; seed++) {
      const problem = randomProblem({ seed, counts: [5, 7, 0, 6, 8, 6], births: true, links: 0.6 });
      const { graph } = buildGraph(problem);
      const beta = randomMultipliers(graph.frameStart[graph.frames], 1, seed);
      const v = randomMultipliers(graph.edges, 1, seed + 1);
      if (seed === 5) beta[graph.frameStart[3]] = Number.NaN;
      const alone = certifyBound(graph, v, beta);
      expect(Number.isFinite(alone.lowerBound)).toBe(seed < 5);
      for (const threads of [1, 2, 4]) expect(await certifyOnThreads(graph, v, beta, threads)).toEqual(alone);
    }
  });

  test("loses nothing but rounding on what the ascent knows: the certified bound is the ascent's", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipe, async (recipe) => {
        const { solution } = await solveProblem(randomProblem(recipe), { iterations: 20 });
        const known = solution.history.slice(0, -1).map((row) => row.lowerBound);
        if (known.length === 0) return;
        expect(solution.lowerBound).toBeGreaterThanOrEqual(Math.max(...known) - 1e-9);
      }),
      { numRuns: 100 },
    );
  });

  test("says Infinity when a detection can take no edge at all", () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [2, 2, 2] }));
    if (graph.triplets.kind !== "csr") throw new Error("stored triplets expected");
    const forbidden = { ...graph.triplets, rowStart: new Uint32Array(graph.edges + 1) };
    const zero = new Float64Array(graph.edges);
    expect(certifyBound({ ...graph, triplets: forbidden }, zero, zero).lowerBound).toBe(Number.POSITIVE_INFINITY);
  });

  /** A problem some of whose entries cost 10¹², as costs do that stand for "never". */
  const withBigEntries = (recipe: Recipe, every: number): PricedProblem => {
    const problem = randomProblem(recipe);
    const raise = (values: Float64Array, big: number) => {
      for (let n = every - 1; n < values.length; n += every) values[n] = big;
    };
    raise(problem.links.cost, 1e12);
    if (problem.triplets?.kind === "csr") raise(problem.triplets.cost, 1e12);
    if (problem.triplets?.kind === "implicit") raise(problem.triplets.perLink, 1e6);
    if (problem.birthDeath !== null) raise(problem.birthDeath.birth, 1e12);
    return problem;
  };

  test("is below L(v) in exact arithmetic, and below what these duals prove by no more than it says, which is next to nothing", () => {
    const every = fc.constantFrom(2, 3, 5, 1000);
    fc.assert(
      fc.property(anyRecipe, every, spread, spread, seed, (recipe, every, vSpread, betaSpread, seed) => {
        const { graph } = buildGraph(withBigEntries(recipe, every));
        const v = randomMultipliers(graph.edges, vSpread, seed);
        const beta = randomMultipliers(graph.frameStart[graph.frames], betaSpread, seed + 1);
        const truth = exactBound(graph, v, beta);
        const { computed: lowerBound, roundingAllowance } = certifyBound(graph, v, beta);
        if (truth === null) return;
        expect(exactly(lowerBound) <= truth.lagrangian).toBe(true);
        expect(truth.dual <= exactly(lowerBound) + exactly(roundingAllowance)).toBe(true);
        // Six roundoffs of every number that went into the minima, and of the bound; a little over for second-order terms.
        expect(roundingAllowance).toBeLessThanOrEqual(7 * 2 ** -53 * (truth.magnitude + Math.abs(lowerBound)));
      }),
      { numRuns: 1000 },
    );
  });

  test("is the same to the last bit whether or not the links are found in order of m, also for numbers that prove nothing", () => {
    const wild = fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308);
    const recipe = anyRecipe.map((recipe): Recipe => ({ ...recipe, storage: "absolute" }));
    let read = 0;
    fc.assert(
      fc.property(recipe, spread, seed, fc.array(wild, { maxLength: 4 }), (recipe, vSpread, seed, wilds) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const { triplets, edges, frames, frameStart } = graph;
        if (triplets.kind !== "implicit") throw new Error("implicit triplets were asked for");
        const v = randomMultipliers(edges, vSpread, seed);
        wilds.forEach((value, k) => {
          const at = (seed + 7 * k) % edges;
          if (k % 2 === 0) v[at] = value;
          else if (isLink(graph, at)) triplets.perEdge[at] = value;
        });
        const beta = randomMultipliers(frameStart[frames], 1, seed + 1);
        const disordered = { ...graph, triplets: { ...triplets, outByM: triplets.outByM.toReversed() } };
        const bound = certifyBound(graph, v, beta);
        expect(bound).toEqual(certifyBound(disordered, v, beta));
        if (Number.isFinite(bound.lowerBound)) read++;
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(200);
  });

  test("pays nothing for an entry of 1e12 that is never used", () => {
    const recipe = { seed: 3, counts: [4, 4, 4, 4], least: 1, most: 2 };
    const allowance = (problem: PricedProblem) => {
      const { graph } = buildGraph(problem);
      const zero = new Float64Array(graph.edges);
      return certifyBound(graph, zero, zero).roundingAllowance;
    };
    const plain = randomProblem(recipe);
    expect(allowance(plain)).toBeLessThan(1e-13);
    // One link in five, none of a row's least.
    const costs = Float64Array.from(plain.links.cost, (cost, e) => (e % 5 === 4 ? 1e12 : cost));
    expect(allowance({ ...plain, links: { ...plain.links, cost: costs } })).toBeLessThan(1e-13);
  });

  test("proves nothing by multipliers and duals that are no finite numbers, or overflow", () => {
    const value = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    fc.assert(
      fc.property(anyRecipe, fc.boolean(), fc.nat(), value, seed, (recipe, inBeta, at, value, seed) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const { frameStart, frames, tail, edges } = graph;
        const v = randomMultipliers(edges, 1, seed);
        const beta = randomMultipliers(frameStart[frames], 1, seed + 1);
        const used = inBeta
          ? [...beta.keys()].filter((d) => d >= frameStart[1])
          : [...v.keys()].filter((e) => tail[e] >= frameStart[1]);
        if (used.length === 0 || exactBound(graph, v, beta) === null) return;
        (inBeta ? beta : v)[used[at % used.length]] = value;
        expect(certifyBound(graph, v, beta)).toMatchObject({
          lowerBound: Number.NEGATIVE_INFINITY,
          roundingAllowance: 0,
        });
      }),
      { numRuns: 500 },
    );
    // Everything in the largest f64: every sum of two overflows, and nothing is forbidden by that.
    const { graph } = buildGraph(randomProblem({ seed: 5, counts: [2, 2, 2] }));
    const huge = new Float64Array(graph.edges).fill(Number.MAX_VALUE);
    for (const [v, beta] of [huge, huge.map((x) => -x)].flatMap((one) => [
      [one, huge],
      [one, one.map((x) => -x)],
    ])) {
      expect(certifyBound({ ...graph, cost: huge }, v, beta).lowerBound).toBe(Number.NEGATIVE_INFINITY);
    }
  });
});

describe("the Lagrangian", () => {
  test("is exact: cost of any tracks = L(v) + their reduced costs + the slacks of their triplets + what is stated beyond the costs computed with", async () => {
    let capped = 0;
    /** As births and deaths that stand for "never": both, or one of them against the other (docs/explanation/mathematics.md §1.1). */
    const ends = fc.constantFrom([1, 1], [1, 1], [2 ** 12, 2 ** 12], [2 ** 12, 1], [2 ** 12, -(2 ** 12)]);
    await fc.assert(
      fc.asyncProperty(anyRecipe, ends, seed, async (recipe, [births, deaths], seed) => {
        const drawn = randomProblem(recipe);
        const { birthDeath } = drawn;
        const problem = {
          ...drawn,
          birthDeath: birthDeath && {
            birth: birthDeath.birth.map((value) => births * value),
            death: birthDeath.death.map((value) => deaths * value),
          },
        };
        const truth = bruteForce(problem);
        if (truth === null) return;
        const { graph } = buildGraph(problem);
        const { surcharge, cost } = graph;
        const steps = createCpuSteps(graph, { threads: 1, now: seconds });
        const state = await steps.read();
        // Multipliers on the grid of the costs, so that every sum is exact.
        const grid = recipe.grid ?? 2 ** -10;
        randomMultipliers(graph.edges, 1, seed).forEach((value, e) => {
          if (graph.tail[e] >= graph.frameStart[1]) state.v[e] = grid * Math.round(value / grid);
        });
        const bound = await steps.evaluate();
        const { edgesUsed, triplets } = partsOf(graph, tracksOf(graph, truth.next));
        let sum = bound;
        for (const e of edgesUsed) {
          const row = graph.tail[e] < 0 ? 0 : state.rowDual[graph.tail[e]];
          const column = graph.head[e] < 0 ? 0 : state.columnDual[graph.head[e]];
          sum += state.reduced[e] - row - column;
        }
        const all = tripletList(graph);
        for (const [e, f] of triplets) {
          const cost = all.find((triplet) => triplet.e === e && triplet.f === f)?.cost ?? Number.NaN;
          sum += cost - state.v[f] - state.delta[e];
        }
        const beyond = edgesUsed
          .filter((e) => surcharge !== null && !isLink(graph, e))
          .reduce((total, e) => total + exactly(surcharge?.stated[e] ?? 0) - exactly(cost[e]), 0n);
        expect(exactly(sum) + beyond).toBe(truth.exact);
        expect(exactly(certifySurcharge(graph).least) <= beyond).toBe(true);
        if (surcharge !== null) capped++;
      }),
      { numRuns: 500 },
    );
    expect(capped).toBeGreaterThan(20);
  });
});

describe("priceTracks", () => {
  test("prices allowed tracks at their exact cost, rounded up by next to nothing", () => {
    fc.assert(
      fc.property(anyRecipe, (recipe) => {
        const problem = randomProblem(recipe);
        const truth = bruteForce(problem);
        if (truth === null) return;
        const { graph } = buildGraph(problem);
        const priced = priceTracks(graph, tracksOf(graph, truth.next));
        if (priced.status !== "feasible") throw new Error(priced.status);
        expect(priced.cost).toBeGreaterThanOrEqual(truth.cost);
        expect(priced.cost).toBeCloseTo(truth.cost, 9);
      }),
      { numRuns: 200 },
    );
  });

  test("lets no corrupted tracks pass", () => {
    const outcomes = { refused: 0, forbidden: 0, feasible: 0 };
    /** Overwrites an entry, takes another link out of the same detection, or exchanges the tails of two tracks. */
    const mutation = fc.record({
      kind: fc.constantFrom("overwrite", "relink", "exchange", "exchange"),
      at: fc.nat(),
      value: fc.oneof(fc.integer({ min: -3, max: 60 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
    });
    fc.assert(
      fc.property(
        anyRecipe,
        fc.constantFrom("csr", "csr", "csr", "absolute"),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        (recipe, storage, mutations) => {
          const problem = randomProblem({ ...recipe, storage, triplets: 0.5 });
          const truth = bruteForce(problem);
          if (truth === null) return;
          const { graph } = buildGraph(problem);
          const tracks = tracksOf(graph, truth.next);
          if (tracks.length === 0) return;
          const linkBetween = (i: number, j: number) =>
            graph.tail.findIndex((tail, e) => tail === i && graph.head[e] === j);
          for (const { kind, at, value } of mutations) {
            const d = at % tracks.length;
            const degree = graph.linkEnd[d] - graph.linkStart[d];
            const other = d + 1 < tracks.length ? d + 1 : 0;
            const [mine, theirs] = [tracks[d], tracks[other]].map((e) => graph.head[e] ?? -1);
            if (kind === "overwrite") tracks[d] = value;
            else if (kind === "relink" && degree > 0) tracks[d] = graph.linkStart[d] + (Math.abs(value) % degree);
            else if (mine >= 0 && theirs >= 0) {
              tracks[d] = linkBetween(d, theirs);
              tracks[other] = linkBetween(other, mine);
            }
          }
          // Whoever reads next from links that do not leave their detection gets nonsense: that alone is a corruption.
          const wellFormed =
            tracks.every((e, d) => e === -1 || graph.tail[e] === d) &&
            tracks.every((e) => e === -1 || isLink(graph, e));
          const exact = wellFormed ? exactCost(problem, nextOf(graph, tracks)) : null;
          let outcome: ReturnType<typeof priceTracks> | null = null;
          try {
            outcome = priceTracks(graph, tracks);
          } catch {
            outcomes.refused++;
          }
          if (outcome?.status === "feasible") {
            outcomes.feasible++;
            if (exact === null) throw new Error("corrupted tracks were priced");
            expect(exactly(outcome.cost) >= exact).toBe(true);
          } else {
            if (outcome !== null) outcomes.forbidden++;
            expect(exact).toBeNull();
          }
        },
      ),
      { numRuns: 3000 },
    );
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(5);
  });
});

/** Edges and triplets that tracks use, births and deaths included. */
function partsOf(graph: Graph, tracks: Int32Array): { edgesUsed: number[]; triplets: [number, number][] } {
  const { frames, frameStart, links, edges, deathOf, birthOf, head } = graph;
  const lastFrame = frameStart[frames - 1];
  const open = edges > links;
  const into = new Map<number, number>();
  const edgesUsed: number[] = [];
  const out = (d: number) => (tracks[d] < 0 ? deathOf[d] : tracks[d]);
  for (let d = 0; d < lastFrame; d++) {
    edgesUsed.push(out(d));
    if (tracks[d] >= 0) into.set(head[tracks[d]], tracks[d]);
  }
  const triplets: [number, number][] = [];
  for (let d = frameStart[1]; d < frameStart[frames]; d++) {
    const birth = birthOf[d];
    if (open && !into.has(d)) edgesUsed.push(birth);
    if (d < lastFrame) triplets.push([into.get(d) ?? birth, out(d)]);
  }
  return { edgesUsed, triplets };
}
