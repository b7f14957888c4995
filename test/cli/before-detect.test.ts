import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { encodeNpy } from "../../src/files/npy-writer.js";
import { readDetections } from "../../src/formats/detections.js";
import { stretchedPicture } from "../../src/run/underlay.js";
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
    // Options of earlier versions, in words that still say what runs.
    ...["--variant", "all,storage", "--state", "f32", "--workgroup", "32x8"],
    ...["--truth", at("truth.csv"), "--save-state", at("s.npy"), "-o", at("d.csv"), "--json"],
  ]);
  const { scores, outputs, device } = onlyObject(printed) as {
    scores: { detected: number; theory: number };
    outputs: number;
    device: { actual: string };
  };
  expect({ outputs, device: device.actual }).toEqual({ outputs: 4, device: "cpu" });
  expect(Math.abs(scores.detected - scores.theory)).toBeLessThan(0.3);
  const { detections, numbers } = readDetections(at("d.csv"));
  expect(detections).toMatchObject({ frames: 4, timeStep: 10 });
  expect(numbers).toEqual({ first: 9, step: 10 });
  expect(readFileSync(at("s.npy")).length).toBe(128 + 4 * 13 * 48 * 64);
  const solved = onlyObject(await succeeds(["solve", at("d.csv"), "--device", "cpu", "--json"]));
  expect(solved).toMatchObject({ status: "optimal", scores: { mmep: 0 } });
});

test("each output frame has a picture over its last image, in a folder", async () => {
  const scene = await brightScene("drawn");
  const [images, found, pictures] = ["frames.npy", "found.csv", "pictures"].map((file) => join(scene, file));
  const args = ["detect", images, ...METHOD, "--decimation", "3", "--threshold", "12", "--alpha", "0.2", "-o", found];
  const printed = onlyObject(await succeeds([...args, "--picture", pictures, "--json"])) as { picture: string };
  expect(printed.picture).toBe(pictures);
  expect(readdirSync(pictures).sort()).toEqual(["frame-2.svg", "frame-5.svg"]);
  const rows = rowsOf(found).filter(([frame]) => frame === "5");
  expect(rows.length).toBeGreaterThan(1);
  const svg = readFileSync(join(pictures, "frame-5.svg"), "utf8");
  expect(svg).toContain(`Frame 5: ${rows.length} targets`);
  expect(svg).toContain("over the last 3 images");
  const sixth = readFileSync(images)
    .subarray(128)
    .subarray(4 * 5 * 48 * 64, 4 * 6 * 48 * 64);
  const pixels = new Float32Array(sixth.buffer.slice(sixth.byteOffset, sixth.byteOffset + sixth.byteLength));
  expect(svg).toContain(stretchedPicture({ width: 64, height: 48, pixels }).url);
  expect(await refuses([...args, "--picture", at("one.svg")])).toMatch(
    /one\.svg: is the name of one file, and each output frame has a picture; name a folder/,
  );
});

/** Bright targets that are there from the first image to the last, in noise. */
async function brightScene(name: string): Promise<string> {
  const scene = { name, width: 64, height: 48, frames: 8, targets: 3, snr: 40, velocities: { max: 1.5 }, spot: 1 };
  writeFileSync(at(`${name}.json`), JSON.stringify(scene));
  await succeeds(["render", at(`${name}.json`), "-o", at(name)]);
  return at(name);
}

const rowsOf = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => line.split(","));

