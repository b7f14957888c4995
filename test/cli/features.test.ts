import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { encodePng } from "../../src/files/images/png.js";
import { blobImage, scatteredBlobs } from "../pixels/features/images.js";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const folder = mkdtempSync(join(tmpdir(), "rmap-features-"));
const frame = (t: number) => join(folder, `frame${t}.png`);
const cpu = ["--device", "cpu"];

beforeAll(() => {
  for (let t = 0; t < 4; t++) {
    const { pixels } = blobImage(120, 100, scatteredBlobs(120, 120, 100, 1.2, 6), 3 * t, -2 * t);
    writeFileSync(
      frame(t),
      encodePng(
        120,
        100,
        Uint8Array.from(pixels, (value) => Math.min(Math.max(Math.round(value), 0), 255)),
      ),
    );
  }
});

const rowsOf = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.split(","));

describe("match", () => {
  test("finds the shift, from images and from keypoint files alike", async () => {
    const [a, b] = [join(folder, "a.key"), join(folder, "b.sift")];
    await succeeds(["detect", frame(0), "--method", "sift", "--format", "lowe", "-o", a, ...cpu]);
    await succeeds(["detect", frame(1), "--method", "sift", "--format", "vlfeat", "-o", b, ...cpu]);
    const matched = async (one: string, other: string) =>
      onlyObject(await succeeds(["match", one, other, "--model", "homography", "--json", ...cpu]));
    const [images, files] = [await matched(frame(0), frame(1)), await matched(a, b)];
    for (const { homography, inliers } of [images, files]) {
      const h = homography as number[];
      expect(inliers).toBeGreaterThan(20);
      expect(Math.hypot(h[2] - 3, h[5] + 2)).toBeLessThan(0.3);
    }
    expect(files.matches).toBe(images.matches);
  });

  test("--klt tracks corners", async () => {
    const [tracks, picture] = [join(folder, "klt.csv"), join(folder, "motion.svg")];
    const files = ["-o", tracks, "--picture", picture];
    const { points, tracked } = onlyObject(
      await succeeds(["match", frame(0), frame(2), "--method", "klt", "--top", "40", "--json", ...files, ...cpu]),
    ) as { points: number; tracked: number };
    expect(readFileSync(picture, "utf8")).toContain(`from the first image to the second (${tracked})`);
    expect(tracked).toBeGreaterThan(0.7 * points);
    const rows = rowsOf(tracks)
      .slice(1)
      .map((row) => row.map(Number));
    const moves = rows
      .filter(([, f, , , status]) => f === 1 && status === 1)
      .map(([point, , x, y]) => {
        const [, , x0, y0] = rows.find(([p, f]) => p === point && f === 0) as number[];
        return Math.hypot(x - x0 - 6, y - y0 + 4);
      });
    expect(moves.sort((p, q) => p - q)[moves.length >> 1]).toBeLessThan(0.05);
  });

  test("refuses what cannot be matched", async () => {
    expect(await refuses(["match", frame(0), frame(1), "--method", "klt", "--patch", "8"])).toContain("odd");
    const bad = join(folder, "bad.key");
    writeFileSync(bad, "2 128\n1 2 3 4 5\n");
    expect(await refuses(["match", bad, frame(0), ...cpu])).toContain("bad.key");
    const picture = ["--picture", join(folder, "none.svg"), ...cpu];
    expect(await refuses(["match", bad, frame(0), ...picture])).toContain("give the images");
    expect(await refuses(["link", frame(0), frame(1), "-o", folder, ...picture])).toContain("--solve or --chain");
  });
});

test("follow writes the points of every image, which summary reads", async () => {
  const [tracks, summary] = [join(folder, "followed.csv"), join(folder, "summary.csv")];
  const frames = [0, 1, 2, 3].map(frame);
  const said = await succeeds(["follow", ...frames, "--top", "30", "--patch", "15", "-o", tracks, ...cpu]);
  expect(said).toMatch(/4 images, \d+ tracks, cpu, wrote/);
  const [header, ...rows] = rowsOf(tracks);
  expect(header).toEqual(["frame", "track", "x", "y", "dissimilarity"]);
  const began = new Map(rows.filter(([of]) => of === "0").map(([, track, x, y]) => [track, [Number(x), Number(y)]]));
  const last = rows.filter(([of]) => of === "3");
  expect(last.length).toBeGreaterThan(10);
  const errors = last.map(([, track, x, y]) => {
    const [x0, y0] = began.get(track) ?? [Number.NaN, Number.NaN];
    return Math.hypot(Number(x) - x0 - 9, Number(y) - y0 + 6);
  });
  expect(errors.sort((a, b) => a - b)[errors.length >> 1]).toBeLessThan(0.1);
  await succeeds(["summary", tracks, "-o", summary]);
  expect(rowsOf(summary).length).toBe(1 + new Set(rows.map(([, track]) => track)).size);
  expect(await refuses(["follow", ...frames, "--patch", "8"])).toContain("odd");
});

