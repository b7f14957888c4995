import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { createBundle, createBundleKernels } from "../../../src/map/dual/bundle.js";
import { CliqueSearch } from "../../../src/map/dual/clique-search.js";
import { addCliques, cliquePlanes } from "../../../src/map/dual/cliques.js";
import { allCuts, PlaneSums } from "../../../src/map/dual/coordinates.js";
import { createCpuSteps } from "../../../src/map/dual/cpu-steps.js";
import { exclusionPlanes, weigh } from "../../../src/map/dual/exclusions.js";
import { instanceCuts, weighDivisions, weighedCuts } from "../../../src/map/exact/instance-cuts.js";
import { boundBy } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import { type Graph, isLink, tripletCost } from "../../../src/map/instance/instance.js";
import { mixExclusive } from "../../../src/map/primal/exclusive-mixture.js";
import { solve } from "../../../src/map/solve.js";
import { type Recipe, randomProblem } from "../problems.js";
import { evaluate, type Scene, scene, setMultipliers } from "../scene.js";

const CLOSE = 1e-9;

/** Problems whose detections exclude each other, or may divide at costs with which orphans may pay. */
const recipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    counts: fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 2, maxLength: 5 }),
    divides: fc.boolean(),
    storage: fc.constantFrom("csr", "free"),
    costs: fc.constantFrom({ least: -1 }, { least: -3, most: 2, grid: 1 }),
  })
  .map(({ seed, counts, divides, storage, costs }) => ({
    seed,
    counts,
    links: 0.9,
    triplets: 0.8,
    births: true,
    ...(divides && counts.length > 2 ? { divisions: true } : { exclusions: true }),
    storage,
    ...costs,
  }));

interface Restricted extends Scene {
  /** Of exclusions, and of rows of cliques, of which those of divisions are found as an ascent goes. */
  readonly rows: readonly {
    readonly mu: Float64Array;
    readonly kept: Float64Array;
    readonly sum: Float64Array;
    readonly uses?: Float64Array;
  }[];
}

/** At random multipliers v and μ; null where nothing is restricted. */
function restricted(recipe: Recipe, seed: number): Restricted | null {
  const here = scene(recipe, seed);
  const { exclusions, cliques } = here.state;
  const rows = [exclusions, cliques].filter((each) => each !== null);
  if (rows.length === 0) return null;
  const { graph, state } = here;
  const ofDivisions = instanceCuts(graph).map(({ items }) => items.map(([e]) => e).sort((a, b) => a - b));
  const found = exclusions === null ? ofDivisions : cliquesAt(graph, seed);
  addCliques(
    graph,
    state,
    found.map((items) => ({ items, mu: 0 })),
  );
  weighRandomly({ ...here, rows }, seed);
  return { ...here, rows };
}

/** The cliques of links and uses that a random point violates. */
function cliquesAt(graph: Graph, seed: number): number[][] {
  const [random] = randomStreams(seed);
  const point = Array.from({ length: graph.edges + graph.birthOf.length }, () => random.uniform(-0.6, 0.7));
  const at = { x: (e: number) => Math.max(0, point[e]), use: (d: number) => Math.max(0, point[graph.edges + d]) };
  const search = new CliqueSearch(graph, conflictsOf(graph));
  return Array.from({ length: graph.frames - 1 }, (_, p) => search.violated(p, at, 0.01, 20)).flat();
}

function weighRandomly({ graph, state }: Restricted, seed: number): void {
  const [random] = randomStreams(seed);
  const { exclusions, cliques } = state;
  const drawn = () => Math.max(0, random.uniform(-0.5, 1));
  if (exclusions !== null) weigh(exclusions, state, drawn);
  if (cliques === null) return;
  cliques.size.forEach((size, p) => {
    for (let row = cliques.rowStart[p]; row < cliques.rowStart[p] + size; row++) cliques.mu[row] = drawn();
  });
  addCliques(graph, state, []);
}

test("L is what the certificate makes of the same multipliers and the cuts of the instance, and of divisions it makes the most", () => {
  let [weighed, raised] = [0, 0];
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const here = restricted(recipe, seed);
      if (here === null) return;
      const bound = evaluate(here);
      const { graph, state } = here;
      const cuts = weighedCuts(graph, state);
      weighed += cuts.cuts.length;
      const certified = boundBy(graph, { v: state.v, columnDual: state.columnDual, ...cuts });
      expect(certified).toBeGreaterThan(bound - CLOSE);
      if (state.exclusions !== null) expect(certified).toBeLessThan(bound + CLOSE);
      else {
        expect(certifyBound(graph, state.v, state.columnDual).computed).toBeCloseTo(certified, 9);
        // What weighs nothing is no row: those at their best multipliers come beside it.
        state.cliques?.mu.fill(0);
        state.cliques?.size.fill(0);
        state.cliques?.items.fill(0);
        for (let p = 0; p < here.pairs; p++) here.kernels.price(p);
        weighDivisions(graph, state, state.columnDual);
        expect(evaluate(here)).toBeGreaterThan(certified - CLOSE);
        raised++;
      }
    }),
    { numRuns: 300 },
  );
  expect(weighed).toBeGreaterThan(300);
  expect(raised).toBeGreaterThan(50);
});

