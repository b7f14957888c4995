import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactly } from "../../../lab/truth/tracks.js";
import { CompensatedSum } from "../../../src/map/certificate/compensated-sum.js";

function sumOf(values: Iterable<number>): CompensatedSum {
  const sum = new CompensatedSum();
  for (const value of values) sum.add(value);
  return sum;
}

describe("CompensatedSum", () => {
  test("holds the exact sum between lower and upper, cancellation included", () => {
    const magnitude = fc.constantFrom(1e-12, 1e-3, 1, 1e12, 1e30);
    const term = fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), magnitude).map(([x, scale]) => {
      // On a grid that exactly() can represent.
      return Math.round(x * 2 ** 52) * 2 ** -52 * scale;
    });
    fc.assert(
      fc.property(fc.array(term, { maxLength: 60 }), fc.boolean(), fc.nat(60), (terms, cancel, cut) => {
        const all = cancel ? [...terms, ...terms.slice(1).map((value) => -value)] : terms;
        const exact = all.reduce((sum, value) => sum + exactly(value), 0n);
        const { lower, upper, allowance } = sumOf(all);
        const inParts = new CompensatedSum();
        for (const part of [all.slice(0, cut), all.slice(cut)]) inParts.addSum(sumOf(part).partial());
        expect(exactly(inParts.lower) <= exact && exact <= exactly(inParts.upper)).toBe(true);
        expect(inParts.allowance).toBeCloseTo(allowance, 12);
        expect(exactly(lower) <= exact && exact <= exactly(upper)).toBe(true);
        const largest = Math.max(0, ...all.map(Math.abs));
        expect(allowance).toBeLessThanOrEqual(2 ** -51 * Math.abs(upper) + all.length ** 3 * 2 ** -105 * largest);
      }),
      { numRuns: 1000 },
    );
  });

  test("is good to 1e-15 after ten million terms, where a plain sum of them is not good to 1e-12", () => {
    const count = 1e7;
    const sum = sumOf(
      (function* terms() {
        for (let n = 0; n < count; n++) yield 0.1;
      })(),
    );
    const exact = BigInt(count) * exactly(0.1);
    expect(exactly(sum.lower) <= exact && exact <= exactly(sum.upper)).toBe(true);
    expect(sum.allowance).toBeLessThan(1e-15 * 1e6);
    let plain = 0;
    for (let n = 0; n < count; n++) plain += 0.1;
    expect(Math.abs(plain - sum.upper)).toBeGreaterThan(1e-12 * 1e6);
  });

  test("bounds nothing where a term is no number or the sum overflows", () => {
    for (const terms of [
      [1, Number.NaN],
      [1, Number.POSITIVE_INFINITY, 2],
      [Number.NEGATIVE_INFINITY, 1],
      [Number.MAX_VALUE, Number.MAX_VALUE, -1],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ]) {
      const { lower, upper } = sumOf(terms);
      expect([lower, upper]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    }
  });
});
