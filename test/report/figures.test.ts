import { describe, expect, test } from "vitest";
import type { KnownRun } from "../../src/report/factors.js";
import { shareChart, stepShares } from "../../src/report/figures/steps.js";
import { makeReport } from "../../src/report/report.js";
import type { Measurement } from "../../src/rows/measurement.js";
import type { ReportInputs } from "../../src/rows/report-inputs.js";
import type { RunRow } from "../../src/rows/results.js";
import { benchRow, runRow } from "./rows.js";
import { cell, tablesOf } from "./tables.js";

interface Rows {
  readonly runs?: readonly RunRow[];
  readonly bench?: readonly ReturnType<typeof benchRow>[];
  readonly others?: readonly Measurement[];
}

async function report({ runs = [], bench = [], others = [] }: Rows): Promise<string> {
  const rows = [...runs, ...bench].map((row, n) => ({ file: "rows.jsonl", line: n + 1, row }));
  const beside = others.map((row, n) => ({ file: "others.jsonl", line: n + 1, row }));
  const inputs: ReportInputs = { rows: [...rows, ...beside], folders: [], histories: [] };
  return (await makeReport(inputs, "Test")).html;
}

/** Five seeds at each ε and σ, MMEP a different number everywhere. */
const sweep = [1.5, 3, "none" as const].flatMap((epsilon, e) =>
  [0.1, 0.2].flatMap((sigma, s) =>
    [1, 2, 3, 4, 5].map((seed) =>
      runRow(
        { epsilon, sigma, seed },
        { scores: { mmep: 10 + 100 * e + 10 * s + ((seed * 7) % 5), itcp: 30 + 5 * s + e } },
      ),
    ),
  ),
);

