import fc from "fast-check";
import highs from "highs";
import { describe, expect, test } from "vitest";
import { createTruth, type Highs } from "../../lab/truth/highs.js";
import { bruteForce } from "../../lab/truth/tracks.js";
import { randomStreams } from "../../src/core/random.js";
import { ASCENTS, type AscentName } from "../../src/map/dual/ascents.js";
import type { PricedProblem } from "../../src/map/instance/priced.js";
import { anyRecipe, closedRecipe } from "./arbitrary.js";
import { problemOf, randomProblem, solveProblem } from "./problems.js";

/** Changes of a problem that leave its optimum alone, or move it by a known amount. */

const anyAscent = fc.constantFrom(...(Object.keys(ASCENTS) as AscentName[]));

describe("scaling all costs by a power of two", () => {
  test.each([10, -10])("2^%d scales every bound exactly and leaves the tracks alone", async (exponent) => {
    const factor = 2 ** exponent;
    await fc.assert(
      fc.asyncProperty(anyRecipe, anyAscent, async (recipe, ascent) => {
        const problem = randomProblem(recipe);
        const plain = (await solveProblem(problem, { ascent, iterations: 40 })).solution;
        const scaled = (await solveProblem(scale(problem, factor), { ascent, iterations: 40 })).solution;
        expect(scaled.lowerBound).toBe(plain.lowerBound * factor);
        expect(scaled.upperBound).toBe(plain.upperBound * factor);
        expect(scaled.tracks).toEqual(plain.tracks);
        expect(scaled.status).toBe(plain.status);
        expect(scaled.history.map((row) => row.lowerBound)).toEqual(
          plain.history.map((row) => row.lowerBound * factor),
        );
      }),
      { numRuns: 100 },
    );
  });
});

/** The same optimum by enumeration, the same answer where it is proven, and the bound of one a bound of the other. */
async function expectSameOptimum(one: PricedProblem, other: PricedProblem, shift = 0): Promise<void> {
  const first = (await solveProblem(one)).solution;
  const second = (await solveProblem(other)).solution;
  const optimum = bruteForce(one)?.cost ?? Number.POSITIVE_INFINITY;
  expect(bruteForce(other)?.cost ?? Number.POSITIVE_INFINITY).toBeCloseTo(optimum + shift, 9);
  expect(second.lowerBound).toBeLessThanOrEqual(first.upperBound + shift + 1e-9);
  expect(first.lowerBound + shift).toBeLessThanOrEqual(second.upperBound + 1e-9);
  if (first.status === "optimal" && second.status === "optimal") {
    expect(second.upperBound).toBeCloseTo(first.upperBound + shift, 9);
  }
}

test("the LP optimum by HiGHS is the same after all of them, and no bound is above it", async () => {
  const truth = createTruth(highs as unknown as () => Promise<Highs>);
  const optimumOf = async (problem: PricedProblem): Promise<number> => {
    const { graph, solution } = await solveProblem(problem);
    const found = await truth(graph, 10);
    if (found.status !== "solved") throw new Error(JSON.stringify(found));
    expect(solution.lowerBound).toBeLessThanOrEqual(found.lp + 1e-6);
    return found.lp;
  };
  for (let seed = 0; seed < 12; seed++) {
    const births = seed % 2 === 1;
    const storage = (["csr", "absolute", "square"] as const)[seed % 3];
    const problem = randomProblem({
      seed,
      counts: births ? [4, 3, 5, 4] : [4, 4, 4, 4],
      births,
      storage,
      triplets: 0.8,
    });
    const lp = await optimumOf(problem);
    for (const same of [renumber(problem, seed), reverse(problem), stored(problem)]) {
      expect(await optimumOf(same)).toBeCloseTo(lp, 6);
    }
  }
});

test("renumbering the detections within their frames changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyRecipe, fc.nat(), async (recipe, seed) => {
      const problem = randomProblem(recipe);
      await expectSameOptimum(problem, renumber(problem, seed));
    }),
    { numRuns: 100 },
  );
});

test("reversing time changes nothing: frames backwards, tails for heads, births for deaths", async () => {
  await fc.assert(
    fc.asyncProperty(anyRecipe, async (recipe) => {
      const problem = randomProblem(recipe);
      await expectSameOptimum(problem, reverse(problem));
    }),
    { numRuns: 100 },
  );
});

test("a constant on all links out of one detection of a closed problem moves the optimum by it", async () => {
  await fc.assert(
    fc.asyncProperty(closedRecipe, fc.nat(), fc.constantFrom(-7, 0.5, 3), async (recipe, at, shift) => {
      const problem = randomProblem(recipe);
      const { frameStart, tail, cost } = problem.links;
      const detection = at % frameStart[frameStart.length - 2];
      const links = { ...problem.links, cost: cost.map((c, e) => (tail[e] === detection ? c + shift : c)) };
      await expectSameOptimum(problem, { ...problem, links }, shift);
    }),
    { numRuns: 100 },
  );
});

