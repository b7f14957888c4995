import { expect, test } from "vitest";
import { logAxis, logTicks } from "../../src/report/chart-style.js";

test.each([1e-7, 1, 1e6])(
  "every logarithmic axis has two ticks or more, wherever it begins and however short it is: from %d",
  (from) => {
    for (let start = from; start < 10 * from; start *= 1.013) {
      for (const ratio of [1, 1.02, 1.5, 2.1, 4, 30, 300, 1e6]) {
        const { scale, axis } = logAxis([start, ratio * start]);
        expect(axis.values.length).toBeGreaterThanOrEqual(2);
        for (const tick of axis.values) {
          expect(tick).toBeGreaterThanOrEqual(scale.domain[0] * (1 - 1e-9));
          expect(tick).toBeLessThanOrEqual(scale.domain[1] * (1 + 1e-9));
        }
      }
    }
  },
);

test("ticks are round numbers", () => {
  expect(logTicks(2.1, 4.4)).toEqual([3, 4]);
  expect(logTicks(1, 1000)).toEqual([1, 10, 100, 1000]);
});
