import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { program, rmap, succeeds } from "./rmap.js";

const parent = temporaryFolder();

/** Five targets on straight lines at five heights, by frame; `frames` numbers them. */
function walk(frames: readonly number[], columns = "frame,x,y,target"): string {
  const rows = frames.flatMap((frame, p) =>
    [0, 1, 2, 3, 4].map((t) => `${frame},${7 * t + 0.3 * p},${5 * t},${t},${t}`),
  );
  const width = columns.split(",").length;
  return `# dt=1\n${columns}\n${rows.map((row) => row.split(",").slice(0, width).join()).join("\n")}\n`;
}

const inOrder = Array.from({ length: 20 }, (_, p) => p);
/** A recording whose frames are time stamps: no detection has another one in the next frame. */
const stamps = `frame,x,y\n${inOrder.flatMap((p) => [0, 1, 2, 3, 4].map((t) => `${997 * p + 71 * t},${7 * t},${5 * t}`)).join("\n")}\n`;

describe.concurrent("what a solve found", () => {
  test("is counted with and without a truth, in windows too, as text and as JSON", async () => {
    const cwd = folderWith(parent, { "known.csv": walk(inOrder), "unknown.csv": walk(inOrder, "frame,x,y") });
    for (const file of ["known.csv", "unknown.csv"]) {
      for (const args of [[], ["--window", "8", "-o", "out"]]) {
        expect(await succeeds(["solve", file, ...args], { cwd })).toMatch(
          /\n {2}tracks {6}5, median length 20; none is a single detection\n/,
        );
        const { tracks } = JSON.parse(await succeeds(["solve", file, ...args, "--json"], { cwd }));
        expect(tracks).toEqual({ count: 5, singles: 0, medianLength: 20, medianLinked: 20 });
      }
    }
    const kept = JSON.parse(readFileSync(join(cwd, "out", "result.json"), "utf8"));
    expect(kept.tracks).toEqual({ count: 5, singles: 0, medianLength: 20, medianLinked: 20 });
  });

  test("is warned of where nearly nothing is linked, and only there", async () => {
    const cwd = folderWith(parent, { "stamps.csv": stamps, "good.csv": walk(inOrder, "frame,x,y") });
    for (const args of [[], ["--window", "900", "-o", "out"]]) {
      const text = await succeeds(["solve", "stamps.csv", ...args], { cwd });
      expect(text).toMatch(/\n {2}tracks {6}100, and each of them is a single detection\n/);
      expect(text).toMatch(/\n {2}warning {5}100 of 100 detections are linked to none\. The frames .*\(--gate\)/);
      const { notes } = JSON.parse(await succeeds(["solve", "stamps.csv", ...args, "--json"], { cwd }));
      expect(notes).toContainEqual(expect.stringMatching(/^Warning: 100 of 100 detections/));
    }
    expect(await succeeds(["solve", "good.csv"], { cwd })).not.toMatch(/warning/);
  });

  test("takes a mother and her daughters for linked, although each is a track of one", async () => {
    const cwd = folderWith(parent, {
      "pairs.csv": "frame,i,j,cost\n0,0,0,1\n0,0,1,1\n",
      "divisions.csv": "frame,i,cost\n0,0,1\n",
      "instance.json": '{ "birth": 9, "death": 9 }',
    });
    const text = await succeeds(["solve", "."], { cwd });
    expect(text).toMatch(/\n {2}tracks {6}3, and each of them is a single detection; 1 divides into two others each\n/);
    expect(text).toMatch(/\n {2}doubtful {4}nothing, as there are no links but those of divisions\n/);
    expect(text).not.toMatch(/warning/);
  });
});

