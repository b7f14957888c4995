import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resultRow } from "../../src/rows/results.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { onlyObject, refuses, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const tiny = join(scenarios, "tiny.json");

const solved = async (args: readonly string[], cwd?: string) =>
  resultRow.parse(onlyObject(await succeeds(["solve", ...args, "--json"], cwd === undefined ? {} : { cwd })));

/** Two targets in three frames; the triplet (0, 0, 1) may be left out. */
const instance = (whole: boolean) => {
  const rows = (...cells: readonly string[]) => cells.map((cell) => `${[...cell].join(",")}\n`).join("");
  const triplets = ["00000", "00101", "00111", "01000", "01011", "01101", "01110"];
  return {
    "pairs.csv": `frame,i,j,cost\n${rows("0000", "0011", "0101", "0110", "1000", "1011", "1101", "1110")}`,
    "triplets.csv": `frame,i,j,k,cost\n${rows(...(whole ? [...triplets, "00011"].sort() : triplets))}`,
  };
};

describe("--triplets", () => {
  test.concurrent.each([
    ["spline", []],
    ["likelihood", []],
    ["euclidean", ["--births", "2,3"]],
  ])("csr and implicit solve the same problem, cost %s %j", async (cost, options) => {
    const shared = [tiny, "--cost", cost, "--seed", "4", "--gap", "0", ...options];
    const csr = await solved([...shared, "--triplets", "csr"]);
    const implicit = await solved([...shared, "--triplets", "implicit"]);
    expect([csr.storage, implicit.storage]).toEqual(["csr", "implicit"]);
    expect(csr.triplets).toBe(implicit.triplets);
    for (const bound of ["lowerBound", "upperBound"] as const) {
      const [one, other] = [csr[bound] as number, implicit[bound] as number];
      expect(Math.abs(one - other)).toBeLessThanOrEqual(1e-9 * Math.abs(other));
    }
  });

  test.concurrent("the default is implicit for a simulation and csr for an instance", async () => {
    expect((await solved([tiny])).storage).toBe("implicit");
    expect((await solved(["."], folderWith(parent, instance(false)))).storage).toBe("csr");
  });

  test.concurrent("dense takes what is complete", async () => {
    const dense = await solved([tiny, "--gate", "none", "--triplets", "dense"]);
    expect(dense).toMatchObject({ storage: "csr", triplets: 4 * 5 ** 3 });
    const cwd = folderWith(parent, instance(true));
    expect(await solved([".", "--triplets", "dense"], cwd)).toMatchObject({ storage: "csr", triplets: 8 });
  });

  test.concurrent("dense refuses what is not, and says what to do", async () => {
    const gated = await refuses(["solve", tiny, "--triplets", "dense"]);
    expect(gated).toMatch(/--triplets dense: frame pair \d–\d has \d+ of 25 links; use --gate none, or --triplets csr/);
    const cwd = folderWith(parent, instance(false));
    const line = await refuses(["solve", ".", "--triplets", "dense"], { cwd });
    expect(line).toMatch(/link 0 → 0 of frame pair 0–1 has 1 of 2 triplets; give all costs, or use --triplets csr/);
  });

  test.concurrent("implicit is refused where costs come with the input; so is a storage that is none", async () => {
    const cwd = folderWith(parent, instance(true));
    expect(await refuses(["solve", ".", "--triplets", "implicit"], { cwd })).toMatch(/comes with its triplets stored/);
    expect(await refuses(["solve", tiny, "--triplets", "full"])).toMatch(/Allowed choices are implicit, csr, dense/);
  });
});
