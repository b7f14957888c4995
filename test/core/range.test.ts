import { expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { isIn, requireInRange } from "../../src/core/range.js";

test("a range holds its ends unless it says otherwise, and no number that is not finite", () => {
  const closed = { least: 0, most: 1 };
  expect([-1e-9, 0, 0.5, 1, 1.1, Number.NaN, Infinity].map((value) => isIn(value, closed))).toEqual([
    ...[false, true, true, true, false, false, false],
  ]);
  const open = { ...closed, above: true, below: true } as const;
  expect([0, 0.5, 1].map((value) => isIn(value, open))).toEqual([false, true, false]);
  expect([1, 1.5].map((value) => isIn(value, { least: 1, most: 9, whole: true }))).toEqual([true, false]);
});

test("a value out of range is refused by place, value and remedy", () => {
  const check = (size: number) => () => requireInRange("box: ", { size }, { size: { least: 0, most: 2, above: true } });
  expect(check(2)).not.toThrow();
  expect(check(0)).toThrow(InputError);
  expect(check(0)).toThrow("box: size is 0; give a number above 0, up to 2");
});
