import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/tracks.js";
import { randomStreams } from "../../../src/core/random.js";
import type { Cut } from "../../../src/map/certificate/cuts.js";
import { CliqueSearch } from "../../../src/map/dual/clique-search.js";
import { itemsOf } from "../../../src/map/exact/instance-cuts.js";
import type { OpenLinearProgram } from "../../../src/map/exact/linear-program.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { type ReducedCosts, reduceCore } from "../../../src/map/exact/stages.js";
import { conflictsOf } from "../../../src/map/instance/exclusions.js";
import type { Graph } from "../../../src/map/instance/instance.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { roundDown } from "../../../src/map/proof/numbers.js";
import type { Proof, RegionProof, Stage } from "../../../src/map/proof/proof.js";
import { Regions, refuteRegions } from "../../../src/map/proof/regions.js";
import { openHighs } from "../exact/support.js";
import { type Recipe, randomMultipliers, randomProblem, seconds, solveProblem } from "../problems.js";
import { multiplied } from "../scene.js";

let open: OpenLinearProgram;
beforeAll(async () => {
  open = await openHighs();
});

const recipe: fc.Arbitrary<Recipe> = fc
  .record({
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    counts: fc.constantFrom([3, 3, 3], [2, 3, 3, 2], [3, 2, 2, 3], [3, 0, 2, 3]),
    divisions: fc.boolean(),
    least: fc.constantFrom(-1, -3),
    storage: fc.constantFrom("free" as const, "csr" as const),
  })
  .map((drawn) => ({ ...drawn, links: 0.9, triplets: 0.9, births: true, exclusions: true }));

/** Multipliers near given ones, with cliques that a random point violates. */
function randomStage(graph: Graph, near: Stage, seed: number): Stage {
  const [random] = randomStreams(seed);
  const x = Float64Array.from({ length: graph.edges + graph.birthOf.length }, () => Math.max(0, random.uniform(-1, 1)));
  const search = new CliqueSearch(graph, conflictsOf(graph));
  const point = { x: (e: number) => x[e], use: (d: number) => x[graph.edges + d] };
  const rows = Array.from({ length: graph.frames - 1 }, (_, p) => search.violated(p, point, 0.01, 3)).flat();
  const cliques = rows.map((items): Cut => ({ kind: "clique", items: items.flatMap((n) => itemsOf(graph, n)) }));
  const noise = random.uniform(0, 0.3);
  const v = near.v.slice();
  const values = randomMultipliers(graph.edges, noise, seed);
  for (const e of multiplied(graph)) v[e] += values[e];
  const columnDual = near.columnDual.map((beta, d) =>
    d < graph.frameStart[1] ? 0 : beta + random.uniform(-noise, noise),
  );
  const multipliers = [...near.cutMultipliers, ...cliques.map(() => random.uniform(0, noise))];
  return { v, columnDual, cuts: [...near.cuts, ...cliques], cutMultipliers: Float64Array.from(multipliers) };
}

/** Up to so many regions that have nothing in common, and detections in none. */
function randomMembers({ birthOf, motherOf }: Graph, seed: number, regions: number): Uint32Array[] {
  const [random] = randomStreams(seed);
  const of = Array.from(birthOf, () => Math.floor(random.uniform(0, regions + (regions > 1 ? 0.7 : 0))));
  motherOf?.forEach((mother, twin) => {
    if (mother >= 0) of[twin] = of[mother];
  });
  const all = Array.from({ length: regions }, (_, n) => Uint32Array.from(of.keys()).filter((d) => of[d] === n));
  return all.filter(({ length }) => length > 0);
}

/** Proofs of regions, from tracks without links. */
async function proved(
  { graph, reduced, stage }: { readonly graph: Graph; readonly reduced: ReducedCosts; readonly stage: Stage },
  members: readonly Uint32Array[],
  limits: readonly number[],
): Promise<RegionProof[]> {
  const places = new Regions(reduced, stage, members);
  const all: RegionProof[] = [];
  for (const [n, detections] of members.entries()) {
    const region = places.instance(n, limits[n]);
    const none = new Int32Array(region.detections.length).fill(-1);
    const limit = { mostTriplets: 1e6, mostLeaves: 1e6, gap: 0, time: 60, now: seconds };
    const solved = await solveExactly(region.graph, region.stage, none, { open, ...limit });
    if (solved === null) throw new Error("tracks without links are allowed");
    all.push({ detections, limit: limits[n], tracks: solved.tracks, proof: solved.proof });
  }
  expect(refuteRegions(graph, all)).toBeNull();
  return all;
}

