import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CALIBRATION } from "../../src/run/corrections/calibration.js";

interface Row {
  readonly input: string;
  readonly kind: string;
  readonly cost: string;
  readonly seed: number | null;
  readonly bins: readonly { readonly links: number; readonly wrong: number }[];
}

test("the calibration that is shown is that of the rows", () => {
  const file = new URL("../../lab/results/margins.jsonl", import.meta.url);
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line): Row => JSON.parse(line));
  const last = new Map(rows.map((row) => [`${row.input} ${row.cost} ${row.seed}`, row]));
  const recordings = [...last.values()].filter(({ kind }) => kind === "recording");
  expect(recordings).toHaveLength(9);
  const sum = (n: number, of: "links" | "wrong") => recordings.reduce((total, { bins }) => total + bins[n][of], 0);
  expect(CALIBRATION.recordings.map(({ links, wrong }) => [links, wrong])).toEqual(
    CALIBRATION.recordings.map((_, n) => [sum(n, "links"), sum(n, "wrong")]),
  );
  const [none, few] = CALIBRATION.recordings;
  expect((none.wrong + few.wrong) / (none.links + few.links)).toBeCloseTo(2 / 3, 2);
  const sure = CALIBRATION.recordings.slice(-2);
  expect(
    Math.round(sure.reduce((all, { links }) => all + links, 0) / sure.reduce((all, { wrong }) => all + wrong, 0)),
  ).toBe(1651);
});
