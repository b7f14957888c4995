import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openRowsFile } from "../../../src/experiments/sweep/rows-file.js";
import { readRows } from "../../../src/rows/results.js";
import { onlyObject, refuses, succeeds } from "../../cli/rmap.js";
import { folderWith, temporaryFolder } from "../../formats/support.js";
import { lines, type Running, rowsOf, slow, small, start, sweepHere, until } from "./support.js";

const parent = temporaryFolder();
const folder = (sweep: object) => folderWith(parent, { "s.json": JSON.stringify(sweep) });
const sweep = ["sweep", "s.json", "--append", "rows.jsonl", "--json", "-q", "--jobs", "1"];
const keys = (file: string) => readRows(file).map((row) => row.sweep?.key);

/** A sweep of `small` that has ended, as it came from the program, and what it printed. */
const finished = { cwd: "", stdout: "" };
beforeAll(async () => {
  finished.cwd = folder(small);
  finished.stdout = await succeeds(sweep, { cwd: finished.cwd });
});

/** A folder with `small` and all of its rows. */
function folderWithRows(): string {
  const cwd = folder(small);
  copyFileSync(join(finished.cwd, "rows.jsonl"), join(cwd, "rows.jsonl"));
  return cwd;
}

/** Starts a sweep that copies its rows from `made`, 100 ms each, and whose lock is stale after 2 s. */
const quickSweep = (cwd: string, made = join(finished.cwd, "rows.jsonl")) =>
  start(["s.json", "rows.jsonl", made], cwd, undefined, fileURLToPath(new URL("quick-sweep.mjs", import.meta.url)));

describe("a finished run", () => {
  test("is one row with its identity and stop rules; one that failed says why", async () => {
    const summary = onlyObject(finished.stdout);
    expect(summary).toMatchObject({ sweep: "small", runs: 12, already: 0, made: 12, failed: 4 });
    const rows = readRows(join(finished.cwd, "rows.jsonl"));
    expect(new Set(rows.map((row) => row.sweep?.key)).size).toBe(12);
    for (const row of rows) {
      const { values, name } = row.sweep ?? {};
      expect(name).toBe("small");
      expect(row).toMatchObject({ name: "small", seed: values?.seed, threads: 1, device: { requested: "auto" } });
      expect(row.stop).toEqual({ gapPercent: 0, iterations: 50, seconds: null });
      if (values?.["gate.epsilon"] === 1) {
        expect(row).toMatchObject({ status: "failed", lowerBound: null, scores: null });
        expect(row.error).toMatch(/frame pair .*; .*gate/);
      } else {
        expect(row.error).toBeUndefined();
        expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound as number);
        expect(row.scenario).toMatchObject({
          pricing: { cost: values?.cost, gate: { epsilon: values?.["gate.epsilon"] } },
        });
      }
    }
  });

  test("is not made again, also when the last line was cut short", async () => {
    const cwd = folderWithRows();
    const file = join(cwd, "rows.jsonl");
    const whole = readFileSync(file, "utf8");
    expect(onlyObject(await succeeds(sweep, { cwd }))).toMatchObject({ already: 12, made: 0 });
    expect(readFileSync(file, "utf8")).toBe(whole);
    // 40 bytes of the last line are missing: its run is made again, and the others are left as they are.
    truncateSync(file, Buffer.byteLength(whole) - 40);
    expect(await sweepHere(cwd)).toMatchObject({ already: 11, made: 1 });
    const kept = whole.split("\n").slice(0, 11).join("\n");
    expect(readFileSync(file, "utf8").startsWith(kept)).toBe(true);
    expect(new Set(keys(file)).size).toBe(12);
    // Only the line end is missing: the row is whole.
    truncateSync(file, Buffer.byteLength(readFileSync(file, "utf8")) - 1);
    expect(onlyObject(await succeeds(sweep, { cwd }))).toMatchObject({ already: 12, made: 0 });
    expect(readRows(file)).toHaveLength(12);
  });

  test("counts for its own sweep; what is new in a grown design is made", async () => {
    const cwd = folderWithRows();
    writeFileSync(join(cwd, "s.json"), JSON.stringify({ ...small, seeds: [2, 3] }));
    expect(await sweepHere(cwd)).toMatchObject({ runs: 12, already: 6, made: 6 });
    writeFileSync(join(cwd, "s.json"), JSON.stringify({ ...small, name: "other" }));
    expect(await sweepHere(cwd)).toMatchObject({ runs: 12, already: 0, made: 12 });
    expect(readRows(join(cwd, "rows.jsonl"))).toHaveLength(30);
  });
});