/** An instance with multipliers near those at which the ascent stalls, and tracks without links: the cost of the best would hide a bound above it. */
async function drawn(recipe: Recipe, seed: number) {
  const problem = randomProblem(recipe);
  const { graph, solution } = await solveProblem(problem, { iterations: 60, eliminate: false });
  const truth = bruteForce(problem);
  if (truth === null || solution.proof === null) throw new Error("tracks may begin and end anywhere");
  const tracks = new Int32Array(graph.birthOf.length).fill(-1);
  const stage = randomStage(graph, solution.proof.stages[0], seed);
  const reduced = reduceCore(wholeOf(graph, tracks), stage);
  return { graph, tracks, cost: truth.cost, stage, reduced };
}

test("no tracks cost less than the bound of any multipliers with what is proved in regions, with rounding or without", async () => {
  let [raised, parts] = [0, 0];
  await fc.assert(
    fc.asyncProperty(recipe, fc.nat(1e6), async (recipe, seed) => {
      const here = await drawn(recipe, seed);
      const { graph, tracks, cost, stage, reduced } = here;
      const members = randomMembers(graph, seed, 2 + (seed % 5));
      const [random] = randomStreams(seed);
      const limits = members.map(() => (random.uniform(0, 1) < 0.3 ? 100 : random.uniform(0.001, 0.4)));
      const proof: Proof = { stages: [stage], leaves: [], regions: await proved(here, members, limits) };
      const checked = checkProof(graph, tracks, proof);
      if (!checked.valid) throw new Error(checked.why);
      expect(checked.lowerBound).toBeLessThanOrEqual(cost + 1e-12);
      const exactly = checkExactly(graph, tracks, proof);
      if (!exactly.valid) throw new Error(exactly.why);
      expect(roundDown(exactly.lowerBound, exactly.shift)).toBeLessThanOrEqual(cost + 1e-12);
      expect(roundDown(exactly.lowerBound, exactly.shift)).toBeGreaterThanOrEqual(checked.lowerBound - 1e-9);
      if (checked.lowerBound > reduced.constant + 1e-6) raised++;
      if (members.length > 2) parts++;
    }),
    { numRuns: 200 },
  );
  expect(raised).toBeGreaterThan(100);
  expect(parts).toBeGreaterThan(100);
});

test("one region of all detections has the optimum, where no multipliers of divisions follow from the others", async () => {
  await fc.assert(
    fc.asyncProperty(recipe, fc.nat(1e6), async (recipe, seed) => {
      const here = await drawn({ ...recipe, divisions: false }, seed);
      const regions = await proved(here, randomMembers(here.graph, seed, 1), [1000]);
      const checked = checkProof(here.graph, here.tracks, { stages: [here.stage], leaves: [], regions });
      expect(checked.valid && checked.lowerBound).toBeCloseTo(here.cost, 8);
    }),
    { numRuns: 50 },
  );
});

test("regions that have a detection in common, or a twin without her mother, are none", async () => {
  const here = await drawn(
    { seed: 1, counts: [3, 3, 3], births: true, exclusions: true, divisions: true, least: -1 },
    1,
  );
  const { graph, tracks, stage } = here;
  const regions = await proved(here, randomMembers(graph, 1, 1), [1000]);
  const whyNot = (regions: readonly RegionProof[]) => {
    const checked = checkProof(graph, tracks, { stages: [stage], leaves: [], regions });
    return checked.valid ? null : checked.why;
  };
  expect(whyNot(regions)).toBeNull();
  expect(whyNot([...regions, ...regions])).toMatch(/in common/);
  const twin = graph.motherOf?.findIndex((mother) => mother >= 0) ?? -1;
  const [region] = regions;
  expect(whyNot([{ ...region, detections: region.detections.filter((d) => d !== twin) }])).toMatch(/mother/);
  expect(whyNot([{ ...region, detections: region.detections.toReversed() }])).toMatch(/after/);
  expect(whyNot([{ ...region, limit: Number.NaN }])).toMatch(/limit/);
  const { stages } = region.proof;
  const more = { ...stages[0], v: stages[0].v.slice(1) };
  expect(whyNot([{ ...region, proof: { ...region.proof, stages: [more] } }])).toMatch(/region 0: .*multipliers/);
});
