import { certifyAuction } from "../../../src/lap/auction/certificate.js";
import { lapOf } from "../../../src/lap/auction/problem.js";
import { certifyLap } from "../../../src/lap/certificate.js";
import { createLapSolution } from "../../../src/lap/dense.js";
import { createJvWorkspace, solveJv } from "../../../src/lap/jv/jv.js";
import type { LapProblem } from "../../../src/lap/lap.js";
import { isAtLeast, isAtMost } from "../check.js";
import { Garbler } from "../garble.js";
import { exactAssignment, exactOptimum } from "../lap.js";
import type { Attack, Findings } from "./attack.js";

/** Garbled solutions of one problem. */
const SOLUTIONS = 6;

/** Up to 5 × 5, on any scale, perhaps with forbidden entries and rows and columns that may stay out. */
function anyLap(garbler: Garbler): LapProblem {
  const [rows, columns] = [garbler.below(6), garbler.below(6)];
  const density = garbler.pick(1, 0.7, 0.4);
  const scale = garbler.pick(1, 1, 10 ** garbler.uniform(-12, 30));
  const sign = garbler.pick(0, -1, -1);
  const cost = () => (garbler.chance(0.05) ? 10 ** garbler.uniform(-12, 30) : scale * garbler.uniform(sign, 1));
  const rowStart = [0];
  const column: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) if (garbler.chance(density)) column.push(j);
    rowStart.push(column.length);
  }
  const unassigned = (count: number) =>
    garbler.chance(0.4)
      ? Float64Array.from({ length: count }, () => (garbler.chance(0.2) ? Number.POSITIVE_INFINITY : cost()))
      : null;
  return {
    rows,
    columns,
    rowStart: Uint32Array.from(rowStart),
    column: Uint32Array.from(column),
    cost: Float64Array.from(column, cost),
    rowUnassigned: unassigned(rows),
    columnUnassigned: unassigned(columns),
  };
}

export const lap: Attack = {
  what: "certificates of linear assignment problems and auctions of any scale, with duals, prices, links and matchings exchanged",
  share: 250,
  perSeed: SOLUTIONS,
  async run(seed, findings) {
    const garbler = new Garbler(seed);
    if (garbler.chance(0.3)) attackAuction(garbler, findings);
    else attackLap(garbler, findings);
  },
};

function attackLap(garbler: Garbler, { ended, violated }: Findings): void {
  const problem = anyLap(garbler);
  const { rows, columns } = problem;
  const healthy = createLapSolution(rows, columns);
  const outcome = solveJv(problem, healthy, createJvWorkspace(rows, columns));
  const optimum = exactOptimum(problem);
  if ((outcome.status === "optimal") !== (optimum !== null))
    violated(`${outcome.status}, and the optimum is ${optimum}`);
  for (let n = 0; n < SOLUTIONS; n++) {
    const solution = {
      columnOfRow: healthy.columnOfRow.slice(),
      entryOfRow: healthy.entryOfRow.slice(),
      rowOfColumn: healthy.rowOfColumn.slice(),
      rowDual: healthy.rowDual.slice(),
      columnDual: healthy.columnDual.slice(),
    };
    if (n > 0 && garbler.chance(0.8)) garbler.entries(solution.columnDual);
    if (n > 0 && garbler.chance(0.3)) garbler.entries(solution.rowDual);
    if (n > 0 && garbler.chance(0.3)) {
      const links = garbler.pick(solution.columnOfRow, solution.entryOfRow, solution.rowOfColumn);
      if (links.length > 0) links[garbler.below(links.length)] = garbler.pick(-1, 0, 1, 2, links.length, 1e9);
    }
    const { complete, primalCost, dualBound, gap } = certifyLap(problem, solution);
    if (!isAtMost(dualBound, optimum)) violated(`${dualBound} is no lower bound (optimum ${optimum})`);
    const assignment = exactAssignment(problem, solution.columnOfRow);
    if (complete && assignment === null) violated("called complete, and is no assignment");
    // The cost is a sum in f64, each of its terms less than once rounded.
    const rounding = 2 ** -50 * largest(problem) * (rows + columns);
    if (complete && assignment !== null && !isAtLeast(primalCost + rounding, assignment))
      violated(`an assignment of ${primalCost} costs more`);
    if (complete && assignment !== null && optimum !== null && !isAtLeast(gap + rounding, assignment - optimum))
      violated(`a gap of ${gap} is too small`);
    ended(complete ? "complete" : "not complete");
  }
}

function largest({ cost, rowUnassigned, columnUnassigned }: LapProblem): number {
  const all = [...cost, ...(rowUnassigned ?? []), ...(columnUnassigned ?? [])].filter(Number.isFinite);
  return all.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function attackAuction(garbler: Garbler, { ended, violated }: Findings): void {
  const { rows: persons, columns: objects, rowStart, column: object, cost } = anyLap(garbler);
  const problem = { persons, objects, rowStart, object, utility: cost.map((value) => Math.abs(value) || 1) };
  const asLap = lapOf(problem);
  const optimum = exactOptimum(asLap) as bigint;
  const healthy = createLapSolution(persons, objects);
  solveJv(asLap, healthy, createJvWorkspace(persons, objects));
  for (let n = 0; n < SOLUTIONS; n++) {
    const price = healthy.columnDual.map((dual) => Math.max(0, -dual));
    const objectOfPerson = healthy.columnOfRow.slice();
    if (n > 0) garbler.entries(price);
    if (n > 0 && persons > 0 && garbler.chance(0.3))
      objectOfPerson[garbler.below(persons)] = garbler.pick(-1, 0, 1, 2, objects, 1e9, -2);
    const { legal, utility, bound, gap } = certifyAuction(problem, objectOfPerson, price);
    if (!isAtLeast(bound, -optimum))
      violated(`auction: no matching has more than ${bound}, and the best has ${-optimum}`);
    const assignment = exactAssignment(
      asLap,
      objectOfPerson.map((j) => Math.max(j, -1)),
    );
    if (legal !== (assignment !== null)) violated(`auction: ${legal ? "legal" : "illegal"}, and it is not so`);
    const rounding = 2 ** -50 * largest(asLap) * (persons + objects);
    if (legal && assignment !== null && !isAtMost(utility - rounding, -assignment))
      violated(`auction: a matching of ${utility} has less`);
    if (legal && assignment !== null && !isAtLeast(gap + rounding, assignment - optimum))
      violated(`auction: a gap of ${gap} is too small`);
    ended(legal ? "legal matching" : "illegal matching");
  }
}
