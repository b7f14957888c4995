import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../../src/formats/digest.js";
import { readInput } from "../../../src/formats/input.js";
import { readProof } from "../../../src/formats/proof.js";
import { checkProof } from "../../../src/map/proof/check.js";
import { fromFile } from "../../../src/map/proof/file-order.js";
import { makeInstance } from "../../../src/run/costs.js";
import { seconds } from "../problems.js";

interface Entry {
  readonly name: string;
  readonly file: string;
  readonly edges: number;
  readonly triplets: number;
  readonly sha256: string;
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly optimal: boolean;
  readonly proof: boolean;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));
const entries = JSON.parse(readFileSync(`${root}instances/index.json`, "utf8")) as Entry[];
/** The larger ones are checked by lab/exact/instances.mjs --check, in CI. */
const small = entries.filter(({ edges, triplets }) => edges < 12_000 && triplets < 150_000);

describe("the instance set", () => {
  test("has small instances with proofs, and tracks where the proof is too large", () => {
    expect(small.filter(({ proof }) => proof).length).toBeGreaterThan(3);
    for (const { name, proof } of entries) {
      expect(existsSync(`${root}instances/proofs/${name}.json`)).toBe(proof);
      expect(existsSync(`${root}instances/tracks/${name}.json`)).toBe(!proof);
    }
  });

  test.each(small)("$name comes out with the same costs, and its proof holds", async (entry) => {
    const input = await readInput(`${root}${entry.file}`);
    const { graph } = await makeInstance(input, {}, { threads: 1, now: seconds });
    expect(digestOf(graph)).toBe(entry.sha256);
    if (!entry.proof) return;
    const { tracks, proof } = fromFile(graph, readProof(`${root}instances/proofs/${entry.name}.json`));
    const checked = checkProof(graph, tracks, proof);
    if (!checked.valid) throw new Error(checked.why);
    expect(checked.lowerBound).toBeGreaterThanOrEqual(entry.lowerBound);
    expect(checked.upperBound).toBeLessThanOrEqual(entry.upperBound);
    if (entry.optimal)
      expect(checked.upperBound - checked.lowerBound).toBeLessThanOrEqual(1e-9 * Math.abs(checked.upperBound));
  });
});
