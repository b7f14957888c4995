import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inTurn, refuses, rmap, succeeds } from "../cli/rmap.js";
import { pngFile, pngOf } from "../files/images/png-writer.js";
import { folderWith, mutated, temporaryFolder } from "../formats/support.js";
import { HOSTILE_FILES, packed } from "./files.js";

const parent = temporaryFolder();

/** Longest line about a file, in characters. */
const LONGEST = 500;

describe("a hostile file is refused with one line and code 2, in little memory", () => {
  test.each(HOSTILE_FILES.map((one) => [`${one.args[0]}: ${one.name}`, one] as const))(
    "%s",
    async (_, { file, bytes, args, says }) => {
      const cwd = folderWith(parent, { [file]: bytes() });
      const before = process.memoryUsage();
      const line = await refuses(
        args.map((argument) => (argument === "FILE" ? file : argument)),
        { cwd },
      );
      expect(line).toMatch(says);
      expect(line.length).toBeLessThan(LONGEST);
      const after = process.memoryUsage();
      expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(200 * 2 ** 20);
    },
  );
});

/** Of a process of its own, which a heap of 100 MB and the array buffers of the images suffice. */
const small = { env: { NODE_OPTIONS: "--max-old-space-size=100" } };

test("a colour profile that unpacks to gigabytes is not read", async () => {
  const profile = Buffer.concat([Buffer.from("a\0\0"), packed(600 * 2 ** 20)]);
  const cwd = folderWith(parent, {
    "a.png": pngOf([2, 1], 8, "grey", deflateSync(Buffer.from([0, 1, 2])), { iCCP: profile }),
  });
  const begin = process.memoryUsage().rss;
  await succeeds(["detect", "a.png", "--method", "sobel", "--device", "cpu"], { cwd });
  expect(process.memoryUsage().rss - begin).toBeLessThan(300 * 2 ** 20);
});

test("four million pixels stay off the heap", async () => {
  const cwd = folderWith(parent, { "a.png": pngOf([2048, 2048], 8, "grey", deflateSync(Buffer.alloc(2048 * 2049))) });
  const methods = ["sobel", "log --zero-crossings 1", "harris", "klt", "canny"];
  const lines = methods.map((method) => ["detect", "a.png", "--device", "cpu", "--method", ...method.split(" ")]);
  expect(await inTurn(lines, { cwd, ...small })).toEqual(methods.map(() => ({ code: 0, stderr: "" })));
});

const CSV =
  "# dt=0.5 units=m\nframe,x,y,vx,vy,target\n0,0,0,1,0,a\n0,9,9,1,0,b\n1,1,0,1,0,a\n1,9,8,1,0,b\n2,2,0,1,0,a\n2,9,7,1,0,b\n";
const TRACKS = "frame,detection,track,x,y\n0,0,0,0,0\n0,1,1,9,9\n1,0,0,1,0\n1,1,1,9,8\n2,0,0,2,0\n2,1,1,9,7\n";
const XML =
  '<?xml version="1.0"?><TrackMate version="7"><Model spatialunits="px"><AllSpots><SpotsInFrame frame="0"><Spot ID="1" FRAME="0" POSITION_X="1" POSITION_Y="2"/></SpotsInFrame>' +
  '<SpotsInFrame frame="1"><Spot ID="2" FRAME="1" POSITION_X="2" POSITION_Y="2"/></SpotsInFrame></AllSpots><AllTracks><Track TRACK_ID="0"><Edge SPOT_SOURCE_ID="1" SPOT_TARGET_ID="2"/></Track></AllTracks></Model></TrackMate>';
const MOT = "1,1,10,10,4,4,1,-1,-1,-1\n1,2,30,10,4,4,1,-1,-1,-1\n2,1,11,10,4,4,1,-1,-1,-1\n2,2,31,10,4,4,1,-1,-1,-1\n";
const NUMPY = (() => {
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 4), }".padEnd(117);
  const start = Buffer.from(`\x93NUMPY\x01\x00v\x00${header}\n`, "latin1");
  return Buffer.concat([start, Buffer.from(Float32Array.from({ length: 32 }, (_, k) => (k * 37) % 23).buffer)]);
})();
const FLO = (() => {
  const bytes = Buffer.alloc(12 + 8 * 4);
  bytes.writeFloatLE(202021.25, 0);
  bytes.writeInt32LE(2, 4);
  bytes.writeInt32LE(2, 8);
  return bytes;
})();
const Y4M = "YUV4MPEG2 W2 H2 F25:1 Ip A1:1 Cmono\nFRAME\n\u0001\u0002\u0003\u0004FRAME\n\u0004\u0003\u0002\u0001";
const PAIRS = "frame,i,j,cost\n0,0,0,1\n0,0,1,2\n0,1,0,2\n0,1,1,1\n1,0,0,1\n1,0,1,2\n1,1,0,2\n1,1,1,1\n";
const quiet = ["--threads", "1", "--time", "5", "-q"];
const filtered = ["--method", "before-detect", "--vectors", "disc:1", "--device", "cpu", "--sigma", "1"];

