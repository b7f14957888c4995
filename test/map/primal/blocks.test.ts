import fc from "fast-check";
import { expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import { UNASSIGNED } from "../../../src/lap/lap.js";
import { priceTracks } from "../../../src/map/certificate/price-tracks.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { ownerOf } from "../../../src/map/instance/twins.js";
import { BlockProgram, look } from "../../../src/map/primal/block-program.js";
import { Blocks } from "../../../src/map/primal/blocks.js";
import type { SolveInteger } from "../../../src/map/primal/integer-program.js";
import { loadHighs } from "../../../src/run/highs.js";
import { randomProblem } from "../problems.js";

const CLOSE = 1e-9;

const highs = await loadHighs();
if (highs === null) throw new Error("the package highs is not installed");
const { solveInteger } = highs;

const recipe = (most: number) =>
  fc
    .record({
      seed: fc.nat(2 ** 31 - 1),
      counts: fc.array(fc.integer({ min: 1, max: most }), { minLength: 2, maxLength: 5 }),
      exclusions: fc.boolean(),
      divisions: fc.boolean(),
    })
    .map((drawn) => ({ ...drawn, links: 0.8, births: true, least: -1.5, storage: "free" as const }));

function costOf(graph: Graph, tracks: Int32Array): number {
  const priced = priceTracks(graph, tracks);
  return priced.status === "feasible" ? priced.computed : Number.POSITIVE_INFINITY;
}

/** Links in random order, each taken where the tracks stay allowed. */
function randomTracks(graph: Graph, seed: number): Int32Array {
  const [random] = randomStreams(seed);
  const { tail, head } = graph;
  const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
  const entered = new Set<number>();
  const links = Array.from(tail.keys()).filter((e) => tail[e] >= 0 && head[e] >= 0);
  for (const [, e] of links.map((e) => [random.uniform(0, 1), e]).sort(([a], [b]) => a - b)) {
    if (tracks[tail[e]] !== UNASSIGNED || entered.has(head[e])) continue;
    tracks[tail[e]] = e;
    if (costOf(graph, tracks) < Number.POSITIVE_INFINITY) entered.add(head[e]);
    else tracks[tail[e]] = UNASSIGNED;
  }
  return tracks;
}

/** The first links that may be taken together, of detections that are no twins. */
function firstTracks(graph: Graph): Int32Array {
  const { from, other } = conflictsOf(graph);
  const tracks = new Int32Array(graph.birthOf.length).fill(UNASSIGNED);
  const [closed, entered] = [new Set<number>(), new Set<number>()];
  for (let e = 0; e < graph.links; e++) {
    const [d, next] = [graph.tail[e], graph.head[e]];
    if (next < 0 || ownerOf(graph, d) !== d || tracks[d] >= 0 || entered.has(next) || closed.has(d) || closed.has(next))
      continue;
    tracks[d] = e;
    entered.add(next);
    for (const used of [d, next]) for (const each of other.subarray(from[used], from[used + 1])) closed.add(each);
  }
  return tracks;
}

/** Any prices: those of multipliers only say where to look. */
function randomPrices({ edges, birthOf: { length } }: Graph, seed: number, most: number) {
  const [random] = randomStreams(seed);
  const draw = (count: number, least: number) =>
    Float64Array.from({ length: count }, () => random.uniform(least, most));
  const combined = Float64Array.from({ length }, () => random.uniform(0, 2 / most));
  return { v: draw(edges, -most), slack: draw(edges, 0), charge: draw(length, 0), combined };
}

function layAnew(
  graph: Graph,
  tracks: Int32Array,
  members: Iterable<number>,
  { slack, most }: { slack: Float64Array; most: number },
  solve: SolveInteger = solveInteger,
  late = () => false,
): Int32Array {
  const laid = { tracks, into: new Int32Array(tracks.length), used: new Uint8Array(tracks.length) };
  look(graph, laid);
  const improved = tracks.slice();
  new BlockProgram({ graph, conflicts: conflictsOf(graph), slack, laid }, solve, late).layAnew(members, most, improved);
  return improved;
}

/** The detections that are no twins. */
const owners = (graph: Graph) => Array.from(graph.birthOf.keys()).filter((d) => ownerOf(graph, d) === d);

test("tracks that are laid anew in a block are allowed, cost no more, and differ between its detections alone", () => {
  let better = 0;
  fc.assert(
    fc.property(recipe(6), fc.nat(1e6), fc.double({ min: 0.2, max: 1 }), (recipe, seed, share) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const tracks = randomTracks(graph, seed);
      const [random] = randomStreams(seed);
      const members = owners(graph).filter(() => random.uniform(0, 1) < share);
      const { slack } = randomPrices(graph, seed, 0.3);
      const improved = layAnew(graph, tracks, members, { slack, most: 0.2 });
      expect(costOf(graph, improved)).toBeLessThanOrEqual(costOf(graph, tracks) + CLOSE);
      if (costOf(graph, improved) < costOf(graph, tracks) - CLOSE) better++;
      const isInside = (e: number) =>
        e < 0 || (members.includes(ownerOf(graph, graph.tail[e])) && members.includes(graph.head[e]));
      for (const [d, link] of tracks.entries())
        if (improved[d] !== link) for (const e of [link, improved[d]]) expect(isInside(e)).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(better).toBeGreaterThan(100);
});

test("a block that is the whole of a small instance ends at the optimum", () => {
  fc.assert(
    fc.property(recipe(3), fc.nat(1e6), (recipe, seed) => {
      const problem = randomProblem(recipe);
      const { graph } = buildGraph(problem);
      const all = { slack: new Float64Array(graph.edges), most: 1 };
      const improved = layAnew(graph, randomTracks(graph, seed), owners(graph), all);
      expect(costOf(graph, improved)).toBeCloseTo(bruteForce(problem)?.cost as number, 9);
    }),
    { numRuns: 200 },
  );
});

test("whatever a solver of integer programs answers, tracks stay allowed and cost no more", () => {
  fc.assert(
    fc.property(recipe(5), fc.nat(1e6), fc.constantFrom("failed", "ones", "random"), (recipe, seed, kind) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const tracks = randomTracks(graph, seed);
      const [random] = randomStreams(seed);
      const wrong: SolveInteger = ({ cost }) =>
        kind === "failed" ? null : cost.map(() => (kind === "ones" ? 1 : Math.round(random.uniform(0, 1))));
      const all = { slack: new Float64Array(graph.edges), most: 1 };
      const improved = layAnew(graph, tracks, owners(graph), all, wrong);
      expect(costOf(graph, improved)).toBeLessThanOrEqual(costOf(graph, tracks) + CLOSE);
    }),
    { numRuns: 300 },
  );
});

test("allowed tracks satisfy the cuts of any point, and points that are not whole have some", () => {
  const found = { cliques: 0, divisions: 0 };
  fc.assert(
    fc.property(recipe(5), fc.nat(1e6), (recipe, seed) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const [random] = randomStreams(seed);
      const all = { slack: new Float64Array(graph.edges), most: 1 };
      const look: SolveInteger = (_, known, cuts) => {
        expect(cuts(known)).toEqual([]);
        for (let draw = 0; draw < 3; draw++)
          for (const { upper, index, value } of cuts(known.map((z) => random.uniform(0, 0.4) + 0.6 * z))) {
            expect(index.reduce((sum, n, k) => sum + value[k] * known[n], 0)).toBeLessThanOrEqual(upper);
            expect(new Set(index).size).toBe(index.length);
            found[upper === 1 ? "cliques" : "divisions"]++;
          }
        return null;
      };
      layAnew(graph, randomTracks(graph, seed), owners(graph), all, look);
    }),
    { numRuns: 300 },
  );
  expect(found.cliques).toBeGreaterThan(1000);
  expect(found.divisions).toBeGreaterThan(100);
});

test("a search for a block's tracks that is late ends with what it has", () => {
  let asked = 0;
  fc.assert(
    fc.property(recipe(6), fc.nat(1e6), fc.nat(3), (recipe, seed, most) => {
      const { graph } = buildGraph(randomProblem(recipe));
      const tracks = randomTracks(graph, seed);
      const all = { slack: new Float64Array(graph.edges), most: 1 };
      asked = 0;
      const improved = layAnew(graph, tracks, owners(graph), all, solveInteger, () => ++asked > most);
      expect(costOf(graph, improved)).toBeLessThanOrEqual(costOf(graph, tracks) + CLOSE);
      if (most === 0) expect(improved).toEqual(tracks);
    }),
    { numRuns: 100 },
  );
});

test("blocks around what the tracks pay come to the same tracks with any number of threads, and to none that are dearer", async () => {
  let better = 0;
  for (let seed = 0; seed < 2; seed++) {
    const counts = Array.from({ length: 6 }, () => 100);
    const recipe = { seed, counts, exclusions: true, divisions: true, links: 0.03, births: true, least: -1.5 };
    const { graph } = buildGraph(randomProblem({ ...recipe, storage: "free" }));
    const tracks = firstTracks(graph);
    const found: Int32Array[] = [];
    for (const threads of [1, 3]) {
      const load = async () => solveInteger;
      const blocks = new Blocks(graph, { threads, late: () => false, load });
      found.push(await blocks.improveBy(tracks, randomPrices(graph, seed, 0.3)));
      blocks.close();
    }
    expect(found[1]).toEqual(found[0]);
    expect(costOf(graph, found[0])).toBeLessThanOrEqual(costOf(graph, tracks) + CLOSE);
    if (costOf(graph, found[0]) < costOf(graph, tracks) - CLOSE) better++;
  }
  expect(better).toBe(2);
});
