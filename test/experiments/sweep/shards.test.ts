import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { itemsOfShard } from "../../../src/core/shard.js";
import { planOfShard, planSweep } from "../../../src/experiments/sweep/plan.js";
import { openRowsFile, type RowsFile } from "../../../src/experiments/sweep/rows-file.js";
import { formatRow, type ResultRow, readRows } from "../../../src/rows/results.js";
import { onlyObject, refuses, rmap, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { comparable, rowsOf, small, sweepHere } from "./support.js";

const parent = temporaryFolder();
const SHARDS = 3;
const shardsIn = (count = SHARDS) => Array.from({ length: count }, (_, k) => `rows.${k + 1}.jsonl`);

/** The sweep `small` made whole, and by three shards. */
const made = { cwd: "", rows: [] as ResultRow[] };
beforeAll(async () => {
  made.cwd = folderWith(parent, { "s.json": JSON.stringify(small) });
  await sweepHere(made.cwd, "whole.jsonl");
  for (const [k, file] of shardsIn().entries()) {
    const args = ["sweep", "s.json", "--shard", `${k + 1}/${SHARDS}`, "--append", file, "--jobs", "1", "-q", "--json"];
    expect(onlyObject(await succeeds(args, { cwd: made.cwd }))).toMatchObject({ runs: 4, made: 4 });
  }
  made.rows = readRows(join(made.cwd, "whole.jsonl"));
});

/** A folder with the sweep and its shards, some of which a test changes. */
function folderWithShards(): string {
  const cwd = folderWith(parent, {});
  for (const file of ["s.json", ...shardsIn()]) copyFileSync(join(made.cwd, file), join(cwd, file));
  return cwd;
}

const merge = ["merge", "s.json", ...shardsIn(), "-o", "rows.jsonl"];

/** Changes the first row of a file. */
function alter(file: string, change: (row: ResultRow) => ResultRow): void {
  const [first, ...rest] = readRows(file);
  writeFileSync(file, [change(first), ...rest].map((row) => `${formatRow(row)}\n`).join(""));
}

test("shards have each run once, as many as one another but for one", () => {
  const items = Array.from({ length: 17 }, (_, n) => n);
  const plan = planSweep(join(made.cwd, "s.json"));
  for (const of of [1, 2, 3, 5, 12, 13, 40]) {
    const numbers = Array.from({ length: of }, (_, k) => k + 1);
    const dealt = numbers.map((number) => itemsOfShard(items, { number, of }));
    expect(dealt.flat().sort((a, b) => a - b)).toEqual(items);
    const runs = numbers.map((number) => planOfShard(plan, { number, of }).runs);
    expect(new Set(runs.flat())).toEqual(new Set(plan.runs));
    expect(runs.flat()).toHaveLength(plan.runs.length);
    expect(runs.every(({ length }) => Math.abs(length - plan.runs.length / of) < 1)).toBe(true);
  }
});

describe("merging", () => {
  test("gives the rows of the whole sweep but for time and machine, in the order of the design", async () => {
    const cwd = folderWithShards();
    const summary = onlyObject(await succeeds([...merge, "--json"], { cwd }));
    expect(summary).toMatchObject({ runs: 12, merged: 12, failed: 4, doubled: 0, missing: [] });
    const rows = readRows(join(cwd, "rows.jsonl"));
    expect(comparable(rows)).toEqual(comparable(made.rows));
    expect(rows.map(({ sweep }) => sweep?.key)).toEqual(
      planSweep(join(cwd, "s.json")).runs.map(({ task }) => task.key),
    );
    // A sweep of the whole has nothing to add.
    expect(await sweepHere(cwd, "rows.jsonl")).toMatchObject({ already: 12, made: 0 });
  });

  test("drops rows made twice, lines cut short, and failures of runs that did not fail elsewhere", async () => {
    const cwd = folderWithShards();
    const [one, two] = shardsIn().map((file) => join(cwd, file));
    const second = readFileSync(two, "utf8");
    writeFileSync(one, `${readFileSync(one, "utf8")}${second}${second.slice(0, 60)}`);
    const failed: Partial<ResultRow> = { status: "failed", lowerBound: null, upperBound: null, gapPercent: null };
    alter(two, (row) => ({ ...row, ...failed, scores: null, error: "no memory" }));
    const again = [...merge.slice(0, 2), ...shardsIn().reverse(), ...merge.slice(-2), "--json"];
    expect(onlyObject(await succeeds(again, { cwd }))).toMatchObject({
      merged: 12,
      doubled: 4,
      differing: 0,
      failed: 4,
    });
    expect(rowsOf(join(cwd, "rows.jsonl"))).toEqual(comparable(made.rows));
  });

  test("keeps the first row of a run, and says how many others have other bounds", async () => {
    const cwd = folderWithShards();
    const [, two] = shardsIn().map((file) => join(cwd, file));
    writeFileSync(join(cwd, "again.jsonl"), readFileSync(two, "utf8"));
    alter(join(cwd, "again.jsonl"), (row) => ({ ...row, lowerBound: row.lowerBound && row.lowerBound - 1 }));
    const text = await succeeds([...merge.slice(0, 2), ...shardsIn(), "again.jsonl", ...merge.slice(-2)], { cwd });
    expect(text).toContain(
      "4 doubled rows dropped, 1 of these with other bounds than the row that is kept, the first one",
    );
    expect(rowsOf(join(cwd, "rows.jsonl"))).toEqual(comparable(made.rows));
  });

  test("names the runs that are missing, with code 3, and writes the others", async () => {
    const cwd = folderWithShards();
    const shard = join(cwd, "rows.2.jsonl");
    truncateSync(shard, readFileSync(shard).length - 30);
    const [lost] = readRows(join(made.cwd, "rows.2.jsonl")).slice(-1);
    const { code, stdout, stderr } = await rmap(merge, { cwd });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: "rmap: 1 of 12 runs are missing; make their shards again, or rmap sweep s.json --append rows.jsonl\n",
    });
    const values = Object.entries(lost.sweep?.values ?? {}).map(([field, value]) => `${field}=${value}`);
    expect(stdout).toContain(`missing     ${lost.sweep?.key} ${values.join(" ")}\n`);
    expect(await sweepHere(cwd, "rows.jsonl")).toMatchObject({ already: 11, made: 1 });
    expect(rowsOf(join(cwd, "rows.jsonl"))).toEqual(comparable(made.rows));
  });

  test.each<[string, (row: ResultRow) => ResultRow, RegExp]>([
    ["sweep", (row) => ({ ...row, sweep: row.sweep && { ...row.sweep, name: "b" } }), /is no row of sweep small; name/],
    ["kind", ({ sweep: _, ...row }) => row, /is no row of sweep small; name the files of its shards/],
    ["design", (row) => ({ ...row, sweep: row.sweep && { ...row.sweep, key: "0".repeat(32) } }), /0{32} is none of/],
    [
      "version",
      (row) => ({ ...row, version: "0.0.1" }),
      /was made by rmap 0\.0\.1 .* by rmap .*; make all shards with/,
    ],
    [
      "revision",
      (row) => ({ ...row, revision: "0123456789abc" }),
      /was made by .*0123456789ab.*; make all shards with/,
    ],
    [
      "device",
      (row) => ({ ...row, device: { ...row.device, requested: "gpu" } }),
      /was made with --device gpu, and rows/,
    ],
  ])("refuses rows of another %s", async (_, change, reason) => {
    const cwd = folderWithShards();
    alter(join(cwd, "rows.2.jsonl"), change);
    const line = await refuses(merge, { cwd });
    expect(line).toMatch(/^rmap: rows\.2\.jsonl:1: /);
    expect(line).toMatch(reason);
    expect(existsSync(join(cwd, "rows.jsonl"))).toBe(false);
  });

  test("refuses rows of another recording", async () => {
    const sweep = { name: "r", base: { name: "r", detections: { file: "r.csv" } }, grid: { "gate.radius": [2, 3] } };
    const csv = "# dt=1\nframe,x,y\n0,0,0\n0,5,0\n1,1,0\n1,6,0\n2,2,0\n2,7,0\n";
    const cwd = folderWith(parent, { "s.json": JSON.stringify(sweep), "r.csv": csv });
    await sweepHere(cwd, "rows.1.jsonl");
    await succeeds(["merge", "s.json", "rows.1.jsonl", "-o", "rows.jsonl"], { cwd });
    writeFileSync(join(cwd, "r.csv"), csv.replace("7,0", "7,1"));
    const line = await refuses(["merge", "s.json", "rows.1.jsonl", "-o", "again.jsonl"], { cwd });
    expect(line).toMatch(/rows\.1\.jsonl:1: run \w+ is none of the sweep: its design or an input has changed since/);
  });
});

