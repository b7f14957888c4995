import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../../lab/truth/lap.js";
import { randomStreams } from "../../../src/core/random.js";
import { certifyLap } from "../../../src/lap/certificate.js";
import { createLapSolution, denseLap } from "../../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../../src/lap/jv/jv.js";
import type { LapProblem } from "../../../src/lap/lap.js";
import { lapCases, problemOf } from "../cases.js";
import { expectOptimal, randomLap, solveCold } from "../support.js";

// Few integers for ties, thousandths for none.
const value = fc.oneof(
  fc.integer({ min: -3, max: 6 }),
  fc.integer({ min: -3000, max: 9000 }).map((n) => n / 1000),
);

function unassigned(length: number) {
  const limit = fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.constant(Infinity) });
  return fc.option(
    fc.array(limit, { minLength: length, maxLength: length }).map((limits) => Float64Array.from(limits)),
  );
}

/** Small problems with everything a problem may have, and further costs on the same graph for warm starts. */
const small = fc.tuple(fc.nat(6), fc.nat(6)).chain(([rows, columns]) => {
  const size = { minLength: rows * columns, maxLength: rows * columns };
  return fc
    .record({
      rounds: fc.array(fc.array(value, size), { minLength: 1, maxLength: 4 }),
      forbidden: fc.array(
        fc.nat(2).map((n) => (n === 0 ? 1 : 0)),
        size,
      ),
      rowUnassigned: unassigned(rows),
      columnUnassigned: unassigned(columns),
    })
    .map(({ rounds, ...options }) => rounds.map((costs) => denseLap(rows, columns, costs, options)));
});

/** The problem with row i at place rowPlace[i] and column j at place columnPlace[j]. */
function permuted(problem: LapProblem, rowPlace: readonly number[], columnPlace: readonly number[]): LapProblem {
  const { rows, columns } = problem;
  const costs = new Float64Array(rows * columns);
  const forbidden = new Uint8Array(rows * columns).fill(1);
  const place = (values: Float64Array | null, places: readonly number[]) => {
    const moved = values && new Float64Array(values.length);
    values?.forEach((value, from) => {
      if (moved) moved[places[from]] = value;
    });
    return moved;
  };
  for (let i = 0; i < rows; i++) {
    for (let k = problem.rowStart[i]; k < problem.rowStart[i + 1]; k++) {
      const at = rowPlace[i] * columns + columnPlace[problem.column[k]];
      costs[at] = problem.cost[k];
      forbidden[at] = 0;
    }
  }
  return denseLap(rows, columns, costs, {
    forbidden,
    rowUnassigned: place(problem.rowUnassigned, rowPlace),
    columnUnassigned: place(problem.columnUnassigned, columnPlace),
  });
}

function transposed({
  rows,
  columns,
  rowStart,
  column,
  cost,
  rowUnassigned,
  columnUnassigned,
}: LapProblem): LapProblem {
  const costs = new Float64Array(rows * columns);
  const forbidden = new Uint8Array(rows * columns).fill(1);
  for (let i = 0; i < rows; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      costs[column[k] * rows + i] = cost[k];
      forbidden[column[k] * rows + i] = 0;
    }
  }
  return denseLap(columns, rows, costs, {
    forbidden,
    rowUnassigned: columnUnassigned,
    columnUnassigned: rowUnassigned,
  });
}

