import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodePng } from "../../dist/files/images/png.js";
import { readMixedRows } from "../../dist/rows/report-rows.js";
import { temporaryFolder } from "../../test/formats/support.js";
import { blobImage, scatteredBlobs } from "../../test/pixels/features/images.js";
import { refuses, succeeds } from "./lab.js";

const folder = temporaryFolder();
const PROGRAM = "features/bench.js";
const SMALL = ["--device", "software", "--repeat", "1"];

test("the bench of features measures what agrees with the CPU, appends its rows, and makes none again", async () => {
  const image = join(folder, "own.png");
  const { pixels } = blobImage(45, 38, scatteredBlobs(30, 45, 38, 1.2, 4));
  writeFileSync(
    image,
    encodePng(
      45,
      38,
      Uint8Array.from(pixels, (value) => Math.min(Math.max(value, 0), 255)),
    ),
  );
  const file = join(folder, "rows.jsonl");
  const args = [...SMALL, image, "--figure", "5.3,table-4.3", "--sizes", "own", "--append", file];
  const { rows } = JSON.parse(await succeeds(PROGRAM, [...args, "--json"])) as { rows: Record<string, unknown>[] };
  expect(rows[0]).toMatchObject({ figure: "5.3", what: "harris", size: "45x38", image, agreement: 1 });
  expect(rows.slice(1).map(({ figure }) => figure)).toEqual(new Array(4).fill("table 4.3"));
  expect(rows[0].deviceMilliseconds).toBeGreaterThan(0);
  expect(readMixedRows(file)).toHaveLength(rows.length);
  // A row that is lost is made again, and that one alone.
  const lines = readFileSync(file, "utf8").trim().split("\n");
  writeFileSync(file, `${lines.slice(1).join("\n")}\n`);
  const again = JSON.parse(await succeeds(PROGRAM, [...args, "--json"])) as { rows: Record<string, unknown>[] };
  expect(again.rows.map(({ what }) => what)).toEqual(["harris"]);
});

test("the bench of features refuses figures and sizes that are none", async () => {
  expect(await refuses(PROGRAM, [...SMALL, "--figure", "5.4"])).toContain("5.13");
  expect(await refuses(PROGRAM, [...SMALL, "--sizes", "640"])).toContain("640x480,own");
});