test("frame k is image k, counted from 0: in the truth, in detections, in tracks, and where flow looks for velocities", async () => {
  const scene = await brightScene("bright");
  const [images, truth, found, moving] = ["frames.npy", "truth.csv", "found.csv", "moving.csv"].map((file) =>
    join(scene, file),
  );
  const bytes = readFileSync(images).subarray(128);
  const pixels = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  /** Signals are 40 σ high. */
  const isBright = (frame: number, x: number, y: number) =>
    pixels[(frame * 48 + Math.round(y)) * 64 + Math.round(x)] > 20;
  const options = ["--decimation", "1", "--threshold", "12", "--alpha", "0.2", "--radius", "6"];
  const printed = await succeeds(["detect", images, ...METHOD, ...options, "--truth", truth, "-o", found, "--json"]);
  expect((onlyObject(printed) as { scores: object }).scores).toMatchObject({ detected: 1 });
  for (const file of [truth, found]) {
    const rows = rowsOf(file).filter(([, , , , , , target]) => target !== "-1");
    expect(new Set(rows.map(([frame]) => frame)).size).toBe(8);
    expect(rows.filter(([frame, x, y]) => !isBright(Number(frame), Number(x), Number(y)))).toEqual([]);
  }
  // Of the first image no velocity is known; solve takes its detections as unmeasured.
  const empty = rowsOf(found).filter(([, , , vx, vy]) => vx === "" && vy === "");
  expect(new Set(empty.map(([frame]) => frame))).toEqual(new Set(["0"]));
  const solved = onlyObject(await succeeds(["solve", found, "-o", join(scene, "solved"), "--device", "cpu", "--json"]));
  const notes = (solved as { notes: string[] }).notes.join(" ");
  expect(notes).toContain(`Velocities are estimated in ${empty.length} of ${rowsOf(found).length} rows`);
  const linked = rowsOf(join(scene, "solved/tracks.csv")).filter(([, , track]) => track !== "");
  expect(linked.filter(([frame, , , x, y]) => !isBright(Number(frame), Number(x), Number(y))).length).toBeLessThan(4);
  await succeeds(["flow", images, "--detections", found, "-o", moving, "--device", "cpu", "--preset", "paper"]);
  expect(rowsOf(moving).length).toBe(rowsOf(found).length);
});

test("a truth that counts from 1 is refused before anything is computed", async () => {
  const scene = await brightScene("counted");
  const [images, truth] = ["frames.npy", "truth.csv"].map((file) => join(scene, file));
  const text = readFileSync(truth, "utf8");
  const later = text.replace(/^\d+/gm, (frame) => String(Number(frame) + 1));
  writeFileSync(truth, later);
  expect(await refuses(["detect", images, ...METHOD, "--truth", truth])).toMatch(
    /truth\.csv: reaches to frame 8, and there are 8 images, of which frame 0 is the first/,
  );
  writeFileSync(truth, text.replace(" frames=8", ""));
  expect(await refuses(["detect", images, ...METHOD, "--truth", truth])).toMatch(
    /truth\.csv:1: says no frames=: its frames count from 1/,
  );
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

test("more false alarms than were asked for are told, measured against the truth or as the states have them", async () => {
  const bytes = readFileSync(at("frames.npy")).subarray(128);
  const pixels = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const cells = 64 * 48;
  const uneven = pixels.map((value, i) => value + 2 * Math.sin((i % cells) ** 2) + 3 * Math.sin(Math.floor(i / cells)));
  writeFileSync(at("uneven.npy"), encodeNpy([40, 48, 64], uneven));
  const note = async (...args: string[]) =>
    /(\d+) false alarms .*/.exec(await succeeds(["detect", at("uneven.npy"), ...METHOD, ...args]))?.[0] ?? "none";
  const truth = ["--truth", at("truth.csv")];
  for (const background of ["none", "frame"]) {
    expect(await note("--background", background)).toMatch(
      /\d{2,} .*are to be expected, where 1 was asked for: try --bac/,
    );
    expect(await note("--background", background, ...truth)).toMatch(
      /^\d{2,} false alarms an output frame, where 1 was/,
    );
  }
  expect(await note("--background", "pixel")).toBe("none");
  expect(await note("--background", "pixel", ...truth)).toBe("none");
  expect(await note("--background", "frame", "--threshold", "4", ...truth)).toBe("none");
});

test.each([
  ["alpha of 1", ["--alpha", "1"], "alpha: 1 is not between 0 and 1"],
  ["no decimation", ["--decimation", "0"], "--decimation"],
  ["an empty vector file", ["--vectors", at("empty.csv")], "empty.csv"],
  ["--calibrate on a pipe", ["--calibrate"], "name a file"],
  ["a kernel of the lab", ["--variant", "in-place"], "moved to lab/tbd"],
  ["a state of the lab", ["--state", "f16"], "moved to lab/tbd"],
  ["threads", ["--workgroup", "64x4"], "moved to lab/tbd"],
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
