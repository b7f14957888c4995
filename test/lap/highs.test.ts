import highs from "highs";
import { expect, test } from "vitest";
import type { LapProblem } from "../../src/lap/lap.js";
import { type RandomLap, randomLap, solveCold } from "./support.js";

// The package's types describe its CommonJS build; what an ES module imports is the loader itself.
const { solve } = await (highs as unknown as typeof highs.default)();

/** The problem as the linear program of LapProblem's doc comment, in CPLEX LP text. */
function linearProgram({ rows, columns, rowStart, column, cost, rowUnassigned, columnUnassigned }: LapProblem): string {
  const objective: string[] = [];
  const ofRow: string[][] = Array.from({ length: rows }, () => []);
  const ofColumn: string[][] = Array.from({ length: columns }, () => []);
  const term = (coefficient: number, name: string) => {
    objective.push(`${coefficient < 0 ? "-" : "+"} ${Math.abs(coefficient)} ${name}`);
    return name;
  };
  for (let i = 0; i < rows; i++) {
    for (let k = rowStart[i]; k < rowStart[i + 1]; k++) {
      const name = term(cost[k], `x${i}_${column[k]}`);
      ofRow[i].push(name);
      ofColumn[column[k]].push(name);
    }
    if (rowUnassigned) ofRow[i].push(term(rowUnassigned[i], `s${i}`));
    else if (rows > columns) ofRow[i].push(term(0, `s${i}`));
  }
  for (let j = 0; j < columns; j++) {
    if (columnUnassigned) ofColumn[j].push(term(columnUnassigned[j], `t${j}`));
    else if (columns > rows) ofColumn[j].push(term(0, `t${j}`));
  }
  const constraints = [...ofRow, ...ofColumn].map((names, at) => ` c${at}: ${names.join("\n + ")} = 1`);
  return `Minimize\n obj: ${objective.join("\n")}\nSubject To\n${constraints.join("\n")}\nEnd\n`;
}

const recipes: readonly RandomLap[] = [
  { seed: 1, rows: 60, columns: 60, density: 0.15, diagonal: true },
  { seed: 2, rows: 60, columns: 60, density: 1 },
  { seed: 3, rows: 50, columns: 70, density: 0.15, diagonal: true },
  { seed: 4, rows: 70, columns: 50, density: 0.15, diagonal: true },
  { seed: 5, rows: 80, columns: 65, density: 0.1, rowUnassigned: 0.4, columnUnassigned: 0.15 },
  { seed: 6, rows: 65, columns: 80, density: 0.1, rowUnassigned: 0.1, columnUnassigned: 0.5 },
  { seed: 7, rows: 70, columns: 50, density: 0.2, diagonal: true, rowUnassigned: 0.3 },
  { seed: 8, rows: 50, columns: 70, density: 0.2, diagonal: true, columnUnassigned: 0.3 },
  { seed: 9, rows: 60, columns: 60, density: 0.2, diagonal: true, rowUnassigned: 0.3 },
];

test("the linear program has the same optimum", () => {
  for (const recipe of recipes) {
    const problem = randomLap(recipe);
    const truth = solve(linearProgram(problem));
    expect(truth.Status).toBe("Optimal");
    expect(solveCold(problem), `seed ${recipe.seed}`).toBeCloseTo(truth.ObjectiveValue, 6);
  }
});

test("the linear program is infeasible with it", () => {
  let infeasible = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const problem = randomLap({ seed, rows: 20, columns: 20, density: 0.16 });
    const { Status } = solve(linearProgram(problem));
    const cost = solveCold(problem);
    expect(cost === "infeasible", `seed ${seed}`).toBe(Status !== "Optimal");
    if (cost === "infeasible") infeasible++;
  }
  // Both kinds must be among them for this to say anything.
  expect(infeasible).toBeGreaterThan(2);
  expect(infeasible).toBeLessThan(18);
});
