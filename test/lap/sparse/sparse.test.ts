import { describe, expect, test } from "vitest";
import { type SparseAnswer, type SparseLapF32, solveSparse } from "../../../lab/lap/twin/sparse.js";
import { uploadStorage, writeStorage } from "../../../src/gpu/buffers.js";
import { certifyLap } from "../../../src/lap/certificate.js";
import { GpuLapBatch, type LapBatchChoice, type LapBatchResult } from "../../../src/lap/gpu-batch.js";
import type { LapProblem, LapSolution } from "../../../src/lap/lap.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { lapCases, problemOf } from "../cases.js";
import { randomLap, solveCold, uniform } from "../support.js";

const session = useSoftwareSession();

/** As gpu-sparse.ts takes them for LAPs of up to 128 rows. */
const SEARCHES = 32;

function f32LapOf({
  rows,
  columns,
  rowStart,
  column,
  cost,
  rowUnassigned,
  columnUnassigned,
}: LapProblem): SparseLapF32 {
  const usual = (count: number, other: number) => new Float32Array(count).fill(count > other ? 0 : Infinity);
  return {
    rows,
    columns,
    rowStart: rowStart.map((first) => first - rowStart[0]),
    column: column.subarray(rowStart[0], rowStart[rows]),
    cost: Float32Array.from(cost.subarray(rowStart[0], rowStart[rows])),
    rowLimit: rowUnassigned ? Float32Array.from(rowUnassigned) : usual(rows, columns),
    columnLimit: columnUnassigned ? Float32Array.from(columnUnassigned) : usual(columns, rows),
  };
}

const concat = (parts: readonly Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));
const mayBeLeft = (laps: readonly SparseLapF32[]) =>
  laps.some((lap) => [...lap.rowLimit, ...lap.columnLimit].some((limit) => limit < Infinity));

/** LAPs of one size or several in a batch, which can be solved again with other costs and limits. */
class Solver {
  readonly #cost: GPUBuffer;

  private constructor(
    readonly batch: GpuLapBatch,
    laps: readonly SparseLapF32[],
  ) {
    this.#cost = uploadStorage(session(), "costs", concat(laps.map((lap) => lap.cost)));
  }

  static async of(laps: readonly SparseLapF32[], choice: LapBatchChoice = {}): Promise<Solver> {
    const starts = [0];
    for (const { rowStart } of laps)
      for (const end of rowStart.subarray(1)) starts.push(end + starts[starts.length - 1]);
    let entries = 0;
    const rowStart: number[] = [];
    const rowEnd: number[] = [];
    for (const lap of laps) {
      for (let i = 0; i < lap.rows; i++) {
        rowStart.push(entries + lap.rowStart[i]);
        rowEnd.push(entries + lap.rowStart[i + 1]);
      }
      entries += lap.column.length;
    }
    const batch = await GpuLapBatch.create(
      session(),
      {
        rows: Uint32Array.from(laps, (lap) => lap.rows),
        columns: Uint32Array.from(laps, (lap) => lap.columns),
        rowLimit: concat(laps.map((lap) => lap.rowLimit)),
        columnLimit: concat(laps.map((lap) => lap.columnLimit)),
        entries: {
          rowStart: Uint32Array.from(rowStart),
          rowEnd: Uint32Array.from(rowEnd),
          column: Uint32Array.from(laps.flatMap((lap) => [...lap.column])),
        },
        slack: laps[0]?.slack ?? 0,
        mayBeLeft: mayBeLeft(laps),
      },
      { method: "sparse", ...choice },
    );
    return new Solver(batch, laps);
  }

