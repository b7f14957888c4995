import fc from "fast-check";
import loadHighsModule from "highs";
import { beforeAll, describe, expect, test } from "vitest";
import { lpModel } from "../../../lab/truth/highs.js";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { type Cut, type Item, refuteCut, rightOf } from "../../../src/map/certificate/cuts.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { type Graph, isLink } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { leafCover } from "../../../src/map/proof/decisions.js";
import type { Leaf, Proof } from "../../../src/map/proof/proof.js";
import { solve } from "../../../src/map/solve.js";
import { anyRecipe } from "../arbitrary.js";
import { nextOf, problemOf, randomMultipliers, randomProblem, seconds, tracksOf } from "../problems.js";
import { openHighs } from "./support.js";

interface IntegerSolver {
  solve(model: string, options: object): { ObjectiveValue: number };
}

let open: OpenLinearProgram;
beforeAll(async () => {
  open = await openHighs();
});

/** Multipliers and tracks of a few iterations. */
async function ascend(problem: PricedProblem, iterations: number) {
  const { graph } = buildGraph(problem);
  const steps = createCpuSteps(graph, { threads: 1, now: seconds });
  const { tracks } = await solve(graph, steps, { ascent: "bundle", iterations, gap: 0, time: 60, now: seconds });
  const { v, columnDual } = await steps.read();
  const state = { v: v.slice(), columnDual: columnDual.slice() };
  await steps.close();
  return { graph, tracks, ...state };
}

async function solveSmall(problem: PricedProblem, iterations: number) {
  const { graph, tracks, v, columnDual } = await ascend(problem, iterations);
  if (tracks === null) return null;
  const limits = { mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 60 };
  const start = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
  const outcome = await solveExactly(graph, start, tracks, { open, ...limits, now: seconds });
  if (outcome === null) throw new Error("the tracks are not allowed");
  return { graph, outcome };
}

/** The least cost without any rounding. */
function optimumOf(problem: PricedProblem): bigint {
  const truth = bruteForce(problem);
  const optimum = truth && exactCost(problem, truth.next);
  if (optimum === null) throw new Error("no set of tracks is allowed");
  return optimum;
}

describe("solveExactly", () => {
  test("proves the optimum of enumeration, with cuts where the relaxation is loose, and its proof checks", async () => {
    let [cuts, loose] = [0, 0];
    const problems = [
      ...Array.from({ length: 80 }, (_, seed) => randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 })),
      ...Array.from({ length: 80 }, (_, seed) =>
        randomProblem({ seed, counts: [3, 4, 3, 3], births: true, least: -1, storage: seed % 2 ? "absolute" : "csr" }),
      ),
    ];
    for (const problem of problems) {
      const found = await solveSmall(problem, 3);
      if (found === null) continue;
      const { graph, outcome } = found;
      const optimum = optimumOf(problem);
      expect(outcome.outcome).toBe("closed");
      const cost = exactCost(problem, nextOf(graph, outcome.tracks));
      expect(cost).toBe(optimum);
      expect(exactly(outcome.lowerBound) <= optimum).toBe(true);
      expect(outcome.upperBound - outcome.lowerBound).toBeLessThanOrEqual(1e-9 * Math.abs(outcome.upperBound) + 1e-12);
      const checked = checkProof(graph, outcome.tracks, outcome.proof);
      if (!checked.valid) throw new Error(checked.why);
      expect(exactly(checked.lowerBound) <= optimum).toBe(true);
      expect(outcome.lowerBound - checked.lowerBound).toBeLessThan(1e-9);
      cuts += outcome.cuts;
      if (outcome.proof.stages.length > 1) loose++;
    }
    expect(loose).toBeGreaterThan(20);
    expect(cuts).toBeGreaterThan(20);
  });
});