// They wait for locks and processes, so they wait together.
describe.concurrent("sweeps", () => {
  describe("a killed sweep", () => {
    test("goes on where it stopped: no run lost or made twice, the rows those of an undisturbed one", async () => {
      const cwd = folder(slow(6, 15));
      const file = join(cwd, "rows.jsonl");
      const { child, ended } = start([...sweep, "--jobs", "2"], cwd);
      await until(() => lines(file) >= 1, "a first row");
      child.kill("SIGKILL");
      await ended;
      const there = lines(file);
      expect(there).toBeLessThan(6);
      expect(await sweepHere(cwd)).toMatchObject({ made: 6 - there });
      expect(new Set(keys(file)).size).toBe(6);
      expect(lines(file)).toBe(6);
      await sweepHere(cwd, "again.jsonl");
      expect(rowsOf(file)).toEqual(rowsOf(join(cwd, "again.jsonl")));
    });

    test.runIf(process.platform === "linux")("leaves no process behind", async () => {
      const cwd = folder(slow(1, 100_000));
      const { child, ended } = start(sweep, cwd);
      const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
      await until(() => children().some((pid) => pid !== ""), "a process for the runs");
      const pids = children();
      await setTimeout(300);
      child.kill("SIGKILL");
      await ended;
      await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), "the end of its processes");
    });

    test("SIGINT leaves whole rows, no lock, and code 130", async () => {
      const cwd = folder(slow(40, 15));
      const file = join(cwd, "rows.jsonl");
      const { child, ended, heard } = start(sweep, cwd);
      await until(() => lines(file) >= 1, "a first row");
      child.kill("SIGINT");
      expect({ code: await ended, stderr: heard.stderr }).toEqual({ code: 130, stderr: "" });
      expect(onlyObject(heard.stdout)).toMatchObject({ runs: 40, made: readRows(file).length });
      expect(existsSync(`${file}.lock`)).toBe(false);
    });
  });

  describe("a frozen sweep", () => {
    /** A sweep freezes after its first row, a second one takes its file over, and the first thaws `early` rows before the second ends. */
    const takenOver = async (
      cwd: string,
      runs: number,
      early: number,
      beginFirst: () => Running,
      beginSecond: () => Running,
    ) => {
      const file = join(cwd, "rows.jsonl");
      const first = beginFirst();
      await until(() => lines(file) >= 1, "a first row");
      first.child.kill("SIGSTOP");
      const there = lines(file);
      const second = beginSecond();
      await until(() => lines(file) >= runs - early, "the rows of the second sweep");
      first.child.kill("SIGCONT");
      expect({ code: await first.ended, said: first.heard.stderr }).toEqual({
        code: 2,
        said: expect.stringMatching(/^rmap: rows\.jsonl: another sweep has taken it over; wait for .*\n$/),
      });
      expect({ code: await second.ended, stderr: second.heard.stderr }).toEqual({ code: 0, stderr: "" });
      expect(onlyObject(second.heard.stdout)).toMatchObject({ already: there, made: runs - there });
      expect(lines(file)).toBe(runs);
      expect(new Set(keys(file)).size).toBe(runs);
      expect(existsSync(`${file}.lock`)).toBe(false);
    };

    test("whose file another took over writes no row, thawed after the other's end", async () => {
      const cwd = folder(small);
      const begin = () => quickSweep(cwd);
      await takenOver(cwd, 12, 0, begin, begin);
    });

    test("whose file another took over writes no row, thawed before the other's end, and is ended as a program", async () => {
      const cwd = folder(slow(5, 15));
      await sweepHere(cwd, "made.jsonl");
      await takenOver(
        cwd,
        5,
        2,
        () => start(sweep, cwd),
        () => quickSweep(cwd, "made.jsonl"),
      );
    });

    test("that nobody took over goes on", async () => {
      const cwd = folder(small);
      const file = join(cwd, "rows.jsonl");
      const { child, ended, heard } = quickSweep(cwd);
      await until(() => lines(file) >= 1, "a first row");
      child.kill("SIGSTOP");
      await setTimeout(2500);
      child.kill("SIGCONT");
      expect({ code: await ended, stderr: heard.stderr }).toEqual({ code: 0, stderr: "" });
      expect(new Set(keys(file)).size).toBe(12);
    });
  });

  describe("sweeps that want one file at the same time", () => {
    /** Each ends with the rows made, or is refused; no row is lost or doubled, and no lock is left. */
    const allEnd = async (cwd: string, count: number, runs: number, begin: () => Running, there = 0) => {
      const all = Array.from({ length: count }, begin);
      let made = 0;
      for (const { ended, heard } of all) {
        const code = await ended;
        if (code === 0) made += onlyObject(heard.stdout).made as number;
        else {
          const refusal = /^rmap: rows\.jsonl: another sweep (is writing it|has taken it over); wait for .*\n$/;
          expect({ code, stderr: heard.stderr }).toEqual({ code: 2, stderr: expect.stringMatching(refusal) });
        }
      }
      const file = join(cwd, "rows.jsonl");
      expect(made).toBeLessThanOrEqual(runs - there);
      expect(made).toBeGreaterThan(0);
      expect(keys(file)).toHaveLength(runs);
      expect(new Set(keys(file)).size).toBe(runs);
      expect(existsSync(`${file}.lock`)).toBe(false);
    };

    test("write it one after the other", async () => {
      const cwd = folder(small);
      await allEnd(cwd, 2, 12, () => quickSweep(cwd));
    });

    test("also where the one before was killed, and its lock is taken over", async () => {
      const cwd = folder(small);
      const first = quickSweep(cwd);
      await until(() => lines(join(cwd, "rows.jsonl")) >= 1, "a first row");
      first.child.kill("SIGKILL");
      await first.ended;
      expect(existsSync(join(cwd, "rows.jsonl.lock"))).toBe(true);
      await allEnd(cwd, 2, 12, () => quickSweep(cwd), lines(join(cwd, "rows.jsonl")));
    });

    test("are refused while another writes it", async () => {
      const cwd = folder(small);
      const rows = await openRowsFile(join(cwd, "rows.jsonl"), (error) => expect.unreachable(error.message));
      expect(await refuses(sweep, { cwd })).toMatch(
        /^rmap: rows\.jsonl: another sweep is writing it; wait for its end/,
      );
      await rows.close();
      expect(existsSync(join(cwd, "rows.jsonl.lock"))).toBe(false);
    });
  });
});

