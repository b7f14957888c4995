import { describe, expect, test } from "vitest";
import { bruteForce, exactCost, exactly } from "../../../lab/truth/tracks.js";
import { bitAt, packBits } from "../../../src/core/bits.js";
import { type RandomStream, randomStreams } from "../../../src/core/random.js";
import { restricted } from "../../../src/map/exact/core.js";
import { type Goal, goalOf, narrow, reduceCore } from "../../../src/map/exact/stages.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { type Core, hasTracks, wholeOf } from "../../../src/map/proof/core.js";
import { decide } from "../../../src/map/proof/decisions.js";
import { fromFile, toFile } from "../../../src/map/proof/file-order.js";
import { type CoreChoice, countLeaves, type Leaf, type Multipliers, type Proof } from "../../../src/map/proof/proof.js";
import { nextOf, type Recipe, randomProblem, solveProblem } from "../problems.js";

const ALL = Number.POSITIVE_INFINITY;

/**
 * A proof of a part by random multipliers and decisions, whose parts have cores of their own: what a solve makes of instances that are too large to enumerate.
 * @param known counts the cores of parts that the tracks lie in, and of others
 */
function proofOf(part: Core, goal: Goal, from: Multipliers, draw: RandomStream, depth: number, known: number[]): Proof {
  const shake = (values: Float64Array) => values.map((value) => value + draw.uniform(-0.1, 0.1) * draw.uniform(0, 1));
  const multipliers = { ...from, v: shake(from.v), columnDual: shake(from.columnDual) };
  const reduced = reduceCore(part, multipliers);
  const inner = depth < 3 && Number.isFinite(reduced.constant) ? narrow(part, reduced, goal, ALL)?.core : null;
  if (!inner) return { stages: [multipliers], leaves: [] };
  if (depth > 0) known[hasTracks(part) ? 0 : 1]++;
  const inside = restricted(inner, multipliers);
  const edge = Math.floor(draw.uniform(0, inner.graph.edges));
  const leaves = ([0, 1] as const).map((value): Leaf => {
    const removed = inner.removed.slice();
    decide(inner, [edge, value], removed);
    return {
      decisions: [[edge, value]],
      ...proofOf({ ...inner, removed }, goal, inside, draw, depth + 1, known),
    };
  });
  return { stages: [{ ...multipliers, core: inner.choice }], leaves };
}

async function* randomProofs(count: number) {
  for (let seed = 0; seed < count; seed++) {
    const births = seed % 3 === 0;
    const common = { seed, triplets: 0.8, ...(seed % 2 ? { most: 30, grid: 1 } : {}) };
    const recipe: Recipe = births
      ? { ...common, counts: [3, 4, 3, 3], births, least: -1 }
      : { ...common, counts: [4, 4, 4, 4] };
    const problem = randomProblem(recipe);
    const { graph, solution } = await solveProblem(problem, { iterations: 2 });
    const { tracks, proof: first } = solution;
    const goal = tracks && goalOf(graph, tracks);
    const truth = bruteForce(problem);
    if (!first || !tracks || !goal || !truth) continue;
    const known = [0, 0];
    const draw = randomStreams(seed).next().value;
    const { v, columnDual, cuts, cutMultipliers } = first.stages[0];
    const proof = proofOf(wholeOf(graph, tracks), goal, { v, columnDual, cuts, cutMultipliers }, draw, 0, known);
    const cost = exactCost(problem, nextOf(graph, tracks)) as bigint;
    yield { graph, tracks, proof, optimum: truth.exact, cost, known, draw };
  }
}

describe("parts with cores of their own", () => {
  test("prove no more than enumeration finds, in f64 and in integers, in the order of files too", async () => {
    const counts = [0, 0];
    let [optimal, between] = [0, 0];
    for await (const { graph, tracks, proof, optimum, cost, known } of randomProofs(150)) {
      known.forEach((count, n) => {
        counts[n] += count;
      });
      const checked = checkProof(graph, tracks, proof);
      if (!checked.valid) throw new Error(checked.why);
      expect(exactly(checked.lowerBound) <= optimum).toBe(true);
      if (checked.optimal) {
        expect(cost).toBe(optimum);
        optimal++;
      } else if (checked.leaves === countLeaves(proof)) between++;
      const exact = checkExactly(graph, tracks, proof);
      if (!exact.valid) throw new Error(exact.why);
      expect(exact.lowerBound << BigInt(300 - exact.shift) <= optimum).toBe(true);
      const read = fromFile(graph, toFile(graph, { tracks, proof }));
      expect(checkProof(graph, read.tracks, read.proof)).toEqual(checked);
    }
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.min(optimal, between)).toBeGreaterThan(10);
  });

  test("are refused where such a core lacks an edge or a triplet, or nothing follows it", async () => {
    let [refused, tried] = [0, 0];
    for await (const { graph, tracks, proof, draw } of randomProofs(60)) {
      const n = proof.leaves.findIndex(({ stages, leaves }) => stages[0].core !== undefined && leaves.length > 0);
      if (n < 0) continue;
      const [{ core, ...first }] = proof.leaves[n].stages;
      const { edges, triplets } = core as CoreChoice;
      const check = (leaf: Partial<Leaf>) =>
        checkProof(graph, tracks, { ...proof, leaves: proof.leaves.with(n, { ...proof.leaves[n], ...leaf }) });
      const whole = check({});
      // A stage or another leaf before it may have proved all.
      if (!whole.valid || whole.leaves < countLeaves(proof)) continue;
      expect(check({ stages: [] })).toEqual({ valid: false, why: `leaf ${n} has no multipliers` });
      expect(check({ stages: [first] })).toEqual({ valid: false, why: `leaf ${n} has no core for what follows` });
      const without = (marks: Uint8Array) => {
        const bits = Array.from({ length: 8 * marks.length }, (_, at) => Number(bitAt(marks, at)));
        const set = bits.flatMap((bit, at) => (bit === 1 ? [at] : []));
        return packBits(bits.with(set[Math.floor(draw.uniform(0, set.length))], 0));
      };
      for (const less of [
        { edges, triplets: without(triplets) },
        { edges: without(edges), triplets },
      ]) {
        tried++;
        const checked = check({ stages: [{ ...first, core: less }] });
        if (!checked.valid && checked.why.startsWith(`the core of leaf ${n} `)) refused++;
      }
    }
    expect(tried).toBeGreaterThan(20);
    expect(refused).toBe(tried);
  });
});
