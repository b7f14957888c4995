import { describe, expect, test } from "vitest";
import { bitAt, packBits } from "../../../src/core/bits.js";
import { withRebuiltCores } from "../../../src/map/exact/rebuilt-cores.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import { coreOf, eachTriplet, wholeOf } from "../../../src/map/proof/core.js";
import type { CoreChoice } from "../../../src/map/proof/proof.js";
import { randomProblem, solveProblem } from "../problems.js";

const marksOf = (bits: Uint8Array, count: number) => Uint8Array.from({ length: count }, (_, n) => +bitAt(bits, n));

/** Problems with the first stage of a proof, the core that it leaves, and the marks of this, of whole bounds and of bounds below the tracks. */
async function* stagesWithCores() {
  for (let seed = 0; seed < 10; seed++) {
    const problem = randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 });
    const { graph, solution } = await solveProblem(problem, { iterations: 3 });
    if (solution.proof === null || solution.tracks === null) continue;
    const { tracks, upperBound } = solution;
    for (const below of [undefined, upperBound - 0.01]) {
      const first = { ...solution.proof.stages[0], ...(below !== undefined && { below }) };
      const proof = withRebuiltCores(graph, tracks, { stages: [first], leaves: [] });
      const [stage] = proof.stages;
      if (stage.core === undefined) continue;
      const whole = wholeOf(graph, tracks);
      const edges = marksOf(stage.core.edges, graph.edges);
      const count = eachTriplet(whole, edges, () => {});
      const check = (core: CoreChoice) =>
        [checkProof, checkExactly].map((one) => one(graph, tracks, { stages: [{ ...stage, core }], leaves: [] }));
      yield { graph, tracks, whole, core: stage.core, edges, triplets: marksOf(stage.core.triplets, count), check };
    }
  }
}

describe("a core", () => {
  test("that lacks any edge or triplet which cheaper tracks could use, or the tracks do, is refused", async () => {
    let [ofEdges, ofTriplets] = [0, 0];
    for await (const { graph, whole, core, edges, triplets, check } of stagesWithCores()) {
      for (const checked of check(core)) expect(checked.valid).toBe(true);
      for (const [e, mark] of edges.entries()) {
        if (mark === 0) continue;
        // The triplets of the other edges, in their new order.
        const without = edges.with(e, 0);
        const kept: number[] = [];
        eachTriplet(whole, edges, (a, b, _t, n) => {
          if (a !== e && b !== e) kept.push(triplets[n]);
        });
        for (const checked of check({ edges: packBits(without), triplets: packBits(kept) }))
          expect(checked).toEqual({ valid: false, why: `the core of stage 0 lacks edge ${e}` });
        ofEdges++;
      }
      eachTriplet(whole, edges, (e, f, _t, n) => {
        if (triplets[n] === 0) return;
        for (const checked of check({ ...core, triplets: packBits(triplets.with(n, 0)) }))
          expect(checked).toEqual({ valid: false, why: `the core of stage 0 lacks triplet ${e}, ${f}` });
        ofTriplets++;
      });
      // What is more than needed harms nothing.
      const all = new Uint8Array(graph.edges).fill(1);
      const count = eachTriplet(whole, all, () => {});
      const more = { edges: packBits(all), triplets: packBits(new Uint8Array(count).fill(1)) };
      for (const checked of check(more)) expect(checked.valid).toBe(true);
    }
    expect(ofEdges).toBeGreaterThan(100);
    expect(ofTriplets).toBeGreaterThan(100);
  });

  test("has the costs of the instance, whatever a proof says, and marks for no more and no less than there is", async () => {
    let cores = 0;
    for await (const { graph, tracks, whole, core, edges, check } of stagesWithCores()) {
      const cut = coreOf(whole, core);
      for (const [n, e] of cut.edgeOf.entries()) expect(cut.graph.cost[n]).toBe(graph.cost[e]);
      for (const [d, e] of cut.tracks.entries()) expect(e < 0 ? e : cut.edgeOf[e]).toBe(tracks[d]);
      for (const [n, one] of cut.removed.entries()) expect(one).toBe(1 - edges[cut.edgeOf[n]]);
      for (const length of [0, core.edges.length + 1]) {
        const marks = new Uint8Array(length).fill(255);
        const why = expect.stringMatching(/has \d+ marks for/);
        for (const checked of check({ ...core, edges: marks })) expect(checked).toEqual({ valid: false, why });
      }
      const more = { ...core, triplets: new Uint8Array(core.triplets.length + 1).fill(255) };
      for (const checked of check(more)) expect(checked.valid).toBe(false);
      cores++;
    }
    expect(cores).toBeGreaterThan(10);
  });
});
