import { describe, expect, test } from "vitest";
import { GATED } from "../../../src/experiments/naive/dense-costs.js";
import { HostHungarian } from "../../../src/experiments/naive/hungarian.js";
import { certifyLap } from "../../../src/lap/certificate.js";
import { denseLap } from "../../../src/lap/dense.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { type LapCase, lapCases } from "../../lap/cases.js";
import { solveCold, uniform } from "../../lap/support.js";

const session = useSoftwareSession();

/** The naive engine knows square LAPs of one size: surplus rows and columns go to a border of zeros, forbidden entries cost GATED. */
function squared({ rows, columns, costs }: LapCase): { n: number; cost: Float32Array } {
  const n = Math.max(rows, columns);
  const cost = new Float32Array(n * n);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) cost[i * n + j] = costs[i][j] ?? GATED;
  return { n, cost };
}

async function solved(n: number, laps: number, cost: Float32Array) {
  const hungarian = await HostHungarian.create(session(), n, laps);
  hungarian.write(cost);
  await session().scoped("solve", () => hungarian.solve());
  const answer = { ...(await hungarian.read()), steps: hungarian.steps };
  hungarian.destroy();
  return answer;
}

function certificateOf(n: number, cost: ArrayLike<number>, answer: Awaited<ReturnType<typeof solved>>, lap: number) {
  const slice = <A extends Int32Array | Float32Array>(array: A) => array.slice(lap * n, (lap + 1) * n) as A;
  const columnOfRow = slice(answer.columnOfRow);
  const rowOfColumn = new Int32Array(n).fill(-1);
  for (const [i, j] of columnOfRow.entries()) rowOfColumn[j] = i;
  return certifyLap(denseLap(n, n, Array.from(cost)), {
    columnOfRow,
    entryOfRow: Int32Array.from(columnOfRow, (j, i) => i * n + j),
    rowOfColumn,
    rowDual: Float64Array.from(slice(answer.rowDual)),
    columnDual: Float64Array.from(slice(answer.columnDual)),
  });
}

const applicable = lapCases.filter(({ rows, columns, rowUnassigned, columnUnassigned, costs }) => {
  const small = costs.flat().every((cost) => cost === null || Math.abs(cost) < GATED / 1000);
  return small && rowUnassigned === null && columnUnassigned === null && Math.max(rows, columns) > 0;
});

describe("the case table, as far as it is dense", () => {
  test("covers squares, rectangles, forbidden entries and infeasible ones", () => {
    expect(applicable.length).toBeGreaterThan(8);
    expect(applicable.some(({ rows, columns }) => rows !== columns)).toBe(true);
    expect(applicable.some(({ expected }) => expected === "infeasible")).toBe(true);
  });

  test.each(applicable)("$name", async (lap) => {
    const { n, cost } = squared(lap);
    const answer = await solved(n, 1, cost);
    const { complete, primalCost, gap } = certificateOf(n, cost, answer, 0);
    expect(complete).toBe(true);
    if (lap.expected === "infeasible") {
      expect(primalCost).toBeGreaterThan(GATED / 2);
      return;
    }
    const allowed = 1e-6 * (1 + Math.max(...cost.map((value) => (value < GATED ? Math.abs(value) : 0)))) * n;
    expect(Math.abs(primalCost - lap.expected)).toBeLessThanOrEqual(allowed);
    expect(gap).toBeLessThanOrEqual(allowed);
  });
});

test.each([
  ["uniform", (random: () => number) => random()],
  ["few values, so many ties", (random: () => number) => Math.floor(4 * random())],
  ["negative and positive", (random: () => number) => 10 * random() - 7],
  ["mostly gated out", (random: () => number, k: number) => (random() < 0.2 || k % 18 === 0 ? random() : GATED)],
])("a batch of LAPs costs what JV finds: %s", async (_, draw) => {
  const [n, laps] = [17, 5];
  const random = uniform(7);
  const cost = Float32Array.from({ length: laps * n * n }, (_, k) => draw(random, k % (n * n)));
  const answer = await solved(n, laps, cost);
  for (let lap = 0; lap < laps; lap++) {
    const own = cost.subarray(lap * n * n, (lap + 1) * n * n);
    const best = solveCold(denseLap(n, n, Array.from(own))) as number;
    const { complete, primalCost, gap } = certificateOf(n, own, answer, lap);
    expect(complete).toBe(true);
    expect(primalCost - best).toBeLessThanOrEqual(1e-5);
    expect(gap).toBeLessThanOrEqual(2e-4);
  }
});

test("the host waits once a step, for all LAPs together", async () => {
  const n = 8;
  const random = uniform(3);
  const cost = Float32Array.from({ length: 4 * n * n }, random);
  const alone: number[] = [];
  for (let lap = 0; lap < 4; lap++) {
    alone.push((await solved(n, 1, cost.slice(lap * n * n, (lap + 1) * n * n))).steps);
  }
  const { steps } = await solved(n, 4, cost);
  expect(steps).toBeGreaterThanOrEqual(Math.max(...alone));
  expect(steps).toBeLessThan(alone.reduce((sum, one) => sum + one, 0));
});
