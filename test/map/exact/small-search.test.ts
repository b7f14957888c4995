import { afterEach, expect, test } from "vitest";
import { ELIMINATION_LIMITS } from "../../../src/map/exact/stages.js";
import { randomProblem, solveProblem } from "../problems.js";
import { openHighs } from "./support.js";

const { search } = ELIMINATION_LIMITS;
afterEach(() => void Object.assign(ELIMINATION_LIMITS, { search }));

/** An exact solve, and how often it asked for linear programs. */
async function solved(seed: number, grid?: number) {
  const problem = randomProblem({ seed, counts: [16, 16, 16], ...(grid && { most: 100, grid }) });
  const open = await openHighs();
  let loads = 0;
  const load = async () => {
    loads++;
    return open;
  };
  const exact = { load, mostTriplets: 3e5, mostLeaves: Number.POSITIVE_INFINITY, always: true };
  const { solution } = await solveProblem(problem, { iterations: 60, exact });
  return { solution, loads };
}

test("proves assignment in three frames without linear programs, at the cost that these come to", async () => {
  let searched = 0;
  for (let seed = 0; seed < 4; seed++) {
    const grid = seed % 2 ? 1 : undefined;
    Object.assign(ELIMINATION_LIMITS, { search });
    const { solution, loads } = await solved(seed, grid);
    expect(solution.status).toBe("optimal");
    expect(loads).toBe(0);
    Object.assign(ELIMINATION_LIMITS, { search: { mostTracks: 0, mostSteps: 0 } });
    const other = await solved(seed, grid);
    expect(other.solution).toMatchObject({ status: "optimal", upperBound: solution.upperBound });
    if (solution.exact === null) continue;
    expect(solution.exact).toMatchObject({ by: "search", outcome: "closed", cuts: 0, leaves: 0 });
    expect(other.solution.exact?.by).toBe("linear programs");
    searched++;
  }
  expect(searched).toBeGreaterThan(1);
});