test("prices by detection are those by edge, and edges are priced right after them", () => {
  let tied = 0;
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const here = restricted(recipe, seed);
      if (here === null || !here.state.tiedByUse) return;
      const { graph, state, kernels, pairs } = here;
      const all = Array.from({ length: pairs }, (_, p) => p);
      for (let round = 0; round < 4; round++) {
        const last = state.v.slice();
        setMultipliers(here, seed + (round % 2));
        state.v.forEach((v, e) => {
          if (v !== last[e]) state.staleDelta[graph.tail[e]] = 1;
        });
        weighRandomly(here, seed + (round % 2));
        for (const p of all) kernels.assignUses(p);
        const found = { reduced: state.reduced.slice(), values: state.pairValue.slice(), next: nextOf(here) };
        if (round === 1) continue;
        for (const p of all) kernels.reprice(p);
        const { delta, reduced, bestSuccessor } = state;
        for (let e = 0; e < graph.deathStart[pairs - 1]; e++)
          if (isLink(graph, e) && bestSuccessor[e] !== UNASSIGNED)
            expect(tripletCost(graph, e, bestSuccessor[e]) - state.v[bestSuccessor[e]]).toBeCloseTo(delta[e], 9);
        const before = { delta: delta.slice(), reduced: reduced.slice() };
        evaluate(here);
        expect(before).toEqual({ delta, reduced });
        expect(found.next).toEqual(nextOf(here));
        found.reduced.forEach((of, e) => {
          expect(of).toBeCloseTo(reduced[e], 9);
        });
        found.values.forEach((of, p) => {
          expect(of).toBeCloseTo(state.pairValue[p], 9);
        });
        tied++;
      }
    }),
    { numRuns: 200 },
  );
  expect(tied).toBeGreaterThan(100);
});

/** How the edge into each detection of the inner frames goes on in the last assignment. */
function nextOf({ graph, state }: Restricted): number[] {
  const { frames, frameStart, birthOf, head } = graph;
  const into = birthOf.slice();
  for (let d = 0; d < frameStart[frames - 1]; d++)
    if (state.linkOfRow[d] !== UNASSIGNED) into[head[state.linkOfRow[d]]] = state.linkOfRow[d];
  return Array.from(into.subarray(frameStart[1], frameStart[frames - 1]), (e) => state.bestSuccessor[e]);
}

