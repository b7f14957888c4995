import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isDrawn } from "../../dist/report/figure.js";
import { makeReport } from "../../dist/report/report.js";
import type { Measurement } from "../../dist/rows/measurement.js";
import { readReportInputs } from "../../dist/rows/report-inputs.js";
import { tablesOf } from "../../test/report/tables.js";
import { featuresFigure } from "../report/features.js";
import { featuresThesisFigure } from "../report/features-thesis.js";
import { LAB_FIGURES, LAB_SCHEMAS } from "../report/figures.js";
import { featuresRow } from "../rows/features.js";
import { featuresThesisRow } from "../rows/features-thesis.js";
import type { LapCpuRow } from "../rows/lap-cpu.js";

test("every row of lab/results is one that the schema of its benchmark reads, and the page has every figure", async () => {
  const results = new URL("../results/", import.meta.url);
  const files = readdirSync(results).map((name) => fileURLToPath(new URL(name, results)));
  const { shown } = await makeReport(readReportInputs(files, LAB_SCHEMAS), "Test", LAB_FIGURES);
  expect(shown).toHaveLength(LAB_FIGURES.length + 1);
});

/** The page of rows that the schemas of their benchmarks have read. */
async function report(rows: readonly Measurement[]): Promise<string> {
  const placed = rows.map((row, n) => ({ file: "rows", line: n + 1, row: LAB_SCHEMAS[row.benchmark].parse(row) }));
  return (await makeReport({ rows: placed, folders: [], histories: [] }, "Test", LAB_FIGURES)).html;
}

function lapCpuRow(n: number, kind: string, ratio: number): LapCpuRow {
  const spread = (median: number) => ({ median, min: 0.9 * median, max: 1.3 * median });
  return {
    ...{
      benchmark: "lap-cpu",
      n,
      kind,
      unit: "ms",
      repetitions: 9,
      cpu: "Test CPU",
      date: "2026-11-20T12:00:00.000Z",
      revision: null,
    },
    ...{ ours: spread(ratio), scipy: spread(1), ratio: spread(ratio), versions: { node: "v20.20.2", scipy: "1.10.1" } },
  };
}

test("auctions: ratios of the problems that both boards have, the last row of each", async () => {
  const row = (set: string, board: string, loop: string, median: number) => {
    const over = (value: number) => ({ mean: value, median: value, p99: value, max: value });
    return {
      ...{ benchmark: "auction", set, frames: 3, border: false, tiles: 1, crowd: 1, epsilon: 0.01, form: "list" },
      ...{
        persons: 9,
        objects: 8,
        candidates: 12,
        board,
        loop,
        milliseconds: over(median),
        cpuMilliseconds: over(0.5),
      },
      ...{
        rounds: over(2),
        words: over(72),
        capped: 0,
        instead: {},
        worstGap: 0.5,
        device: "a GPU",
        certified: true,
      },
    };
  };
  const rows = [
    row("belt", "matrix", "submit", 100),
    row("belt", "matrix", "submit", 6),
    row("belt", "packed", "submit", 3),
    row("wheat", "matrix", "submit", 8),
    row("wheat", "packed", "submit", 1),
    // Nothing to compare with.
    row("plates", "matrix", "submit", 5),
  ];
  const html = await report(rows);
  const [means, times] = tablesOf(html, "auctions");
  expect(means.rows).toEqual([["list", "(a) over (c), one submission", "2", "2.00 ×", "4.00 ×", "8.00 ×"]]);
  expect(times.rows.map((cells) => [cells[0], cells[2], cells[7]])).toEqual([
    ["belt", "(a) matrix", "6.00"],
    ["belt", "(c) packed", "3.00"],
    ["wheat", "(a) matrix", "8.00"],
    ["wheat", "(c) packed", "1.00"],
    ["plates", "(a) matrix", "5.00"],
  ]);
  expect(tablesOf(html, "measurements")).toEqual([]);
});

