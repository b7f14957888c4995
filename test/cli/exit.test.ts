import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../../src/cli/exit.js";
import { InputError } from "../../src/core/errors.js";
import { DeviceError, DeviceLostError } from "../../src/gpu/device-error.js";
import { resultRow } from "../../src/rows/results.js";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { program, refuses, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const tiny = join(scenarios, "tiny.json");

/** Forty targets from one spot, everything linked to everything: ten times as long to a proof as to the ascent. */
const endless = JSON.stringify({
  name: "endless",
  simulation: { targets: 40, frames: 20, spread: 0, amplitude: 1, noise: { position: 0.4 } },
  gate: "none",
  solve: { gap: 0, iterations: 1e9 },
});

/**
 * Starts the solve of `endless`, waits until it has made its folder and used so many seconds of the processor, which is the same work on a busy
 * machine, and sends a signal after each of these pauses, in ms.
 */
async function interrupted(
  cwd: string,
  cpuSeconds: number,
  pauses: readonly number[],
  signal: "SIGINT" | "SIGTERM" = "SIGINT",
) {
  const args = ["solve", "s.json", "--json", "--threads", "1", "-o", "out"];
  const child = spawn(process.execPath, [program, ...args], { cwd });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  while (!existsSync(join(cwd, "out"))) await setTimeout(20);
  if (process.platform !== "linux") await setTimeout(2000 * cpuSeconds);
  else while (cpuSecondsOf(child.pid as number) < cpuSeconds) await setTimeout(20);
  for (const pause of pauses) {
    await setTimeout(pause);
    child.kill(signal);
  }
  return { code: await ended, stdout, stderr };
}

/** User and system time of a running process. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  return (user + system) / 100;
}

describe("Ctrl-C", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s ends the ascent: a certified result, whole files, code 130",
    async (signal) => {
      const cwd = folderWith(parent, { "s.json": endless });
      const { code, stdout, stderr } = await interrupted(cwd, 1.3, [0], signal);
      expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
      const row = resultRow.parse(JSON.parse(stdout));
      expect(row.status).toBe("stopped");
      expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound as number);
      const names = ["history.csv", "proof.json", "result.json", "tracks.csv", "tracks.svg"];
      expect(readdirSync(join(cwd, "out")).sort()).toEqual(names);
      expect(JSON.parse(readFileSync(join(cwd, "out", "result.json"), "utf8"))).toEqual(row);
      const tracks = readFileSync(join(cwd, "out", "tracks.csv"), "utf8");
      expect(tracks.trimEnd().split("\n")).toHaveLength(1 + 40 * 20);
    },
  );

  test("the second one ends the program; no file is left half-written", async () => {
    const cwd = folderWith(parent, { "s.json": endless });
    const { code, stdout } = await interrupted(cwd, 1.2, [0, 0, 1, 1, 1]);
    expect(code).toBe(130);
    if (stdout !== "") JSON.parse(stdout);
    const out = join(cwd, "out");
    const left = existsSync(out) ? readdirSync(out) : [];
    expect(left.filter((name) => !/^(history\.csv|proof\.json|result\.json|tracks\.(csv|svg))$/.test(name))).toEqual(
      [],
    );
  });
});

describe("a full disk behind standard output", () => {
  test.concurrent.each([
    "--help",
    "devices --json",
    `solve ${tiny}`,
    `solve ${tiny} --json`,
    `simulate ${tiny}`,
    "simulate --targets 300 --frames 100",
    `track ${join(scenarios, "data/opensky_uk_60s.csv")}`,
    `sweep ${join(scenarios, "sweeps/epsilon.json")} --dry-run`,
  ])("rmap %s > /dev/full says so in one line and ends with code 1", async (line) => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [program, ...line.split(" ")], { stdio: ["ignore", full, "pipe"] });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    closeSync(full);
    const says = "rmap: standard output: no space left on the device; free some space or choose another path\n";
    expect({ code, stderr }).toEqual({ code: 1, stderr: says });
  });
});

describe("a closed pipe", () => {
  test.each([
    ["solve", tiny],
    ["solve", tiny, "--json"],
    ["simulate", join(scenarios, "demo.json")],
    ["solve", "--help"],
  ])("rmap %s %s … | head -1 ends quietly with code 0", async (...args) => {
    const child = spawn(process.execPath, [program, ...args.filter((argument) => argument !== undefined)]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

test("code 1: no set of tracks found; the bound is written, and no tracks of an earlier run stay beside it", async () => {
  const rows = (...cells: readonly string[]) => cells.map((cell) => `${[...cell].join(",")}\n`).join("");
  const cwd = folderWith(parent, {
    "pairs.csv": `frame,i,j,cost\n${rows("0001", "0011", "0101", "0111", "1001", "1011", "1101", "1111")}`,
    // Whichever way the first frame pair goes, both of its tracks need the same detection of the third frame.
    "triplets.csv": `frame,i,j,k,cost\n${rows("00000", "01100", "00110", "01010")}`,
  });
  const out = folderWith(parent, { "tracks.csv": "old", "tracks.svg": "old", "notes.txt": "mine" });
  const { code, stdout, stderr } = await rmap(["solve", ".", "--json", "-o", out], { cwd });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^rmap: no allowed set of tracks[^\n]*\n$/),
  });
  const row = resultRow.parse(JSON.parse(stdout));
  expect(row).toMatchObject({ status: "unsolved", upperBound: null, gapPercent: null, scores: null });
  expect(readdirSync(out).sort()).toEqual(["history.csv", "notes.txt", "result.json"]);
});

test("code 1, not 2: a device that is lost, and what is a defect", () => {
  expect(outcomeOf(new DeviceLostError("gone\u001b[2J"))).toEqual({ code: 1, line: "rmap: gone\\u001b[2J" });
  expect(outcomeOf(new DeviceError("no GPU")).code).toBe(2);
  expect(outcomeOf(new InputError("wrong")).code).toBe(2);
  expect(outcomeOf(new TypeError("x is undefined"))).toMatchObject({ code: 1, line: expect.stringMatching(/defect/) });
});

describe("code 3: below what is required", () => {
  test("--require-gap, with the result still printed and written", async () => {
    const cwd = folderWith(parent, { "s.json": endless });
    const args = ["solve", "s.json", "--json", "-o", "out", "--ascent", "rmap", "--iterations", "1"];
    const { code, stdout, stderr } = await rmap([...args, "--require-gap", "0.01"], { cwd, alone: true });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^rmap: the gap of [\d.]+ % is too large; --require-gap 0\.01 %\n$/);
    expect(resultRow.parse(JSON.parse(stdout)).gapPercent).toBeGreaterThan(0.01);
    expect(existsSync(join(cwd, "out", "tracks.csv"))).toBe(true);
    expect((await rmap([...args, "--require-gap", "100"], { cwd })).code).toBe(0);
  });

  test("births of 1e20 that no track uses drown nothing: the tracks are those without births, and proved", async () => {
    const args = [
      "solve",
      join(scenarios, "demo.json"),
      "--births",
      "1e20",
      "--gap",
      "0",
      "--require-gap",
      "0",
      "--json",
    ];
    const { code, stdout } = await rmap(args);
    expect(code).toBe(0);
    const { status, lowerBound, upperBound, gapPercent } = resultRow.parse(JSON.parse(stdout));
    expect(status).toBe("optimal");
    expect(upperBound).toBeCloseTo(1781.6503, 3);
    expect(lowerBound).toBeCloseTo(1781.6503, 3);
    expect(gapPercent).toBeLessThan(1e-7);
  });

  test("a proof of optimality meets --require-gap 0", async () => {
    expect(await rmap(["solve", tiny, "--gap", "0", "--require-gap", "0"])).toMatchObject({ code: 0, stderr: "" });
  });

  test("evaluate --require, each metric by its better side", async () => {
    const cwd = folderWith(parent, {
      "d.csv": "frame,x,y,target\n0,0,0,1\n0,5,0,2\n1,1,0,1\n1,6,0,2\n",
      "t.csv": "frame,detection,track\n0,0,0\n0,1,1\n1,0,0\n1,1,2\n",
    });
    const outcome = (...required: string[]) => rmap(["evaluate", "d.csv", "t.csv", "--json", ...required], { cwd });
    const { code, stdout, stderr } = await outcome("--require", "mmep=49");
    expect({ code, stderr }).toEqual({ code: 3, stderr: "rmap: MMEP is 50.00 %, required ≤ 49\n" });
    expect(JSON.parse(stdout)).toMatchObject({ mmep: 50, itcp: 50, links: { truth: 2, missed: 1 } });
    expect((await outcome("--require", "itcp=49.9")).code).toBe(3);
    expect((await outcome("--require", "itcp=50", "--require", "MMEP=50")).code).toBe(0);
    expect((await outcome("--require", "idf1=66")).code).toBe(0);
    expect((await outcome("--require", "idf1=67")).code).toBe(3);
    expect(await refuses(["evaluate", "d.csv", "t.csv", "--require", "singles=1"], { cwd })).toMatch(/METRIC=LIMIT/);
  });

  test("evaluate takes detections in the formats that solve takes", async () => {
    const cwd = folderWith(parent, {
      "gt.txt": "1,4,0,0,2,2,1\n1,5,9,9,2,2,1\n2,4,1,0,2,2,1\n2,5,9,8,2,2,1\n",
      "t.csv": "frame,detection,track,x,y\n1,0,0,1,1\n1,1,1,10,10\n2,0,0,2,1\n2,1,1,10,9\n",
    });
    const { stdout, stderr, code } = await rmap(["evaluate", "gt.txt", "t.csv", "--json"], { cwd });
    expect([JSON.parse(stdout).idf1, code]).toEqual([100, 0]);
    expect(stderr).toBe(
      "rmap: gt.txt: read as MOTChallenge text, positions at the centres of the boxes: frame, x, y, target; time step 1 assumed; no row dropped.\n",
    );
  });

  test("evaluate finds another tracker's points by position", async () => {
    const cwd = folderWith(parent, {
      "d.csv": "frame,x,y,target\n5,0,0,1\n5,5,0,2\n6,1,0,1\n6,6,0,2\n",
      "t.csv": "frame,track,x,y\n6,8,1.2,0\n5,8,0.1,0\n5,3,5,0.1\n6,3,6,-0.1\n",
    });
    expect(await refuses(["evaluate", "d.csv", "t.csv"], { cwd })).toMatch(
      /t\.csv: has no column detection; give --reach/,
    );
    const scores = JSON.parse(await succeeds(["evaluate", "d.csv", "t.csv", "--reach", "0.5", "--json"], { cwd }));
    expect(scores).toMatchObject({ misses: 0, falseLinks: 0, idf1: 100, mota: 100 });
    expect(scores.gospa).toBeCloseTo((Math.sqrt(2 * 0.04) + Math.sqrt(0.16 + 0.04)) / 2, 12);
    const narrow = JSON.parse(await succeeds(["evaluate", "d.csv", "t.csv", "--reach", "0.15", "--json"], { cwd }));
    expect(narrow).toMatchObject({ misses: 50, falseLinks: 50, mota: 50 });
  });
});
