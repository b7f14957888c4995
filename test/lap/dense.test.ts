import { describe, expect, test } from "vitest";
import { createLapSolution, denseLap } from "../../src/lap/dense.js";

describe("denseLap", () => {
  test("stores every entry in row-major order", () => {
    const problem = denseLap(2, 3, [1, 2, 3, 4, 5, 6]);
    expect([...problem.rowStart]).toEqual([0, 3, 6]);
    expect([...problem.column]).toEqual([0, 1, 2, 0, 1, 2]);
    expect([...problem.cost]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(problem).toMatchObject({ rows: 2, columns: 3, rowUnassigned: null, columnUnassigned: null });
  });

  test("leaves forbidden entries out, whatever they cost, and keeps zeros", () => {
    const problem = denseLap(2, 2, [0, Number.NaN, Infinity, 7], { forbidden: [0, 1, 1, 0] });
    expect([...problem.rowStart]).toEqual([0, 1, 2]);
    expect([...problem.column]).toEqual([0, 1]);
    expect([...problem.cost]).toEqual([0, 7]);
  });

  test("names the place and the value of a cost that is not finite", () => {
    expect(() => denseLap(2, 2, [0, 1, 2, Infinity])).toThrow(
      "cost of row 1, column 1 is Infinity: give a finite cost or forbid the entry",
    );
    expect(() => denseLap(1, 1, [Number.NaN])).toThrow("cost of row 0, column 0 is NaN");
  });

  test("refuses lengths that do not match", () => {
    expect(() => denseLap(2, 2, [1, 2, 3])).toThrow("costs has 3 values where 4 are needed");
    expect(() => denseLap(1, 2, [1, 2], { forbidden: [0] })).toThrow("forbidden has 1 values where 2 are needed");
    expect(() => denseLap(1, 2, [1, 2], { rowUnassigned: Float64Array.of(1, 2) })).toThrow(
      "rowUnassigned has 2 values where 1 are needed",
    );
    expect(() => denseLap(1, 2, [1, 2], { columnUnassigned: Float64Array.of(1) })).toThrow(
      "columnUnassigned has 1 values where 2 are needed",
    );
  });
});

test("createLapSolution assigns nothing", () => {
  expect(createLapSolution(2, 1)).toEqual({
    columnOfRow: Int32Array.of(-1, -1),
    entryOfRow: Int32Array.of(-1, -1),
    rowOfColumn: Int32Array.of(-1),
    rowDual: new Float64Array(2),
    columnDual: new Float64Array(1),
  });
});