test("track-before-detect and flow: the best over workgroups", async () => {
  const over = (median: number) => ({ median, min: median, max: median });
  const tbd = (scheme: string, x: number, milliseconds: readonly number[]) => ({
    ...{ benchmark: "tbd-sweep", device: "a GPU", width: 64, height: 64, vectors: 13 },
    ...{ scheme, workgroup: [x, 4], milliseconds },
  });
  const flow = (part: string, depth: number, x: number, nanoseconds: number) => ({
    ...{ benchmark: "flow-speed", part, device: "a GPU", scheme: `tiled (${depth})`, precision: "f32", pairs: 1 },
    ...{ width: 64, height: 64, levels: 1, warps: 1, iterations: 10, median: 0, whole: false, workgroup: [x, 4] },
    ...{ rows: null, dispatches: 2, repetitions: 1, milliseconds: over(nanoseconds), epe: null },
    ...{ nanosecondsPerPixel: nanoseconds, difference: { mean: 0, p999: 0 } },
  });
  const html = await report([
    ...[tbd("all, storage", 32, [5, 1]), tbd("all, storage", 64, [4, 2])],
    ...[flow("depth", 4, 32, 3), flow("depth", 4, 64, 2), flow("depth", 5, 32, 7), flow("table", 5, 32, 9)],
  ]);
  expect(tablesOf(html, "tbd-sweep")[0].rows).toEqual([["all, storage", "4.00", "1.00"]]);
  const [table] = tablesOf(html, "flow-speeds");
  expect(table.rows.map((row) => [row[0], row[2], row[7]])).toEqual([
    ["table", "tiled (5)", "9.00"],
    ["depth", "tiled (4)", "2.00"],
  ]);
});

test("SciPy: its time over ours", async () => {
  const [table] = tablesOf(await report([lapCpuRow(100, "dense", 0.5), lapCpuRow(300, "dense", 0.02)]), "lap-cpu");
  expect(table.rows.map((row) => row.at(-1))).toEqual(["2.00 ×", "50.0 ×", "10.0 ×"]);
});

test("the figure has the last row of each method and size, and no time for what does not agree", () => {
  const row = (what: string, median: number | null, date: string) =>
    featuresRow.parse({
      ...{ benchmark: "features", what, size: "640x480", agreement: 1, device: { actual: "GPU" }, date },
      milliseconds: median === null ? null : { median, min: median, max: median },
    });
  const days = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
  const figure = featuresFigure([row("sift", 2, days[1]), row("sift", 3, days[0]), row("klt", null, days[0])]);
  if (!isDrawn(figure)) throw new Error(figure.needs);
  expect(figure.tables[0].rows.map(([what, , milliseconds]) => [what, milliseconds])).toEqual([
    ["klt", "–"],
    ["sift", "2.00"],
  ]);
  expect(figure.text[0]).toContain("1 did not agree");
  expect(isDrawn(featuresFigure([]))).toBe(false);
});

test("the thesis's times stand beside ours, in the chart and in the table", () => {
  const none = {
    cpuMilliseconds: null,
    bytesBack: null,
    error: null,
    gigabytesPerSecond: null,
    wallMilliseconds: null,
  };
  const row = (what: string, size: string, deviceMilliseconds: number) =>
    featuresThesisRow.parse({
      ...{ benchmark: "features-thesis", figure: "table 5.1", what, size, deviceMilliseconds, ...none },
      ...{ found: 5, agreement: 1, device: { actual: "GPU" } },
    });
  const what = "openvidia, extraction with 128 numbers";
  const figure = featuresThesisFigure([row(what, "640x480", 0.125), row(what, "1920x1080", 0.25)]);
  if (!isDrawn(figure)) throw new Error(figure.needs);
  expect(figure.tables[0].rows.map((cells) => cells.at(-1))).toEqual(["20.0, GeForce 7900 GT, 2007", "–"]);
  // An older row that says how many features there were is replaced by one that does not.
  const klt = (name: string, date: string) => ({ ...row(name, "640x480", 1), figure: "5.5", date });
  const names = ["klt there and back, 100 asked for, 97 there", "klt there and back, 100 asked for"];
  const both = featuresThesisFigure([klt(names[1], "2026-01-02T00:00:00Z"), klt(names[0], "2026-01-01T00:00:00Z")]);
  expect("tables" in both && both.tables[0].rows.map(([, name]) => name)).toEqual([names[1]]);
  const { data } = figure.charts[0].chart as { data: { values: { what: string; milliseconds: number }[] } };
  expect(data.values.map(({ milliseconds }) => milliseconds)).toEqual([0.125, 20, 0.25]);
  expect(isDrawn(featuresThesisFigure([]))).toBe(false);
});
