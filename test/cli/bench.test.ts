import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { geometricMean } from "../../src/experiments/bench/timing.js";
import type { BenchRow } from "../../src/rows/bench.js";
import { readMixedRows } from "../../src/rows/report-rows.js";
import { temporaryFolder } from "../formats/support.js";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const folder = temporaryFolder();
const small = ["--device", "software", "--repeat", "2", "--threads", "2"];

async function rowsOf(...args: string[]): Promise<BenchRow[]> {
  const output = onlyObject(await succeeds(["bench", ...args, ...small, "--json"]));
  const rows = output.rows as BenchRow[];
  const means = output.geometricMeans as { ratio: number; cpuRatio: number };
  for (const row of rows) {
    expect(row.certified).toBe(true);
    expect(row.ratio).toBeCloseTo(row.naiveSeconds.median / row.enhancedSeconds.median, 9);
    expect(row.cpuRatio).toBeCloseTo((row.cpuSeconds?.median ?? Number.NaN) / row.enhancedSeconds.median, 9);
  }
  expect(means.ratio).toBeCloseTo(geometricMean(rows.map(({ ratio }) => ratio)), 9);
  return rows;
}

test("bench lap: both answers are optimal to f32, cold and warm", async () => {
  const rows = await rowsOf("lap", "--sizes", "5x3,9x2");
  expect(rows.map(({ n, t }) => [n, t])).toEqual([
    [5, 3],
    [9, 2],
  ]);
  for (const row of rows) {
    const { naive, enhanced } = row.worstGap as Record<string, number>;
    expect(Math.max(naive, enhanced)).toBeLessThan(1e-5);
    expect(row.laps).toBe("together");
    expect((row.warmSeconds as BenchRow["enhancedSeconds"]).repetitions).toBe(2);
    expect(row.waits).toBeGreaterThan(4);
  }
});

test("bench lap one by one: a batch that passes the limit is reckoned from the LAPs that were done", async () => {
  const [row] = await rowsOf("lap", "--sizes", "6x40", "--laps", "one-by-one", "--time", "0.05");
  const { done, of } = row.extrapolated as { done: number; of: number };
  expect(of).toBe(40);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(40);
  expect((row.naiveSeconds.median * done) / of).toBeGreaterThan(0.05);
});

test("bench distribution: the bounds of all three engines are proved below the same tracks", async () => {
  const [row] = await rowsOf("distribution", "--sizes", "6x5");
  const bounds = row.lowerBounds as Record<string, number>;
  expect(Object.keys(bounds).sort()).toEqual(["cpu", "enhanced", "naive"]);
  for (const bound of Object.values(bounds)) expect(bound).toBeLessThanOrEqual(row.upperBound as number);
  expect(row.denseTriplets).toBe(6 ** 3 * 3);
});

describe("bench solve", () => {
  test("the engines end at bounds near each other, from as many iterations", async () => {
    const [row] = await rowsOf("solve", "--sizes", "6x5", "--iterations", "6");
    const { naive, enhanced, cpu } = row.lowerBounds as Record<string, number>;
    const scale = Math.abs(row.upperBound as number);
    expect(Math.abs(naive - cpu) / scale).toBeLessThan(0.05);
    expect(Math.abs(enhanced - cpu) / scale).toBeLessThan(0.05);
    expect(row).toMatchObject({ iterations: 6, naiveIterations: 6 });
    expect(row.atLeast).toBeUndefined();
    const { stepSeconds, naiveSeconds } = row as {
      stepSeconds: Record<"naive" | "cpu", Record<string, number>>;
      naiveSeconds: Record<"min" | "max", number>;
    };
    for (const steps of [stepSeconds.naive, stepSeconds.cpu]) {
      expect(Object.keys(steps)).toEqual(["yLsap", "xLap", "distribution", "rest"]);
      for (const step of ["yLsap", "xLap", "distribution"]) expect(steps[step]).toBeGreaterThan(0);
    }
    const total = Object.values(stepSeconds.naive).reduce((sum, part) => sum + part, 0);
    expect(total).toBeGreaterThan(naiveSeconds.min * (1 - 1e-9));
    expect(total).toBeLessThan(naiveSeconds.max * (1 + 1e-9));
  });

  test("a naive engine that is stopped gives a ratio that is a lower bound", async () => {
    const [row] = await rowsOf("solve", "--sizes", "6x5", "--iterations", "60", "--time", "0.05");
    expect(row.atLeast).toBe(true);
    expect(row.naiveIterations).toBeLessThan(60);
    expect(row.naiveSeconds).toMatchObject({ repetitions: 1 });
  });
});

test("rows are appended as they come, and the report can read them; the table has a geometric mean", async () => {
  const file = join(folder, "rows", "bench.jsonl");
  const table = await succeeds(["bench", "lap", "--sizes", "4x2", ...small, "--append", file]);
  expect(table).toMatch(/naive\/rmap/);
  expect(table).toMatch(/^geometric mean +[\d.]+ +[\d.]+$/m);
  await succeeds(["bench", "lap", "--sizes", "5x2", ...small, "--append", file]);
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(2);
  expect(readMixedRows(file).map(({ row }) => [row.benchmark, (row as BenchRow).n])).toEqual([
    ["lap", 4],
    ["lap", 5],
  ]);
});

describe("wrong usage ends with code 2 and one line", () => {
  test.concurrent.each<[string, RegExp]>([
    ["bench sort", /unknown command 'sort'/],
    ["bench lap --sizes", /'--sizes <list>' argument missing/],
    ["bench auction a.csv --device gpu", /in the lab now: .* node dist-lab\/sorting\/bench\.js --help$/m],
    ["bench features --help", /in the lab now: .* node dist-lab\/features\/bench\.js --help$/m],
    ["bench lap --sizes 5,1", /Give sizes from 2 to 9999/],
    ["bench lap --sizes 5,,6", /Give sizes from 2 to 9999/],
    ["bench lap --sizes 4 --device cpu", /Allowed choices are auto, gpu, software/],
    ["bench lap --sizes 4 --laps some", /Allowed choices are together, one-by-one/],
    ["bench lap --sizes 4 --gate 5", /unknown option '--gate'/],
    ["bench solve --sizes 4 --iterations 0", /'--iterations <n>' argument '0' is invalid/],
    ["bench solve --sizes 4 --time 0", /Give a number above 0/],
    ["bench distribution --sizes 4 --repeat 0", /'--repeat <n>' argument '0' is invalid/],
  ])("rmap %s", async (line, says) => {
    expect(await refuses(line.split(" "))).toMatch(says);
  });
});