describe("the numbers under a chart are those of the rows", () => {
  test("gating: median and quartiles over the seeds", async () => {
    const table = tablesOf(await report({ runs: sweep }), "gating").find(({ caption }) =>
      caption.startsWith("Errors by gate"),
    );
    expect(table?.rows).toHaveLength(6);
    // Seeds 1 … 5 give the offsets 2, 4, 1, 3, 0: median 2, quartiles 1 and 3.
    expect(cell(table, { σ: "0.2", ε: "3" }, "MMEP")).toBe("122 (121 – 123)");
    expect(cell(table, { σ: "0.1", ε: "no gate" }, "MMEP")).toBe("212 (211 – 213)");
    expect(cell(table, { σ: "0.1", ε: "1.5" }, "runs")).toBe("5");
  });

  test("gating: the narrowest gate is the first near the least error", async () => {
    const errors: Record<number, number> = { 1: 9, 2: 3.1, 3: 3, 5: 3.4 };
    const runs = Object.entries(errors).map(([epsilon, mmep]) =>
      runRow({ epsilon: Number(epsilon) }, { scores: { mmep, itcp: 0 } }),
    );
    const table = tablesOf(await report({ runs }), "gating").find(({ caption }) => caption.startsWith("The narrowest"));
    expect(table?.rows.map((row) => row.slice(1, 4))).toEqual([["2", "3.10", "3.00"]]);
  });

  test("steps: seconds summed over the runs, in percent of their totals", async () => {
    const runs = [1, 2].map((seed) =>
      runRow({ seed }, { times: { price: seed, xLap: 3, yLsap: 0.5, total: 5 + seed, solve: 4 } }),
    );
    const [table] = tablesOf(await report({ runs }), "steps");
    const share = (name: string) => Number(table.rows[0][table.columns.indexOf(name)]);
    expect([share("price links"), share("X-LAPs"), share("Y-LSAPs"), share("rest")]).toEqual([23.1, 46.2, 7.69, 23.1]);
    expect(table.rows[0][table.columns.indexOf("median time")]).toBe("6.50 s");
  });

  test("rows of every benchmark are counted, and the page says where each comes from", async () => {
    const row = { benchmark: "relaxation", revision: "0123456789", cpu: "a core", date: "2026-01-02T03:04:05Z" };
    const old = { benchmark: "relaxation" };
    const page = await report({ runs: [runRow({})], others: [row, row, old] });
    expect(page).toContain("1 run on cpu, and 3 benchmark rows.");
    expect(tablesOf(page, "provenance")[0].rows.slice(1)).toEqual([
      ["others.jsonl", "1–2", "2", "bench relaxation", "–", "a core", "01234567", "–", "2026\u201101\u201102"],
      ["others.jsonl", "3", "1", "bench relaxation", "–", "–", "–", "–", "–"],
    ]);
  });

  test("a benchmark without a figure has a table of its numbers and texts, of repeated times the median", async () => {
    const times = { median: 2, min: 1, max: 3 };
    const more = { device: { actual: "a GPU" }, ok: true, list: [1], version: "0.1.0" };
    const others = [
      { benchmark: "own", what: "x", times, ...more },
      { benchmark: "own", what: "y", count: 7 },
    ];
    const [table] = tablesOf(await report({ others }), "measurements");
    expect(table.caption).toBe("own");
    expect([table.columns, ...table.rows]).toEqual([
      ["what", "times", "device", "ok", "count"],
      ["x", "2.00", "a GPU", "yes", "–"],
      ["y", "–", "–", "–", "7.00"],
    ]);
  });

  test("steps: each has a colour of its own", () => {
    const names =
      "generate price passes build upload xLap yLsap distribution update readback feasibleTracks certificate elimination exact";
    const times = Object.fromEntries([...names.split(" "), "total"].map((name) => [name, 1]));
    const bars = stepShares([{ row: runRow({}, { times }), factors: {} } as unknown as KnownRun]);
    const chart = JSON.stringify(shareChart(bars, [...bars[0].share.keys()]));
    const range: string[] = JSON.parse(/"range":(\[.*?\])/.exec(chart)?.[1] ?? "[]");
    expect(range).toHaveLength(15);
    expect(new Set(range).size).toBe(15);
  });

  test("costs: two formulas are two levels, and so are two versions of a file", async () => {
    const costs = [
      { pair: "x", triplet: "0" },
      { pair: "y", triplet: "0" },
      { file: "mine.mjs", sha256: "1234567890" },
      { file: "mine.mjs", sha256: "234567890" },
    ];
    const runs = costs.map((cost, k) => {
      const row = runRow({ seed: 1 }, { scores: { mmep: k, itcp: k } });
      const scenario = row.scenario as { pricing: object };
      return { ...row, scenario: { ...scenario, pricing: { ...scenario.pricing, cost } } } as RunRow;
    });
    const [table] = tablesOf(await report({ runs }), "costs");
    expect(table.rows.map((row) => [row[1], row[3]])).toEqual([
      ["mine.mjs 12345678", "2.00"],
      ["mine.mjs 23456789", "3.00"],
      ["x; 0", "0"],
      ["y; 0", "1.00"],
    ]);
  });

  test("steps of the engines: the last row of a size, in percent of its seconds", async () => {
    const steps = (xLap: number) => ({
      naive: { yLsap: 1, xLap, distribution: 2, rest: 1 },
      cpu: null,
    });
    const bench = [10, 6].map((xLap) => ({ ...benchRow("solve", 50, 40, 9), stepSeconds: steps(xLap) }));
    const [table] = tablesOf(await report({ bench }), "engine-steps");
    expect(table.columns).toEqual(["engine", "time", "Y-LSAPs", "X-LAPs", "distribution", "rest"]);
    expect(table.rows.map((row) => row.slice(1))).toEqual([["10.0 s", "10.0", "60.0", "20.0", "10.0"]]);
    expect(table.rows[0][0]).toMatch(/^naive \[50, 40\]/);
  });

  test("steps: threads that sum up to more than the total still share 100 %", async () => {
    const runs = [runRow({}, { times: { price: 3, xLap: 3, total: 4 } })];
    const [table] = tablesOf(await report({ runs }), "steps");
    expect(table.rows[0].slice(3).reduce((sum, text) => sum + Number(text), 0)).toBeCloseTo(100, 1);
  });

  test("costs: medians by cost, and how often the same seed is better", async () => {
    const of = (cost: string, mmep: readonly number[]) =>
      mmep.map((value, seed) => runRow({ cost, seed }, { scores: { mmep: value, itcp: 2 * value } }));
    const html = await report({
      runs: [...of("spline", [4, 6, 5]), ...of("likelihood", [1, 7, 5]), ...of("euclidean", [8, 9, 9])],
    });
    const [table] = tablesOf(html, "costs");
    expect(table.rows.map((row) => row.slice(1, 5))).toEqual([
      ["euclidean", "3", "9.00 (8.50 – 9.00)", "18.0 (17.0 – 18.0)"],
      ["spline", "3", "5.00 (4.50 – 5.50)", "10.0 (9.00 – 11.0)"],
      ["likelihood", "3", "5.00 (3.00 – 6.00)", "10.0 (6.00 – 12.0)"],
    ]);
    expect(html).toContain(
      "Of 3 pairs with the same seed, likelihood has a lower MMEP than spline in 1 and the same in 1.",
    );
  });

  test("speedups: geometric means over sizes, the last row of each size", async () => {
    const bench = [benchRow("lap", 50, 50, 3), benchRow("lap", 50, 50, 10), benchRow("lap", 100, 50, 1000)];
    const html = await report({ bench });
    const [table] = tablesOf(html, "speedup-lap");
    expect(table.rows.map((row) => row[6])).toEqual(["10.0 ×", "1,000 ×", "100 ×", ""]);
    expect(table.rows[0].slice(3, 6)).toEqual([
      "20.0 ms (18.0 ms – 26.0 ms)",
      "2.00 ms (1.80 ms – 2.60 ms)",
      "16.0 ms (14.4 ms – 20.8 ms)",
    ]);
    expect(table.rows.map((row) => row[7])).toEqual(["8.00 ×", "8.00 ×", "", "8.00 ×"]);
    expect(html).not.toContain("Speedup of the whole solve");
  });

  test("speedups: the mean over the paper's sizes apart from that over all", async () => {
    const bench = [benchRow("solve", 5, 300, 1), benchRow("solve", 50, 50, 10), benchRow("solve", 300, 300, 40)];
    const html = await report({ bench: bench.map((row) => ({ ...row, cpuSeconds: null })) });
    expect(html).toContain("geometric mean: 20.0 × over 2 sizes from [50, 50] up, and 7.37 × over 3 sizes.");
    const [table] = tablesOf(html, "speedup-solve");
    expect(table.rows.slice(3).map((row) => row[6])).toEqual(["20.0 ×", "7.37 ×"]);
  });

  test("gaps are those of the rows, also where optimality is proved, and densities are of the possible edges and triplets", async () => {
    const runs = [
      runRow({ targets: 10 }, { gapPercent: 2e-10, status: "optimal" }),
      runRow({ targets: 20 }, { gapPercent: 0.5, edges: 20 * 20 * 9, triplets: 20 ** 3 * 8 }),
    ];
    const tables = tablesOf(await report({ runs }), "gaps");
    expect(tables[0].rows.map((row) => row.slice(0, 3))).toEqual([
      ["10", "1", "2.00e-10"],
      ["20", "1", "0.500"],
    ]);
    // 25 · 10 · 8 of 10³ · 8 triplets, 5 · 10 · 9 of 10² · 9 edges; and all.
    expect(tables[1].rows).toEqual([["all runs", "25.0 – 100", "2", "75.0 (62.5 – 87.5)", "0.250 (0.125 – 0.375)"]]);
  });
});