test("triplets that are all free may be left out", async () => {
  await fc.assert(
    fc.asyncProperty(anyRecipe, async (recipe) => {
      const problem = randomProblem({ ...recipe, storage: "free" });
      const one = (await solveProblem(problem)).solution;
      const other = (await solveProblem(stored(problem))).solution;
      expect(other).toMatchObject({ lowerBound: one.lowerBound, upperBound: one.upperBound, tracks: one.tracks });
    }),
    { numRuns: 60 },
  );
});

test("implicit triplets may as well be stored", async () => {
  await fc.assert(
    fc.asyncProperty(anyRecipe, fc.constantFrom("absolute", "square"), async (recipe, storage) => {
      const problem = randomProblem({ ...recipe, storage });
      await expectSameOptimum(problem, stored(problem));
    }),
    { numRuns: 100 },
  );
});

/** The same problem with every triplet written out. */
function stored(problem: PricedProblem): PricedProblem {
  const { links, triplets } = problem;
  if (triplets?.kind === "csr") return problem;
  const rowStart = [0];
  const successor: number[] = [];
  const cost: number[] = [];
  links.head.forEach((j, e) => {
    links.tail.forEach((i, f) => {
      if (i !== j) return;
      const m = (at: number) => triplets?.perLink[at] ?? 0;
      successor.push(f);
      if (triplets?.rule === "square") cost.push((m(2 * e) - m(2 * f)) ** 2 + (m(2 * e + 1) - m(2 * f + 1)) ** 2);
      else cost.push(Math.abs(m(e) - m(f)));
    });
    rowStart.push(successor.length);
  });
  return {
    ...problem,
    triplets: {
      kind: "csr",
      rowStart: Uint32Array.from(rowStart),
      successor: Uint32Array.from(successor),
      cost: Float64Array.from(cost),
    },
  };
}

function scale({ links, triplets, birthDeath }: PricedProblem, factor: number): PricedProblem {
  const times = (values: Float64Array, by = factor) => values.map((value) => value * by);
  return {
    links: { ...links, cost: times(links.cost) },
    triplets:
      triplets?.kind === "implicit"
        ? { ...triplets, perLink: times(triplets.perLink, triplets.rule === "square" ? Math.sqrt(factor) : factor) }
        : triplets && { ...triplets, cost: times(triplets.cost) },
    birthDeath: birthDeath && { birth: times(birthDeath.birth), death: times(birthDeath.death) },
  };
}

/** The problem with detection d named place[d], in frames of the given sizes; `turned` swaps before and after. */
function renamed(problem: PricedProblem, counts: number[], place: Int32Array, turned: boolean): PricedProblem {
  const { links, triplets, birthDeath } = stored(problem);
  if (triplets?.kind !== "csr") throw new Error("stored triplets expected");
  const all: [number, number, number][] = Array.from(links.cost, (cost, e) => {
    const [i, j] = [place[links.tail[e]], place[links.head[e]]];
    return turned ? [j, i, cost] : [i, j, cost];
  });
  const chains: [number, number, number, number][] = [];
  for (let e = 0; e < links.cost.length; e++) {
    for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
      const f = triplets.successor[t];
      const [i, j, k] = [place[links.tail[e]], place[links.head[e]], place[links.head[f]]];
      chains.push(turned ? [k, j, i, triplets.cost[t]] : [i, j, k, triplets.cost[t]]);
    }
  }
  const moved = (values: Float64Array | undefined): number[] => {
    const to = new Array<number>(place.length);
    values?.forEach((value, d) => {
      to[place[d]] = value;
    });
    return to;
  };
  const [birth, death] = [moved(birthDeath?.birth), moved(birthDeath?.death)];
  return problemOf({
    counts,
    links: all.sort((a, b) => a[0] - b[0] || a[1] - b[1]),
    triplets: chains,
    ...(birthDeath === null ? {} : turned ? { birth: death, death: birth } : { birth, death }),
  });
}

function countsOf({ links: { frameStart } }: PricedProblem): number[] {
  return Array.from(frameStart.subarray(1), (end, p) => end - frameStart[p]);
}

function renumber(problem: PricedProblem, seed: number): PricedProblem {
  const { frameStart } = problem.links;
  const random = randomStreams(seed).next().value;
  const place = new Int32Array(frameStart[frameStart.length - 1]);
  countsOf(problem).forEach((count, p) => {
    const order = Uint32Array.from({ length: count }, (_, i) => i);
    random.shuffle(order);
    order.forEach((to, i) => {
      place[frameStart[p] + i] = frameStart[p] + to;
    });
  });
  return renamed(problem, countsOf(problem), place, false);
}

function reverse(problem: PricedProblem): PricedProblem {
  const { frameStart } = problem.links;
  const detections = frameStart[frameStart.length - 1];
  const place = Int32Array.from({ length: detections }, (_, d) => detections - 1 - d);
  return renamed(problem, countsOf(problem).reverse(), place, true);
}
