import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tiffFile } from "../files/images/tiff-writer.js";
import { temporaryFolder } from "../formats/support.js";
import { noiseImage, type TrueSpot, withSpots } from "../pixels/blobs/spots.js";
import { onlyObject, refuses, rmap, succeeds } from "./rmap.js";

const folder = temporaryFolder();
const [film, films] = [join(folder, "film.tif"), join(folder, "film")];
const cpu = ["--method", "blobs", "--device", "cpu"];
const FRAMES = 5;

/** Two spots that move by 3 pixels a frame towards each other's row, in 16 bits. */
const spotsAt = (t: number): TrueSpot[] => [
  { x: 15 + 3 * t, y: 20.5, sigma: 1.6, contrast: 300 },
  { x: 50 - 3 * t, y: 45.2, sigma: 2.2, contrast: 200 },
];

function pageAt(t: number) {
  const { pixels, ...size } = withSpots(noiseImage(64, 8, t + 1), t === 2 ? [] : spotsAt(t));
  return { ...size, samples: Uint16Array.from(pixels, Math.round) };
}

beforeAll(() => {
  const pages = Array.from({ length: FRAMES }, (_, t) => pageAt(t));
  writeFileSync(film, tiffFile(pages));
  mkdirSync(films);
  for (const [t, page] of pages.entries()) writeFileSync(join(films, `t${t}.tif`), tiffFile([page]));
});

const detect = (...args: string[]) => succeeds(["detect", ...args, ...cpu]);

test("a film becomes one table, which solve reads as it is", async () => {
  const table = join(folder, "spots.csv");
  const text = await detect(film, "--threshold", "8", "-o", table);
  expect(text).toMatch(/film\.tif: 8 spots in 5 images, [\d.]+ s, cpu f32 images, f64 sums, wrote \S+spots\.csv\n$/);
  const [comment, header, ...rows] = readFileSync(table, "utf8").trim().split("\n");
  expect([comment, header]).toEqual(["# dt=1 frames=5 units=px,px/frame", "frame,x,y,diameter,contrast,score"]);
  for (const row of rows) {
    const [frame, x, y] = row.split(",").map(Number);
    const errors = spotsAt(frame).map((spot) => Math.hypot(spot.x - x, spot.y - y));
    expect(Math.min(...errors)).toBeLessThan(0.3);
  }
  const folderTable = join(folder, "files.csv");
  await detect(films, "--threshold", "8", "-o", folderTable);
  expect(readFileSync(folderTable, "utf8")).toBe(readFileSync(table, "utf8"));
  const solved = onlyObject(await succeeds(["solve", table, "--json", "--device", "cpu"]));
  expect(solved).toMatchObject({ detections: 8, frames: FRAMES });
});

test("the folder of a table is made, as that of many files is", async () => {
  const table = join(folder, "new", "deep", "spots.csv");
  expect(await detect(film, "-o", table)).toContain(`wrote ${table}`);
  const targets = join(folder, "newer", "targets.csv");
  const found = await succeeds([
    "detect",
    films,
    "--method",
    "before-detect",
    "--decimation",
    "2",
    "--device",
    "cpu",
    "-o",
    targets,
  ]);
  expect(found).toContain(targets);
  expect([table, targets].every((file) => existsSync(file))).toBe(true);
});

test("pictures of a film go to a folder, and so do tables without an ending", async () => {
  const [pictures, tables] = [join(folder, "pictures"), join(folder, "tables")];
  await detect(film, "--threshold", "8", "-o", tables, "--picture", pictures);
  expect(readFileSync(join(pictures, "film-1.svg"), "utf8")).toContain("spot (2), in a ring of twice its diameter");
  expect(readFileSync(join(tables, "film-3.csv"), "utf8")).toMatch(/^frame,x,y,diameter,contrast,score\n3,/);
  expect(readFileSync(join(tables, "film-2.csv"), "utf8")).toBe("frame,x,y,diameter,contrast,score\n");
  expect(existsSync(join(tables, "film-5.csv"))).toBe(false);
});

