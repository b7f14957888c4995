import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { encodeNpy } from "../../src/files/npy-writer.js";
import { readDetections } from "../../src/formats/detections.js";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const folder = mkdtempSync(join(tmpdir(), "rmap-tbd-"));
const at = (name: string) => join(folder, name);
const METHOD = ["--method", "before-detect", "--device", "cpu"];

beforeAll(async () => {
  const scene = { name: "small", width: 64, height: 48, frames: 40, targets: 2, snr: 2.5 };
  writeFileSync(at("scene.json"), JSON.stringify(scene));
  await succeeds(["render", at("scene.json"), "--seed", "3", "-o", folder]);
});

test("a rendered scene is detected, scored and solved to its tracks", async () => {
  const printed = await succeeds([
    "detect",
    at("frames.npy"),
    ...METHOD,
    ...["--truth", at("truth.csv"), "--save-state", at("s.npy"), "-o", at("d.csv"), "--json"],
  ]);
  const { scores, outputs, scheme } = onlyObject(printed) as {
    scores: { detected: number; theory: number };
    outputs: number;
    scheme: string;
  };
  expect({ outputs, scheme }).toEqual({ outputs: 4, scheme: "rows" });
  expect(Math.abs(scores.detected - scores.theory)).toBeLessThan(0.3);
  const { detections, numbers } = readDetections(at("d.csv"));
  expect(detections).toMatchObject({ frames: 4, timeStep: 10 });
  expect(numbers).toEqual({ first: 10, step: 10 });
  expect(readFileSync(at("s.npy")).length).toBe(128 + 4 * 13 * 48 * 64);
  const solved = onlyObject(await succeeds(["solve", at("d.csv"), "--device", "cpu", "--json"]));
  expect(solved).toMatchObject({ status: "optimal", scores: { mmep: 0 } });
});

test("a sequence from standard input gives the same file, and fewer frames than a pass a note", async () => {
  const pixels = readFileSync(at("frames.npy")).subarray(128).toString("base64");
  const raw = Buffer.from(pixels, "base64");
  writeFileSync(at("frames.raw"), raw);
  await succeeds(["detect", at("frames.raw"), ...METHOD, "--size", "64x48", "--type", "f32le", "-o", at("raw.csv")]);
  await succeeds(["detect", at("frames.npy"), ...METHOD, "-o", at("whole.csv")]);
  expect(readFileSync(at("raw.csv"), "utf8")).toBe(readFileSync(at("whole.csv"), "utf8"));
  const note = await succeeds(["detect", at("frames.npy"), ...METHOD, "--decimation", "41"]);
  expect(note).toContain("40 frames are fewer than --decimation 41: there is no output.");
});

test.each([
  ["alpha of 1", ["--alpha", "1"], "alpha: 1 is not between 0 and 1"],
  ["no decimation", ["--decimation", "0"], "--decimation"],
  ["an empty vector file", ["--vectors", at("empty.csv")], "empty.csv"],
  ["--calibrate on a pipe", ["--calibrate"], "name a file"],
])("refuses %s", async (name, args, word) => {
  writeFileSync(at("empty.csv"), "vx,vy\n");
  const input = name.includes("pipe") ? "-" : at("frames.npy");
  expect(await refuses(["detect", input, ...METHOD, ...args])).toContain(word);
});

test("refuses a pixel that is no number, with file and frame", async () => {
  const pixels = new Float32Array(3 * 4 * 5);
  pixels[2 * 20 + 7] = Number.NaN;
  writeFileSync(at("nan.npy"), encodeNpy([3, 4, 5], pixels));
  const line = await refuses(["detect", at("nan.npy"), ...METHOD, "--sigma", "1"]);
  expect(line).toMatch(/nan\.npy, frame 2: pixel x 2, y 1 is NaN/);
});
