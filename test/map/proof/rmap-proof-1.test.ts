import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readInput } from "../../../src/formats/input.js";
import { readProof } from "../../../src/formats/proof.js";
import { withRebuiltCores } from "../../../src/map/exact/rebuilt-cores.js";
import { solveExactly } from "../../../src/map/exact/solve-exactly.js";
import { buildGraph } from "../../../src/map/instance/build.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { fromFile, partFromFile, toFile } from "../../../src/map/proof/file-order.js";
import { makeInstance } from "../../../src/run/costs.js";
import { looseRecipes, openHighs } from "../exact/support.js";
import { randomProblem, seconds, solveProblem } from "../problems.js";
import { looked } from "./looked.js";

const old = fileURLToPath(new URL("rmap-proof-1/", import.meta.url));
const instances = fileURLToPath(new URL("../../../instances/", import.meta.url));

describe("a proof of the format rmap-proof-1", () => {
  test.each(readdirSync(old))("of %s gets the cores and the verdict of its rmap-proof-2", async (name) => {
    const { graph } = await makeInstance(
      await readInput(`${instances}scenarios/${name}`),
      {},
      { threads: 1, now: seconds },
    );
    const file = readProof(old + name);
    expect(file.hasCores).toBe(false);
    const { tracks, proof } = fromFile(graph, file);
    // What the first stage leaves in three frames is gone through.
    const alone =
      graph.frames === 3 ? { optimal: true } : { valid: false, why: "stage 0 has no core for what follows" };
    expect(checkProof(graph, tracks, proof)).toMatchObject(alone);
    const { proof: present } = readProof(`${instances}proofs/${name}`);
    const rebuilt = withRebuiltCores(graph, tracks, file.proof, partFromFile);
    expect(looked(toFile(graph, { tracks, proof: rebuilt }).proof)).toEqual(looked(present));
    expect(checkProof(graph, tracks, rebuilt)).toMatchObject({ valid: true, optimal: true });
  });

  test("gets the cores that the solver cut, of what is cheaper and of what costs less than a bound", async () => {
    const open = await openHighs();
    let [cores, partial] = [0, 0];
    for (const recipe of looseRecipes(20)) {
      for (const restrict of [false, true]) {
        const { graph } = buildGraph(randomProblem(recipe));
        const { solution } = await solveProblem(randomProblem(recipe), { ascent: "rmap", iterations: 1 });
        if (solution.tracks === null || solution.proof === null) continue;
        const limits = { mostTriplets: restrict ? 25 : 1e6, mostLeaves: 4, gap: 0, time: 60, now: seconds };
        const [start] = solution.proof.stages;
        const found = await solveExactly(graph, start, solution.tracks, { open, ...limits, restrict });
        if (found === null) throw new Error("the tracks are not allowed");
        const { proof, tracks } = found;
        const without = proof.stages.map(({ core: _, ...stage }) => stage);
        const rebuilt = withRebuiltCores(graph, tracks, { ...proof, stages: without });
        for (const [n, { core, below }] of proof.stages.entries()) {
          if (core === undefined) continue;
          expect(rebuilt.stages[n].core).toEqual(core);
          cores++;
          if (below !== undefined) partial++;
        }
        expect(checkProof(graph, tracks, rebuilt)).toEqual(checkProof(graph, tracks, proof));
      }
    }
    expect(cores).toBeGreaterThan(30);
    expect(partial).toBeGreaterThan(10);
  });
});
