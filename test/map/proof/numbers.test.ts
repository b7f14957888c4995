import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryPlaces, integers, roundDown, rounded } from "../../../src/map/proof/numbers.js";

/** Every finite f64 is a multiple of 2^−1074. */
const PLACES = 1074;
const exact = integers(PLACES);
const of = (value: number): bigint => exact.of(value) as bigint;
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Numbers that cancel, round and underflow against each other. */
const near = fc
  .tuple(fc.integer({ min: -(2 ** 53), max: 2 ** 53 }), fc.integer({ min: -1074, max: 900 }))
  .map(([mantissa, exponent]) => mantissa * 2 ** exponent);
const number = fc.oneof(finite, near).filter(Number.isFinite);

describe("f64 numbers of a check round to the side that proves less", () => {
  test("down is at most the sum, up at least, and both are it where it is an f64 number", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const sum = of(a) + of(b);
        const [least, most] = [rounded.down(a, b) as number, rounded.up(a, b) as number];
        if (least > Number.NEGATIVE_INFINITY) expect(of(least) <= sum).toBe(true);
        if (most < Number.POSITIVE_INFINITY) expect(of(most) >= sum).toBe(true);
        expect(least).not.toBe(Number.POSITIVE_INFINITY);
        expect(most).not.toBe(Number.NEGATIVE_INFINITY);
        // −0 is 0.
        if (Number.isFinite(a + b) && of(a + b) === sum) expect(least === a + b && most === a + b).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  test("a sum that is no f64 number by less than can be seen is still rounded", () => {
    for (const [a, b] of [
      [1, 2 ** -60],
      [1, -(2 ** -60)],
      [2 ** 53, 0.5],
      [-1, 2 ** -80],
    ]) {
      const sum = of(a) + of(b);
      expect(of(rounded.down(a, b) as number) < sum).toBe(true);
      expect(of(rounded.up(a, b) as number) > sum).toBe(true);
    }
  });

  test("times is at least the product with a whole number", () => {
    fc.assert(
      fc.property(
        number.filter((a) => a >= 0),
        fc.integer({ min: 0, max: 2 ** 20 }),
        (a, k) => {
          const product = rounded.times(a, k) as number;
          if (product < Number.POSITIVE_INFINITY) expect(of(product) >= of(a) * BigInt(k)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test("a long sum lies between its two", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), { maxLength: 40 }), (terms) => {
        const { least, most } = rounded.total(terms);
        const sum = terms.reduce((all, term) => all + of(term), 0n);
        expect(of(least as number) <= sum && sum <= of(most as number)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("integers of a check", () => {
  test("are the f64 numbers themselves, and the greatest f64 number not above one is found", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(roundDown(of(a), PLACES) === a).toBe(true);
        // A check has a place for halves: those of the least f64 number are rounded away.
        expect(roundDown(2n * of(a), PLACES + 1) === a && roundDown(2n * of(a) + 1n, PLACES + 1) === a).toBe(true);
        const sum = of(a) + of(b);
        const down = roundDown(sum, PLACES);
        if (Number.isFinite(down)) expect(of(down) <= sum).toBe(true);
        expect(binaryPlaces(a)).toBeLessThanOrEqual(PLACES);
        const places = binaryPlaces(a);
        expect(of(a) % 2n ** BigInt(PLACES - places)).toBe(0n);
      }),
      { numRuns: 3000 },
    );
  });
});
