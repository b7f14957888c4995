import { describe, expect, test } from "vitest";
import { createLapSolution } from "../../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../../src/lap/jv/jv.js";
import { expectOptimal, type RandomLap, randomLap, uniform } from "../support.js";

const shapes: readonly (Omit<RandomLap, "seed"> & { readonly name: string })[] = [
  { name: "square", rows: 40, columns: 40, density: 0.2, diagonal: true },
  { name: "dense", rows: 30, columns: 30, density: 1 },
  { name: "wide", rows: 30, columns: 36, density: 0.2, diagonal: true },
  { name: "tall", rows: 36, columns: 30, density: 0.2, diagonal: true },
  { name: "both sides may stay out", rows: 40, columns: 33, density: 0.2, rowUnassigned: 0.5, columnUnassigned: 0.2 },
  { name: "only rows may stay out", rows: 40, columns: 30, density: 0.3, diagonal: true, rowUnassigned: 0.5 },
  { name: "only columns may stay out", rows: 30, columns: 40, density: 0.3, diagonal: true, columnUnassigned: 0.5 },
];

describe("a warm start", () => {
  test.each(shapes)("costs what a cold one does, over 60 rounds on one solution: $name", ({ name, ...shape }) => {
    const problem = randomLap({ ...shape, seed: 11 });
    const random = uniform(name.length);
    const workspace = createJvWorkspace(problem.rows, problem.columns);
    const warm = createLapSolution(problem.rows, problem.columns);
    const cold = createLapSolution(problem.rows, problem.columns);
    for (let round = 0; round < 60; round++) {
      // From a single changed entry to all of them, by little and by much.
      const share = [0.003, 0.03, 0.3, 1][round % 4];
      const width = [0.01, 0.3, 2][round % 3];
      for (const values of [problem.cost, problem.rowUnassigned ?? [], problem.columnUnassigned ?? []]) {
        values.forEach((_, at) => {
          if (random() < share) values[at] += width * (random() - 0.5);
        });
      }
      const coldOutcome = solveJv(problem, cold, workspace);
      const warmOutcome = solveJv(problem, warm, workspace, { warm: true });
      if (coldOutcome.status !== "optimal" || warmOutcome.status !== "optimal") throw new Error("infeasible");
      expect(warmOutcome.cost).toBeCloseTo(coldOutcome.cost, 9);
      expectOptimal(problem, warm, warmOutcome.cost);
    }
  });

  test.each(shapes)("on unchanged costs changes nothing: $name", (shape) => {
    const problem = randomLap({ ...shape, seed: 5 });
    const workspace = createJvWorkspace(problem.rows, problem.columns);
    const solution = createLapSolution(problem.rows, problem.columns);
    const outcome = solveJv(problem, solution, workspace);
    const before = structuredClone(solution);
    expect(solveJv(problem, solution, workspace, { warm: true })).toEqual(outcome);
    expect(solution).toEqual(before);
  });

  test.each(shapes)("is right from any solution whatsoever: $name", (shape) => {
    const problem = randomLap({ ...shape, seed: 7 });
    const workspace = createJvWorkspace(problem.rows, problem.columns);
    const solution = createLapSolution(problem.rows, problem.columns);
    const outcome = solveJv(problem, solution, workspace);
    if (outcome.status !== "optimal") throw new Error("infeasible");
    const random = uniform(3);
    for (let round = 0; round < 20; round++) {
      const whatever = () => Math.floor(300 * random()) - 1;
      solution.entryOfRow.forEach((_, i) => {
        solution.entryOfRow[i] = whatever();
        solution.columnOfRow[i] = whatever();
      });
      solution.columnDual.forEach((_, j) => {
        solution.columnDual[j] = random() < 0.1 ? [Number.NaN, Infinity, -Infinity][j % 3] : 4 * random() - 2;
        solution.rowOfColumn[j] = whatever();
      });
      const again = solveJv(problem, solution, workspace, { warm: true });
      if (again.status !== "optimal") throw new Error("infeasible");
      expect(again.cost).toBeCloseTo(outcome.cost, 9);
      expectOptimal(problem, solution, again.cost);
    }
  });

  test("takes up again after the costs of an infeasible problem were mended", () => {
    const problem = randomLap({ seed: 2, rows: 12, columns: 12, density: 0.4, diagonal: true, rowUnassigned: 1 });
    const workspace = createJvWorkspace(12, 12);
    const solution = createLapSolution(12, 12);
    const open = { ...problem, columnUnassigned: new Float64Array(12).fill(0.1) };
    const cost = solveJv(open, solution, workspace);
    // Column 3 loses its entries by being asked of a graph that has none for it.
    const blocked = problem.column.map((j) => j);
    const kept = [...blocked.keys()].filter((k) => blocked[k] !== 3);
    const rowStart = problem.rowStart.map((start) => kept.filter((k) => k < start).length);
    const broken = {
      ...problem,
      rowStart,
      column: Uint32Array.from(kept, (k) => problem.column[k]),
      cost: Float64Array.from(kept, (k) => problem.cost[k]),
    };
    expect(solveJv(broken, solution, workspace, { warm: true })).toEqual({ status: "infeasible", row: -4 });
    const again = solveJv(open, solution, workspace, { warm: true });
    expect(again.status).toBe("optimal");
    if (again.status === "optimal" && cost.status === "optimal") expect(again.cost).toBeCloseTo(cost.cost, 9);
  });

  test.each(shapes)("has the same solution where the entries of columns are known: $name", (shape) => {
    const problem = randomLap({ ...shape, seed: 3 });
    const { rows, columns, rowStart, column, cost } = problem;
    const row = Int32Array.from(cost, (_, k) => 7 + rowStart.findLastIndex((begin) => begin <= k));
    // As in a graph, each column has one edge more, which is no entry.
    const ofColumn = Array.from({ length: columns }, (_, j) => [...cost.keys()].filter((k) => column[k] === j));
    const start = Uint32Array.from({ length: columns + 1 }, (_, j) =>
      ofColumn.slice(0, j).reduce((sum, entries) => sum + entries.length + 1, 5),
    );
    const entry = Uint32Array.from([9, 9, 9, 9, 9, ...ofColumn.flatMap((entries, j) => [...entries, cost.length + j])]);
    const known = { ...problem, byColumn: { start, entry, row, firstRow: 7 } };
    const [one, other] = [createLapSolution(rows, columns), createLapSolution(rows, columns)];
    const [ofOne, ofOther] = [createJvWorkspace(rows, columns), createJvWorkspace(rows, columns)];
    const random = uniform(4);
    for (let round = 0; round < 20; round++) {
      for (let k = 0; k < cost.length; k++) cost[k] += 0.5 * (random() - 0.5);
      const outcome = solveJv(problem, one, ofOne, { warm: round > 0 });
      expect(solveJv(known, other, ofOther, { warm: round > 0 })).toEqual(outcome);
      expect(other).toEqual(one);
    }
  });
});