describe.concurrent("rows that are allowed and seldom meant", () => {
  test("positions in space are solved, in windows too, and refused by what knows the plane alone", async () => {
    const deep = walk(inOrder, "frame,x,y,target,z");
    const cwd = folderWith(parent, { "z.csv": deep, "flat.csv": deep.replace(/,\d+$/gm, ",3") });
    for (const [folder, ...more] of [["out"], ["windows", "--window", "8"], ["flat", "--z-scale", "0"]]) {
      const text = await succeeds(["solve", "z.csv", "-o", folder, ...more], { cwd });
      expect(text).toMatch(/tracks {6}5, median length 20/);
      expect(text).not.toMatch(/warning/);
      const header = readFileSync(join(cwd, folder, "tracks.csv"), "utf8").split("\n", 1)[0];
      expect(header).toMatch(folder === "flat" ? /,y,.*,input_z$/ : /^frame,detection,track,x,y,z/);
    }
    expect(readFileSync(join(cwd, "out", "tracks.svg"), "utf8")).toMatch(/z from 0 to 4/);
    await succeeds(["check", "out/proof.json", "z.csv"], { cwd });
    await succeeds(["evaluate", "z.csv", "windows/tracks.csv", "--require", "idf1=100"], { cwd });
    for (const args of [
      ["track", "FILE", "-o", "tracks.csv"],
      ["bench", "baselines", "FILE", "--methods", "greedy"],
    ]) {
      const of = (file: string) =>
        rmap(
          args.map((arg) => (arg === "FILE" ? file : arg)),
          { cwd },
        );
      const refused = await of("z.csv");
      expect({ args, code: refused.code }).toEqual({ args, code: 2 });
      expect(refused.stderr.trim().split("\n").at(-1)).toMatch(/positions in (the|a) plane.*--z-scale 0/);
      expect((await of("flat.csv")).code).toBe(0);
    }
    expect((await rmap(["track", "z.csv", "--z-scale", "0", "-o", "tracks.csv"], { cwd })).code).toBe(0);
  });

  test("rows given twice are counted, with the first one's place, and the job goes on", async () => {
    const rows = walk(inOrder, "frame,x,y").split("\n");
    // Those of lines 9 and 13, of frames 1 and 2: at the end of the file, and for a stream in their frames.
    const late = [...rows.slice(0, -1), rows[8], rows[12], ""].join("\n");
    const inPlace = [...rows.slice(0, 12), rows[8], ...rows.slice(12, 17), rows[12], ...rows.slice(17)].join("\n");
    const cwd = folderWith(parent, { "late.csv": late, "place.csv": inPlace });
    for (const [args, line] of [
      [["solve", "late.csv"], 103],
      [["solve", "place.csv"], 13],
      [["solve", "place.csv", "--window", "8", "-o", "out"], 13],
      [["track", "place.csv", "-o", "tracks.csv"], 13],
    ] as const) {
      expect(await succeeds(args, { cwd })).toMatch(
        new RegExp(`warning {5,7}rows that repeat the frame, x and y of another row: 2, the first on line ${line} \\(`),
      );
    }
  });
});

describe.concurrent("Ctrl-C before the first window", () => {
  /** Interrupts a solve in windows once the output is there; what it says. */
  async function interrupted(args: readonly string[], cwd: string, input: string | null): Promise<string> {
    const child = spawn(process.execPath, [program, "solve", ...args, "--window", "5", "-o", "out"], { cwd });
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    const ended = new Promise((resolve) => child.on("close", (code) => resolve(code)));
    child.stdin.on("error", () => {});
    if (input !== null) child.stdin.write(input);
    for (let n = 0; n < 1200 && !existsSync(join(cwd, "out", "windows.jsonl")); n++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    return said;
  }

  test("says what is kept and how to go on", async () => {
    const many = walk(
      Array.from({ length: 3000 }, (_, p) => p),
      "frame,x,y",
    );
    const cwd = folderWith(parent, { "d.csv": many });
    expect(await interrupted(["d.csv"], cwd, null)).toMatch(
      /^rmap: interrupted before the first window was closed: .*; the same command begins anew\n|; .* kept in out\/unfinished, and the same command goes on/,
    );
    const piped = await interrupted(["-"], folderWith(parent, {}), many.slice(0, 2000));
    expect(piped).toMatch(/nothing is kept; with a file and -o FOLDER the same command goes on with the windows/);
  });
});
