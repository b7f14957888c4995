import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { program, refuses, rmap } from "./rmap.js";

const parent = temporaryFolder();

/** Targets on straight lines, one row each a frame. */
function crossing(frames: number): string {
  const rows = Array.from({ length: frames }, (_, p) =>
    [-3, -1, 0.5, 2, 4].map(
      (v, t) => `${p},${(3 * t + v * p + 0.05 * Math.sin(9 * p + t)).toFixed(4)},${(5 * t + 0.2 * p).toFixed(4)},${t}`,
    ),
  );
  return `# dt=1\nframe,x,y,target\n${rows.flat().join("\n")}\n`;
}

describe.concurrent("solve --window", () => {
  test("a file and a pipe come to the same tracks, and to those of the whole", async () => {
    const input = crossing(60);
    const cwd = folderWith(parent, { "d.csv": input });
    const run = await rmap(["solve", "d.csv", "--window", "12", "--threads", "2", "-o", "out"], { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/windows\s+5 of 12 frames, each with 12 more/);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual(["result.json", "tracks.csv", "tracks.svg", "windows.jsonl"]);
    const row = JSON.parse(readFileSync(join(cwd, "out", "result.json"), "utf8"));
    expect(row.lowerBound).toBeLessThanOrEqual(row.upperBound);
    expect(row.windows).toMatchObject({ count: 5, frames: 12, overlap: 12, learned: 60 });
    const windows = readFileSync(join(cwd, "out", "windows.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(windows.reduce((sum, { lowerBound }) => sum + lowerBound, 0)).toBeCloseTo(row.lowerBound, 6);
    const tracks = readFileSync(join(cwd, "out", "tracks.csv"), "utf8");
    const piped = await rmap(["solve", "-", "--window", "12"], { stdin: input });
    expect(piped).toMatchObject({ code: 0, stdout: tracks });
    const numbers = tracks
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").slice(1, 3).join());
    expect(new Set(numbers)).toEqual(new Set(["0,0", "1,1", "2,2", "3,3", "4,4"]));
  });

  test("columns of the input and its true targets: the rows and the scores of a whole solve", async () => {
    // Every seventh detection of one target is given to another one, so that there is something to count.
    const lines = crossing(40).split("\n").slice(0, -1);
    const rows = lines
      .slice(2)
      .map((line, n) => `${n % 35 === 3 ? line.replace(/\d+$/, "x") : line},"a ""${n}"", b",${n / 2}`);
    const input = [lines[0], `${lines[1]},Name,track`, ...rows].join("\n");
    const cwd = folderWith(parent, { "d.csv": `${input}\n` });
    for (const [out, ...args] of [["whole"], ["windows", "--window", "10", "--threads", "1"]]) {
      expect(await rmap(["solve", "d.csv", ...args, "-o", out], { cwd })).toMatchObject({ code: 0, stderr: "" });
    }
    const [whole, windows] = ["whole", "windows"].map((out) => {
      const tracks = readFileSync(join(cwd, out, "tracks.csv"), "utf8");
      return { tracks: tracks.split("\n"), row: JSON.parse(readFileSync(join(cwd, out, "result.json"), "utf8")) };
    });
    expect(windows.tracks[0]).toBe("frame,detection,track,x,y,name,input_track");
    // A whole solve has margins in between.
    const margins = whole.tracks[0].split(",").length - 7;
    const without = new RegExp(`^((?:[^,]*,){5})(?:[^,]*,){${margins}}`);
    expect(windows.tracks).toEqual(whole.tracks.map((line) => line.replace(without, "$1")));
    expect(Object.keys(windows.row.scores)).toEqual(Object.keys(whole.row.scores));
    expect(windows.row.scores.misses).toBeGreaterThan(1);
    for (const [name, value] of Object.entries(whole.row.scores)) {
      expect(windows.row.scores[name], name).toBeCloseTo(value as number, 9);
    }
    const twice = `${lines[0]}\n${lines[1]}\n0,1,1,7\n0,2,2,7\n1,1,1,7\n`;
    const { code, stderr } = await rmap(["solve", "-", "--window", "5"], { stdin: twice });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^rmap: stdin:4, column target: 7 is there twice in frame 0; a target has one detection/);
  });

  test("what cannot be read ends the run with one line, closed windows stay, and a corrected file goes on from there", async () => {
    const cwd = folderWith(parent, { "d.csv": `${crossing(60)}3,1,1,9\n` });
    const { code, stderr } = await rmap(["solve", "d.csv", "--window", "5", "--learn", "20", "-o", "out"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /windows were closed before; their tracks are written\n.*d\.csv:303, column frame: 3 comes after 59; sort the rows/,
    );
    const rows = readFileSync(join(cwd, "out", "tracks.csv"), "utf8")
      .trim()
      .split("\n");
    expect(rows.length).toBeGreaterThan(5 * 20);
    expect(existsSync(join(cwd, "out", "result.json"))).toBe(false);
    // Once the row is gone, what was found is taken.
    const found = readdirSync(join(cwd, "out", "unfinished")).filter((name) => name.startsWith("decided-"));
    expect(found.length).toBeGreaterThanOrEqual(4);
    // One of them is spoilt, and one cut short: these are decided again.
    const [spoilt, cut] = found.map((name) => join(cwd, "out", "unfinished", name));
    const bytes = readFileSync(spoilt);
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(spoilt, bytes);
    writeFileSync(cut, "{");
    writeFileSync(join(cwd, "d.csv"), crossing(60));
    const again = ["solve", "d.csv", "--window", "5", "--learn", "20", "-o"];
    for (const out of ["out", "fresh"]) {
      expect(await rmap([...again, out], { cwd })).toMatchObject({ code: 0, stderr: "" });
    }
    const [resumed, fresh] = ["out", "fresh"].map((out) => {
      const text = ["tracks.csv", "windows.jsonl", "tracks.svg"].map((name) =>
        readFileSync(join(cwd, out, name), "utf8"),
      );
      const { lowerBound, upperBound, iterations, notes } = JSON.parse(
        readFileSync(join(cwd, out, "result.json"), "utf8"),
      );
      return { notes, same: { text, lowerBound, upperBound, iterations } };
    });
    expect(resumed.same).toEqual(fresh.same);
    expect(resumed.notes).toContainEqual(expect.stringMatching(/^Windows found before: \d+\.$/));
    expect(existsSync(join(cwd, "out", "unfinished"))).toBe(false);
  });

  test("first frames without detections teach no costs", async () => {
    const late = crossing(60)
      .replace(/^[12]?\d,.*\n/gm, "")
      .replace("dt=1", "dt=1 frames=60");
    const cwd = folderWith(parent, { "d.csv": late });
    const solve = ["solve", "d.csv", "--window", "5", "-o", "out", "--learn"];
    const refused = /^rmap: the first 20 frames, from which costs are learned, have detections in fewer than two;/;
    expect(await refuses([...solve, "20"], { cwd })).toMatch(refused);
    expect(await rmap([...solve, "40"], { cwd })).toMatchObject({ code: 0 });
  });

  test("Ctrl-C keeps the closed windows", async () => {
    const cwd = folderWith(parent, {});
    const child = spawn(process.execPath, [program, "solve", "-", "--window", "5", "--learn", "20", "-o", "out"], {
      cwd,
    });
    const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
    child.stdin.on("error", () => {});
    child.stdin.write(crossing(60));
    const file = join(cwd, "out", "windows.jsonl");
    for (let n = 0; n < 600 && !(existsSync(file) && readFileSync(file, "utf8").split("\n").length > 3); n++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    const row = JSON.parse(readFileSync(join(cwd, "out", "result.json"), "utf8"));
    expect(row).toMatchObject({ status: "stopped", lowerBound: null });
    expect(
      readFileSync(join(cwd, "out", "tracks.csv"), "utf8")
        .trim()
        .split("\n").length,
    ).toBe(1 + row.detections);
    // A pipe may never end.
    expect(existsSync(join(cwd, "out", "unfinished"))).toBe(false);
  });

  test("what windows do not do is refused", async () => {
    const cwd = folderWith(parent, { "d.csv": crossing(5) });
    for (const [args, says] of [
      [["--window", "1"], /--window/],
      [["--window", "5", "--exact"], /--exact: is not there for windows/],
      [["--window", "5", "--x-laps", "sparse"], /--x-laps: is not there for windows/],
      [["--x-laps", "sparse", "--device", "cpu"], /--x-laps chooses kernels of a GPU; leave it out, or --device cpu/],
      [["--window", "5", "--cuts", "auto"], /--cuts auto: is not there for windows/],
      [["--window", "5", "--births", "none"], /tracks must be able to start and end/],
      [["--overlap", "5"], /--overlap: is for windows/],
      [["--window", "5", "--properties", "cost=a"], /--properties: is about a GEFF graph, and d\.csv is none; leave/],
      [["--window", "5", "--gate", "5"], /--gate: an epsilon follows from the speeds of the whole recording/],
    ] as const) {
      expect(await refuses(["solve", "d.csv", ...args, "-o", "out"], { cwd })).toMatch(says);
    }
    expect((await rmap(["solve", "d.csv", "--window", "5"], { cwd })).stderr).toMatch(
      /next +give -o FOLDER to write the tracks and a picture of them$/m,
    );
    expect(await refuses(["solve", "a.xml", "--window", "5"], { cwd })).toMatch(/a\.xml: XML is not read as a stream/);
  });
});
