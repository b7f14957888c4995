import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith, temporaryFolder } from "../formats/support.js";
import { program, refuses, rmap, scenarios, succeeds } from "./rmap.js";

const parent = temporaryFolder();
const tiny = join(scenarios, "tiny.json");

describe("wrong usage ends with code 2 and one line", () => {
  test.concurrent.each<[string, RegExp]>([
    ["slove", /unknown command 'slove' \(Did you mean solve\?\)/],
    ["--frobnicate", /unknown option '--frobnicate'/],
    ["solve", /missing required argument 'input'/],
    ["solve a b", /too many arguments for 'solve'/],
    [`solve ${tiny} --threds 2`, /unknown option '--threds' \(Did you mean --threads\?\)/],
    [`solve ${tiny} --threads 0`, /'--threads <n>' argument '0' is invalid. Give an integer from 1 to 256/],
    [`solve ${tiny} --threads 1000000000`, /'--threads <n>' argument '1000000000' is invalid/],
    [`solve ${tiny} --gap -1`, /'--gap <percent>' argument '-1' is invalid. Give a finite number of 0 or more/],
    [`solve ${tiny} --gap NaN`, /'--gap <percent>' argument 'NaN' is invalid/],
    [`solve ${tiny} --seed 1.5`, /'--seed <n>' argument '1.5' is invalid/],
    [`solve ${tiny} --seed -1`, /'--seed <n>' argument '-1' is invalid/],
    [`solve ${tiny} --seed 4294967296`, /'--seed <n>' argument '4294967296' is invalid/],
    [`solve ${tiny} --iterations 1e3`, /'--iterations <n>' argument '1e3' is invalid/],
    [`solve ${tiny} --time 0`, /'--time <seconds>' argument '0' is invalid. Give a number above 0/],
    [`solve ${tiny} --ascent nonsense`, /Allowed choices are .*rmap/],
    [`solve ${tiny} --ascent`, /'--ascent <name>' argument missing/],
    [`solve ${tiny} --device abacus`, /Allowed choices are/],
    [`solve ${tiny} --cost linear`, /Allowed choices are .*spline/],
    [`solve ${tiny} --gate radius=0`, /'--gate <epsilon>' argument 'radius=0' is invalid/],
    ["match a.png b.png --levels 3", /--method sift takes no --levels; it belongs to --method klt/],
    ["match a.png b.png --method klt --homography h.txt", /--method klt takes no --homography; it belongs to /],
    ["track a.csv --rounds 9", /--rounds: is of an auction, and jv is none/],
    ["track a.csv --associate auction --device software", /--device: auction runs on the CPU/],
    ["link frames --chain --gap 3 -o out", /--gap: is for the solver; give --solve too/],
    ["flow a.png b.png --seed 3", /--seed: is for --make/],
    ["detect a.npy --method before-detect --reach 3", /--reach and --score-from are for --truth/],
    [`solve ${tiny} --gate wide`, /Give a number ε above 0, radius=LENGTH, triplets=ε, none or auto/],
    [`solve ${tiny} --max-gap 2`, /--max-gap: cost spline links consecutive frames alone; use --cost motion/],
    [
      `solve ${tiny} --divisions none`,
      /--divisions: cost spline does not know of targets that divide; use --cost motion/,
    ],
    [`solve ${tiny} --cost motion --births 3 --divisions auto`, /--divisions auto: .*leave --births out/],
    [`solve ${tiny} --passes 2`, /--passes: only cost motion estimates in passes/],
    [`solve ${tiny} --births 1,2,3`, /'--births <costs>' argument '1,2,3' is invalid/],
    [`solve ${tiny} --estimate-velocities`, /--estimate-velocities: this simulation measures its velocities/],
    [`solve ${tiny} --births 1e30`, /'--births <costs>' argument '1e30' is invalid/],
    ["evaluate only.csv", /missing required argument 'tracks'/],
    ["simulate", /simulate: no scenario given/],
    ["simulate --targets 3 --frames 1", /'--frames <n>' argument '1' is invalid/],
    ["simulate --targets -3 --frames 4", /'--targets <n>' argument '-3' is invalid/],
    ["simulate --targets 100000 --frames 1000000", /100000 targets in 1000000 frames are too many/],
    [
      "detect a.png --method log --scale 1e308",
      /'--scale <sigma>' argument '1e308' is invalid\. Give a number up to 1000\./,
    ],
    [
      "detect a.png --method dog --wide 1e20",
      /'--wide <sigma>' argument '1e20' is invalid\. Give a number up to 1000\./,
    ],
    [
      "detect a.png --method canny --sigma 1e20",
      /'--sigma <pixels>' argument '1e20' is invalid\. Give a number up to 1000\./,
    ],
    ["simulate --targets 3 --frames 4 --noise Infinity", /'--noise <sigma>' argument 'Infinity' is invalid/],
  ])("rmap %s", async (line, says) => {
    expect(await refuses(line.split(" "))).toMatch(says);
  });

  test.concurrent.each([
    ["solve", ""],
    ["solve", tiny, "-o", ""],
    ["simulate", tiny, "-o", ""],
  ])("an empty path: %s %s %s %s", async (...args) => {
    expect(await refuses(args.filter((argument) => argument !== undefined))).toMatch(/Give a path/);
  });

  test("an option is not taken for the file of another one", async () => {
    const cwd = folderWith(parent, {});
    for (const args of [
      ["summary", "tracks.csv", "--smooth", "--fill"],
      ["solve", "d.csv", "-o", "--json"],
      ["solve", "d.csv", "-o", "-q"],
    ])
      expect(await refuses(args, { cwd })).toMatch(/That is an option\. Give a path; \.\/-/);
  });

  test("nothing at all prints the help on stderr", async () => {
    const { code, stdout, stderr } = await rmap([], { alone: true });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: rmap/);
  });
});