describe("solveJv", () => {
  test.each(lapCases)("$name", (lap) => {
    const cost = solveCold(problemOf(lap));
    if (lap.expected === "infeasible") expect(cost).toBe("infeasible");
    else {
      expect(cost).not.toBe("infeasible");
      expect(Math.abs(Number(cost) - lap.expected)).toBeLessThanOrEqual(1e-12 * Math.abs(lap.expected));
    }
  });

  test("finds the best of all assignments, cold and warm", () => {
    const workspace = createJvWorkspace(6, 6);
    fc.assert(
      fc.property(small, (rounds) => {
        const solution = createLapSolution(rounds[0].rows, rounds[0].columns);
        rounds.forEach((problem, round) => {
          const best = bruteForce(problem);
          const outcome = solveJv(problem, solution, workspace, { warm: round > 0 });
          if (outcome.status === "infeasible") expect(best).toBe(Infinity);
          else {
            expect(outcome.cost).toBeCloseTo(best, 9);
            expectOptimal(problem, solution, outcome.cost);
          }
        });
      }),
      { numRuns: 2000 },
    );
  });

  test("does not depend on the order of rows and columns, nor on which side is which", () => {
    const order = (length: number) => fc.uniqueArray(fc.nat(length - 1), { minLength: length, maxLength: length });
    const problems = small
      .map(([problem]) => problem)
      .filter(({ rows, columns }) => rows > 0 && columns > 0)
      .chain((problem) => fc.tuple(fc.constant(problem), order(problem.rows), order(problem.columns)));
    fc.assert(
      fc.property(problems, ([problem, rowPlace, columnPlace]) => {
        const cost = solveCold(problem);
        for (const other of [permuted(problem, rowPlace, columnPlace), transposed(problem)]) {
          if (cost === "infeasible") expect(solveCold(other)).toBe(cost);
          else expect(solveCold(other)).toBeCloseTo(cost, 9);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a constant added to all of a row, or to all of a column, moves the cost by that constant", () => {
    const recipes = fc.record({
      seed: fc.nat(),
      rows: fc.integer({ min: 1, max: 25 }),
      columns: fc.integer({ min: 1, max: 25 }),
      density: fc.constantFrom(0.1, 0.4, 1),
      rowUnassigned: fc.constantFrom(0.3, 2),
      columnUnassigned: fc.constantFrom(0.3, 2),
    });
    fc.assert(
      fc.property(recipes, value, (recipe, constant) => {
        const problem = randomLap(recipe);
        const before = Number(solveCold(problem));
        const row = randomLap(recipe);
        for (let k = row.rowStart[0]; k < row.rowStart[1]; k++) row.cost[k] += constant;
        if (row.rowUnassigned) row.rowUnassigned[0] += constant;
        expect(solveCold(row)).toBeCloseTo(before + constant, 9);
        const column = randomLap(recipe);
        column.cost.forEach((_, k) => {
          if (column.column[k] === 0) column.cost[k] += constant;
        });
        if (column.columnUnassigned) column.columnUnassigned[0] += constant;
        expect(solveCold(column)).toBeCloseTo(before + constant, 9);
      }),
      { numRuns: 100 },
    );
  });

  test.each([1e-9, 1e-6, 1e6, 1e9])("scales with its costs: times %d", (factor) => {
    for (let seed = 1; seed <= 5; seed++) {
      const recipe = { seed, rows: 40, columns: 37, density: 0.3, rowUnassigned: 0.4, columnUnassigned: 0.2 };
      const cost = Number(solveCold(randomLap(recipe)));
      const problem = randomLap(recipe);
      for (const values of [problem.cost, problem.rowUnassigned, problem.columnUnassigned]) {
        values?.forEach((value, at) => {
          values[at] = value * factor;
        });
      }
      expect(Number(solveCold(problem)) / factor / cost).toBeCloseTo(1, 11);
    }
  });

  test("names a row, or a column as −1 − column, that cannot be served", () => {
    const outcomeOf = (problem: LapProblem) =>
      solveJv(problem, createLapSolution(problem.rows, problem.columns), createJvWorkspace(3, 3));
    const rowsOnOneColumn = denseLap(3, 3, new Float64Array(9), { forbidden: [0, 1, 1, 0, 0, 0, 0, 1, 1] });
    const outcome = outcomeOf(rowsOnOneColumn);
    expect(outcome.status).toBe("infeasible");
    if (outcome.status === "infeasible") expect([0, 2]).toContain(outcome.row);
    const deadColumn = denseLap(2, 2, new Float64Array(4), {
      forbidden: [0, 1, 0, 1],
      rowUnassigned: Float64Array.of(1, 1),
      columnUnassigned: Float64Array.of(1, Infinity),
    });
    expect(outcomeOf(deadColumn)).toEqual({ status: "infeasible", row: -2 });
  });

  test("refuses a workspace that is too small", () => {
    const problem = denseLap(2, 3, new Float64Array(6));
    expect(() => solveJv(problem, createLapSolution(2, 3), createJvWorkspace(2, 2))).toThrow(
      "LAP of 2 × 3 does not fit a workspace of 2 × 2",
    );
  });
});

test("in wide problems, whose labelled columns are a heap, answers are certified optimal too", () => {
  const random = randomStreams(3).next().value;
  for (const [rows, columns, density] of [
    [700, 700, 0.02],
    [500, 640, 0.05],
  ]) {
    const costs = Float64Array.from({ length: rows * columns }, () => random.uniform(0, 1));
    const forbidden = Uint8Array.from(costs, (_, at) =>
      at % columns !== Math.floor(at / columns) && random.uniform(0, 1) > density ? 1 : 0,
    );
    const problem = denseLap(rows, columns, costs, { forbidden });
    const solution = createLapSolution(rows, columns);
    expect(solveJv(problem, solution, createJvWorkspace(rows, columns)).status).toBe("optimal");
    const { complete, gap, primalCost } = certifyLap(problem, solution);
    expect(complete).toBe(true);
    expect(gap).toBeLessThanOrEqual(1e-12 * primalCost);
  }
});

test("columns that a warm start leaves over by the hundred are served as they must be, and one that no row can take is named", () => {
  const [rows, columns] = [640, 700];
  const recipe = { seed: 4, rows, columns, density: 0.02, diagonal: true, rowUnassigned: 0.9, columnUnassigned: 0.9 };
  const problem = randomLap(recipe);
  const solution = createLapSolution(rows, columns);
  const workspace = createJvWorkspace(rows, columns);
  expect(solveJv(problem, solution, workspace).status).toBe("optimal");
  // A third of the rows gives up for nothing, and leaves a column each at a dual below what it costs alone.
  const rowUnassigned = problem.rowUnassigned?.map((limit, i) => (i % 3 === 0 ? -1 : limit)) ?? null;
  const left = { ...problem, rowUnassigned };
  const outcome = solveJv(left, solution, workspace, { warm: true });
  if (outcome.status !== "optimal") throw new Error("infeasible");
  expectOptimal(left, solution, outcome.cost);
  expect(outcome.cost).toBeCloseTo(solveCold(left) as number, 9);

  // All entries of column 5 are taken from it, and it must be assigned.
  const column = problem.column.map((j) => (j === 5 ? 6 : j));
  const columnUnassigned = problem.columnUnassigned?.map((limit, j) => (j === 5 ? Infinity : limit)) ?? null;
  expect(solveJv({ ...left, column, columnUnassigned }, solution, workspace, { warm: true })).toEqual({
    status: "infeasible",
    row: -1 - 5,
  });
});
