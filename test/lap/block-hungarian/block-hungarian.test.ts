import { describe, expect, test } from "vitest";
import { solveBlockHungarian, type TeamLayout } from "../../../lab/lap/twin/block-hungarian.js";
import type { DenseLapF32 } from "../../../lab/lap/twin/lap-state.js";
import type { KernelChoice } from "../../../src/lap/block-hungarian/gpu-plan.js";
import { solveLapsOnGpu } from "../../../src/lap/block-hungarian/gpu-solve.js";
import { certifyLap } from "../../../src/lap/certificate.js";
import { type GpuLapBatch as Batch, GpuLapBatch, type LapBatchResult } from "../../../src/lap/gpu-batch.js";
import type { LapProblem } from "../../../src/lap/lap.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { lapCases, problemOf } from "../cases.js";
import { randomLap, solveCold, uniform } from "../support.js";

const session = useSoftwareSession();

const choices: Record<string, KernelChoice> = {
  subgroup: { path: "subgroup" },
  "subgroup, one team": { path: "subgroup", teams: 1, bidRounds: 0 },
  portable: { path: "portable", threads: 32 },
  wide: { path: "wide", threads: 32 },
  "wide, half in storage": { path: "wide", threads: 32, held: 3 },
  "portable in storage": { path: "portable", threads: 32, held: 0 },
  "portable, half in storage": { path: "portable", threads: 32, held: 3 },
};

/** f32 costs, and so f32 answers: what the certificate may find beyond f64 rounding. */
function tolerance(problem: LapProblem, cost: number): number {
  let largest = Math.abs(cost);
  for (const values of [problem.cost, problem.rowUnassigned ?? [], problem.columnUnassigned ?? []]) {
    for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  }
  return 2 ** -20 * largest * (problem.rows + problem.columns);
}

describe.each(Object.entries(choices))("the case table, %s", (_, choice) => {
  test("every answer is certified and costs what it must; every infeasible case is found", async () => {
    const problems = lapCases.map(problemOf);
    const answers = await solveLapsOnGpu(session(), problems, choice);
    for (const [k, { name, expected }] of lapCases.entries()) {
      const problem = problems[k];
      const { status, solution } = answers[k];
      expect(status, name).toBe(expected === "infeasible" ? "infeasible" : "optimal");
      if (expected === "infeasible") continue;
      const certificate = certifyLap(problem, solution);
      const allowed = tolerance(problem, expected);
      expect(certificate.complete, name).toBe(true);
      expect(Math.abs(certificate.primalCost - expected), name).toBeLessThanOrEqual(allowed);
      expect(certificate.gap, name).toBeLessThanOrEqual(allowed);
    }
  });
});

describe.each(Object.entries(choices))("random LAPs, %s", (_, choice) => {
  test("cost no more than the CPU's within f32, whatever may be forbidden or stay unassigned", async () => {
    const problems = [
      randomLap({ seed: 1, rows: 12, columns: 12, density: 1 }),
      randomLap({ seed: 2, rows: 9, columns: 40, density: 0.6, diagonal: true }),
      randomLap({ seed: 3, rows: 33, columns: 14, density: 0.7, diagonal: true }),
      randomLap({ seed: 4, rows: 30, columns: 30, density: 0.2, diagonal: true }),
      randomLap({ seed: 5, rows: 25, columns: 31, density: 0.3, rowUnassigned: 0.3, columnUnassigned: 0.3 }),
      randomLap({ seed: 6, rows: 31, columns: 20, density: 0.1, rowUnassigned: 1, columnUnassigned: 0.1 }),
    ];
    const answers = await solveLapsOnGpu(session(), problems, choice);
    for (const [k, problem] of problems.entries()) {
      const best = solveCold(problem) as number;
      const certificate = certifyLap(problem, answers[k].solution);
      expect(certificate.complete).toBe(true);
      expect(certificate.primalCost - best).toBeLessThanOrEqual(tolerance(problem, best));
      expect(certificate.dualBound).toBeLessThanOrEqual(best + 1e-9);
      expect(certificate.gap).toBeLessThanOrEqual(tolerance(problem, best));
    }
  });
});

interface Kind {
  readonly rows: number;
  readonly columns: number;
  readonly density: number;
  readonly limit: number;
  readonly steps: number;
  readonly slack?: number;
}

/** Dense LAPs of one kind; costs are multiples of 1/steps, so few steps make ties. */
function denseLaps(
  seed: number,
  laps: number,
  { rows, columns, density, limit, steps, slack = 0 }: Kind,
): DenseLapF32[] {
  const random = uniform(seed);
  const limits = (length: number, most: number) => Float32Array.from({ length }, () => most * random());
  return Array.from({ length: laps }, () => ({
    rows,
    columns,
    slack,
    cost: Float32Array.from({ length: rows * columns }, (_, at) => {
      const kept = random() < density || at % (columns + 1) === 0;
      return kept ? Math.round(random() * steps) / steps : Infinity;
    }),
    rowLimit: limits(rows, limit),
    columnLimit: rows < columns && limit === Infinity ? new Float32Array(columns) : limits(columns, limit),
  }));
}

async function batchOf(laps: readonly DenseLapF32[], choice: KernelChoice): Promise<Batch> {
  const concat = (parts: readonly Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));
  return await GpuLapBatch.create(
    session(),
    {
      rows: Uint32Array.from(laps, (lap) => lap.rows),
      columns: Uint32Array.from(laps, (lap) => lap.columns),
      rowLimit: concat(laps.map((lap) => lap.rowLimit)),
      columnLimit: concat(laps.map((lap) => lap.columnLimit)),
      entries: null,
      slack: laps[0].slack ?? 0,
    },
    choice,
  );
}

