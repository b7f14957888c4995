import { describe, expect, test } from "vitest";
import { meansOf } from "../../../src/experiments/bench/bench.js";
import { geometricMean, repeated, scaled, spreadOf } from "../../../src/experiments/bench/timing.js";
import type { BenchRow } from "../../../src/rows/bench.js";

test("a spread has the median, of an even number the middle of two", () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, repetitions: 3 });
  expect(spreadOf([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4, repetitions: 4 });
  expect(scaled(spreadOf([3, 1, 2]), 10)).toEqual({ median: 20, min: 10, max: 30, repetitions: 3 });
});

test("a geometric mean", () => {
  expect(geometricMean([1, 100])).toBeCloseTo(10, 12);
  expect(geometricMean([7])).toBeCloseTo(7, 12);
});

test("the mean over sizes says when it is a lower bound only", () => {
  const row = (ratio: number, atLeast?: true) => ({ ratio, cpuRatio: 2 * ratio, atLeast }) as unknown as BenchRow;
  const exact = meansOf([row(2), row(8)]);
  expect(exact.ratio).toBeCloseTo(4, 12);
  expect(exact.cpuRatio).toBeCloseTo(8, 12);
  expect(exact.atLeast).toBe(false);
  expect(meansOf([row(2), row(8, true)]).atLeast).toBe(true);
});

describe("repetitions", () => {
  /** Runs that take these times, one after the other. */
  const runs = (...seconds: number[]) => {
    const left = [...seconds];
    return { left, measure: async () => left.shift() as number };
  };

  test("the first run warms up", async () => {
    const { measure, left } = runs(9, 1, 3, 2, 7);
    expect(await repeated(measure, { repetitions: 3, limit: 1000 })).toEqual(spreadOf([1, 2, 3]));
    expect(left).toEqual([7]);
  });

  test("no run begins that would pass the limit", async () => {
    expect(await repeated(runs(4, 4, 4, 4).measure, { repetitions: 5, limit: 13 })).toEqual(spreadOf([4, 4]));
  });

  test("where only one run fits, it is the measurement", async () => {
    const { measure, left } = runs(8, 1);
    expect(await repeated(measure, { repetitions: 5, limit: 10 })).toEqual(spreadOf([8]));
    expect(left).toEqual([1]);
  });
});
