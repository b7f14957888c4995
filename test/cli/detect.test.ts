import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { encodePng } from "../../src/files/images/png.js";
import { folderWith } from "../formats/support.js";
import { blobImage, scatteredBlobs, testImage } from "../pixels/features/images.js";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const folder = mkdtempSync(join(tmpdir(), "rmap-detect-"));
const image = join(folder, "image.png");
const other = join(folder, "other.png");

beforeAll(() => {
  const texture = blobImage(96, 80, scatteredBlobs(120, 96, 80, 1.2, 6));
  writeFileSync(image, encodePng(96, 80, Uint8Array.from(texture.pixels, Math.round)));
  writeFileSync(other, encodePng(48, 40, Uint8Array.from(testImage().pixels)));
});

describe("sift", () => {
  const detect = (...args: string[]) => succeeds(["detect", image, "--method", "sift", "--device", "cpu", ...args]);

  test("formats agree on place, σ, angle and descriptor", async () => {
    const files = Object.fromEntries(["lowe", "vlfeat", "opencv", "oxford", "csv"].map((f) => [f, join(folder, f)]));
    for (const [format, file] of Object.entries(files)) await detect("--format", format, "-o", file);
    const text = (format: string) => readFileSync(files[format], "utf8");
    const rows = text("csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",").map(Number));
    const lowe = text("lowe").trim().split(/\s+/).map(Number);
    const vlfeat = text("vlfeat")
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number));
    expect(lowe.slice(0, 2)).toEqual([rows.length, 128]);
    expect(vlfeat.length).toBe(rows.length);
    const wrap = (angle: number) => Math.abs(Math.sin(angle / 2));
    for (const [k, [frame, x, y, sigma, angle, , , ...descriptor]] of rows.entries()) {
      expect(frame).toBe(0);
      const [row, column, loweSigma, loweAngle, ...loweDescriptor] = lowe.slice(2 + 132 * k, 2 + 132 * (k + 1));
      expect(Math.hypot(row - y, column - x, loweSigma - sigma)).toBeLessThan(2e-3);
      expect(wrap(loweAngle + angle)).toBeLessThan(1e-3);
      // y up turns the directions of every cell round.
      expect(loweDescriptor.map((_, d) => loweDescriptor[(d & ~7) | (-d & 7)])).toEqual(descriptor);
      expect(Math.hypot(vlfeat[k][0] - x, vlfeat[k][1] - y)).toBeLessThan(2e-3);
      expect(vlfeat[k].slice(4)).toEqual(descriptor);
    }
    expect(text("opencv")).toContain(`rows: ${rows.length}`);
    expect(text("oxford").split("\n").slice(0, 2)).toEqual(["128", String(rows.length)]);
  });

  test("--json counts the stages, --top keeps places", async () => {
    const { images, device } = onlyObject(await detect("--stages", "--top", "5", "--json")) as {
      images: { places: number; stages: Record<string, number> }[];
      device: unknown;
    };
    expect(device).toEqual({ requested: "cpu", actual: "cpu" });
    expect(images[0].places).toBe(5);
    expect(images[0].stages.extrema).toBeGreaterThan(images[0].stages.edge);
  });

  test("several images go to a folder, each a file", async () => {
    const out = join(folder, "keypoints");
    const text = await succeeds(["detect", image, other, "--method", "sift", "--device", "cpu", "-o", out]);
    expect(text.trim().split("\n").length).toBe(2);
    expect(readFileSync(join(out, "other.csv"), "utf8")).toMatch(/^frame,x,y,sigma,.*\n1,/);
  });
});

test("edges are written as a PNG that can be read again", async () => {
  const edges = join(folder, "edges.png");
  expect(await succeeds(["detect", other, "--method", "canny", "--device", "cpu", "-o", edges])).toContain(
    "edge pixels",
  );
  const again = await succeeds(["detect", edges, "--method", "harris", "--device", "cpu"]);
  expect(again).toMatch(/[1-9]\d* corners/);
});

describe("refused in one line", () => {
  test.each([
    ["an option of another method", ["--method", "canny", "--peak", "0.01"], "--peak"],
    ["thresholds the wrong way round", ["--method", "canny", "--low", "9", "--high", "3"], "exchange"],
    ["an unknown method", ["--method", "surf"], "surf"],
    ["no method", [], "--method"],
  ])("%s", async (_, args, word) => {
    expect(await refuses(["detect", other, ...args])).toContain(word);
  });

  test("a folder without images, whose table keeps what it held", async () => {
    const cwd = folderWith(folder, { "a.npy": "", "spots.csv": "frame,x,y\n" });
    for (const method of ["sift", "blobs", "before-detect"]) {
      const says = await refuses(["detect", ".", "--method", method, "-o", "spots.csv"], { cwd });
      expect(says).toMatch(
        /holds no PNG, TIFF, PGM or PPM file; give one \.npy file of all frames, or name its files one by one/,
      );
    }
    expect(readFileSync(join(cwd, "spots.csv"), "utf8")).toBe("frame,x,y\n");
  });

  test("an image that is not there", async () => {
    expect(await refuses(["detect", join(folder, "none.png"), "--method", "sift"])).toContain("none.png");
  });
});