describe("help", () => {
  test.concurrent.each(["solve", "simulate", "evaluate"])("rmap %s --help has an example", async (command) => {
    const help = await succeeds([command, "--help"]);
    expect(help).toMatch(new RegExp(`^Usage: rmap ${command} `));
    expect(help).toMatch(new RegExp(`Examples?:\n {2}\\$ rmap ${command}`));
    expect(await succeeds(["help", command])).toBe(help);
  });

  test.concurrent.each([
    ["help floww", /^rmap: unknown command 'floww' \(Did you mean flow\?\)\n$/],
    ["floww --help", /^rmap: unknown command 'floww' \(Did you mean flow\?\)\n$/],
    ["bench laps --help", /^rmap: unknown command 'laps' \(Did you mean lap\?\)\n$/],
    ["help bench laps", /^rmap: unknown command 'laps' \(Did you mean lap\?\)\n$/],
  ])("of what is no command there is none: rmap %s", async (line, says) => {
    expect(await refuses(line.split(" "))).toMatch(says);
  });

  test.concurrent.each([
    ["track", /auto: estimated \(default: auto\).*\(default: 5,2,1,10,0\).*was seen \(default: none\)/],
    ["evaluate", /may be given again --json/],
    ["solve", /tracks that are proved optimal meet 0/],
  ])("rmap %s --help says its defaults as the options take them", async (command, says) => {
    expect((await succeeds([command, "--help"])).replace(/\s+/g, " ")).toMatch(says);
  });

  test("--version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await succeeds(["--version"], { alone: true })).toBe(`${version}\n`);
  });
});

describe("an output that cannot be written is refused before the work", () => {
  const file = join(folderWith(parent, { file: "kept" }), "file");
  test.concurrent.each([
    [["solve", tiny, "-o", file], /file: is a file, not a folder/],
    [["solve", tiny, "-o", join(file, "below")], /below: a part of the path is a file/],
    [["solve", tiny, "-o", "/proc/rmap"], /\/proc\/rmap: no folder can be made here/],
    [["solve", tiny, "-o", "/proc/self/rmap/deeper"], /no folder can be made here/],
    [["solve", tiny, "--append", parent], /is a folder, not a file/],
    [["solve", tiny, "--append", join(file, "rows.jsonl")], /file: is a file, not a folder/],
    [["simulate", tiny, "-o", parent], /is a folder, not a file/],
    [["simulate", tiny, "-o", join(file, "a.csv")], /a part of the path is a file/],
    [["simulate", tiny, "-o", "/proc/a.csv"], /\/proc\/a\.csv: /],
  ] as const)("rmap %j", async (args, says) => {
    expect(await refuses([...args])).toMatch(says);
    expect(readFileSync(file, "utf8")).toBe("kept");
  });
});

