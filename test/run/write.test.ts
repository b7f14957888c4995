import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
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

/**
 * Writes run `seed` into `folder`, and kills itself before the nth call of any of the functions that change a file; a run's files
 * all say its seed.
 */
const script = `
${runOf}
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [folder, seed, killAt, row] = process.argv.slice(2).map((text) => JSON.parse(text));
const { writeRun } = await import(${JSON.stringify(written)});
let left = killAt;
for (const name of ["openSync", "writeSync", "fsyncSync", "renameSync", "rmSync", "closeSync"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
const { run, problem } = runOf(seed);
writeRun(folder, problem, run, { ...row, name: "seed " + seed, seed });
`;

/** The same in this process. */
function writeHere(folder: string, seed: number): void {
  const { run, problem } = runOf(seed);
  writeRun(folder, problem as unknown as Problem, run as unknown as Run, { ...runRow({}), name: `seed ${seed}`, seed });
}

function write(folder: string, seed: number, killAt: number): NodeJS.Signals | null {
  const file = join(parent, "write.mjs");
  writeFileSync(file, script);
  const args = [folder, seed, killAt, runRow({})].map((value) => JSON.stringify(value));
  const { signal, status, stderr } = spawnSync(process.execPath, [fileURLToPath(`file://${file}`), ...args], {
    encoding: "utf8",
  });
  if (signal === null) expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return signal;
}

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
  let signal: NodeJS.Signals | null = "SIGKILL";
  for (let at = 0; signal !== null; at++) {
    // The first of them also clears up after the last one that was killed.
    writeHere(folder, 1);
    expect(readdirSync(folder).sort()).toEqual(names);
    signal = write(folder, 2, at);
    if (!readdirSync(folder).includes("result.json")) {
      outcomes.add(0);
      continue;
    }
    const seeds = seedsIn(folder);
    expect(seeds.size, `killed at ${at}`).toBe(1);
    for (const seed of seeds) outcomes.add(seed);
  }
  expect([...outcomes].sort()).toEqual([0, 1, 2]);
}, 120_000);

test("what another run leaves unfinished stays while that run is alive", () => {
  const folder = join(parent, "alive");
  mkdirSync(folder);
  writeFileSync(join(folder, `.tracks.csv.rmap-${process.ppid}`), "being written");
  writeFileSync(join(folder, ".tracks.csv.rmap-999999999"), "left behind");
  writeHere(folder, 3);
  expect(readdirSync(folder).sort()).toEqual([`.tracks.csv.rmap-${process.ppid}`, ...names]);
});
