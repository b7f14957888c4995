import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodePng } from "../../src/files/images/png.js";
import { readMixedRows } from "../../src/rows/report-rows.js";
import { temporaryFolder } from "../formats/support.js";
import { blobImage, scatteredBlobs } from "../pixels/features/images.js";
import { onlyObject, refuses, succeeds } from "./rmap.js";

const folder = temporaryFolder();
const BENCH = ["bench", "features", "--device", "software", "--repeat", "1"];

test("rmap bench features measures what agrees with the CPU, appends its rows, and makes none again", async () => {
  const image = join(folder, "own.png");
  const { pixels } = blobImage(90, 70, scatteredBlobs(80, 90, 70, 1.2, 5));
  writeFileSync(
    image,
    encodePng(
      90,
      70,
      Uint8Array.from(pixels, (value) => Math.min(Math.max(value, 0), 255)),
    ),
  );
  const file = join(folder, "rows.jsonl");
  const args = [...BENCH, image, "--figure", "cudasift,5.2,table-5.1", "--sizes", "own", "--append", file];
  const { rows } = onlyObject(await succeeds([...args, "--json"])) as { rows: Record<string, unknown>[] };
  const timed = (row: Record<string, unknown>) => row.milliseconds ?? row.deviceMilliseconds ?? row.wallMilliseconds;
  expect(rows.filter((row) => row.agreement !== null && !((row.agreement as number) >= 0.99))).toEqual([]);
  expect(rows.filter((row) => timed(row) === null)).toEqual([]);
  expect(new Set(rows.map(({ size }) => size))).toEqual(new Set(["90x70", null]));
  expect(rows.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["sift doubled", "canny", "match 100 x 100", "openvidia with matching and RANSAC"]),
  );
  expect(readMixedRows(file)).toHaveLength(rows.length);
  // A row that is lost is made again, and that one alone.
  const lines = readFileSync(file, "utf8").trim().split("\n");
  writeFileSync(file, `${lines.filter((line) => !line.includes('"what":"sobel"')).join("\n")}\n`);
  const again = onlyObject(await succeeds([...args, "--json"])) as { rows: Record<string, unknown>[] };
  expect(again.rows.map(({ what }) => what)).toEqual(["sobel"]);
});

test("rmap bench features refuses figures and sizes that are none", async () => {
  expect(await refuses([...BENCH, "--figure", "5.4"])).toContain("5.13");
  expect(await refuses([...BENCH, "--sizes", "640"])).toContain("640x480,own");
});