test("the folder of an output is made, and refused before the work where it cannot be", async () => {
  const file = join(folderWith(parent, {}), "new", "deep", "a.csv");
  await succeeds(["simulate", tiny, "-o", file]);
  expect(readFileSync(file, "utf8")).toMatch(/^# dt=/);
  expect(await refuses(["simulate", "nothing.json", "-o", "/proc/rmap/a.csv"])).toMatch(
    /\/proc\/rmap: no folder can be made here; choose another folder/,
  );
});

describe("rmap evaluate refuses", () => {
  const detections = "frame,x,y,target\n0,0,0,1\n1,1,0,1\n";
  test.concurrent.each([
    [
      "tracks of other detections",
      detections,
      "frame,detection,track,x,y\n0,0,0,5,5\n",
      /t\.csv:2, column x: 5 is not where/,
    ],
    ["a detection that is not there", detections, "frame,detection,track\n0,7,0\n", /t\.csv:2, column detection: 7/],
    [
      "a track twice in a frame",
      `${detections}1,2,2,3\n`,
      "frame,detection,track\n1,0,4\n1,1,4\n",
      /t\.csv:3, column track: 4/,
    ],
    [
      "detections without targets",
      "frame,x,y\n0,0,0\n1,1,0\n",
      "frame,detection,track\n",
      /d\.csv: has no column target/,
    ],
    ["no true link", "frame,x,y,target\n0,0,0,1\n1,1,0,2\n", "frame,detection,track\n", /no target is seen twice/],
  ])("%s", async (_, d, t, says) => {
    const cwd = folderWith(parent, { "d.csv": d, "t.csv": t });
    expect(await refuses(["evaluate", "d.csv", "t.csv"], { cwd })).toMatch(says);
  });
});

describe("rmap solve -", () => {
  const detections = "frame,x,y,target\n0,0,0,1\n0,9,9,2\n1,1,0,1\n1,9,8,2\n";

  test("reads detections from standard input", async () => {
    const row = JSON.parse(await succeeds(["solve", "-", "--json"], { stdin: detections }));
    const cwd = folderWith(parent, { "a.csv": detections });
    const file = JSON.parse(await succeeds(["solve", "a.csv", "--json"], { cwd }));
    expect(row).toMatchObject({ name: "stdin", detections: 4, scores: { mmep: 0, itcp: 0 } });
    expect([row.lowerBound, row.upperBound, row.notes]).toEqual([file.lowerBound, file.upperBound, file.notes]);
  });

  test("takes what rmap simulate prints", async () => {
    const stdin = await succeeds(["simulate", "--targets", "20", "--frames", "50", "--seed", "1"]);
    const args = ["solve", "-", "--births", "none", "--iterations", "1", "--json"];
    const row = JSON.parse(await succeeds(args, { stdin, alone: true }));
    // More than a pipe holds at a time.
    expect(stdin.length).toBeGreaterThan(2 ** 16);
    expect(row).toMatchObject({ frames: 50, detections: 1000 });
  });

  test.concurrent.each([
    ["", /^rmap: stdin: is empty/],
    ["frame,x\n0,1\n", /^rmap: stdin:1: .* lacks the column y/],
    ["frame,x,y\n0,1,left\n", /^rmap: stdin:2, column y: "left" is not a number/],
    [readFileSync(tiny, "utf8"), /^rmap: stdin: is JSON, not detections; name the scenario's file/],
  ])("refuses %j", async (stdin, says) => {
    expect(await refuses(["solve", "-"], { stdin })).toMatch(says);
  });
});

describe("odd but right input", () => {
  const detections = "frame,x,y,target\n0,0,0,a\n0,9,9,b\n1,1,0,a\n1,9,8,b\n2,2,0,a\n2,9,7,b\n";
  const solution = async (content: string, name: string, ...options: string[]) => {
    const cwd = folderWith(parent, { [name]: content });
    const {
      name: _,
      times: __,
      date: ___,
      ...row
    } = JSON.parse(await succeeds(["solve", name, "--json", ...options], { cwd }));
    return { ...row, scenario: null };
  };

  test("line ends, a byte order mark, spaces and signs in the path change nothing", async () => {
    const plain = await solution(detections, "a.csv", "--births", "5");
    expect(plain.scores).toMatchObject({ mmep: 0, itcp: 0, idf1: 100 });
    expect(await solution(detections.replaceAll("\n", "\r\n"), "a.csv", "--births", "5")).toEqual(plain);
    expect(await solution(`\ufeff${detections}`, "a.csv", "--births", "5")).toEqual(plain);
    expect(await solution(detections, "ä b'c$(x) 航.txt", "--births", "5")).toEqual(plain);
  });

  test("a frame pair with no edge solves with births", async () => {
    const row = await solution(detections, "a.csv", "--gate", "radius=0.5", "--births", "3");
    expect(row).toMatchObject({ status: "optimal", edges: 8, scores: { mmep: 100, itcp: 100 } });
    expect(row.upperBound).toBeCloseTo(8 * 3, 10);
  });

  test("detections come through a pipe", () => {
    const cwd = folderWith(parent, { "a.csv": detections });
    const command = `cat a.csv | "${process.execPath}" "${program}" solve /dev/stdin --json`;
    const row = JSON.parse(execFileSync("sh", ["-c", command], { cwd, encoding: "utf8" }));
    expect(row).toMatchObject({ name: "stdin", detections: 6 });
  });

  test("an output folder keeps what is not rmap's and is made with those above it", async () => {
    const cwd = folderWith(parent, { "a.csv": detections });
    mkdirSync(join(cwd, "old"));
    writeFileSync(join(cwd, "old", "notes.txt"), "mine");
    writeFileSync(join(cwd, "old", "tracks.csv"), "stale");
    await succeeds(["solve", "a.csv", "-o", "old"], { cwd });
    await succeeds(["solve", "a.csv", "-o", "missing/../new/./deep er/"], { cwd });
    const names = ["history.csv", "proof.json", "result.json", "tracks.csv", "tracks.svg"];
    expect(readdirSync(join(cwd, "new/deep er")).sort()).toEqual(names);
    expect(readdirSync(join(cwd, "old")).sort()).toEqual([...names, "notes.txt"].sort());
    expect(readFileSync(join(cwd, "old", "notes.txt"), "utf8")).toBe("mine");
    expect(readFileSync(join(cwd, "old", "tracks.csv"), "utf8")).toBe(
      readFileSync(join(cwd, "new/deep er/tracks.csv"), "utf8"),
    );
  });
});
