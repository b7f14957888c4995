import { describe, expect, test } from "vitest";
import { goalOf } from "../../../src/map/exact/stages.js";
import { checkExactly, checkProof } from "../../../src/map/proof/check.js";
import type { Proof } from "../../../src/map/proof/proof.js";
import { randomProblem, solveProblem } from "../problems.js";

/** Instances with the tracks of few iterations and the stage that they came to. */
async function solved(seed: number, iterations = 3) {
  const { graph, solution } = await solveProblem(randomProblem({ seed, counts: [4, 4, 4, 4], triplets: 0.8 }), {
    iterations,
  });
  const { proof, tracks } = solution;
  const goal = tracks && goalOf(graph, tracks);
  if (proof === null || tracks === null || goal === null) throw new Error(`seed ${seed} has no tracks`);
  return { graph, tracks, goal, stage: proof.stages[0] };
}

describe("checkProof", () => {
  test("looks below what the tracks cost, rounded up, and not one last bit above it", async () => {
    for (let seed = 0; seed < 5; seed++) {
      const { graph, tracks, goal, stage } = await solved(seed);
      const at = (below: number) => checkProof(graph, tracks, { stages: [{ ...stage, below }], leaves: [] });
      expect(goal.least).toBeLessThan(goal.cost);
      for (const below of [goal.least, goal.cost]) expect(at(below)).toMatchObject({ valid: true });
      const above = goal.cost + 2 ** -52 * Math.abs(goal.cost);
      expect(at(above)).toEqual({ valid: false, why: `stage 0 looks below ${above}` });
    }
  });

  test("refuses leaves that decide edges which are not there, as the exact check does", async () => {
    const { graph, tracks, stage } = await solved(1);
    const proofOn = (edge: number): Proof => ({
      stages: [],
      leaves: ([0, 1] as const).map((value) => ({ decisions: [[edge, value]], stages: [stage], leaves: [] })),
    });
    for (const check of [checkProof, checkExactly]) {
      expect(check(graph, tracks, proofOn(graph.edges - 1)).valid).toBe(true);
      for (const edge of [graph.edges, -1, 0.5]) {
        const why = `leaf 0 decides an edge ${edge} that is not there`;
        expect(check(graph, tracks, proofOn(edge))).toEqual({ valid: false, why });
      }
    }
  });

  test("counts the stages, cuts and leaves that it looked at, and none that follow a stage after which nothing is left", async () => {
    let ended = 0;
    for (let seed = 0; seed < 10; seed++) {
      const { graph, tracks, stage } = await solved(seed, 300);
      const leaf = { decisions: [], stages: [stage], leaves: [] };
      const alone = checkProof(graph, tracks, { stages: [], leaves: [leaf] });
      expect(alone).toMatchObject({ valid: true, stages: 0, cuts: 0, leaves: 1 });
      expect(checkProof(graph, tracks, { stages: [], leaves: [leaf, leaf] }).valid).toBe(false);
      const cuts = [{ kind: "clique" as const, items: [[0, -1] as const] }];
      const more = { ...stage, cuts, cutMultipliers: Float64Array.of(0) };
      const checked = checkProof(graph, tracks, { stages: [stage, more], leaves: [leaf, leaf] });
      if (!checked.valid) continue;
      expect(checked).toMatchObject({ stages: 1, cuts: 0, leaves: 0, triplets: 0 });
      ended++;
    }
    expect(ended).toBeGreaterThan(2);
  });
});
