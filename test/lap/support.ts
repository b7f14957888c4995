import { expect } from "vitest";
import { certifyLap } from "../../src/lap/certificate.js";
import { createLapSolution, denseLap } from "../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../src/lap/jv/jv.js";
import type { LapProblem, LapSolution } from "../../src/lap/lap.js";

/** A generator that gives the same numbers in [0, 1) for the same seed (mulberry32). */
export function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a random problem is made of; with a diagonal it has a complete assignment of its smaller side. */
export interface RandomLap {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  readonly density: number;
  readonly diagonal?: boolean;
  readonly rowUnassigned?: number;
  readonly columnUnassigned?: number;
}

/** Costs uniform in [0, 1); unassigned costs, where asked for, uniform up to the value given. */
export function randomLap(recipe: RandomLap): LapProblem {
  const { rows, columns, density, diagonal = false, rowUnassigned, columnUnassigned } = recipe;
  const random = uniform(recipe.seed);
  const forbidden = Array.from({ length: rows * columns }, (_, at) => {
    const onDiagonal = Math.floor(at / columns) === at % columns;
    return random() < density || (diagonal && onDiagonal) ? 0 : 1;
  });
  const costs = Float64Array.from({ length: rows * columns }, random);
  const limits = (length: number, most: number | undefined) =>
    most === undefined ? null : Float64Array.from({ length }, () => most * random());
  return denseLap(rows, columns, costs, {
    forbidden,
    rowUnassigned: limits(rows, rowUnassigned),
    columnUnassigned: limits(columns, columnUnassigned),
  });
}

/** Requires that the certificate proves the solution optimal for the cost the solver reported. */
export function expectOptimal(problem: LapProblem, solution: LapSolution, cost: number): void {
  const certificate = certifyLap(problem, solution);
  // After a warm start from dearer costs the duals, and the rounding with them, may outgrow the costs.
  let duals = 0;
  for (const side of [solution.rowDual, solution.columnDual]) for (const dual of side) duals += Math.abs(dual);
  const scale = 1e-12 * (Math.abs(cost) + magnitude(problem)) + 2 ** -48 * duals;
  expect(certificate).toMatchObject({ complete: true, brokenLinks: 0, unserved: 0 });
  expect(Math.abs(certificate.primalCost - cost)).toBeLessThanOrEqual(scale);
  expect(certificate.gap).toBeLessThanOrEqual(scale);
  expect(certificate.gap).toBeGreaterThanOrEqual(0);
  for (const [condition, { count }] of Object.entries(certificate.violations)) expect(count, condition).toBe(0);
}

/** Cold solve with its certificate checked; the cost, or "infeasible". */
export function solveCold(problem: LapProblem): number | "infeasible" {
  const solution = createLapSolution(problem.rows, problem.columns);
  const outcome = solveJv(problem, solution, createJvWorkspace(problem.rows, problem.columns));
  if (outcome.status === "infeasible") return outcome.status;
  expectOptimal(problem, solution, outcome.cost);
  return outcome.cost;
}

function magnitude({ rows, columns, cost, rowUnassigned, columnUnassigned }: LapProblem): number {
  let largest = 0;
  for (const values of [cost, rowUnassigned ?? [], columnUnassigned ?? []]) {
    for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  }
  return largest * (rows + columns);
}
