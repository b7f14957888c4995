import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAtMost } from "../../../lab/truth/check.js";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { certifyBound } from "../../../src/map/certificate/certificate.js";
import { type Item, refuteCut } from "../../../src/map/certificate/cuts.js";
import { divisionRows, eachDivisionRow } from "../../../src/map/certificate/divisions.js";
import { instanceCuts } from "../../../src/map/exact/instance-cuts.js";
import { boundBy } from "../../../src/map/exact/stages.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { incidenceOf } from "../../../src/map/instance/incidence.js";
import { type Graph, linkBetween } from "../../../src/map/instance/instance.js";
import { integers } from "../../../src/map/proof/numbers.js";
import { placesOf } from "../../../src/map/proof/places.js";
import { reduce } from "../../../src/map/proof/reduced.js";
import { type Recipe, randomMultipliers, randomProblem } from "../problems.js";

const recipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    counts: fc.array(fc.integer({ min: 2, max: 3 }), { minLength: 3, maxLength: 4 }),
    costs: fc.constantFrom({ least: -1 }, { least: -3, most: 2, grid: 1 }),
  })
  .map(({ seed, counts, costs }) => ({
    ...{ seed, counts, links: 0.8, triplets: 0.8, births: true, divisions: true, storage: "csr", ...costs },
  }));

function twinsOf({ motherOf }: Graph): [mother: number, twin: number][] {
  return Array.from(motherOf ?? [], (mother, twin): [number, number] => [mother, twin]).filter(
    ([m]) => m !== UNASSIGNED,
  );
}

function edgesOut({ linkStart, linkEnd, deathOf }: Graph, d: number): number[] {
  return [deathOf[d], ...Array.from({ length: linkEnd[d] - linkStart[d] }, (_, n) => linkStart[d] + n)];
}

test("the rows of a mother and her twin come to the least of what both may take together", () => {
  let [orphans, daughters] = [0, 0];
  fc.assert(
    fc.property(recipe, fc.constantFrom(1, 3), fc.nat(1e6), (recipe, range, seed) => {
      const { graph } = buildGraph(randomProblem({ ...recipe, links: 1 }));
      // Whole numbers of a small range tie often.
      const slacks = randomMultipliers(graph.edges, range, seed).map((value) => Math.round(value) + 0);
      const charge = new Float64Array(graph.edges);
      let sum = 0;
      eachDivisionRow(
        graph,
        (e) => slacks[e],
        (edges, multiplier) => {
          expect(multiplier).toBeGreaterThan(0);
          const items = edges.map((e): Item => [e, -1]);
          expect(refuteCut(graph, { kind: "clique", items })).toBeNull();
          for (const e of edges) charge[e] += multiplier;
          sum += multiplier;
        },
      );
      const values = twinsOf(graph).map(([mother, twin]) => {
        const { least, lambda, mu } = divisionRows(graph, twin, (e) => slacks[e]);
        if (lambda > 0) orphans++;
        if (mu > 0) daughters++;
        const both = edgesOut(graph, mother).flatMap((e) => edgesOut(graph, twin).map((f) => [e, f]));
        const allowed = both.filter(
          ([e, f]) => graph.head[f] === UNASSIGNED || (graph.head[e] !== UNASSIGNED && graph.head[e] !== graph.head[f]),
        );
        const value = Math.min(...allowed.map(([e, f]) => slacks[e] + slacks[f]));
        expect(least.of).toBe(value);
        expect(slacks[least.mother] + slacks[least.twin]).toBe(value);
        return value;
      });
      const rows = twinsOf(graph)
        .flat()
        .map((d) => Math.min(...edgesOut(graph, d).map((e) => slacks[e] + charge[e])));
      const total = (list: readonly number[]) => list.reduce((all, value) => all + value, 0);
      expect(total(rows) - sum).toBe(total(values));
    }),
    { numRuns: 300 },
  );
  expect(orphans).toBeGreaterThan(50);
  expect(daughters).toBeGreaterThan(50);
});

test("no bound lies above the cheapest lineages, whatever v and β are, in f64 or exactly", () => {
  let raised = 0;
  fc.assert(
    fc.property(recipe, fc.constantFrom(0.1, 1, 1e9), fc.nat(1e6), (recipe, range, seed) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const best = bruteForce(problem);
      const v = randomMultipliers(graph.edges, range, seed);
      v.fill(0, 0, graph.edgeStart[1]);
      for (const [p, birth] of graph.birthStart.entries()) v.fill(0, birth, graph.edgeStart[p + 1]);
      const columnDual = randomMultipliers(graph.birthOf.length, range, seed + 1);
      columnDual.fill(0, 0, graph.frameStart[1]);
      const stage = { v, columnDual, cuts: [], cutMultipliers: new Float64Array(0) };
      const exact = best?.exact ?? null;
      const { computed } = certifyBound(graph, v, columnDual);
      const reduced = boundBy(graph, stage);
      expect(isAtMost(computed, exact)).toBe(true);
      expect(isAtMost(reduced, exact)).toBe(true);
      const shift = placesOf(graph, { stages: [stage], leaves: [] });
      const whole = { graph, incidence: incidenceOf(graph) };
      const { constant } = reduce(integers(shift), whole, stage, new Uint8Array(graph.edges));
      const exactly = Number(constant) / 2 ** shift;
      const size = 1e-12 * Math.max(1, range) * graph.edges;
      for (const bound of [computed, reduced]) {
        expect(bound).toBeLessThanOrEqual(exactly + size);
        expect(bound).toBeGreaterThan(exactly - size);
      }
      const free = certifyBound({ ...graph, motherOf: null }, v, columnDual).computed;
      expect(computed).toBeGreaterThanOrEqual(free);
      if (computed > free) raised++;
    }),
    { numRuns: 150 },
  );
  expect(raised).toBeGreaterThan(50);
});

describe("cuts of divisions", () => {
  const { graph } = buildGraph(
    randomProblem({ seed: 4, counts: [3, 3, 3], births: true, divisions: true, storage: "csr", least: -3, most: 0 }),
  );
  const [mother, twin] = twinsOf(graph)[0];
  const refuted = (edges: readonly number[]) =>
    refuteCut(graph, { kind: "clique", items: edges.map((e): Item => [e, -1]) });

  test("the instance's are valid", () => {
    const cuts = instanceCuts(graph);
    expect(cuts.length).toBeGreaterThan(3);
    for (const cut of cuts) expect(refuteCut(graph, cut)).toBeNull();
  });

  test("a link of a twin is in conflict with the end of her mother, and of nobody else, nor is the twin's own end", () => {
    const [end, second] = [graph.deathOf[mother], graph.linkStart[twin]];
    const other = edgesOut(graph, mother - 1 >= graph.frameStart[1] ? mother - 1 : mother + 1)[0];
    expect(refuted([second, end])).toBeNull();
    expect(
      refuteCut(
        { ...graph, motherOf: null },
        {
          kind: "clique",
          items: [
            [second, -1],
            [end, -1],
          ],
        },
      ),
    ).toBe(`items [${second},-1] and [${end},-1] are not in conflict`);
    expect(refuted([second, other])).toMatch(/not in conflict/);
    expect(refuted([graph.deathOf[twin], end])).toMatch(/not in conflict/);
    expect(refuted([second, linkBetween(graph, mother, graph.head[second])])).toBeNull();
    expect(refuted([second, linkBetween(graph, mother, graph.head[second + 1])])).toMatch(/not in conflict/);
  });
});