describe("few frames", () => {
  test("are solved by small cores of what costs less than a bound, at the optimum of a solver of integer programs", async () => {
    const highs = await (loadHighsModule as unknown as () => Promise<IntegerSolver>)();
    for (let seed = 0; seed < 6; seed++) {
      const { graph, tracks, v, columnDual } = await ascend(
        randomProblem({ seed, counts: [9, 9, 9], most: 100, grid: 1 }),
        1,
      );
      if (tracks === null) throw new Error("no tracks");
      const cores: number[] = [];
      const outcome = await solveExactly(
        graph,
        { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) },
        tracks,
        {
          ...{ open, mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 60, now: seconds },
          progress: ({ triplets }) => cores.push(triplets),
        },
      );
      // Nine triplets of the tracks, and ten times as many others. The instance has 729.
      expect(cores[0]).toBeLessThanOrEqual(99);
      expect(outcome?.outcome).toBe("closed");
      const { ObjectiveValue: optimum } = highs.solve(lpModel(graph, true), { output_flag: false, mip_rel_gap: 0 });
      expect(outcome?.upperBound).toBe(Math.round(optimum));
      const checked = outcome && checkProof(graph, outcome.tracks, outcome.proof);
      expect(checked).toMatchObject({ valid: true, optimal: true, lowerBound: Math.round(optimum) });
    }
  });
});

describe("tracks that cost nothing", () => {
  test("end the search although rounding keeps the bound below them, and are not taken for dearer than themselves", async () => {
    // Four targets that stand still, two at each of two places: which of the two is which costs nothing.
    const counts = [4, 4, 4, 4];
    const links = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 4 }, (_, n) => [i, 4 * Math.floor(i / 4) + 4 + n, ((i - n) % 2) ** 2 / 7] as const),
    ).flat();
    const { graph } = buildGraph(problemOf({ counts, links }));
    const tracks = tracksOf(
      graph,
      Int32Array.from({ length: 16 }, (_, d) => d + 4),
    );
    for (let seed = 0; seed < 3; seed++) {
      const stage = {
        v: randomMultipliers(graph.edges, 0.1, seed),
        columnDual: new Float64Array(16),
        cuts: [],
        cutMultipliers: new Float64Array(0),
      };
      const limits = { mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 5, now: seconds };
      const outcome = await solveExactly(graph, stage, tracks, { open, ...limits });
      expect(["closed", "still"]).toContain(outcome?.outcome);
      expect(outcome?.upperBound).toBe(0);
    }
  });
});

