import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../src/core/errors.js";
import { ensureFolder, writeWhole } from "../../src/files/whole-file.js";
import { formatHistory } from "../../src/rows/history.js";
import { provenance } from "../../src/rows/provenance.js";
import { appendRow, finiteOrNull, formatRow, type ResultRow, readRows } from "../../src/rows/results.js";
import { byteSoup, folderWith, mutated, parsesOrRefuses, refusal, temporaryFolder } from "../formats/support.js";

const parent = temporaryFolder();
const row: ResultRow = {
  name: "a",
  status: "optimal",
  lowerBound: 1.25,
  upperBound: finiteOrNull(Number.POSITIVE_INFINITY),
  gapPercent: 0,
  iterations: 12,
  ascent: "polyak",
  precision: "f64",
  threads: 2,
  notes: [],
  device: { requested: "gpu", actual: "cpu" },
  frames: 3,
  detections: 9,
  edges: 20,
  triplets: 40,
  scores: { mmep: 0.5, itcp: 12 },
  times: { generate: 0.1, solve: 2 },
  seed: 1,
  scenario: { simulation: { targets: 3 } },
  ...provenance(new Date("2026-11-20T12:00:00Z")),
};

describe("result rows", () => {
  it("are appended, one line each, and read back", () => {
    const file = join(folderWith(parent, {}), "new", "folder", "rows.jsonl");
    appendRow(file, row);
    appendRow(file, { ...row, seed: null, scores: null });
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
    expect(readRows(file)).toEqual([row, { ...row, seed: null, scores: null }]);
    expect(row.upperBound).toBeNull();
  });

  it("leave a line that was cut short alone, and name it on reading", () => {
    const file = join(folderWith(parent, {}), "rows.jsonl");
    appendRow(file, row);
    appendFileSync(file, '{"name":"b","sta');
    appendRow(file, row);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(4);
    expect(refusal(() => readRows(file))).toMatch(/rows\.jsonl:2: is not JSON/);
  });

  it("are checked on reading", () => {
    const read = (text: string) => refusal(() => readRows(join(folderWith(parent, { "r.jsonl": text }), "r.jsonl")));
    const line = (change: object) => `${formatRow(row)}\n${JSON.stringify({ ...row, ...change })}\n`;
    expect(read(line({ gapPercent: -1 }))).toMatch(/r\.jsonl:2, gapPercent: is -1; give a number of at least 0/);
    expect(read(line({ gap: 1 }))).toMatch(/r\.jsonl:2, gap: is not a known key; /);
    expect(read(line({ date: "today" }))).toMatch(/r\.jsonl:2, date: is "today"/);
    expect(read("")).toMatch(/holds no result rows; name a file/);
  });

  it("are checked on writing: JSON has no NaN", () => {
    expect(() => formatRow({ ...row, lowerBound: Number.NaN })).toThrow(InvariantError);
    expect(() => formatRow({ ...row, times: { solve: Number.POSITIVE_INFINITY } })).toThrow(InvariantError);
    expect([finiteOrNull(Number.NaN), finiteOrNull(-0.5)]).toEqual([null, -0.5]);
  });

  it("parse or refuse any bytes", () => {
    const valid = Buffer.from(`${formatRow(row)}\n`);
    fc.assert(
      fc.property(fc.oneof(byteSoup, mutated(valid)), (bytes) => {
        const file = join(folderWith(parent, { "r.jsonl": bytes }), "r.jsonl");
        parsesOrRefuses(() => readRows(file));
      }),
      { numRuns: 200 },
    );
  });
});

describe("provenance", () => {
  it("says what made a result", () => {
    const version = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")).version;
    expect(row).toMatchObject({ version, node: process.versions.node, date: "2026-11-20T12:00:00.000Z" });
    if (row.revision !== null) expect(row.revision).toMatch(/^[0-9a-f]{40}\+?$/);
    expect(row.cores).toBeGreaterThan(0);
  });
});

describe("writeWhole", () => {
  it("replaces a file and leaves nothing else behind", () => {
    const folder = folderWith(parent, { "a.txt": "old and longer" });
    writeWhole(join(folder, "a.txt"), "new");
    writeWhole(join(folder, "b.bin"), Uint8Array.of(0, 255).subarray(1));
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("new");
    expect([...readFileSync(join(folder, "b.bin"))]).toEqual([255]);
    expect(readdirSync(folder).sort()).toEqual(["a.txt", "b.bin"]);
  });

  it("leaves the old file where the new one cannot be written", () => {
    const folder = folderWith(parent, { file: "kept" });
    mkdirSync(join(folder, "taken"));
    expect(refusal(() => writeWhole(join(folder, "taken"), "x"))).toMatch(
      /taken: is a folder, not a file; name a file/,
    );
    expect(refusal(() => writeWhole(join(folder, "file", "below"), "x"))).toMatch(
      /a part of the path is a file, not a folder/,
    );
    expect(refusal(() => writeWhole(join(folder, "absent", "x"), "x"))).toMatch(
      /there is no such file or folder; check/,
    );
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("kept");
    expect(readdirSync(folder).sort()).toEqual(["file", "taken"]);
  });
});

describe("ensureFolder", () => {
  it("makes what is missing and takes what is there", () => {
    const folder = folderWith(parent, {});
    ensureFolder(join(folder, "a/b/c"));
    ensureFolder(join(folder, "a/b/c"));
    writeFileSync(join(folder, "a/b/c/file"), "");
    expect(refusal(() => ensureFolder(join(folder, "a/b/c/file")))).toMatch(/is a file, not a folder; choose another/);
    expect(refusal(() => ensureFolder(join(folder, "a/b/c/file/d")))).toMatch(/a part of the path is a file/);
    expect(refusal(() => ensureFolder("a\0b"))).toMatch(/is not a valid path/);
  });

  it.runIf(process.platform === "linux")("refuses where no folder can be made, and a full device", () => {
    expect(refusal(() => ensureFolder("/proc/rmap/results"))).toMatch(
      /^\/proc\/rmap: no folder can be made here; choose/,
    );
    expect(refusal(() => appendRow("/dev/full", row))).toMatch(/^\/dev\/full: no space left on the device; free some/);
  });
});

describe("formatHistory", () => {
  it("leaves bounds that are not known yet empty", () => {
    const rows = [
      { iteration: 0, lowerBound: Number.NEGATIVE_INFINITY, upperBound: Number.POSITIVE_INFINITY, seconds: 0 },
      { iteration: 10, lowerBound: -1.5, upperBound: 2, seconds: 0.25 },
    ];
    expect(formatHistory(rows)).toBe("iteration,lowerBound,upperBound,seconds\n0,,,0\n10,-1.5,2,0.25\n");
  });
});