test("SIGTERM while the processes start ends the sweep, and them", async () => {
  const cwd = folder(slow(40, 200));
  const { child, ended } = start(sweep, cwd);
  await until(() => existsSync(join(cwd, "rows.jsonl.lock")), "the lock");
  child.kill("SIGTERM");
  expect(await ended).toBe(130);
});

describe("the rows file", () => {
  test("loses the rows that two writers made of one run, and no others", async () => {
    const cwd = folderWithRows();
    const file = join(cwd, "rows.jsonl");
    const [first, second, ...rest] = readFileSync(file, "utf8").trimEnd().split("\n");
    const other = (line: string, change: object) => JSON.stringify({ ...JSON.parse(line), ...change });
    const { sweep: _, ...unswept } = JSON.parse(first);
    const alone = JSON.stringify(unswept);
    // Of another revision, of another sweep, and of no sweep: these stay.
    const kept = [other(first, { revision: "x" }), other(first, { sweep: { ...JSON.parse(first).sweep, name: "y" } })];
    const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join("");
    writeFileSync(file, text([first, second, other(first, { iterations: 1 }), alone, alone, ...kept, ...rest, second]));
    expect(onlyObject(await succeeds(sweep, { cwd }))).toMatchObject({ already: 12, made: 0, dropped: 2 });
    expect(readFileSync(file, "utf8")).toBe(text([first, second, alone, alone, ...kept, ...rest]));
  });

  test("is refused when it holds something else, and left as it is", async () => {
    const cwd = folder(small);
    const file = join(cwd, "rows.jsonl");
    for (const [text, words] of [
      ["my notes\n", /rows\.jsonl:1: is not JSON/],
      ["my notes", /rows\.jsonl: its last line is no result row; name a file of rows/],
      ['{"a":1}\n', /rows\.jsonl:1/],
    ] as const) {
      writeFileSync(file, text);
      expect(await refuses(sweep, { cwd })).toMatch(words);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  test("is refused when its rows of this sweep ran elsewhere", async () => {
    const cwd = folderWithRows();
    expect(await refuses([...sweep, "--device", "cpu"], { cwd })).toMatch(
      /made with --device auto; give it again, or name another file/,
    );
  });

  test("may hold rows of other work", async () => {
    const cwd = folder(small);
    writeFileSync(join(cwd, "scenario.json"), JSON.stringify(small.base));
    await succeeds(["solve", "scenario.json", "--append", "rows.jsonl"], { cwd });
    expect(await sweepHere(cwd)).toMatchObject({ already: 0, made: 12 });
    expect(readRows(join(cwd, "rows.jsonl"))).toHaveLength(13);
  });
});
