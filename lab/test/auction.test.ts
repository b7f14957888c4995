import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/formats/support.js";
import { belt, csv } from "../../test/track/scene.js";
import { succeeds } from "./lab.js";

const folder = temporaryFolder();

test("every board is certified, and the lab's report reads the rows", async () => {
  const detections = join(folder, "belt.csv");
  writeFileSync(detections, csv(belt({ frames: 24, objects: 40 })));
  const rows = join(folder, "auction.jsonl");
  const options = ["--device", "software", "--frames", "2", "--form", "list", "--append", rows, "--json"];
  const { rows: made } = JSON.parse(await succeeds("sorting/bench.js", [detections, ...options]));
  expect(made).toHaveLength(7);
  for (const row of made) expect(row).toMatchObject({ certified: true, frames: 2, capped: 0, instead: {} });
  const words = (board: string) => made.find((row: { board: string }) => row.board === board).words.mean;
  expect(words("matrix")).toBeGreaterThan(words("lock"));
  expect(words("lock")).toBeGreaterThan(words("packed"));
  expect(words("packed")).toBeGreaterThan(words("workgroup"));
  const page = join(folder, "auction.html");
  await succeeds("report/main.js", [rows, "-o", page]);
  expect(readFileSync(page, "utf8")).toContain("Auctions on the frames of a belt");
});
