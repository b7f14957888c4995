import { expect, test } from "vitest";
import { createLapSolution } from "../../../src/lap/dense.js";
import { type LapProblems, lapProblemAt, lapSolutionAt } from "../../../src/lap/jv/batch.js";
import { solveJv } from "../../../src/lap/jv/jv.js";
import { createJvWorkspace } from "../../../src/lap/jv/workspace.js";
import type { LapProblem, LapSolution } from "../../../src/lap/lap.js";
import { expectOptimal, randomLap, solveCold } from "../support.js";

/** Lays problems end to end as LapProblems wants them. */
function endToEnd(list: readonly LapProblem[]): LapProblems {
  const offsets = (lengths: number[]) =>
    Uint32Array.from([0, ...lengths.map((_, at) => lengths.slice(0, at + 1).reduce((a, b) => a + b))]);
  const entryOffset = offsets(list.map(({ cost }) => cost.length));
  const joined = (of: (problem: LapProblem) => Float64Array | null) =>
    list.some((problem) => of(problem)) ? Float64Array.from(list.flatMap((problem) => [...(of(problem) ?? [])])) : null;
  return {
    count: list.length,
    rowOffset: offsets(list.map(({ rows }) => rows)),
    columnOffset: offsets(list.map(({ columns }) => columns)),
    rowStart: Uint32Array.from([
      0,
      ...list.flatMap(({ rowStart }, p) => [...rowStart.subarray(1)].map((k) => k + entryOffset[p])),
    ]),
    column: Uint32Array.from(list.flatMap(({ column }) => [...column])),
    cost: Float64Array.from(list.flatMap(({ cost }) => [...cost])),
    rowUnassigned: joined(({ rowUnassigned }) => rowUnassigned),
    columnUnassigned: joined(({ columnUnassigned }) => columnUnassigned),
  };
}

const sizes = [
  [8, 8],
  [5, 9],
  [0, 4],
  [9, 5],
  [1, 1],
  [12, 10],
];
const bare = sizes.map(([rows, columns], seed) => randomLap({ seed, rows, columns, density: 1 }));
const limited = sizes.map(([rows, columns], seed) =>
  randomLap({ seed, rows, columns, density: 0.4, rowUnassigned: 0.3, columnUnassigned: 0.5 }),
);

const workspace = createJvWorkspace(12, 10);
const solveEach = (problems: LapProblems, solutions: LapSolution, warm: boolean) =>
  Array.from({ length: problems.count }, (_, p) =>
    solveJv(lapProblemAt(problems, p), lapSolutionAt(problems, solutions, p), workspace, { warm }),
  );

test.each([
  ["null unassigned costs", bare],
  ["unassigned costs", limited],
])("each slice of a batch is a problem and its solution: %s", (_, list) => {
  const problems = endToEnd(list);
  const solutions = createLapSolution(problems.rowOffset[problems.count], problems.columnOffset[problems.count]);
  for (const warm of [false, true]) {
    const outcomes = solveEach(problems, solutions, warm);
    expect(outcomes).toHaveLength(list.length);
    outcomes.forEach((outcome, p) => {
      if (outcome.status !== "optimal") throw new Error("infeasible");
      expect(outcome.cost).toBeCloseTo(Number(solveCold(list[p])), 12);
      expectOptimal(lapProblemAt(problems, p), lapSolutionAt(problems, solutions, p), outcome.cost);
    });
    // Slices are views: new costs are in them.
    problems.cost.forEach((cost, k) => {
      problems.cost[k] = 1 - cost;
    });
    for (const { cost } of list) for (let k = 0; k < cost.length; k++) cost[k] = 1 - cost[k];
  }
});

test("one infeasible problem leaves the others alone", () => {
  const dead = { ...randomLap({ seed: 1, rows: 2, columns: 2, density: 0 }) };
  const problems = endToEnd([bare[0], dead, bare[1]]);
  const outcomes = solveEach(problems, createLapSolution(15, 19), false);
  expect(outcomes.map(({ status }) => status)).toEqual(["optimal", "infeasible", "optimal"]);
});
