import { mean, std } from "mathjs";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { simulateAuthorsGenerator } from "../../src/simulation/authors-generator.js";
import { uniformProblem } from "../../src/simulation/uniform.js";

describe("dense generators", async () => {
  const n = 12;
  const frames = 7;
  const { links, triplets, target } = await simulateAuthorsGenerator(n, frames, 1);

  test("number every link and triplet in order", () => {
    expect(links.tail).toHaveLength(n * n * (frames - 1));
    for (let e = 0; e < links.tail.length; e++) {
      const p = Math.floor(e / (n * n));
      expect(links.tail[e]).toBe(p * n + (Math.floor(e / n) % n));
      expect(links.head[e]).toBe((p + 1) * n + (e % n));
      const next = Array.from(triplets.successor.subarray(triplets.rowStart[e], triplets.rowStart[e + 1]));
      expect(next).toHaveLength(p < frames - 2 ? n : 0);
      expect(next.every((f) => links.tail[f] === links.head[e])).toBe(true);
    }
    expect(triplets.cost).toHaveLength(n ** 3 * (frames - 2));
  });

  test("what the authors' generator draws does not depend on the number of threads", async () => {
    const drawn = await simulateAuthorsGenerator(n, frames, 1, { threads: 3, poolFrom: 0 });
    expect(drawn.triplets.cost).toEqual(triplets.cost);
  });

  test("the authors' costs have the stated means and spreads, labels being a permutation a frame", () => {
    for (let p = 0; p < frames; p++) {
      expect([...target.subarray(p * n, p * n + n)].sort((a, b) => a - b)).toEqual(
        Array.from({ length: n }, (_, i) => i),
      );
    }
    const pairs = Array.from(links.cost, (c, e) => c - (Math.abs(target[links.head[e]] - target[links.tail[e]]) - 1));
    const rows: number[] = [];
    for (let e = 0; e < links.tail.length; e++) {
      for (let t = triplets.rowStart[e]; t < triplets.rowStart[e + 1]; t++) {
        rows.push(triplets.cost[t] - links.cost[e] - links.cost[triplets.successor[t]]);
      }
    }
    for (const [residuals, spread] of [
      [pairs, 0.3],
      [rows, 0.2],
    ] as const) {
      expect(Math.abs(mean(residuals))).toBeLessThan(0.04);
      expect(Number(std(residuals)) / spread).toBeCloseTo(1, 1);
    }
  });

  test("uniform costs fill [0, 1) and follow the seed", () => {
    const problem = uniformProblem(10, 5, 2);
    for (const costs of [problem.links.cost, problem.triplets.cost]) {
      expect(costs.every((c) => c >= 0 && c < 1)).toBe(true);
      expect(costs.reduce((s, c) => s + c, 0) / costs.length).toBeCloseTo(0.5, 1);
    }
    expect(uniformProblem(10, 5, 2).triplets.cost).toEqual(problem.triplets.cost);
    expect(uniformProblem(10, 5, 3).triplets.cost).not.toEqual(problem.triplets.cost);
  });

  test("two frames have links and no triplets; too many are refused before anything is allocated", () => {
    expect(uniformProblem(3, 2, 1).triplets.rowStart).toEqual(new Uint32Array(10));
    expect(() => uniformProblem(2000, 100, 1)).toThrow(InputError);
  });
});