describe("cuts", () => {
  /** Every allowed set of tracks of a small problem, as the edges it uses. */
  function allSets(graph: Graph): Set<number>[] {
    const { frames, frameStart, links, edges, deathOf, birthOf, tail, head } = graph;
    const last = frameStart[frames - 1];
    const hasBirths = edges > links;
    let sets: number[][] = [[]];
    for (let d = 0; d < last; d++) {
      const own = [...tail.keys()].filter((e) => isLink(graph, e) && tail[e] === d);
      const choices = hasBirths ? [...own, deathOf[d]] : own;
      sets = sets.flatMap((set) =>
        choices.filter((e) => head[e] < 0 || !set.some((g) => head[g] === head[e])).map((e) => [...set, e]),
      );
    }
    return sets.map((set) => {
      const used = new Set(set);
      const entered = new Set(set.map((e) => head[e]));
      for (let d = frameStart[1]; d < frameStart[frames]; d++) if (hasBirths && !entered.has(d)) used.add(birthOf[d]);
      return used;
    });
  }

  test("none that is accepted is violated by any set of tracks; random ones are mostly refused", () => {
    let [accepted, refused] = [0, 0];
    for (let seed = 0; seed < 6; seed++) {
      const births = seed % 2 === 0;
      const { graph } = buildGraph(randomProblem({ seed, counts: births ? [3, 2, 3] : [3, 3, 3], births }));
      const sets = allSets(graph);
      fc.assert(
        fc.property(
          fc.constantFrom("clique" as const, "odd-hole" as const),
          fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 2, maxLength: 5 }),
          (kind, draws) => {
            const items = draws.map(([a, b, triplet]): Item => {
              const e = a % graph.edges;
              const next = [...graph.tail.keys()].filter((f) => graph.head[e] >= 0 && graph.tail[f] === graph.head[e]);
              return triplet && next.length > 0 ? [e, next[b % next.length]] : [e, -1];
            });
            const cut: Cut = { kind, items };
            if (refuteCut(graph, cut) !== null) {
              refused++;
              return;
            }
            accepted++;
            for (const used of sets) {
              const sum = items.filter(([e, f]) => used.has(e) && (f < 0 || used.has(f))).length;
              expect(sum).toBeLessThanOrEqual(rightOf(cut));
            }
          },
        ),
        { numRuns: 1500 },
      );
    }
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(100);
  });

  test("no set of tracks violates a widened odd hole", () => {
    let [wide, tight] = [0, 0];
    for (let seed = 0; seed < 8; seed++) {
      const births = seed % 2 === 0;
      const { graph } = buildGraph(randomProblem({ seed, counts: births ? [3, 2, 3] : [3, 3, 3], births }));
      const sets = allSets(graph);
      const all = [...graph.tail.keys()].flatMap((e): Item[] => [
        [e, -1],
        ...[...graph.tail.keys()].flatMap((f): Item[] =>
          graph.head[e] >= 0 && graph.tail[f] === graph.head[e] ? [[e, f]] : [],
        ),
      ]);
      const inConflict = (...items: Item[]) => refuteCut(graph, { kind: "clique", items }) === null;
      const [random] = randomStreams(seed);
      for (let n = 0; n < 40; n++) {
        // A walk of five items from conflict to conflict, then all others in random order, each to a group with which, and with both next to which, it is in conflict.
        const shuffled = all.map((item) => [random.uniform(0, 1), item] as const).sort(([a], [b]) => a - b);
        const ring: Item[][] = [[], [], [], [], []];
        const fits = (item: Item, g: number) =>
          [...ring[g], ...ring[(g + 1) % 5], ...ring[(g + 4) % 5]].every((other) => inConflict(item, other));
        for (const [, item] of shuffled) {
          const free = ring.findIndex((group) => group.length === 0);
          const at = free >= 0 ? (fits(item, free) ? free : -1) : ring.findIndex((_, g) => fits(item, g));
          if (at >= 0) ring[at].push(item);
        }
        const cut: Cut = { kind: "odd-hole", items: ring.flat(), groups: ring.map((group) => group.length) };
        if (ring.some((group) => group.length === 0)) {
          expect(refuteCut(graph, cut)).toMatch(/items in all/);
          continue;
        }
        expect(refuteCut(graph, cut)).toBeNull();
        wide++;
        const sums = sets.map((used) => cut.items.filter(([e, f]) => used.has(e) && (f < 0 || used.has(f))).length);
        expect(Math.max(...sums)).toBeLessThanOrEqual(2);
        if (Math.max(...sums) === 2) tight++;
      }
    }
    expect(wide).toBeGreaterThan(50);
    expect(tight).toBeGreaterThan(10);
  });

  test("groups of an odd hole are an odd number, hold all items, and each is in conflict with itself and the next", () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [6, 6], births: false }));
    const out = (i: number): Item[] => [...graph.tail.keys()].filter((e) => graph.tail[e] === i).map((e) => [e, -1]);
    const items = out(0);
    expect(items.length).toBeGreaterThan(4);
    const rest = items.length - 2;
    const refuted = (cut: Omit<Cut, "kind">) => refuteCut(graph, { kind: "odd-hole", ...cut });
    expect(refuted({ items, groups: [1, 1, rest] })).toBeNull();
    expect(refuted({ items, groups: [1, 1 + rest] })).toMatch(/2 groups/);
    expect(refuted({ items, groups: [1, 1, rest - 1] })).toMatch(/items in all/);
    expect(refuted({ items, groups: [0, 2, rest] })).toMatch(/items in all/);
    expect(refuted({ items, groups: [items.length] })).toMatch(/not in conflict/);
    expect(refuted({ items: [...items.slice(0, -1), out(1)[0]], groups: [1, 1, rest] })).toMatch(/not in conflict/);
  });

  test("an item of an odd hole stands in one of its groups only, also of those that are not next to each other", () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [6, 6], births: false }));
    const [a, b, c, d, e] = [...graph.tail.keys()].filter((e) => graph.tail[e] === 0).map((e): Item => [e, -1]);
    expect(refuteCut(graph, { kind: "odd-hole", items: [a, b, c, d, e] })).toBeNull();
    expect(refuteCut(graph, { kind: "odd-hole", items: [a, b, a, c, d] })).toBe(`item [${a[0]}, -1] stands twice`);
  });

  test("an edge that occurs twice is in no conflict with itself", () => {
    const { graph } = buildGraph(randomProblem({ seed: 1, counts: [2, 2] }));
    expect(refuteCut(graph, { kind: "clique", items: [[0, -1], [0, -1]] })).toMatch(/not in conflict/); // biome-ignore format: one line
  });
});

