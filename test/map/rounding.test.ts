import { describe, expect, test } from "vitest";
import { exactly } from "../../lab/truth/tracks.js";
import { randomStreams } from "../../src/core/random.js";
import { type Cut, type Item, rightOf } from "../../src/map/certificate/cuts.js";
import { cutCore } from "../../src/map/exact/core.js";
import { type ChainsInF64, type ReducedCosts, reduceCosts } from "../../src/map/exact/stages.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { type Incidence, incidenceOf } from "../../src/map/instance/incidence.js";
import { type Graph, tripletCost, tripletIndex } from "../../src/map/instance/instance.js";
import { chainsOf } from "../../src/map/proof/chains.js";
import { wholeOf } from "../../src/map/proof/core.js";
import { cheaperThan } from "../../src/map/proof/dominated.js";
import { rounded } from "../../src/map/proof/numbers.js";
import { WeighedCuts } from "../../src/map/proof/weighed-cuts.js";
import { type Recipe, randomProblem, tracksOf } from "./problems.js";

/** Costs with every digit used, so that hardly a sum or difference is exact. */
const digits = (recipe: Recipe): Recipe => ({ ...recipe, least: -1, most: 2, grid: 2 ** -52 });

/** Numbers of both signs from 1 to 2²⁴: beside the large ones the digits of the others round away. */
function heavy(length: number, seed: number): Float64Array {
  const [random] = randomStreams(seed);
  const scale = () => 2 ** (random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 24));
  return Float64Array.from({ length }, () => scale() * random.uniform(-1, 1));
}

type Exact = bigint | null;
const exact = (value: number): Exact => (value === Number.POSITIVE_INFINITY ? null : exactly(value));
const sum = (...terms: readonly Exact[]): Exact =>
  terms.reduce((total, term) => (total === null || term === null ? null : total + term), 0n as Exact);
const least = (values: readonly Exact[]): Exact =>
  values.reduce((low, value) => (low === null || (value !== null && value < low) ? value : low), null);
const numbersTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** [e, f] of all triplets. */
function tripletsOf({ frames, frameStart, edges, head }: Graph, { outFrom, outEdge }: Incidence, graph: Graph) {
  return numbersTo(edges)
    .filter((e) => head[e] >= 0 && head[e] < frameStart[frames - 1])
    .flatMap((e) => [...outEdge.subarray(outFrom[head[e]], outFrom[head[e] + 1])].map((f) => [e, f] as const))
    .filter(([e, f]) => tripletCost(graph, e, f) < Number.POSITIVE_INFINITY);
}

describe("WeighedCuts", () => {
  test("adds at most the exact sums of the multipliers, and takes at least the exact constant", () => {
    let [over, under] = [0, 0];
    for (let seed = 0; seed < 200; seed++) {
      const storage = (["csr", "absolute"] as const)[seed % 2];
      const { graph } = buildGraph(randomProblem({ seed, counts: [2, 2, 2], storage }));
      const triplets = tripletsOf(graph, incidenceOf(graph), graph);
      const items: Item[] = [[0, -1], triplets[0]];
      const cuts = numbersTo(60).map((n): Cut => ({ kind: "clique", items: [items[n % 2]] }));
      const mu = heavy(cuts.length, seed).map(Math.abs);
      const weighed = new WeighedCuts(rounded, graph.edges, cuts, mu);
      const [e, f] = triplets[0];
      const of = (k: number) => mu.filter((_, n) => n % 2 === k).reduce((total, value) => total + exactly(value), 0n);
      expect(exactly(weighed.ofEdge(0) as number) <= of(0)).toBe(true);
      expect(exactly(weighed.ofTriplet(e, f) as number) <= of(1)).toBe(true);
      expect(exactly(rounded.total(weighed.right).most as number) >= of(0) + of(1)).toBe(true);
      // The plain sums are above in about half of the cases, and below in the other half.
      const plain = (k: number) => exactly(mu.filter((_, n) => n % 2 === k).reduce((total, value) => total + value, 0));
      if (plain(0) > of(0) || plain(1) > of(1)) over++;
      if (exactly(cuts.reduce((total, cut, k) => total + mu[k] * rightOf(cut), 0)) < of(0) + of(1)) under++;
    }
    expect(over).toBeGreaterThan(50);
    expect(under).toBeGreaterThan(50);
  });
});

