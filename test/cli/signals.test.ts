import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { inTurn, program, refuses } from "./rmap.js";

const parent = temporaryFolder();
const sweep = JSON.stringify({ name: "s", base: { name: "s", simulation: { targets: 3, frames: 3 } }, seeds: [1] });

describe.concurrent("input that never comes", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("standard input: %s ends the program with code 130", async (signal) => {
    const cwd = folderWith(parent, {});
    const child = spawn(process.execPath, [program, "solve", "-", "-o", "out"], { cwd });
    const ended = new Promise((resolve) => child.on("close", (code, by) => resolve({ code, by })));
    // More than a pipe holds: once it is written the program has begun to read.
    await new Promise((resolve) => child.stdin.write(`${"# nothing\n".repeat(200_000)}frame,x,y\n0,1,2\n`, resolve));
    const begin = Date.now();
    child.kill(signal);
    expect(await ended).toEqual({ code: 130, by: null });
    expect(Date.now() - begin).toBeLessThan(3000);
  });

  /** Rows of two targets, or grey frames of noise with a bright spot, with which a run closes something before it waits for more. */
  const rows = Array.from({ length: 60 }, (_, p) => `${p},${p},0\n${p},${p},9\n`).join("");
  const frames = Buffer.concat(
    Array.from({ length: 20 }, (_, p) => [
      Buffer.from("FRAME\n"),
      Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => 100 + ((i * 37 + p * 91) % 17) + (i === 120 ? 60 : 0))),
    ]).flat(),
  );
  test.runIf(process.platform === "linux").each([
    [["solve", "p.csv", "--window", "5", "--learn", "10", "-o", "out"], "out/tracks.csv", `frame,x,y\n${rows}`],
    [["track", "p.csv", "-o", "out.csv"], "out.csv", `frame,x,y\n${rows}`],
    [
      ["detect", "p.y4m", "--method", "before-detect", "--device", "cpu", "-o", "out.csv"],
      "out.csv",
      Buffer.concat([Buffer.from("YUV4MPEG2 W16 H16 F25:1 Cmono\n"), frames]),
    ],
  ] as const)(
    "%j reads a pipe that stays open: SIGINT ends it with code 130, and what was closed is written",
    async (args, file, input) => {
      const cwd = folderWith(parent, {});
      const pipe = join(cwd, args[1]);
      execFileSync("mkfifo", [pipe]);
      const child = spawn(process.execPath, [program, ...args], { cwd });
      const ended = new Promise((resolve) => child.on("close", (code, by) => resolve({ code, by })));
      // Waits for the reader to open it.
      const writer = await open(pipe, "w");
      try {
        await writer.write(input as string);
        const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        const isWritten = () =>
          existsSync(join(cwd, file)) && readFileSync(join(cwd, file), "utf8").split("\n").length > 2;
        await wait(2000);
        // Windows are written as they are closed, which takes longer where much else runs.
        while (args[0] === "solve" && !isWritten()) await wait(50);
        const begin = Date.now();
        child.kill("SIGINT");
        expect(await ended).toEqual({ code: 130, by: null });
        expect(Date.now() - begin).toBeLessThan(3000);
        expect(isWritten()).toBe(true);
      } finally {
        child.kill("SIGKILL");
        await writer.close();
      }
    },
  );

  test.runIf(process.platform === "linux")("a named pipe where a file is meant is refused at once", async () => {
    const cwd = folderWith(parent, { "d.csv": "frame,x,y\n0,1,2\n1,1,2\n", "s.json": sweep });
    const inside = folderWith(cwd, {});
    for (const pipe of ["p", "p.json", "p.jsonl"].map((name) => join(cwd, name))) execFileSync("mkfifo", [pipe]);
    symlinkSync(join(cwd, "p"), join(inside, "pairs.csv"));
    const says = /^rmap: \S+: is a (named pipe, not a file|device or a pipe, not a file); name a file\n$/;
    const uses = [
      ["solve", "p"],
      ["solve", "p.json"],
      ["solve", inside],
      ["solve", "d.csv", "--append", "p"],
      ["simulate", "--targets", "3", "--frames", "3", "-o", "p"],
      ["evaluate", "p", "p"],
      ["sweep", "p.json", "--append", "rows.jsonl"],
      ["sweep", "s.json", "--append", "p.jsonl"],
      ["report", "p.jsonl", "-o", "r.html"],
      ["regress", "p.json"],
    ];
    // In a process that is killed if it waits for somebody who writes to the pipe.
    const outcomes = await inTurn(uses, { cwd, limit: 20_000 });
    expect(outcomes).toEqual(uses.map(() => ({ code: 2, stderr: expect.stringMatching(says) })));
  });

  test.runIf(process.platform === "linux")("a device where a file is to be written is left alone", async () => {
    const args = ["simulate", "--targets", "3", "--frames", "3", "-o", "/dev/null"];
    expect(await refuses(args)).toMatch(/\/dev\/null: is a device or a pipe, not a file/);
  });
});
