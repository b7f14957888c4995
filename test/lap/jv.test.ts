import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { certifyLap } from "../../src/lap/certificate.js";
import { createLapSolution, denseLap } from "../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../src/lap/jv.js";
import type { LapProblem } from "../../src/lap/lap.js";

/** Cost of the best of all assignments, by trying every one; Infinity when there is none. */
function bruteForce(problem: LapProblem): number {
  const { rows, columns, rowStart, column, cost } = problem;
  const taken = new Array<boolean>(columns).fill(false);
  const visit = (i: number): number => {
    if (i === rows) {
      let rest = 0;
      for (let j = 0; j < columns; j++) {
        if (!taken[j]) rest += problem.columnUnassigned?.[j] ?? (columns > rows ? 0 : Infinity);
      }
      return rest;
    }
    let best = (problem.rowUnassigned?.[i] ?? (rows > columns ? 0 : Infinity)) + visit(i + 1);
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      if (taken[column[k]]) continue;
      taken[column[k]] = true;
      best = Math.min(best, cost[k] + visit(i + 1));
      taken[column[k]] = false;
    }
    return best;
  };
  return visit(0);
}

// Few integers for ties, thousandths for none.
const value = fc.oneof(
  fc.integer({ min: -3, max: 6 }),
  fc.integer({ min: -3000, max: 9000 }).map((n) => n / 1000),
);
const unassigned = (length: number) =>
  fc.option(
    fc.array(fc.oneof({ weight: 4, arbitrary: value }, fc.constant(Infinity)), {
      minLength: length,
      maxLength: length,
    }),
  );

/** Small problems with everything a problem may have, and a second set of costs for a warm start. */
const small = fc.tuple(fc.nat(6), fc.nat(6)).chain(([rows, columns]) => {
  const size = { minLength: rows * columns, maxLength: rows * columns };
  return fc.record({
    rows: fc.constant(rows),
    columns: fc.constant(columns),
    rounds: fc.array(fc.array(value, size), { minLength: 1, maxLength: 4 }),
    forbidden: fc.array(
      fc.nat(2).map((n) => (n === 0 ? 1 : 0)),
      size,
    ),
    rowUnassigned: unassigned(rows),
    columnUnassigned: unassigned(columns),
  });
});

describe("solveJv", () => {
  test("finds the best of all assignments, cold and warm, and its certificate holds", () => {
    const workspace = createJvWorkspace(6, 6);
    fc.assert(
      fc.property(small, ({ rows, columns, rounds, forbidden, rowUnassigned, columnUnassigned }) => {
        const solution = createLapSolution(rows, columns);
        rounds.forEach((costs, round) => {
          const problem = denseLap(rows, columns, costs, {
            forbidden,
            rowUnassigned: rowUnassigned && Float64Array.from(rowUnassigned),
            columnUnassigned: columnUnassigned && Float64Array.from(columnUnassigned),
          });
          const best = bruteForce(problem);
          const outcome = solveJv(problem, solution, workspace, { warm: round > 0 });
          if (outcome.status === "infeasible") {
            expect(best).toBe(Infinity);
            return;
          }
          expect(outcome.cost).toBeCloseTo(best, 9);
          const certificate = certifyLap(problem, solution);
          expect(certificate.complete).toBe(true);
          expect(certificate.dualBound).toBeLessThanOrEqual(best + 1e-12);
          expect(certificate.gap).toBeLessThan(1e-11);
          for (const violation of Object.values(certificate.violations)) expect(violation.count).toBe(0);
        });
      }),
      { numRuns: 1500 },
    );
  });
});