/**
 * The most that the constant may be with the reduced costs given, in exact numbers: with Δ_e = min_f (D_ef − v_f − s_ef) and
 * α_i = min_e (C_e + v_e + Δ_e − β_j − r_e), of births β_j likewise, the identity holds for every set of tracks.
 */
function mostConstant(graph: Graph, incidence: Incidence, { v, columnDual, edge, between }: ReducedCosts): Exact {
  const { frames, frameStart, edges, tail, head, cost } = graph;
  const [second, last] = [frameStart[1], frameStart[frames - 1]];
  const delta: Exact[] = numbersTo(edges).map((e) => (head[e] >= 0 && head[e] < last ? null : 0n));
  for (const [e, f] of tripletsOf(graph, incidence, graph)) {
    const rest = exactly(tripletCost(graph, e, f)) - exactly(v[f]) - exactly(between(e, f));
    delta[e] = least([delta[e], rest]);
  }
  const rest = (e: number): Exact =>
    edge[e] === Number.POSITIVE_INFINITY
      ? null
      : sum(exactly(cost[e]) + (tail[e] < second ? 0n : exactly(v[e])) - exactly(edge[e]), delta[e]);
  let total: Exact = 0n;
  for (let j = second; j < columnDual.length; j++) {
    const beta = exactly(columnDual[j]);
    const birth = numbersTo(edges).filter((e) => tail[e] < 0 && head[e] === j);
    for (const e of birth) {
      const most = rest(e);
      // A birth pays its own r beside β.
      if (most !== null) expect(beta <= most, `β of detection ${j}`).toBe(true);
    }
    total = sum(total, beta);
  }
  for (let i = 0; i < last; i++) {
    const row = numbersTo(edges).filter((e) => tail[e] === i);
    total = sum(total, least(row.map((e) => sum(rest(e), head[e] < 0 ? 0n : -exactly(columnDual[head[e]])))));
  }
  return total;
}

describe("reduceCosts", () => {
  test("keeps the identity in exact numbers: no constant, β, r or s is above what the others leave", () => {
    for (let seed = 0; seed < 600; seed++) {
      const births = seed % 2 === 0;
      const counts = [
        [2, 2],
        [2, 2, 2],
        [3, 2, 3],
        [3, 3, 3],
      ][seed % (births ? 4 : 2)];
      const { graph } = buildGraph(randomProblem(digits({ seed, counts, births, triplets: 0.8 })), undefined, {
        cap: false,
      });
      const incidence = incidenceOf(graph);
      const { edges, frames, frameStart } = graph;
      // Costs are heavy, too, one after the other.
      const large = heavy(edges, seed + 3);
      const priced = { ...graph, cost: graph.cost.map((value, e) => (seed % 3 === 0 ? large[e] : value)) };
      const v = seed % 5 === 0 ? new Float64Array(edges) : heavy(edges, seed);
      const columnDual = heavy(frameStart[frames], seed + 1);
      const reduced = reduceCosts(priced, incidence, v, columnDual);
      if (!Number.isFinite(reduced.constant)) continue;
      const most = mostConstant(priced, incidence, reduced);
      expect(most !== null && exactly(reduced.constant) <= most, `seed ${seed}`).toBe(true);
    }
  });
});

test("multipliers whose sums overflow prove nothing, and never that there are no tracks", () => {
  for (const births of [true, false]) {
    const { graph } = buildGraph(randomProblem(digits({ seed: 1, counts: [2, 2, 2, 2], births, triplets: 1 })));
    const detections = graph.frameStart[graph.frames];
    // Ĉ of the second pair is 1e308 of v and 1e308 of Δ.
    const v = Float64Array.from({ length: graph.edges }, (_, e) => (e < graph.edgeStart[2] ? 1e308 : -1e308));
    const { constant } = reduceCosts(graph, incidenceOf(graph), v, new Float64Array(detections));
    expect(constant).toBe(Number.NEGATIVE_INFINITY);
  }
});