test("a random design is drawn point by point, and its table cut into groups", async () => {
  const runs = Array.from({ length: 20 }, (_, n) =>
    runRow(
      { epsilon: 1 + n / 7, sigma: 0.1 + n / 100, targets: 10 + n, seed: n },
      { scores: { mmep: n, itcp: 2 * n } },
    ),
  );
  const html = await report({ runs });
  const [table] = tablesOf(html, "gating");
  expect(table.rows.map((row) => row.slice(1, 4))).toEqual([
    ["1.00 – 1.57", "5", "2.00 (1.00 – 3.00)"],
    ["1.71 – 2.29", "5", "7.00 (6.00 – 8.00)"],
    ["2.43 – 3.00", "5", "12.0 (11.0 – 13.0)"],
    ["3.14 – 3.71", "5", "17.0 (16.0 – 18.0)"],
  ]);
  expect(tablesOf(html, "gaps").map(({ columns }) => columns[1])).toEqual([
    "N, targets",
    "σ, noise of the positions",
    "triplets, % of all triples in consecutive frames",
  ]);
});

test("a run made again counts once, a failed one not at all, and both are said", async () => {
  const again = { ...runRow({ seed: 1 }, { scores: { mmep: 50, itcp: 50 } }), date: "2026-11-21T12:00:00.000Z" };
  const failed = runRow({ seed: 2 }, { status: "failed", error: "no edge", gapPercent: null, scores: null });
  const html = await report({ runs: [again, runRow({ seed: 1 }), failed] });
  expect(html).toContain("1 run on cpu.");
  expect(html).toContain("MMEP 50.0 %");
  expect(html).toContain("1 run made again with the same settings and seed: figures take the last of each.");
  expect(html).toContain("1 run failed and is in no figure; the first: no edge (rows.jsonl:3)");
});

test("names from rows are text, never markup", async () => {
  const html = await report({
    runs: [runRow({ cost: '<img src=x onerror="1">' }), runRow({ ascent: "</script><b>" })],
  });
  expect(html).not.toMatch(/<img|<\/script><b>/);
});

test("10,000 rows take seconds and less than 5 MB", async () => {
  const runs = Array.from({ length: 10_000 }, (_, n) =>
    runRow(
      {
        ...{ seed: n % 10, targets: 10 + 10 * (Math.floor(n / 10) % 10), sigma: 0.1 * (1 + (Math.floor(n / 100) % 5)) },
        ...{
          epsilon: 1 + (Math.floor(n / 500) % 5),
          cost: ["spline", "likelihood"][Math.floor(n / 2500) % 2],
          frames: 10 + 10 * Math.floor(n / 5000),
        },
      },
      { gapPercent: 0.001 + (n % 97) / 100, scores: { mmep: n % 13, itcp: n % 61 } },
    ),
  );
  const begin = performance.now();
  const html = await report({ runs });
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect(html.length).toBeLessThan(5e6);
});
