import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readInput } from "../../../src/formats/input.js";
import { readProof } from "../../../src/formats/proof.js";
import { withRebuiltCores } from "../../../src/map/exact/rebuilt-cores.js";
import { ELIMINATION_LIMITS, goalOf, narrow, reduceCore } from "../../../src/map/exact/stages.js";
import { wholeOf } from "../../../src/map/proof/core.js";
import { fromFile, partFromFile, toFile } from "../../../src/map/proof/file-order.js";
import { makeInstance } from "../../../src/run/costs.js";
import { seconds } from "../problems.js";
import { looked } from "./looked.js";

const old = fileURLToPath(new URL("rmap-proof-1/", import.meta.url));
const instances = fileURLToPath(new URL("../../../instances/", import.meta.url));

// A solver that eliminates less than the one by which the proofs were made. A mock would stay for the next files of this process.
const limits = { ...ELIMINATION_LIMITS };
beforeAll(() => void Object.assign(ELIMINATION_LIMITS, { rounds: 1, crowdedShare: 0, smallEdges: 0 }));
afterAll(() => void Object.assign(ELIMINATION_LIMITS, limits));

test("proofs of the format rmap-proof-1 get their cores when the solver's constants have changed", async () => {
  let changed = 0;
  for (const name of readdirSync(old)) {
    const { graph } = await makeInstance(
      await readInput(`${instances}scenarios/${name}`),
      {},
      { threads: 1, now: seconds },
    );
    const file = readProof(old + name);
    const { tracks } = fromFile(graph, file);
    const rebuilt = withRebuiltCores(graph, tracks, file.proof, partFromFile);
    expect(looked(toFile(graph, { tracks, proof: rebuilt }).proof)).toEqual(
      looked(readProof(`${instances}proofs/${name}`).proof),
    );

    const [first] = rebuilt.stages;
    const goal = goalOf(graph, tracks);
    if (goal === null || first.core === undefined) continue;
    const whole = wholeOf(graph, tracks);
    const bySolver = narrow(whole, reduceCore(whole, first), goal, Number.POSITIVE_INFINITY);
    expect(bySolver?.core).toBeDefined();
    if (bySolver?.core?.choice.edges.toString() !== first.core.edges.toString()) changed++;
  }
  expect(changed).toBeGreaterThan(0);
});
