import { expect, test } from "vitest";
import { bruteForce, exactly } from "../../lab/truth/tracks.js";
import { buildGraph } from "../../src/map/instance/build.js";
import { rmap } from "../cli/rmap.js";
import { randomProblem, solveProblem } from "./problems.js";

test("a solve with `closing` goes on from the gap asked for until it is proved, and states what is true", async () => {
  let further = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const problem = randomProblem({ seed, counts: [4, 4, 4, 4], most: 4, births: true });
    const truth = bruteForce(problem);
    if (truth === null) throw new Error("births allow everything");
    const limits = { gap: 0.5, iterations: 1000 };
    const [early, late] = [
      (await solveProblem(problem, limits)).solution,
      (await solveProblem(problem, { ...limits, closing: true })).solution,
    ];
    expect(["gap", "optimal"]).toContain(early.status);
    expect(["gap", "optimal"]).toContain(late.status);
    expect(exactly(late.lowerBound) <= truth.exact).toBe(true);
    expect(late.lowerBound).toBeGreaterThanOrEqual(early.lowerBound);
    if (early.status === "gap" && late.status === "optimal") further++;
  }
  expect(further).toBeGreaterThan(5);
});

test("it ends after 3e7 edges and triplets more where no proof is near", async () => {
  // Random costs: the relaxation leaves a gap, so that nothing but the work ends it.
  const problem = randomProblem({ seed: 3, counts: new Array(9).fill(30) });
  const { graph } = buildGraph(problem);
  const limits = { gap: 0.3, iterations: 1000 };
  const [early, late] = [
    (await solveProblem(problem, limits)).solution,
    (await solveProblem(problem, { ...limits, closing: true })).solution,
  ];
  expect([early.status, late.status]).toEqual(["gap", "gap"]);
  const most = 3e7 / (graph.edges + graph.triplets.count);
  expect(late.iterations - early.iterations).toBeGreaterThanOrEqual(most);
  // A bound comes every few iterations.
  expect(late.iterations - early.iterations).toBeLessThan(most + 10);
});

test("an ascent that linear programs follow makes way once they take no longer than it has taken, and not before", async () => {
  const scenario = "instances/scenarios/births-40x20.json";
  const { stdout } = await rmap([
    "solve",
    scenario,
    "--exact",
    "--gap",
    "0",
    "--device",
    "cpu",
    "--threads",
    "1",
    "--json",
  ]);
  const row = JSON.parse(stdout);
  expect([row.status, row.exact.outcome]).toEqual(["optimal", "closed"]);
  // It would stall after 268 iterations.
  expect(row.iterations).toBeGreaterThan(100);
  expect(row.iterations).toBeLessThan(210);
});
