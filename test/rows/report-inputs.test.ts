import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readReportInputs } from "../../src/rows/report-inputs.js";
import { isRun, measurementsOf } from "../../src/rows/report-rows.js";
import { byteSoup, folderWith, mutated, parsesOrRefuses, refusal, temporaryFolder } from "../formats/support.js";
import { benchRow, runRow } from "../report/rows.js";

const parent = temporaryFolder();
const line = (row: object) => `${JSON.stringify(row)}\n`;
const run = line(runRow({}));

/** Files, what of them is named, and what the one line must say. */
const refused: [name: string, files: Record<string, string>, args: readonly string[], says: RegExp][] = [
  ["no such file", {}, ["rows.jsonl"], /rows\.jsonl: there is no such file or folder/],
  ["an empty file", { "a.jsonl": "\n" }, ["a.jsonl"], /a\.jsonl: holds no rows/],
  ["a line that is no JSON", { "a.jsonl": `${run}{"name": nothing}\n` }, ["a.jsonl"], /a\.jsonl:2: is not JSON/],
  ["a cut line", { "a.jsonl": run + run.slice(0, 200) }, ["a.jsonl"], /a\.jsonl:2: is not JSON/],
  [
    "a row of nothing known",
    { "a.jsonl": `${run}{"x": 1}\n` },
    ["a.jsonl"],
    /a\.jsonl:2, name: is missing; give a text/,
  ],
  [
    "a value of the wrong type",
    { "a.jsonl": `${run}\n${line({ ...runRow({}), gapPercent: "0.1" })}` },
    ["a.jsonl"],
    /a\.jsonl:3, gapPercent: is "0\.1"; give a number/,
  ],
  [
    "a benchmark without a name",
    { "a.jsonl": '{"benchmark":3}\n' },
    ["a.jsonl"],
    /a\.jsonl:1, benchmark: is 3; give a text/,
  ],
  [
    "a benchmark that is not certified",
    { "a.jsonl": line({ ...benchRow("lap", 50, 50, 2), certified: false }) },
    ["a.jsonl"],
    /a\.jsonl:1, certified: is false; give true/,
  ],
  [
    "a ratio of zero",
    { "a.jsonl": line({ ...benchRow("lap", 50, 50, 2), ratio: 0 }) },
    ["a.jsonl"],
    /a\.jsonl:1, ratio: is 0; give a number above 0/,
  ],
  [
    "a folder without a result",
    { "x.txt": "" },
    ["."],
    /holds no result\.json; name a folder that rmap solve -o wrote/,
  ],
  [
    "tracks alone",
    { "tracks.csv": "frame,detection,track\n" },
    ["tracks.csv"],
    /tracks\.csv: lacks the rest of its result/,
  ],
  ["another CSV", { "a.csv": "frame,x,y\n0,1,2\n" }, ["a.csv"], /a\.csv:1: the header .* lacks the column iteration/],
  [
    "tracks of another run",
    { "result.json": run, "tracks.csv": "frame,detection,track,x,y\n0,0,0,1,1\n" },
    ["."],
    /tracks\.csv: has 1 detections where result\.json has 200/,
  ],
  ["binary rows", { "a.jsonl": "\0\u0001" }, ["a.jsonl"], /a\.jsonl:1: holds a zero byte/],
];

test.each(refused)("refuses %s in one line", (_, files, args, says) => {
  const folder = folderWith(parent, files);
  expect(refusal(() => readReportInputs(args.map((name) => join(folder, name))))).toMatch(says);
});

test("rows keep their file and line, whatever benchmarks stand between them", () => {
  const folder = folderWith(parent, {
    "a.jsonl": `${run}\n${line(benchRow("lap", 50, 50, 2))}${line({ benchmark: "own", x: 1 })}${run}`,
  });
  const file = join(folder, "a.jsonl");
  const { rows } = readReportInputs([file, file]);
  expect(rows.filter(isRun).map(({ line }) => line)).toEqual([1, 5]);
  expect(rows.map(({ file, line }) => [file, line])).toEqual([1, 3, 4, 5].map((n) => [file, n]));
  expect(measurementsOf(rows, ["lap", "own"]).map(({ benchmark }) => benchmark)).toEqual(["lap", "own"]);
});

test("rows of earlier versions are read by the names that they have", () => {
  const old = [
    { bench: "truth", instances: 80 },
    { name: "wide", lp: null, mip: null },
    { size: 9, laps: 2, path: "a" },
  ];
  const folder = folderWith(parent, { "a.jsonl": old.map(line).join("") });
  const { rows } = readReportInputs([join(folder, "a.jsonl")]);
  expect(rows.map(({ row }) => row.benchmark)).toEqual(["truth", "relaxation", "lap-gpu"]);
});

test("mutated rows parse or are refused in one line", () => {
  const file = join(folderWith(parent, {}), "a.jsonl");
  const valid = Buffer.from(run + line(benchRow("lap", 50, 50, 2)));
  fc.assert(
    fc.property(fc.oneof(mutated(valid), byteSoup), (bytes) => {
      writeFileSync(file, bytes);
      parsesOrRefuses(() => readReportInputs([file]));
    }),
    { numRuns: 300 },
  );
});

test("mutated result folders parse or are refused in one line", () => {
  const row = runRow({ targets: 2, frames: 3 });
  const files = {
    "result.json": Buffer.from(JSON.stringify(row)),
    "tracks.csv": Buffer.from(
      "frame,detection,track,x,y\n0,0,0,1,1\n0,1,1,2,2\n1,0,0,1,2\n1,1,,2,3\n2,0,0,1,3\n2,1,1,2,4\n",
    ),
    "history.csv": Buffer.from("iteration,lowerBound,upperBound,seconds\n0,,,0.1\n3,90,,0.2\n6,99,100,0.3\n"),
  };
  const folder = folderWith(parent, files);
  const { folders } = readReportInputs([folder]);
  expect(folders[0].tracks?.track).toEqual(Int32Array.of(0, 1, 0, -1, 0, 1));
  expect(folders[0].tracks?.target).toBe("its detections are not those of the tracks any more");
  expect(folders[0].history?.[1]).toEqual({
    iteration: 3,
    lowerBound: 90,
    upperBound: Number.POSITIVE_INFINITY,
    seconds: 0.2,
  });
  for (const [name, valid] of Object.entries(files)) {
    fc.assert(
      fc.property(mutated(valid), (bytes) => {
        writeFileSync(join(folder, name), bytes);
        parsesOrRefuses(() => readReportInputs([folder]));
      }),
      { numRuns: 150 },
    );
    writeFileSync(join(folder, name), valid);
  }
});

test("every committed row is of a kind that the report reads", () => {
  const files = ["results", "lab/results"].flatMap((folder) => {
    const path = join(import.meta.dirname, "../..", folder);
    return readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file));
  });
  const rowFiles = files.filter((file) => file.endsWith(".jsonl"));
  const { rows } = readReportInputs(rowFiles);
  expect(rowFiles.length).toBeGreaterThan(20);
  const lines = rowFiles.flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean));
  expect(rows).toHaveLength(lines.length);
});