async function run(batch: Batch, laps: readonly DenseLapF32[], warm: boolean): Promise<LapBatchResult> {
  batch.writeDense(Float32Array.from(laps.flatMap((lap) => [...lap.cost])));
  return await session().scoped("solve", async () => {
    const encoder = session().device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    batch.encodeSolve(pass, { warm });
    pass.end();
    session().device.queue.submit([encoder.finish()]);
    return await batch.read();
  });
}

function layoutOf({ plan }: Batch): TeamLayout {
  if (plan === null) throw new Error("dense LAPs are solved as matrices");
  const { SUBGROUP, TEAMS, THREADS, BID_ROUNDS } = plan.constants as Record<string, number>;
  return plan.path === "subgroup"
    ? { lanes: SUBGROUP, teams: TEAMS, columnsPerLane: 4, bidRounds: BID_ROUNDS }
    : { lanes: THREADS, teams: 1, columnsPerLane: 1, bidRounds: BID_ROUNDS };
}

const kinds: Record<string, Kind> = {
  square: { rows: 40, columns: 40, density: 1, limit: Infinity, steps: 2 ** 24 },
  tied: { rows: 24, columns: 24, density: 1, limit: Infinity, steps: 3 },
  sparse: { rows: 36, columns: 36, density: 0.15, limit: Infinity, steps: 2 ** 24 },
  wide: { rows: 20, columns: 37, density: 0.8, limit: Infinity, steps: 2 ** 24 },
  "births and deaths": { rows: 30, columns: 26, density: 0.4, limit: 0.6, steps: 2 ** 24 },
  "tied births and deaths": { rows: 18, columns: 23, density: 0.5, limit: 0.6, steps: 4 },
  "square, slack": { rows: 40, columns: 40, density: 1, limit: Infinity, steps: 2 ** 24, slack: 0.02 },
  "births and deaths, slack": { rows: 30, columns: 26, density: 0.4, limit: 0.6, steps: 2 ** 24, slack: 0.02 },
};

describe.each(Object.entries(kinds))("kernel and twin agree to the last bit: %s", (_, kind) => {
  test.each(Object.entries(choices))("%s, cold and warm", async (_, choice) => {
    const laps = denseLaps(11, 3, kind);
    const batch = await batchOf(laps, choice);
    const layout = layoutOf(batch);
    const cold = laps.map((lap) => solveBlockHungarian(lap, layout));
    expectSame(await run(batch, laps, false), cold, kind);
    const random = uniform(12);
    const changed = laps.map((lap) => ({
      ...lap,
      cost: lap.cost.map((c) => (random() < 0.05 ? Math.fround(c + Math.fround(0.3 * random())) : c)),
    }));
    const warm = changed.map((lap, k) => solveBlockHungarian(lap, layout, cold[k]));
    expectSame(await run(batch, changed, true), warm, kind);
    batch.destroy();
  });
});

function expectSame(result: LapBatchResult, twins: ReturnType<typeof solveBlockHungarian>[], kind: Kind): void {
  for (const [k, twin] of twins.entries()) {
    const { value: _, ...counters } = result.outcomes[k];
    const { status, index, bidRounds, pathRounds, steps } = twin;
    expect(counters).toEqual({ status, index, bidRounds, pathRounds, steps });
    const row = k * kind.rows;
    const column = k * kind.columns;
    expect(result.columnOfRow.subarray(row, row + kind.rows)).toEqual(twin.columnOfRow);
    expect(result.columnDual.subarray(column, column + kind.columns)).toEqual(twin.columnDual);
    expect(result.rowDual.subarray(row, row + kind.rows)).toEqual(twin.rowDual);
  }
}

test("a warm start on unchanged costs changes nothing and searches nothing", async () => {
  const laps = denseLaps(21, 4, kinds.square as Kind);
  const batch = await batchOf(laps, {});
  const cold = await run(batch, laps, false);
  const warm = await run(batch, laps, true);
  expect(warm.columnOfRow).toEqual(cold.columnOfRow);
  expect(warm.columnDual).toEqual(cold.columnDual);
  for (const outcome of warm.outcomes) expect(outcome).toMatchObject({ bidRounds: 0, pathRounds: 0, steps: 0 });
  batch.destroy();
});

test("slack costs no more than twice itself a row, also in warm starts from each other's answers", () => {
  const slack = 0.01;
  const kind = { rows: 40, columns: 40, density: 0.7, limit: Infinity, steps: 2 ** 24, slack };
  const layout = { lanes: 32, teams: 4, columnsPerLane: 4, bidRounds: 3 };
  const random = uniform(31);
  for (
    let [lap] = denseLaps(30, 1, kind), turn = 0, last: ReturnType<typeof solveBlockHungarian> | undefined;
    turn < 20;
    turn++
  ) {
    last = solveBlockHungarian(lap, layout, last);
    const exact = solveBlockHungarian({ ...lap, slack: 0 }, layout);
    const costOf = ({ columnOfRow }: { columnOfRow: Int32Array }) =>
      columnOfRow.reduce((sum, j, i) => sum + lap.cost[i * kind.columns + j], 0);
    expect(costOf(last) - costOf(exact)).toBeLessThanOrEqual(2 * slack * kind.rows);
    lap = { ...lap, cost: lap.cost.map((c) => c + 0.02 * random()) };
  }
});

test("more LAPs than workgroups, of different sizes, in one submission", async () => {
  const sizes = Array.from({ length: 70 }, (_, k) => 1 + (k % 9));
  const problems = sizes.map((size, k) => randomLap({ seed: k, rows: size, columns: size, density: 1 }));
  for (const answer of await solveLapsOnGpu(session(), problems)) expect(answer.status).toBe("optimal");
});
