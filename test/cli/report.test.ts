import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResultFolder } from "../../src/rows/result-folder.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { benchRow, runRow } from "../report/rows.js";
import { refuses, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const line = (row: object) => `${JSON.stringify(row)}\n`;

test("refuses bad rows and writes nothing", async () => {
  const cwd = folderWith(parent, { "a.jsonl": `${line(runRow({}))}{"x": 1}\n` });
  expect(await refuses(["report", "a.jsonl", "-o", "out.html"], { cwd })).toMatch(/a\.jsonl:2, name: is missing/);
  expect(existsSync(join(cwd, "out.html"))).toBe(false);
});

test("refuses to go without an output, and without rows", async () => {
  const cwd = folderWith(parent, { "a.jsonl": line(runRow({})) });
  expect(await refuses(["report", "a.jsonl"], { cwd })).toMatch(
    /nothing says where to write; give -o PAGE.html, --figures FOLDER/,
  );
  expect(await refuses(["report", "a.jsonl", "-o", "a.html", "--width", "90"], { cwd })).toMatch(
    /--width: .* give --figures FOLDER/,
  );
  expect(await refuses(["report", "-o", "a.html"])).toMatch(/missing required argument 'rows'/);
});

const truth = {
  ...{ bench: "truth", kind: "easy", ascent: "bundle", instances: 80, violations: 0 },
  ...{ foundPercent: 100, provenPercent: 97.5 },
};

test("takes rows of all kinds from several files, with unknown keys beside the known", async () => {
  const files = {
    "a.jsonl": line({ ...runRow({}), sweep: undefined, more: { keys: 1 } }) + line(benchRow("solve", 50, 50, 20)),
    "b.jsonl": line(truth),
    "result.json": JSON.stringify(runRow({ seed: 9 }), null, 2),
    "history.csv": "iteration,lowerBound,upperBound,seconds\n0,,,0.1\n3,90,,0.2\n6,99,100,0.3\n",
  };
  const cwd = folderWith(parent, files);
  const stdout = await succeeds(["report", ...Object.keys(files), "-o", "all.html"], { cwd });
  expect(stdout).toMatch(/Where the time goes\n.*Speedup of the whole solve\n {2}Bound and tracks over time\n/s);
  const html = readFileSync(join(cwd, "all.html"), "utf8");
  expect(html).toContain("<caption>truth</caption>");
  expect(html).toContain("97.5");
  expect(html).toContain("history.csv");
});

test("a folder's truth is known only where it is that of the tracks", async () => {
  const cwd = folderWith(parent, {});
  await succeeds(["solve", "--device", "cpu", join(scenarios, "tiny.json"), "-o", "tiny"], { cwd });
  const file = join(cwd, "tiny/result.json");
  const targets = () => readResultFolder(join(cwd, "tiny")).tracks?.target;
  expect(targets()).toHaveLength(30);
  const result = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...result, seed: result.seed + 1 }));
  expect(targets()).toBe("its detections are not those of the tracks any more");
});

test("writes each chart as a picture with its rows beside it", async () => {
  const cwd = folderWith(parent, {
    "a.jsonl": [1, 2].map((seed) => line(runRow({ seed, targets: 10 * seed }))).join(""),
  });
  const stdout = await succeeds(["report", "a.jsonl", "--figures", "figures", "--width", "120"], { cwd });
  expect(stdout).toMatch(/wrote \d+ figures as SVG and PDF, with their rows as CSV, to figures\n {2}steps: /);
  expect(readFileSync(join(cwd, "figures", "gaps-1.pdf"), "latin1")).toMatch(/^%PDF-/);
  expect(readFileSync(join(cwd, "figures", "gaps-1.svg"), "utf8")).toContain('width="120mm"');
  expect(readFileSync(join(cwd, "figures", "gaps-1.csv"), "utf8").split("\n")[0]).toMatch(/x,/);
});
