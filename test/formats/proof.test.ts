import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatProof, readProof } from "../../src/formats/proof.js";
import type { Leaf, Stage } from "../../src/map/proof/proof.js";
import { refusal, temporaryFolder } from "./support.js";

const parent = temporaryFolder();
const file = join(parent, "proof.json");

const proofWith = (stage: Partial<Stage>, leaf: Partial<Stage> = {}) => {
  const own: Stage = {
    v: Float64Array.of(0, 0.5),
    columnDual: Float64Array.of(-1, 2),
    cuts: [{ kind: "clique", items: [[0, -1]] }],
    cutMultipliers: Float64Array.of(0.25),
    below: 7,
  };
  const { below: _, ...rest } = own;
  const core = { edges: Uint8Array.of(3), triplets: Uint8Array.of(1, 2) };
  const inside = { decisions: [], stages: [{ ...rest, ...leaf }], leaves: [] };
  const leaves: Leaf[] = [
    { ...inside, decisions: [[1, 0]] },
    {
      decisions: [[1, 1]],
      stages: [
        { ...rest, core },
        { ...rest, core },
      ],
      leaves: [inside],
    },
  ];
  const proof = { stages: [{ ...own, ...stage }], leaves };
  const tracks = Int32Array.of(1, -1);
  return { instance: "abc", overrides: {}, lowerBound: 1, upperBound: 2, tracks, proof };
};

describe("a proof as a file", () => {
  test("comes back as it was", () => {
    writeFileSync(file, formatProof(proofWith({})));
    expect(readProof(file)).toEqual({ ...proofWith({}), hasCores: true });
  });

  test("is refused with a number that is not finite, with its place", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const wrong = Float64Array.of(3, value);
      const sound = proofWith({});
      for (const [place, proof] of [
        ["stages.0.v", proofWith({ v: wrong })],
        ["stages.0.columnDual", proofWith({ columnDual: wrong })],
        ["stages.0.cutMultipliers", proofWith({ cutMultipliers: wrong })],
        ["leaves.0.v", proofWith({}, { v: wrong })],
        [
          "leaves.1.leaves.0.v",
          {
            ...sound,
            proof: { ...sound.proof, leaves: proofWith({}, { v: wrong }).proof.leaves.with(0, sound.proof.leaves[0]) },
          },
        ],
      ] as const) {
        writeFileSync(file, formatProof(proof));
        expect(refusal(() => readProof(file))).toBe(`${file}: ${place}[1]: is ${value}; give finite numbers`);
      }
      // JSON has no such numbers, but 1e999 is read as one.
      const text = formatProof(proofWith({})).replace('"below":7', `"below":${value > 0 ? "1e999" : "-1e999"}`);
      writeFileSync(file, text);
      expect(refusal(() => readProof(file))).toMatch(/stages\.0\.below/);
    }
  });
});