/** A file of each format, and commands that read it; FILE stands for it. */
const FORMATS: readonly (readonly [file: string, valid: string | Uint8Array, ...commands: (readonly string[])[]])[] = [
  [
    "d.csv",
    CSV,
    ["solve", "FILE", ...quiet],
    ["track", "FILE"],
    ["evaluate", "FILE", "tracks.csv"],
    ["solve", "FILE", "--window", "2", "-q"],
  ],
  [
    "t.csv",
    TRACKS,
    ["evaluate", "detections.csv", "FILE"],
    ["export", "FILE", "--as", "mot", "-o", "o"],
    ["export", "FILE", "--as", "geff", "-o", "geff"],
  ],
  ["t.xml", XML, ["solve", "FILE", ...quiet]],
  ["m.txt", MOT, ["solve", "FILE", ...quiet]],
  [
    "s.json",
    JSON.stringify({ name: "a", simulation: { targets: 2, frames: 3 } }),
    ["simulate", "FILE", "--targets", "2", "--frames", "3"],
  ],
  [
    "sweep.json",
    JSON.stringify({ name: "a", base: { simulation: { targets: 2, frames: 3 } }, seeds: [1, 2] }),
    ["sweep", "FILE", "--dry-run"],
  ],
  [
    "links.csv",
    "frame,i,j,link\n0,0,0,required\n1,1,0,forbidden\n",
    ["solve", "detections.csv", "--links", "FILE", ...quiet],
  ],
  ["pairs.csv", PAIRS, ["solve", ".", ...quiet]],
  [
    "a.png",
    pngFile([3, 2], 8, "grey", [
      [1, 2, 3],
      [4, 5, 6],
    ]),
    ["detect", "FILE", "--method", "sobel", "--device", "cpu"],
  ],
  ["a.pgm", "P5 3 2 255\n123456", ["detect", "FILE", "--method", "sobel", "--device", "cpu"]],
  ["a.ppm", "P3\n2 1\n9\n1 2 3 4 5 6\n", ["detect", "FILE", "--method", "canny", "--device", "cpu"]],
  ["a.npy", NUMPY, ["detect", "FILE", ...filtered]],
  ["a.y4m", Y4M, ["detect", "FILE", ...filtered]],
  ["a.flo", FLO, ["flow", "--score", "FILE", "other.flo"]],
  ["vectors.csv", "vx,vy\n0,0\n1,0\n", ["detect", "frames.npy", ...filtered, "--vectors", "FILE"]],
  [
    "points.csv",
    "x,y\n1,1\n2,0\n",
    ["match", "image.pgm", "image.pgm", "--method", "klt", "--points", "FILE", "--levels", "1", "--device", "cpu"],
  ],
  ["rows.jsonl", '{"benchmark":"lap-cpu"}\n', ["report", "FILE", "-o", "r.html"]],
];

describe("whatever becomes of a file's bytes, the program ends with a result or one line", () => {
  const runs = FORMATS.flatMap(([file, valid, ...commands]) =>
    commands.map((args) => [args.join(" ").replace("FILE", file), file, valid, args] as const),
  );
  test.each(runs)("rmap %s", async (_, file, valid, args) => {
    const others = {
      "detections.csv": CSV,
      "tracks.csv": TRACKS,
      "other.flo": FLO,
      "frames.npy": NUMPY,
      "image.pgm": "P5 3 2 255\n123456",
    };
    const cwd = folderWith(parent, file === "pairs.csv" ? {} : others);
    await fc.assert(
      fc.asyncProperty(mutated(Buffer.from(valid)), async (bytes) => {
        writeFileSync(join(cwd, file), bytes);
        const { code, stderr } = await rmap(
          args.map((argument) => (argument === "FILE" ? file : argument)),
          { cwd },
        );
        expect(stderr).not.toMatch(/defect|undefined|\bat .*\.js/);
        if (code === 2) expect(stderr).toMatch(/^rmap: \S[^\n]*\n$/);
        for (const line of stderr.split("\n")) expect(line.length).toBeLessThan(2 * LONGEST);
        // 1 where no set of tracks was found.
        expect([0, 1, 2]).toContain(code);
        if (code === 1) expect(stderr).toMatch(/no allowed set of tracks/);
      }),
      { numRuns: 25 },
    );
  });
});

// Each file is understood with a sentence about it, and refused after that.
test.each([
  ["evaluate without true targets", ["evaluate", "t.csv", "tracks.csv"], "has no column target"],
  ["check of another recording's proof", ["check", "o/proof.json", "t.csv"], "is about other costs"],
  [
    "bench baselines without true targets",
    ["bench", "baselines", "t.csv"],
    "no true target is in two consecutive frames",
  ],
])("%s is one line though the file was understood", async (_, args, says) => {
  const cwd = folderWith(parent, { "t.csv": "frame;x;y\n0;0,5;0\n1;1;0\n2;2;0\n", "d.csv": CSV, "tracks.csv": TRACKS });
  if (args[0] === "check") await succeeds(["solve", "d.csv", "-o", "o", ...quiet], { cwd });
  const line = await refuses(args, { cwd });
  expect(line).toMatch(/^rmap: \S[^\n]*\n$/);
  expect(line).toContain(says);
});