test("a blank image of a film has no spots, and frames keep their numbers", async () => {
  const [blank, table] = [join(folder, "blank.tif"), join(folder, "blank.csv")];
  const black = { ...pageAt(0), samples: new Uint16Array(64 * 64) };
  writeFileSync(blank, tiffFile([black, pageAt(0), black]));
  const args = ["detect", blank, "--method", "blobs", "--device", "cpu", "--threshold", "8", "-o", table];
  const { code, stderr } = await rmap(args);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /note: .*blank\.tif, page 1: every pixel is 0, so it has no spots\.\nrmap: note: so it is with other images\./,
  );
  const rows = readFileSync(table, "utf8").trim().split("\n").slice(2);
  expect(rows.map((row) => row.split(",")[0])).toEqual(["1", "1"]);
});

test.each(["harris", "klt", "openvidia", "sift"])("the points of %s make a table of the same form", async (method) => {
  const table = join(folder, `${method}.csv`);
  await succeeds(["detect", films, "--method", method, "--device", "cpu", "-o", table]);
  expect(readFileSync(table, "utf8")).toMatch(/^# dt=1 frames=5 units=px,px\/frame\nframe,x,y,\w/);
});

test("of two channels one is chosen, by every command that reads films", async () => {
  const two = join(folder, "two.tif");
  const description = "ImageJ=1.53t\nimages=4\nchannels=2\nframes=2\nhyperstack=true\n";
  const dull = { ...pageAt(0), samples: pageAt(2).samples };
  writeFileSync(two, tiffFile([dull, pageAt(0), dull, pageAt(1)], { description }));
  const spots = async (channel: string) => {
    const { images } = onlyObject(await detect(two, "--threshold", "8", "--channel", channel, "--json"));
    return (images as { spots: number }[]).map((image) => image.spots);
  };
  expect([await spots("1"), await spots("2")]).toEqual([
    [0, 0],
    [2, 2],
  ]);
  for (const command of ["flow", "link"] as const) {
    const args = [command, two, "--device", "cpu", "-o", join(folder, command)];
    expect(await refuses(args)).toMatch(/two\.tif: has 2 channels; choose one with --channel/);
    expect(await refuses([...args, "--channel", "3"])).toMatch(/two\.tif: has 2 channels, and --channel is 3/);
  }
  await succeeds(["flow", two, "--channel", "2", "--device", "cpu", "-o", join(folder, "flow")]);
});

describe("refused in one line", () => {
  const flat = { width: 32, height: 32, samples: new Uint8Array(1024).fill(7) };
  const nan = { ...flat, samples: Float32Array.from({ length: 1024 }, (_, k) => (k === 40 ? Number.NaN : k)) };
  const file = (name: string, bytes: Uint8Array) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };

  test.each<[string, () => string, readonly string[], RegExp]>([
    [
      "one value",
      () => file("flat.tif", tiffFile([flat])),
      [],
      /flat\.tif, page 1: every pixel is 7; check how it was saved, or leave it out/,
    ],
    ["NaN", () => file("nan.tif", tiffFile([nan])), [], /nan\.tif, page 1: pixel x 8, y 1 is NaN/],
    [
      "a spot larger than the image",
      () => film,
      ["--diameter", "50"],
      /page 1: is 64 × 64 pixels, smaller than a spot of diameter 75/,
    ],
    [
      "one picture for several images",
      () => film,
      ["--picture", "one.svg"],
      /one\.svg: is the name of one file, and there are several images; name a folder/,
    ],
    ["a channel that is not there", () => film, ["--channel", "2"], /film\.tif: has 1 channel, and --channel is 2/],
    ["diameters in the wrong order", () => film, ["--diameter", "9:3"], /Give a diameter, or LEAST:GREATEST/],
    ["a diameter of no pixel", () => film, ["--diameter", "0.5"], /Give 2 to 200 pixels/],
  ])("%s", async (_, image, args, message) => {
    const output = join(folder, "refused.csv");
    expect(await refuses(["detect", image(), ...cpu, ...args, "-o", output])).toMatch(message);
    expect(existsSync(output)).toBe(false);
  });

  test("images of two sizes in one table", async () => {
    const mixed = join(folder, "mixed");
    mkdirSync(mixed);
    writeFileSync(join(mixed, "a.tif"), tiffFile([pageAt(0)]));
    writeFileSync(
      join(mixed, "b.tif"),
      tiffFile([{ ...flat, samples: Uint8Array.from({ length: 1024 }, (_, k) => k) }]),
    );
    const line = await refuses(["detect", mixed, ...cpu, "-o", join(folder, "refused.csv")]);
    expect(line).toMatch(
      /b\.tif, page 1: is 32 × 32 pixels, but \S+a\.tif, page 1 64 × 64; give images of one size, or a folder as --output/,
    );
  });
});