test("a queue deals out the runs itself, and --update records all cases", async () => {
  const cwd = folderWithShards();
  const args = ["sweep", "s.json", "--shard", "1/2", "--append", "x.jsonl", "--queue", "redis://127.0.0.1"];
  expect(await refuses(args, { cwd })).toMatch("--shard: a queue shares out the runs itself; leave one of them out");
  const update = ["regress", "s.json", "--shard", "1/2", "--update"];
  expect(await refuses(update, { cwd })).toMatch("--shard: --update records all cases; leave one of them out");
});

describe("a shard's file without a lock", () => {
  /** Appends the runs that a file lacks; `cut` ends it within a line. */
  async function fill(file: string, until = made.rows.length): Promise<void> {
    const rows = await openRowsFile(file, () => {}, null);
    const there = new Set(rows.rows.map(({ sweep }) => sweep?.key));
    for (const row of made.rows.filter(({ sweep }) => !there.has(sweep?.key)).slice(0, until)) rows.append(row);
    await rows.close();
  }

  test("is mended after a kill within any line: 50 trials", async () => {
    const whole = made.rows.map((row) => `${formatRow(row)}\n`).join("");
    const { value: random } = randomStreams(31).next();
    const cwd = folderWith(parent, {});
    for (let trial = 0; trial < 50; trial++) {
      const file = join(cwd, `${trial}.jsonl`);
      writeFileSync(file, whole.slice(0, Math.floor(random.uniform(0, whole.length))));
      await fill(file);
      expect(readFileSync(file, "utf8")).toBe(whole);
    }
  });

  test("that is made by several at once has each run once, and only the latest goes on: 50 trials", async () => {
    const { value: random } = randomStreams(7).next();
    const cwd = folderWith(parent, {});
    for (let trial = 0; trial < 50; trial++) {
      const file = join(cwd, `${trial}.jsonl`);
      await fill(file, Math.floor(random.uniform(0, 4)));
      const makers: { number: number; rows: RowsFile; left: ResultRow[] }[] = [];
      let opened = 0;
      const open = async () => {
        const rows = await openRowsFile(file, () => {}, null);
        const there = new Set(rows.rows.map(({ sweep }) => sweep?.key));
        makers.push({ number: ++opened, rows, left: made.rows.filter(({ sweep }) => !there.has(sweep?.key)) });
      };
      await open();
      while (makers.length > 0) {
        if (opened < 3 && random.uniform(0, 1) < 0.3) await open();
        const n = Math.floor(random.uniform(0, makers.length));
        const { number, rows, left } = makers[n];
        const row = left.shift();
        const ended = row === undefined ? rows.close() : (async () => rows.append(row))();
        const reason = await ended.then(
          () => "",
          ({ message }: Error) => message,
        );
        expect(reason).toMatch(number === opened ? /^$/ : /another sweep has taken it over; wait/);
        if (row === undefined || reason !== "") makers.splice(n, 1);
      }
      await fill(file);
      expect(rowsOf(file)).toEqual(comparable(made.rows));
    }
  });
});
