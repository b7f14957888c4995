import { expect, test } from "vitest";
import { select } from "../../src/core/select.js";
import { uniform } from "../lap/support.js";

test("selects what sorting would put there, equal values and one value included, and parts the others", () => {
  const random = uniform(3);
  for (const make of [Float32Array, Float64Array]) {
    for (const length of [1, 2, 3, 10, 257]) {
      for (const kinds of [1, 3, 1e9]) {
        const values = new make(length).map(() => Math.floor(kinds * random()));
        const sorted = values.slice().sort();
        for (const rank of new Set([0, length >> 1, length - 1])) {
          const own = values.slice();
          expect(select(own, rank)).toBe(sorted[rank]);
          expect(own.slice().sort()).toEqual(sorted);
          expect(Math.max(sorted[0], ...own.subarray(0, rank))).toBeLessThanOrEqual(sorted[rank]);
        }
      }
    }
  }
});