/** Least sums of r and s along tracks in exact numbers: before, through and after each edge. */
function exactChains(graph: Graph, incidence: Incidence, { edge, between }: ReducedCosts) {
  const { edges, tail, head, frames, frameStart } = graph;
  const frameOf = (d: number) => frameStart.findIndex((start) => start > d) - 1;
  const order = numbersTo(edges).sort((a, b) => pairOf(a) - pairOf(b));
  function pairOf(e: number): number {
    return tail[e] >= 0 ? frameOf(tail[e]) : frameOf(head[e]) - 1;
  }
  const triplets = tripletsOf(graph, incidence, graph);
  const last = frameStart[frames - 1];
  const before: Exact[] = numbersTo(edges).map((e) => (tail[e] < frameStart[1] ? 0n : null));
  const after: Exact[] = numbersTo(edges).map((e) => (head[e] < 0 || head[e] >= last ? 0n : null));
  for (const f of order)
    for (const [e, g] of triplets)
      if (g === f) before[f] = least([before[f], sum(before[e], exact(edge[e]), exact(between(e, f)))]);
  for (const e of order.toReversed())
    for (const [d, f] of triplets)
      if (d === e) after[e] = least([after[e], sum(exact(between(e, f)), exact(edge[f]), after[f])]);
  const through = numbersTo(edges).map((e) => sum(before[e], exact(edge[e]), after[e]));
  return { before, after, through, triplets };
}

/** The least f64 above an exact number. */
function justAbove(value: bigint): number {
  let number = Number(value) * 2 ** -300;
  while (exactly(number) > value) number -= Math.max(Math.abs(number), 2 ** -60) * 2 ** -52;
  while (exactly(number) <= value) number += Math.max(Math.abs(number), 2 ** -60) * 2 ** -53;
  return number;
}

describe("chains", () => {
  const cases = numbersTo(60).map((seed) => {
    const storage = (["csr", "absolute"] as const)[seed % 2];
    const problem = randomProblem(digits({ seed, counts: [2, 2, 2, 2, 2, 2], storage, triplets: 0.9 }));
    const { graph } = buildGraph(problem);
    const incidence = incidenceOf(graph);
    const detections = graph.frameStart[graph.frames];
    const reduced = reduceCosts(graph, incidence, heavy(graph.edges, seed), heavy(detections, seed + 1));
    const next = Int32Array.from({ length: 12 }, (_, d) => (d < 10 ? d + 2 : -1));
    const whole = wholeOf(graph, tracksOf(graph, next));
    return { graph, incidence, reduced, whole, chains: chainsOf(rounded, whole, reduced) as ChainsInF64 };
  });

  test("are not above the exact sums, although hardly a sum is exact", () => {
    let below = 0;
    for (const { graph, incidence, reduced, chains } of cases) {
      const { through } = exactChains(graph, incidence, reduced);
      for (let e = 0; e < graph.edges; e++) {
        const truth = through[e];
        if (truth === null) expect(chains.through[e]).toBe(Number.POSITIVE_INFINITY);
        else {
          expect(exactly(chains.through[e]) <= truth).toBe(true);
          if (exactly(chains.through[e]) < truth) below++;
        }
      }
    }
    expect(below).toBeGreaterThan(100);
  });

  test("of which the exact sum is below the room stay in the core by its last bit, edges and triplets", () => {
    let [edges, triplets] = [0, 0];
    for (const { graph, incidence, reduced, whole, chains } of cases) {
      const truth = exactChains(graph, incidence, reduced);
      const { trackEdges } = whole;
      const coreFor = (room: number) => {
        const cheaper = { active: cheaperThan(chains, room), chains, limit: room };
        const core = cutCore(whole, reduced, cheaper, Number.POSITIVE_INFINITY);
        if (core === null || core.graph.triplets.kind !== "csr") throw new Error("there is no limit");
        return { ...core, stored: core.graph.triplets };
      };
      truth.through.forEach((value, e) => {
        if (value === null || trackEdges.isOfTracks[e] === 1) return;
        const { edgeOf, removed } = coreFor(justAbove(value));
        const at = edgeOf.indexOf(e);
        expect(at >= 0 && removed[at] === 0, `edge ${e}`).toBe(true);
        edges++;
      });
      for (const [e, f] of truth.triplets) {
        const both = sum(truth.before[e], exact(reduced.edge[e]), exact(reduced.between(e, f)));
        const value = sum(both, exact(reduced.edge[f]), truth.after[f]);
        if (value === null) continue;
        const { edgeOf, stored } = coreFor(justAbove(value));
        expect(tripletIndex(stored, edgeOf.indexOf(e), edgeOf.indexOf(f)), `triplet ${e}, ${f}`).toBeGreaterThanOrEqual(
          0,
        );
        triplets++;
      }
    }
    expect(edges).toBeGreaterThan(100);
    expect(triplets).toBeGreaterThan(500);
  });
});
