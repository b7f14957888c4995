import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bruteForce } from "../../lab/truth/lap.js";
import { certifyLap } from "../../src/lap/certificate.js";
import { createLapSolution, denseLap } from "../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../src/lap/jv/jv.js";
import type { LapProblem, LapSolution } from "../../src/lap/lap.js";
import { randomLap, uniform } from "./support.js";

const limited = randomLap({ seed: 4, rows: 20, columns: 17, density: 0.3, rowUnassigned: 0.4, columnUnassigned: 0.3 });
const complete = randomLap({ seed: 6, rows: 12, columns: 12, density: 0.5, diagonal: true });

function solved(problem: LapProblem): { solution: LapSolution; cost: number } {
  const solution = createLapSolution(problem.rows, problem.columns);
  const outcome = solveJv(problem, solution, createJvWorkspace(problem.rows, problem.columns));
  if (outcome.status !== "optimal") throw new Error("infeasible");
  return { solution, cost: outcome.cost };
}

describe("certifyLap", () => {
  test("checks a solution written down by hand", () => {
    // Row 0 takes column 1, row 1 stays out at 2, column 0 at 1.
    const problem = denseLap(2, 2, [4, 3, 9, 8], {
      rowUnassigned: Float64Array.of(5, 2),
      columnUnassigned: Float64Array.of(1, 6),
    });
    const solution = createLapSolution(2, 2);
    solution.columnOfRow[0] = 1;
    solution.entryOfRow[0] = 1;
    solution.rowOfColumn[1] = 0;
    solution.columnDual.set([1, 0]);
    solution.rowDual.set([3, 2]);
    const certificate = certifyLap(problem, solution);
    expect(certificate.complete).toBe(true);
    expect(certificate.primalCost).toBe(6);
    expect(certificate.dualBound).toBeCloseTo(6, 14);
    expect(certificate.dualBound).toBeLessThanOrEqual(6);
    for (const violation of Object.values(certificate.violations)) expect(violation).toEqual({ count: 0, maximum: 0 });
  });

  test("any column duals whatsoever give a bound, and it is below the optimum", () => {
    for (const problem of [limited, complete, randomLap({ seed: 8, rows: 9, columns: 14, density: 1 })]) {
      const { solution, cost } = solved(problem);
      const random = uniform(1);
      for (let round = 0; round < 200; round++) {
        const width = [0, 1e-3, 1, 100][round % 4];
        const columnDual = solution.columnDual.map((dual) => dual + width * (random() - 0.5));
        const { dualBound } = certifyLap(problem, {
          ...solution,
          columnDual,
          rowDual: solution.rowDual.map(() => 1e9),
        });
        expect(dualBound).toBeLessThanOrEqual(cost);
        if (width <= 1e-3) expect(dualBound).toBeGreaterThan(cost - 0.05);
      }
    }
  });

  test("no dual and no link whatsoever gives a bound above the optimum, or a gap that the assignment does not have", () => {
    // Multiples of a power of two, so that brute force is exact; those of 2¹⁰²⁰ overflow when two are added up.
    const unit = fc.constantFrom(1 / 8, 2 ** 40, 2 ** 1017);
    const dual = fc.oneof(
      fc.constantFrom(Number.NaN, Infinity, -Infinity, 1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE, 1e20, -1e20),
      fc.integer({ min: -9, max: 9 }),
    );
    const sizes = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), unit, unit);
    const attacked = sizes.chain(([rows, columns, ofCosts, ofDuals]) => {
      const many = <T>(length: number, of: fc.Arbitrary<T>) => fc.array(of, { minLength: length, maxLength: length });
      const cost = fc.integer({ min: -9, max: 9 }).map((n) => n * ofCosts);
      const limits = (length: number) =>
        fc.option(many(length, fc.oneof(cost, fc.constant(Infinity))).map((all) => Float64Array.from(all)));
      const duals = (length: number) =>
        many(length, dual).map((all) =>
          Float64Array.from(all, (value) => (Math.abs(value) > 9 ? value : value * ofDuals)),
        );
      const links = (length: number, most: number) =>
        many(length, fc.integer({ min: -1, max: most })).map((all) => Int32Array.from(all));
      return fc.record({
        problem: fc
          .record({
            costs: many(rows * columns, cost),
            forbidden: many(rows * columns, fc.constantFrom(0, 0, 1)),
            rowUnassigned: limits(rows),
            columnUnassigned: limits(columns),
          })
          .map(({ costs, ...options }) => denseLap(rows, columns, costs, options)),
        duals: fc.record({ rowDual: duals(rows), columnDual: duals(columns) }),
        links: fc.option(
          fc.record({
            columnOfRow: links(rows, columns),
            entryOfRow: links(rows, rows * columns),
            rowOfColumn: links(columns, rows),
          }),
        ),
      });
    });
    const check = fc.property(attacked, ({ problem, duals, links }) => {
      const own = createLapSolution(problem.rows, problem.columns);
      solveJv(problem, own, createJvWorkspace(problem.rows, problem.columns));
      const best = bruteForce(problem);
      const { complete, dualBound, gap, primalCost, violations } = certifyLap(problem, { ...own, ...links, ...duals });
      expect(dualBound).toBeLessThanOrEqual(best);
      // A NaN is no gap that can be small.
      if (complete && primalCost > best) expect(gap).not.toBeLessThanOrEqual(0.1 * (primalCost - best));
      const counted = Object.values(violations).reduce((sum, { count }) => sum + count, 0);
      if (![...duals.rowDual, ...duals.columnDual].every(Number.isFinite)) expect(counted).toBeGreaterThan(0);
    });
    fc.assert(check, { numRuns: 5000 });
  });

  test("a violation by NaN stays one, whatever numbers follow", () => {
    const { solution } = solved(complete);
    solution.columnDual[2] = Number.NaN;
    const { dualBound, violations } = certifyLap(complete, solution);
    expect(dualBound).toBe(-Infinity);
    expect(violations.entryDual.maximum).toBeNaN();
    expect(violations.entryDual.count).toBeGreaterThan(0);
  });

  test("stays below the exact value where the sum cannot be represented", () => {
    // 1e16 + 1.7 lies between 1e16 and 1e16 + 2, and rounds up to the latter.
    const problem = denseLap(2, 2, [1e16, 2e16, 2e16, 1.7]);
    expect(1e16 + 1.7).toBe(1e16 + 2);
    const solution = createLapSolution(2, 2);
    solution.columnOfRow.set([0, 1]);
    solution.entryOfRow.set([0, 3]);
    solution.rowOfColumn.set([0, 1]);
    solution.rowDual.set([1e16, 1.7]);
    const certificate = certifyLap(problem, solution);
    expect(certificate.complete).toBe(true);
    expect(certificate.dualBound).toBeLessThanOrEqual(1e16);
    expect(certificate.gap).toBeLessThan(64);
  });

  test("a row without any way out proves the problem infeasible", () => {
    const problem = denseLap(1, 1, [0], { forbidden: [1] });
    const certificate = certifyLap(problem, createLapSolution(1, 1));
    expect(certificate).toMatchObject({ complete: false, unserved: 2, primalCost: Infinity, dualBound: Infinity });
  });

  const assigned = (solution: LapSolution) => solution.columnOfRow.findIndex((j) => j >= 0);
  const left = (solution: LapSolution) => solution.columnOfRow.indexOf(-1);
  const corruptions: readonly [string, (solution: LapSolution) => void, string][] = [
    ["a row that gives up its column", (s) => s.columnOfRow.fill(-1, assigned(s), assigned(s) + 1), "brokenLinks"],
    ["an entry of another column", (s) => s.entryOfRow.fill(0, 3), "brokenLinks"],
    ["two rows on one column", (s) => s.columnOfRow.fill(s.columnOfRow[assigned(s)]), "brokenLinks"],
    ["a column that names another row", (s) => s.rowOfColumn.fill(left(s)), "brokenLinks"],
    ["a row dual too high", (s) => s.rowDual.fill(1, assigned(s), assigned(s) + 1), "entryDual"],
    ["a row dual too low", (s) => s.rowDual.fill(-1, assigned(s), assigned(s) + 1), "entryTight"],
    ["a row dual above its unassigned cost", (s) => s.rowDual.fill(1, left(s), left(s) + 1), "rowLimit"],
    ["an unassigned row below its cost", (s) => s.rowDual.fill(-1, left(s), left(s) + 1), "rowTight"],
    ["a column dual above its unassigned cost", (s) => s.columnDual.fill(1), "columnLimit"],
    ["an unassigned column below its cost", (s) => s.columnDual.fill(-1), "columnTight"],
    ["a dual that is no number", (s) => s.rowDual.fill(Number.NaN), "entryDual"],
  ];
  test.each(corruptions)("finds %s", (_, corrupt, where) => {
    const { solution, cost } = solved(limited);
    const good = certifyLap(limited, solution);
    const count = (certificate: typeof good) =>
      where === "brokenLinks"
        ? certificate.brokenLinks
        : certificate.violations[where as keyof typeof good.violations].count;
    expect(good.complete).toBe(true);
    expect(good.primalCost).toBeCloseTo(cost, 12);
    expect(count(good)).toBe(0);
    corrupt(solution);
    const bad = certifyLap(limited, solution);
    expect(count(bad)).toBeGreaterThan(0);
    if (where === "brokenLinks") expect(bad).toMatchObject({ complete: false, primalCost: Infinity });
  });

  test("finds rows and columns that must be assigned and are not", () => {
    const certificate = certifyLap(complete, createLapSolution(12, 12));
    expect(certificate).toMatchObject({ complete: false, unserved: 24, primalCost: Infinity });
    expect(certificate.dualBound).toBeGreaterThan(0);
  });
});