  async solve(laps: readonly SparseLapF32[], warm: boolean): Promise<LapBatchResult> {
    const limits = concat([...laps.map((lap) => lap.rowLimit), ...laps.map((lap) => lap.columnLimit)]);
    writeStorage(session(), this.#cost, concat(laps.map((lap) => lap.cost)));
    writeStorage(
      session(),
      this.batch.limit,
      limits.map((limit) => Math.min(limit, 3.4028234e38)),
    );
    return await session().scoped("solve", async () => {
      const encoder = session().device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      this.batch.encodeCosts(pass, this.#cost);
      this.batch.encodeSolve(pass, { warm });
      pass.end();
      session().device.queue.submit([encoder.finish()]);
      return await this.batch.read();
    });
  }

  destroy(): void {
    this.batch.destroy();
    this.#cost.destroy();
  }
}

async function solveOnEntries(problems: readonly LapProblem[], choice: LapBatchChoice = {}): Promise<LapBatchResult> {
  const laps = problems.map(f32LapOf);
  const solver = await Solver.of(laps, choice);
  const result = await solver.solve(laps, false);
  solver.destroy();
  return result;
}

/** The solution of each LAP of a batch, for the certificate. */
function solutionsOf(
  problems: readonly LapProblem[],
  { columnOfRow, rowDual, columnDual }: LapBatchResult,
): LapSolution[] {
  let [row, column] = [0, 0];
  return problems.map(({ rows, columns, rowStart, column: columnOf }) => {
    const partners = columnOfRow.slice(row, row + rows);
    const rowOfColumn = new Int32Array(columns).fill(-1);
    const entryOfRow = partners.map((j, i) => {
      if (j < 0) return -1;
      rowOfColumn[j] = i;
      return rowStart[i] + columnOf.subarray(rowStart[i], rowStart[i + 1]).indexOf(j);
    });
    const duals = {
      rowDual: Float64Array.from(rowDual.subarray(row, row + rows)),
      columnDual: Float64Array.from(columnDual.subarray(column, column + columns)),
    };
    row += rows;
    column += columns;
    return { columnOfRow: partners, entryOfRow, rowOfColumn, ...duals };
  });
}

/** What f32 costs leave of an answer, beyond f64 rounding. */
function tolerance({ rows, columns, cost, rowUnassigned, columnUnassigned }: LapProblem): number {
  const values = [...cost, ...(rowUnassigned ?? []), ...(columnUnassigned ?? [])].filter(Number.isFinite);
  return 2 ** -20 * Math.max(0, ...values.map(Math.abs)) * (rows + columns);
}

function expectOptimal(problem: LapProblem, solution: LapSolution, cost: number, name = ""): void {
  const { complete, primalCost, gap } = certifyLap(problem, solution);
  expect(complete, name).toBe(true);
  expect(Math.abs(primalCost - cost), name).toBeLessThanOrEqual(tolerance(problem));
  expect(gap, name).toBeLessThanOrEqual(tolerance(problem));
}

test("the case table: every answer is certified and costs what it must; every infeasible case is found", async () => {
  const problems = lapCases.map(problemOf);
  const result = await solveOnEntries(problems);
  const solutions = solutionsOf(problems, result);
  for (const [k, { name, expected }] of lapCases.entries()) {
    expect(result.outcomes[k].status, name).toBe(expected === "infeasible" ? "infeasible" : "optimal");
    if (expected !== "infeasible") expectOptimal(problems[k], solutions[k], expected, name);
  }
});

test("random LAPs cost as much as the CPU's, whatever is forbidden or may stay unassigned", async () => {
  const problems = Array.from({ length: 60 }, (_, seed) => {
    const [rows, columns] = [1 + ((7 * seed) % 37), 1 + ((11 * seed) % 41)];
    const rowUnassigned = seed % 3 === 0 ? { rowUnassigned: (seed % 5) / 4 } : {};
    const columnUnassigned = seed % 4 < 2 ? { columnUnassigned: (seed % 7) / 6 } : {};
    return randomLap({
      seed,
      rows,
      columns,
      density: 0.06 + (seed % 5) / 6,
      diagonal: seed % 2 === 0,
      ...rowUnassigned,
      ...columnUnassigned,
    });
  });
  const result = await solveOnEntries(problems);
  const solutions = solutionsOf(problems, result);
  let infeasible = 0;
  for (const [k, problem] of problems.entries()) {
    const best = solveCold(problem);
    expect(result.outcomes[k].status, `${k}`).toBe(best === "infeasible" ? "infeasible" : "optimal");
    if (best === "infeasible") infeasible++;
    else expectOptimal(problem, solutions[k], best, `${k}`);
  }
  expect(infeasible).toBeGreaterThan(3);
  expect(infeasible).toBeLessThan(30);
});

interface Kind {
  readonly rows: number;
  readonly columns: number;
  /** Entries of a row, in columns near its own. */
  readonly width: number;
  readonly limit?: number;
  /** Costs are multiples of 1/steps. */
  readonly steps?: number;
  readonly slack?: number;
  /** How much less a row's own column costs, in units of the other costs. */
  readonly own?: number;
}

function bandedLap(
  seed: number,
  { rows, columns, width, limit = Infinity, steps = 2 ** 24, slack = 0, own: less = 0 }: Kind,
): SparseLapF32 {
  const random = uniform(seed);
  const number = (most: number) => (most === Infinity ? Infinity : Math.round(most * random() * steps) / steps);
  const chosen = Array.from({ length: rows }, (_, i) => {
    const own = new Set([i % columns]);
    while (own.size < Math.min(width, columns)) own.add((i + Math.floor(3 * width * random())) % columns);
    return [...own].sort((a, b) => a - b);
  });
  const rowStart = new Uint32Array(rows + 1);
  chosen.forEach((own, i) => {
    rowStart[i + 1] = rowStart[i] + own.length;
  });
  const column = Uint32Array.from(chosen.flat());
  return {
    rows,
    columns,
    rowStart,
    column,
    slack,
    cost: Float32Array.from(chosen.flatMap((own, i) => own.map((j) => number(1) - (j === i % columns ? less : 0)))),
    rowLimit: Float32Array.from({ length: rows }, () => number(limit)),
    columnLimit: Float32Array.from({ length: columns }, () =>
      rows < columns && limit === Infinity ? 0 : number(limit),
    ),
  };
}

/** As an ascent changes them: many a little, few a lot. */
function changed(lap: SparseLapF32, seed: number, steps = 2 ** 24): SparseLapF32 {
  const random = uniform(seed);
  const move = (c: number) => {
    const by = random() < 0.1 ? random() - 0.5 : 0;
    // Not −0, which compares as 0 and is another number.
    return c === Infinity ? c : Math.round((c + by) * steps) / steps + 0;
  };
  return { ...lap, cost: lap.cost.map(move), rowLimit: lap.rowLimit.map(move), columnLimit: lap.columnLimit.map(move) };
}

const kinds: Record<string, Kind> = {
  square: { rows: 90, columns: 90, width: 6 },
  tied: { rows: 70, columns: 70, width: 6, steps: 3 },
  "long searches": { rows: 120, columns: 120, width: 40, steps: 8 },
  wide: { rows: 50, columns: 77, width: 8 },
  "births and deaths": { rows: 90, columns: 80, width: 7, limit: 0.6 },
  "births and deaths, seldom": { rows: 90, columns: 96, width: 7, limit: 6 },
  "tied births and deaths": { rows: 58, columns: 63, width: 5, limit: 0.6, steps: 4 },
  "long searches, births and deaths": { rows: 128, columns: 110, width: 50, limit: 2, steps: 8 },
  slack: { rows: 80, columns: 80, width: 9, slack: 0.02 },
  "births and deaths, slack": { rows: 80, columns: 70, width: 8, limit: 0.6, slack: 0.02 },
};

describe.each(Object.entries(kinds))("kernels and twin agree to the last bit: %s", (_, kind) => {
  test("cold, and warm after changed costs and limits", async () => {
    let laps = [41, 42, 43].map((seed) => bandedLap(seed, kind));
    const solver = await Solver.of(laps);
    const limited = { searches: SEARCHES, mayBeLeft: mayBeLeft(laps) };
    let twins = laps.map((lap) => solveSparse(lap, limited));
    expectSame(await solver.solve(laps, false), twins, kind);
    for (let turn = 0; turn < 3; turn++) {
      laps = laps.map((lap, k) => changed(lap, 100 * turn + k, kind.steps));
      twins = laps.map((lap, k) => solveSparse(lap, limited, twins[k]));
      expectSame(await solver.solve(laps, true), twins, kind);
      for (const [k, lap] of laps.entries()) expectTwinOptimal(lap, twins[k], kind);
    }
    if (kind.width >= 40) expect(Math.max(...twins.map(({ steps }) => steps))).toBeGreaterThan(0);
    solver.destroy();
  });
});

function expectSame(result: LapBatchResult, twins: readonly SparseAnswer[], { rows, columns }: Kind): void {
  for (const [k, twin] of twins.entries()) {
    const { value: _, ...counters } = result.outcomes[k];
    const { status, index, pathRounds, steps } = twin;
    expect(counters).toEqual({ status, index, bidRounds: 0, pathRounds, steps });
    expect(result.columnOfRow.subarray(k * rows, (k + 1) * rows)).toEqual(twin.columnOfRow);
    expect(result.columnDual.subarray(k * columns, (k + 1) * columns)).toEqual(twin.columnDual);
    expect(result.rowDual.subarray(k * rows, (k + 1) * rows)).toEqual(twin.rowDual);
    if (status === "infeasible") continue;
    const duals = [...twin.rowDual, ...twin.columnDual];
    expect(Math.abs(result.outcomes[k].value - duals.reduce((sum, dual) => sum + dual, 0))).toBeLessThan(1e-4);
  }
}

/** The twin's answer against the CPU's, in f64. */
function expectTwinOptimal(lap: SparseLapF32, twin: SparseAnswer, { slack = 0 }: Kind): void {
  const problem = {
    ...lap,
    cost: Float64Array.from(lap.cost),
    rowUnassigned: Float64Array.from(lap.rowLimit),
    columnUnassigned: Float64Array.from(lap.columnLimit),
  };
  const best = solveCold(problem);
  expect(twin.status).toBe(best === "infeasible" ? "infeasible" : "optimal");
  if (best === "infeasible") return;
  const [solution] = solutionsOf([problem], { ...twin, outcomes: [] });
  const { complete, primalCost, dualBound } = certifyLap(problem, solution);
  const allowed = tolerance(problem) + slack * lap.rows;
  expect(complete).toBe(true);
  expect(primalCost - best).toBeLessThanOrEqual(allowed);
  expect(best - dualBound).toBeLessThanOrEqual(allowed);
}

test("a warm start on unchanged costs changes nothing and searches nothing", async () => {
  const laps = [1, 2].map((seed) => bandedLap(seed, kinds["births and deaths"] as Kind));
  const solver = await Solver.of(laps);
  const cold = await solver.solve(laps, false);
  const warm = await solver.solve(laps, true);
  solver.destroy();
  expect(warm.columnOfRow).toEqual(cold.columnOfRow);
  expect(warm.columnDual).toEqual(cold.columnDual);
  expect(cold.outcomes[0].pathRounds).toBeGreaterThan(0);
  for (const outcome of warm.outcomes) expect(outcome).toMatchObject({ pathRounds: 0, steps: 0 });
});

test("65,536 columns, with births and deaths, cold and warm", async () => {
  let lap = bandedLap(7, { rows: 65536, columns: 65536, width: 6, limit: 2, own: 1 });
  const solver = await Solver.of([lap]);
  for (const warm of [false, true]) {
    if (warm) lap = changed(lap, 8);
    const problem = {
      ...lap,
      cost: Float64Array.from(lap.cost),
      rowUnassigned: Float64Array.from(lap.rowLimit),
      columnUnassigned: Float64Array.from(lap.columnLimit),
    };
    const result = await solver.solve([lap], warm);
    const { complete, primalCost, gap } = certifyLap(problem, solutionsOf([problem], result)[0]);
    expect(complete).toBe(true);
    expect(gap / primalCost).toBeLessThan(1e-6);
  }
  solver.destroy();
});

test("of a batch, dense LAPs are solved as matrices and the others on their entries, and all outcomes come in order", async () => {
  const problems = [
    randomLap({ seed: 1, rows: 20, columns: 20, density: 1 }),
    randomLap({ seed: 2, rows: 40, columns: 40, density: 0.1, diagonal: true }),
    randomLap({ seed: 3, rows: 3, columns: 3, density: 0 }),
    randomLap({ seed: 4, rows: 30, columns: 30, density: 0.9, diagonal: true }),
    randomLap({ seed: 5, rows: 2, columns: 1025, density: 1 }),
  ];
  const laps = problems.map(f32LapOf);
  const solver = await Solver.of(laps, { method: "auto" });
  expect(solver.batch.isSparse).toEqual([false, true, true, false, true]);
  const result = await solver.solve(laps, false);
  solver.destroy();
  const solutions = solutionsOf(problems, result);
  expect(result.outcomes.map(({ status }) => status)).toEqual([
    "optimal",
    "optimal",
    "infeasible",
    "optimal",
    "optimal",
  ]);
  for (const k of [0, 1, 3, 4]) expectOptimal(problems[k], solutions[k], solveCold(problems[k]) as number, `${k}`);
  expect(solver.batch.plan).not.toBeNull();
});