describe("link", () => {
  const glob = join(folder, "frame*.png");

  test("leaves an instance that rmap solve gives the same bounds for, and tracks with σ", async () => {
    const out = join(folder, "linked");
    const linked = onlyObject(await succeeds(["link", glob, "--top", "40", "--solve", "--json", "-o", out, ...cpu]));
    const { status, upperBound, gapPercent } = linked.solve as Record<string, unknown>;
    expect(["optimal", "gap"]).toContain(status);
    const [header, ...rows] = rowsOf(join(out, "tracks.csv"));
    const column = (name: string) => header.indexOf(name);
    expect(header[header.length - 1]).toBe("sigma");
    const byTrack = new Map<string, string[][]>();
    for (const row of rows) {
      const track = row[column("track")];
      if (track !== "") byTrack.set(track, [...(byTrack.get(track) ?? []), row]);
    }
    const long = [...byTrack.values()].filter((track) => track.length === 4);
    expect(long.length).toBeGreaterThan(10);
    for (const track of long) {
      const moved = Number(track[3][column("x")]) - Number(track[0][column("x")]);
      expect(Math.abs(moved - 9)).toBeLessThan(1.5);
    }
    const again = onlyObject(await succeeds(["solve", out, "--json", ...cpu]));
    expect([again.status, again.upperBound, again.gapPercent]).toEqual([status, upperBound, gapPercent]);
  });

  test("chains, and leaves no result of an earlier solve", async () => {
    const out = join(folder, "linked");
    const picture = join(folder, "chained.svg");
    const chained = ["link", glob, "--top", "40", "--chain", "klt", "--picture", picture, "-o", out, ...cpu];
    expect(await succeeds(chained)).toContain("chained by klt");
    expect(readFileSync(picture, "utf8")).toMatch(/\d+ tracks through 4 frames.*<image /s);
    expect(existsSync(join(out, "result.json"))).toBe(false);
    expect(rowsOf(join(out, "tracks.csv"))[0]).toEqual(["frame", "detection", "track", "x", "y", "sigma"]);
  });

  test("weights are fitted to truth.csv and taken", async () => {
    const out = join(folder, "labelled");
    await succeeds(["link", glob, "--method", "klt", "--top", "40", "-o", out, ...cpu]);
    const places = rowsOf(join(out, "detections.csv"))
      .slice(1)
      .map((row) => row.map(Number));
    const inFrame = (t: number) => places.filter(([f]) => f === t);
    const truth = [0, 1, 2].flatMap((t) =>
      inFrame(t).flatMap(([, x, y], i) => {
        const j = inFrame(t + 1).findIndex(([, u, v]) => Math.hypot(u - x - 3, v - y + 2) < 1);
        return j < 0 ? [] : [`${t},${i},${j}`];
      }),
    );
    expect(truth.length).toBeGreaterThan(30);
    writeFileSync(join(out, "truth.csv"), `frame,i,j\n${truth.join("\n")}\n`);
    const weights = join(folder, "weights.json");
    expect(await succeeds(["fit-links", out, "-o", weights])).toContain(`${truth.length} true`);
    await succeeds(["link", glob, "--top", "20", "--weights", weights, "-o", join(folder, "own"), ...cpu]);
  });

  test("refuses one frame and contradicting options", async () => {
    expect(await refuses(["link", frame(0), "-o", join(folder, "one"), ...cpu])).toContain("1 frame");
    expect(await refuses(["link", glob, "--method", "klt", "--method=sift", "-o", join(folder, "two")])).toContain(
      "exclude",
    );
    expect(await refuses(["link", glob, "--chain", "--solve", "-o", join(folder, "two")])).toContain("--solve");
  });
});
