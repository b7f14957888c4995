import fc from "fast-check";
import { expect, test } from "vitest";
import { leastThrough } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { type Item, refuteCut } from "../../../src/map/certificate/cuts.js";
import { createBundle, createBundleKernels } from "../../../src/map/dual/bundle.js";
import type { WeighedCliques } from "../../../src/map/dual/clique-memory.js";
import { CliqueSearch } from "../../../src/map/dual/clique-search.js";
import { addCliques, weighedCliques } from "../../../src/map/dual/cliques.js";
import { createAscentState } from "../../../src/map/dual/state.js";
import { itemsOf, weighAs, weighedCuts } from "../../../src/map/exact/instance-cuts.js";
import { boundBy } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf, usedIn, violatedSet } from "../../../src/map/instance/exclusions.js";
import { type Graph, linkBetween } from "../../../src/map/instance/instance.js";
import type { PricedProblem } from "../../../src/map/instance/priced.js";
import { type Recipe, randomProblem } from "../problems.js";
import { evaluate, scene } from "../scene.js";

const recipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    counts: fc.array(fc.integer({ min: 2, max: 3 }), { minLength: 3, maxLength: 3 }),
    divisions: fc.boolean(),
    least: fc.constantFrom(-1, -3),
  })
  .map((drawn) => ({ ...drawn, links: 0.9, triplets: 1, births: true, exclusions: true, storage: "free" }));

/** What a point takes of each link, and then what it uses of each detection: of a few much, of many nothing. */
function drawPoint({ edges, birthOf }: Graph, seed: number): Float64Array {
  const [random] = randomStreams(seed);
  return Float64Array.from({ length: edges + birthOf.length }, () => Math.max(0, random.uniform(-0.6, 0.7)));
}

function rowsOf(graph: Graph, x: Float64Array): { readonly pair: number; readonly items: readonly number[] }[] {
  if (graph.exclusions === null) return [];
  const search = new CliqueSearch(graph, conflictsOf(graph));
  const point = { x: (e: number) => x[e], use: (d: number) => x[graph.edges + d] };
  return Array.from({ length: graph.frames - 1 }, (_, pair) =>
    search.violated(pair, point, 0.01, 20).map((items) => ({ pair, items })),
  ).flat();
}

const cliqueOf = (graph: Graph, items: readonly number[]) => ({
  kind: "clique" as const,
  items: items.flatMap((n): readonly Item[] => itemsOf(graph, n)),
});

/** All allowed tracks of three frames by their links, and what they use. */
function allowedTracks(problem: PricedProblem, graph: Graph): { tracks: Int32Array; used: Uint8Array }[] {
  const { frameStart, birthOf } = graph;
  const [first, second] = leastThrough(problem).map((all) => all.filter(({ cost }) => cost !== null));
  return first.flatMap((before) =>
    second.flatMap((after) => {
      const tracks = new Int32Array(birthOf.length).fill(UNASSIGNED);
      for (const [pair, { matching }] of [before, after].entries())
        matching.forEach((j, i) => {
          if (j >= 0) tracks[frameStart[pair] + i] = linkBetween(graph, frameStart[pair] + i, frameStart[pair + 1] + j);
        });
      const used = usedIn(graph, tracks);
      return violatedSet(graph, used) < 0 ? [{ tracks, used }] : [];
    }),
  );
}

test("every row that is found is violated by the point, valid by the ends of its links and the sets, and kept by all allowed tracks", () => {
  let [found, withTwins, withUses] = [0, 0, 0];
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const x = drawPoint(graph, seed);
      const rows = rowsOf(graph, x);
      const allowed = rows.length > 0 ? allowedTracks(problem, graph) : [];
      for (const { items } of rows) {
        found++;
        if (items.some((n) => n >= graph.edges)) withUses++;
        if (items.some((e) => (graph.motherOf?.[graph.tail[e]] ?? UNASSIGNED) !== UNASSIGNED)) withTwins++;
        expect(new Set(items).size).toBe(items.length);
        expect(items.reduce((sum, e) => sum + x[e], 0)).toBeGreaterThan(1);
        expect(refuteCut(graph, cliqueOf(graph, items))).toBeNull();
        const most = allowed.reduce((most, { tracks, used }) => {
          const taken = items.filter((n) => (n < graph.edges ? tracks.includes(n) : used[n - graph.edges] === 1));
          return Math.max(most, taken.length);
        }, 0);
        expect(most).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 200 },
  );
  expect(found).toBeGreaterThan(100);
  expect(withTwins).toBeGreaterThan(20);
  expect(withUses).toBeGreaterThan(20);
});

test("two links that some allowed tracks have together are never in conflict", () => {
  let together = 0;
  fc.assert(
    fc.property(recipe, (recipe) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      for (const [pair, all] of leastThrough(problem).entries()) {
        for (const { matching, cost } of all) {
          const links = matching.flatMap((j, i) =>
            j < 0 ? [] : [linkBetween(graph, graph.frameStart[pair] + i, graph.frameStart[pair + 1] + j)],
          );
          for (const [n, e] of cost === null ? [] : links.entries())
            for (const f of links.slice(0, n)) {
              expect(refuteCut(graph, cliqueOf(graph, [e, f]))).toMatch(/not in conflict/);
              together++;
            }
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(together).toBeGreaterThan(50);
});

test("L is what the certificate makes of the same multipliers and rows, and planes have it as their value", () => {
  let weighed = 0;
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const here = scene({ ...recipe, divisions: false }, seed);
      const { graph, state, kernels, pairs } = here;
      if (state.cliques === null) return;
      const [random] = randomStreams(seed);
      const rows = rowsOf(graph, drawPoint(graph, seed)).map(({ items }) => ({ items, mu: random.uniform(0, 1) }));
      addCliques(graph, state, rows);
      const known = weighedCliques(graph, state.cliques);
      weighed += known.length;
      const bound = evaluate(here);
      const { v, columnDual } = state;
      const stage = { v, columnDual, ...weighedCuts(graph, state) };
      expect(boundBy(graph, stage)).toBeCloseTo(bound, 8);
      const again = createAscentState(graph);
      weighAs(graph, again, stage);
      expect(weighedCliques(graph, again.cliques as WeighedCliques)).toEqual(known);
      const bundle = createBundle(graph, 3);
      const steps = createBundleKernels(graph, state, bundle);
      for (let p = 0; p < pairs; p++) {
        kernels.keep(p);
        steps.begin(p);
      }
      // What is found anew has no multiplier yet, and what has one stays.
      for (let p = 0; p < pairs; p++) steps.separate(p, 1);
      for (let p = 0; p < pairs; p++) steps.measure(p);
      expect(bundle.model.reduce((sum, value) => sum + value, 0)).toBeCloseTo(bound, 8);
      expect(weighedCliques(graph, state.cliques)).toEqual(known);
    }),
    { numRuns: 200 },
  );
  expect(weighed).toBeGreaterThan(100);
});
