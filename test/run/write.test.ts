import { spawnSync } from "node:child_process";
import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Problem } from "../../src/run/problem.js";
import type { Run } from "../../src/run/run.js";
import { writeRun } from "../../src/run/write.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { runRow } from "../report/rows.js";

const parent = temporaryFolder();
const names = ["history.csv", "result.json", "tracks.csv", "tracks.svg"];
const written = new URL("../../dist/run/write.js", import.meta.url).href;

/** A run whose files all say its seed, as much of it as is written; its text goes into the script below. */
function runOf(seed: number) {
  const history = [{ iteration: seed, lowerBound: seed, upperBound: seed, gap: 0, seconds: seed }];
  const run = {
    solution: { history, tracks: null, proof: null },
    frameStart: Uint32Array.of(0, 1, 2),
    track: Int32Array.of(seed, seed),
  };
  return { run, problem: { detections: null, target: null, unit: null, numbers: { first: 0, step: 1 } } };
}

function write(folder: string, seed: number): void {
  const { run, problem } = runOf(seed);
  writeRun(folder, problem as unknown as Problem, run as unknown as Run, { ...runRow({}), name: `seed ${seed}`, seed });
}

/** The functions that change files. */
const CHANGES = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "rmSync",
  "closeSync",
  "chmodSync",
  "chownSync",
] as const;
const DEAD = 999_999_999;

/**
 * Writes like a process that is killed before the nth change of a file: from there on no file is changed, also not on the way out. Its number is
 * that of no process.
 * @returns whether there was an nth change
 */
function writeKilled(folder: string, seed: number, n: number): boolean {
  const real = Object.fromEntries(CHANGES.map((name) => [name, fs[name]])) as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const { pid } = process;
  const open = new Set<unknown>();
  let changes = 0;
  for (const name of CHANGES) {
    const counted = (...args: unknown[]) => {
      if (changes++ >= n) throw new Error("killed");
      const result = real[name](...args);
      if (name === "openSync") open.add(result);
      if (name === "closeSync") open.delete(args[0]);
      return result;
    };
    Object.assign(fs, { [name]: counted });
  }
  Object.defineProperty(process, "pid", { value: DEAD });
  syncBuiltinESMExports();
  try {
    write(folder, seed);
  } catch (error) {
    if (changes <= n) throw error;
  } finally {
    Object.assign(fs, real);
    Object.defineProperty(process, "pid", { value: pid });
    syncBuiltinESMExports();
    for (const descriptor of open) fs.closeSync(descriptor as number);
  }
  return changes > n;
}

/** Writes run `seed` into `folder`, and kills itself before the nth renaming. */
const script = `
${runOf}
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [folder, seed, killAt, row] = process.argv.slice(2).map((text) => JSON.parse(text));
const { writeRun } = await import(${JSON.stringify(written)});
let left = killAt;
const real = fs.renameSync;
fs.renameSync = (...args) => {
  if (left-- === 0) process.kill(process.pid, "SIGKILL");
  return real(...args);
};
syncBuiltinESMExports();
const { run, problem } = runOf(seed);
writeRun(folder, problem, run, { ...row, name: "seed " + seed, seed });
`;

/** The runs that the files of a folder come from. */
function seedsIn(folder: string): Set<number> {
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  return new Set([
    JSON.parse(read("result.json")).seed,
    Number(read("history.csv").split("\n")[1].split(",")[0]),
    Number(read("tracks.csv").split("\n")[1].split(",")[2]),
    Number(/seed (\d+)/.exec(read("tracks.svg"))?.[1]),
  ]);
}

test("killed at any moment of its writing, a run leaves the files of one run, and the next clears up", () => {
  const outcomes = new Set<number>();
  const folder = folderWith(parent, {});
  // A run that is killed while it takes the folder's lock leaves an empty one, on which the next run looks 250 times; here it does so without a pause.
  const pause = vi.spyOn(Atomics, "wait").mockReturnValue("timed-out");
  let killed = true;
  for (let n = 0; killed; n++) {
    // The first of them also clears up after the last one that was killed.
    write(folder, 1);
    expect(readdirSync(folder).sort()).toEqual(names);
    killed = writeKilled(folder, 2, n);
    if (!readdirSync(folder).includes("result.json")) {
      outcomes.add(0);
      continue;
    }
    const seeds = seedsIn(folder);
    expect(seeds.size, `killed at ${n}`).toBe(1);
    for (const seed of seeds) outcomes.add(seed);
  }
  expect([...outcomes].sort()).toEqual([0, 1, 2]);
  expect(pause.mock.calls.length).toBeGreaterThanOrEqual(250);
  pause.mockRestore();
});

test("a process that is killed between two renamings leaves no result, and what is left is cleared up", () => {
  const folder = folderWith(parent, {});
  write(folder, 1);
  const file = join(parent, "write.mjs");
  writeFileSync(file, script);
  const args = [folder, 2, 1, runRow({})].map((value) => JSON.stringify(value));
  expect(spawnSync(process.execPath, [file, ...args])).toMatchObject({ signal: "SIGKILL" });
  const left = readdirSync(folder);
  expect(left).not.toContain("result.json");
  expect(left.filter((name) => name.startsWith(".result.json.rmap-"))).toHaveLength(1);
  write(folder, 3);
  expect(readdirSync(folder).sort()).toEqual(names);
  expect(seedsIn(folder)).toEqual(new Set([3]));
});

test("what another run leaves unfinished stays while that run is alive", () => {
  const folder = join(parent, "alive");
  mkdirSync(folder);
  writeFileSync(join(folder, `.tracks.csv.rmap-${process.ppid}`), "being written");
  writeFileSync(join(folder, `.tracks.csv.rmap-${DEAD}`), "left behind");
  write(folder, 3);
  expect(readdirSync(folder).sort()).toEqual([`.tracks.csv.rmap-${process.ppid}`, ...names]);
});
