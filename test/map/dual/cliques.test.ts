import fc from "fast-check";
import { expect, test } from "vitest";
import { leastThrough } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { type Item, refuteCut } from "../../../src/map/certificate/cuts.js";
import { createBundle, createBundleKernels } from "../../../src/map/dual/bundle.js";
import { CliqueSearch } from "../../../src/map/dual/clique-search.js";
import { addCliques, weighedCliques } from "../../../src/map/dual/cliques.js";
import { boundBy } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import { type Graph, linkBetween } from "../../../src/map/instance/instance.js";
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

/** What a point takes of each link: a few much, many nothing. */
function drawPoint({ edges }: Graph, seed: number): Float64Array {
  const [random] = randomStreams(seed);
  return Float64Array.from({ length: edges }, () => Math.max(0, random.uniform(-0.6, 0.7)));
}

function rowsOf(graph: Graph, x: Float64Array): { readonly pair: number; readonly items: readonly number[] }[] {
  if (graph.exclusions === null) return [];
  const search = new CliqueSearch(graph, conflictsOf(graph));
  return Array.from({ length: graph.frames - 1 }, (_, pair) =>
    search.violated(pair, (e) => x[e], 0.01, 20).map((items) => ({ pair, items })),
  ).flat();
}

const cliqueOf = (items: readonly number[]) => ({ kind: "clique" as const, items: items.map((e): Item => [e, -1]) });

test("every row that is found is violated by the point, valid by the ends of its links and the sets, and kept by all allowed tracks", () => {
  let [found, withTwins] = [0, 0];
  fc.assert(
    fc.property(recipe, fc.nat(1e6), (recipe, seed) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const x = drawPoint(graph, seed);
      const allowed = leastThrough(problem).map((all) => all.filter(({ cost }) => cost !== null));
      for (const { pair, items } of rowsOf(graph, x)) {
        found++;
        if (items.some((e) => (graph.motherOf?.[graph.tail[e]] ?? UNASSIGNED) !== UNASSIGNED)) withTwins++;
        expect(new Set(items).size).toBe(items.length);
        expect(items.reduce((sum, e) => sum + x[e], 0)).toBeGreaterThan(1);
        expect(refuteCut(graph, cliqueOf(items))).toBeNull();
        for (const { matching } of allowed[pair]) {
          const links = matching.map((j, i) =>
            j < 0 ? -1 : linkBetween(graph, graph.frameStart[pair] + i, graph.frameStart[pair + 1] + j),
          );
          expect(links.filter((e) => items.includes(e)).length).toBeLessThanOrEqual(1);
        }
      }
    }),
    { numRuns: 200 },
  );
  expect(found).toBeGreaterThan(100);
  expect(withTwins).toBeGreaterThan(20);
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
              expect(refuteCut(graph, cliqueOf([e, f]))).toMatch(/not in conflict/);
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
      const certified = boundBy(graph, {
        v: state.v,
        columnDual: state.columnDual,
        cuts: known.map(({ items }) => cliqueOf(items)),
        cutMultipliers: Float64Array.from(known, ({ mu }) => mu),
      });
      expect(certified).toBeCloseTo(bound, 8);
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