describe("checkProof", () => {
  test("never certifies above the optimum, whatever the multipliers, cuts and decisions are", async () => {
    let valid = 0;
    await fc.assert(
      fc.asyncProperty(
        anyRecipe,
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.constantFrom(0, 0.1, 1),
        async (recipe, seed, noise) => {
          const problem = randomProblem(recipe);
          const { graph, tracks, v, columnDual } = await ascend(problem, 3);
          if (tracks === null) return;
          const moved = v.map((value, e) => value + randomMultipliers(v.length, noise, seed)[e]);
          const stage = { v: moved, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
          const checked = checkProof(graph, tracks, { stages: [stage], leaves: [] });
          if (!checked.valid) return;
          valid++;
          expect(exactly(checked.lowerBound) <= optimumOf(problem)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
    expect(valid).toBeGreaterThan(100);
  });

  test("refuses or weakens what is tampered with: a cut, a multiplier, a leaf, a length", async () => {
    let [tampered, weaker] = [0, 0];
    for (let seed = 0; seed < 120; seed++) {
      const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
      const found = await solveSmall(problem, 3);
      const last = found?.outcome.proof.stages.at(-1);
      if (!found || last === undefined || last.cuts.length === 0) continue;
      const { graph, outcome } = found;
      const optimum = optimumOf(problem);
      const check = (change: Partial<typeof last>): void => {
        const stages = [...outcome.proof.stages.slice(0, -1), { ...last, ...change }];
        const proof: Proof = { ...outcome.proof, stages };
        const checked = checkProof(graph, outcome.tracks, proof);
        tampered++;
        if (checked.valid) expect(exactly(checked.lowerBound) <= optimum).toBe(true);
        if (!checked.valid || checked.lowerBound < outcome.lowerBound) weaker++;
      };
      const [first, ...others] = last.cuts;
      check({ cuts: [{ ...first, items: [first.items[0], first.items[0]] }, ...others] });
      check({ cutMultipliers: last.cutMultipliers.map((mu) => -mu) });
      check({ cutMultipliers: last.cutMultipliers.map((mu) => 100 * mu) });
      check({ cutMultipliers: last.cutMultipliers.map(() => Number.NaN) });
      check({ v: last.v.subarray(1) });
      const noTracks = checkProof(
        graph,
        outcome.tracks.map((_, d) => outcome.tracks[d ^ 1]),
        outcome.proof,
      );
      expect(noTracks).toMatchObject({ valid: false, why: expect.stringMatching(/does not leave/) });
    }
    expect(tampered).toBeGreaterThan(20);
    expect(weaker / tampered).toBeGreaterThan(0.7);
  });

  test("leaves must cover both sides of every decision", () => {
    const cover = (...leaves: Leaf["decisions"][]) => leafCover(leaves);
    expect(cover([])).toBeNull();
    expect(cover([[3, 0]], [[3, 1]])).toBeNull();
    expect(cover([[3, 0]], [[3, 1], [5, 0]], [[3, 1], [5, 1]])).toBeNull(); // biome-ignore format: a tree
    expect(cover()).toMatch(/no leaf/);
    expect(cover([[3, 0]])).toMatch(/no leaf at depth 1, edge 3 = 1/);
    expect(cover([[3, 0]], [[4, 1]])).toMatch(/do not branch on one edge/);
    expect(cover([], [[3, 1]])).not.toBeNull();
  });
});
