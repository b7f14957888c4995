import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../io/support.js";
import { benchRow, lapCpuRow, runRow } from "../report/rows.js";
import { refuses, scenarios, succeeds } from "./rmap.js";

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
    "an unknown benchmark",
    { "a.jsonl": line({ ...benchRow("lap", 50, 50, 2), benchmark: "laps" }) },
    ["a.jsonl"],
    /a\.jsonl:1, benchmark: is "laps"; give one of "lap", "distribution", "solve", "lap-cpu" \(perhaps "lap"\)/,
  ],
  [
    "an unknown bench",
    { "a.jsonl": '{"bench":"speed"}\n' },
    ["a.jsonl"],
    /a\.jsonl:1, bench: is "speed"; give "truth"/,
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

test.each(refused)("refuses %s in one line and writes nothing", async (_, files, args, says) => {
  const cwd = folderWith(parent, files);
  expect(await refuses(["report", ...args, "-o", "out.html"], { cwd })).toMatch(says);
  expect(existsSync(join(cwd, "out.html"))).toBe(false);
});

test("refuses to go without an output, and without rows", async () => {
  expect(await refuses(["report", "a.jsonl"])).toMatch(/required option '-o, --output <file>' not specified/);
  expect(await refuses(["report", "-o", "a.html"])).toMatch(/missing required argument 'rows'/);
});

test("takes rows of all kinds from several files, with unknown keys beside the known", async () => {
  const files = {
    "a.jsonl": line({ ...runRow({}), sweep: undefined, more: { keys: 1 } }) + line(benchRow("solve", 50, 50, 20)),
    "b.jsonl": line(lapCpuRow(100, "dense", 0.5)) + line({ bench: "truth", kind: "easy" }),
    "result.json": JSON.stringify(runRow({ seed: 9 }), null, 2),
    "history.csv": "iteration,lowerBound,upperBound,seconds\n0,,,0.1\n3,90,,0.2\n6,99,100,0.3\n",
  };
  const cwd = folderWith(parent, files);
  const stdout = await succeeds(["report", ...Object.keys(files), "-o", "all.html"], { cwd });
  expect(stdout).toMatch(
    /Where the time goes\n.*Speedup of the whole solve\n.*SciPy's\n {2}Bound and tracks over time\n/s,
  );
  const html = readFileSync(join(cwd, "all.html"), "utf8");
  expect(html).toContain("1 row of kind truth has no figure here.");
  expect(html).toContain("history.csv");
});

test("wrong links are marked only where the truth is that of the tracks", async () => {
  const cwd = folderWith(parent, {});
  await succeeds(["solve", "--device", "cpu", join(scenarios, "tiny.json"), "-o", "tiny"], { cwd });
  const file = join(cwd, "tiny/result.json");
  await succeeds(["report", "tiny", "-o", "a.html"], { cwd });
  expect(readFileSync(join(cwd, "a.html"), "utf8")).toContain('data-truth="yes"');
  const result = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...result, seed: result.seed + 1 }));
  await succeeds(["report", "tiny", "-o", "b.html"], { cwd });
  const html = readFileSync(join(cwd, "b.html"), "utf8");
  expect(html).toContain('data-truth=""');
  expect(html).toContain("Wrong links cannot be marked: its detections are not those of the tracks any more.");
});