describe("the bundle", () => {
  /** max over v and μ ≥ 0 of the combination's value less the proximal terms, which no step raises. */
  function proximal({ state, rows }: Restricted, bundle: ReturnType<typeof createBundle>, tau: number): number {
    let value = bundle.constant.reduce((sum, a) => sum + a, 0);
    bundle.taken.forEach((x, e) => {
      const s = x - bundle.passed[e];
      value += s * state.kept[e] + (tau / 2) * s * s;
    });
    for (const { mu, sum, uses, kept } of rows)
      mu.forEach((of, k) => {
        value += of * (sum[k] + (uses?.[k] ?? 0) - 1) - (of - kept[k]) ** 2 / (2 * tau);
      });
    return value;
  }

  test("has L as the value of the planes that it begins with, and of its model", () => {
    fc.assert(
      fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
        const here = restricted(recipe, seed);
        if (here === null) return;
        const { graph, state, kernels, pairs } = here;
        const bound = evaluate(here);
        const bundle = createBundle(graph, 2);
        const steps = createBundleKernels(graph, state, bundle);
        const cuts = allCuts([exclusionPlanes(graph, state, bundle.planeUsed), cliquePlanes(graph, state, bundle)]);
        for (let p = 0; p < pairs; p++) {
          kernels.keep(p);
          steps.begin(p);
        }
        for (let p = 0; p < pairs; p++) steps.stand(p, 0);
        for (let p = 0; p < pairs; p++) {
          steps.measure(p);
          const sums = new PlaneSums(2, true);
          cuts?.addValues(p, sums);
          sums.spread();
          expect(sums.values[0]).toBeCloseTo(cuts?.present(p) as number, 9);
        }
        expect(bundle.model.reduce((sum, value) => sum + value, 0)).toBeCloseTo(bound, 9);
      }),
      { numRuns: 100 },
    );
  });

  test("weighs restrictions as it moves v: its planes and its model lie nowhere below L, and no step raises the proximal dual", () => {
    let lowered = 0;
    fc.assert(
      fc.property(recipe, fc.nat(1e6), fc.constantFrom(0.05, 0.5), (recipe, seed, tau) => {
        const here = restricted(recipe, seed);
        if (here === null) return;
        const { graph, state, kernels, pairs } = here;
        const bundle = createBundle(graph, 4);
        const steps = createBundleKernels(graph, state, bundle);
        evaluate(here);
        for (let p = 0; p < pairs; p++) {
          kernels.keep(p);
          steps.begin(p);
        }
        for (let p = 0; p < pairs; p++) steps.stand(p, tau);
        for (let pass = 0; pass < 3; pass++) {
          for (let p = 0; p < pairs; p++) {
            const before = proximal(here, bundle, tau);
            kernels.reprice(p);
            kernels.assign(p);
            steps.refine(p, tau);
            const between = proximal(here, bundle, tau);
            steps.refineKept(p, tau);
            const after = proximal(here, bundle, tau);
            expect(between).toBeLessThanOrEqual(before + CLOSE);
            expect(after).toBeLessThanOrEqual(between + CLOSE);
            if (between < before - CLOSE) lowered++;
          }
        }
        for (let other = 1; other <= 3; other++) {
          for (let p = 0; p < pairs; p++) steps.measure(p);
          const model = bundle.model.reduce((sum, value) => sum + value, 0);
          expect(model).toBeGreaterThanOrEqual(evaluate(here) - CLOSE);
          setMultipliers(here, seed + other);
          weighRandomly(here, seed + other);
        }
      }),
      { numRuns: 200 },
    );
    expect(lowered).toBeGreaterThan(200);
  });

  test("comes to the same on any number of threads", async () => {
    const [one, three] = await Promise.all([1, 3].map(solved));
    expect(three.lowerBound).toBe(one.lowerBound);
    expect(three.tracks).toEqual(one.tracks);
    expect(one.proof?.stages[0].cuts.length).toBeGreaterThan(5);

    async function solved(threads: number) {
      const counts = [12, 14, 13, 12, 14, 12];
      const { graph } = buildGraph(
        randomProblem({ seed: 5, counts, links: 0.9, births: true, exclusions: true, least: -1, storage: "free" }),
      );
      const now = () => performance.now() / 1000;
      const steps = createCpuSteps(graph, { threads, threadsFrom: 0, now });
      const options = { ascent: "bundle", iterations: 150, gap: 0, time: 60, now, threads, threadsFrom: 0 } as const;
      const solution = await solve(graph, steps, { ...options, eliminate: false });
      await steps.close();
      return solution;
    }
  });
});

describe("a mixture of tracks with restrictions", () => {
  test("is allowed, and costs no more than either", () => {
    let better = 0;
    fc.assert(
      fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
        const { graph } = buildGraph(randomProblem(recipe));
        const [first, second] = [seed, seed + 1].map((one) => randomTracks(graph, one));
        const costs = [first, second].map((tracks) => costOf(graph, tracks));
        const isMixed = mixExclusive(graph, first, second);
        const cost = costOf(graph, first);
        expect(cost).toBeLessThanOrEqual(Math.min(...costs) + CLOSE);
        expect(isMixed || cost === costs[0]).toBe(true);
        if (cost < Math.min(...costs) - CLOSE) better++;
      }),
      { numRuns: 300 },
    );
    expect(better).toBeGreaterThan(3);
  });

  function costOf(graph: Graph, tracks: Int32Array): number {
    const priced = priceTracks(graph, tracks);
    if (priced.status !== "feasible") throw new Error(JSON.stringify(priced));
    return priced.computed;
  }

  /** Links in random order, each taken where the tracks stay allowed. */
  function randomTracks(graph: Graph, seed: number): Int32Array {
    const [random] = randomStreams(seed);
    const { links, tail, head } = graph;
    const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
    const entered = new Set<number>();
    const order = Array.from({ length: links }, (_, n) => [random.uniform(0, 1), n]).sort(([a], [b]) => a - b);
    for (const [, n] of order) {
      const e = Array.from(tail.keys()).filter((one) => tail[one] >= 0 && head[one] >= 0)[n];
      if (tracks[tail[e]] !== UNASSIGNED || entered.has(head[e])) continue;
      tracks[tail[e]] = e;
      if (priceTracks(graph, tracks).status === "feasible") entered.add(head[e]);
      else tracks[tail[e]] = UNASSIGNED;
    }
    return tracks;
  }
});
