import { describe, expect, test } from "vitest";
import { describeRun, formatPercent } from "../../src/cli/text.js";
import { provenance } from "../../src/rows/provenance.js";
import { type ResultRow, resultRow } from "../../src/rows/results.js";
import { randomProblem } from "../map/problems.js";
import { bare, run } from "../run/support.js";

describe("the summary of a run", () => {
  async function rowOf(gapPercent: number, status: ResultRow["status"]): Promise<ResultRow> {
    const { result } = await run(bare(randomProblem({ seed: 2, counts: [3, 3, 3] })));
    return resultRow.parse({ ...result, ...provenance(new Date()), gapPercent, status });
  }
  const gapLine = (text: string) => /^ {2}gap +(.*)$/m.exec(text)?.[1];

  test("has the certified gap, also where optimality is proved and rounding leaves some of it", async () => {
    expect(gapLine(describeRun(await rowOf(9.4e-11, "optimal"), []))).toBe("9.4e-11 %");
    expect(gapLine(describeRun(await rowOf(0.00314159, "gap"), []))).toBe("0.0031 %");
    expect(gapLine(describeRun(await rowOf(12.3456, "stopped"), []))).toBe("12.35 %");
  });

  test("of windows says how long a frame waited for its tracks, those among the learned ones for all of these", async () => {
    const row = await rowOf(0, "gap");
    const windows = { count: 2, frames: 10, overlap: 5, learned: 30, delay: 0 };
    const line = (frames: number, delay: number) =>
      /^ {2}windows +(.*)$/m.exec(describeRun({ ...row, frames, windows: { ...windows, delay } }, []))?.[1];
    expect(line(30, 0)).toMatch(/costs from the first 30 frames, which were read before any tracks were written$/);
    expect(line(31, 1)).toMatch(/; the tracks of a later frame were written when at most 1 frame more had been read$/);
  });

  test("carries every note", async () => {
    const row = { ...(await rowOf(0, "optimal")), notes: ["Velocities as measured in the input.", "Another."] };
    expect(describeRun(row, ["a", "b"])).toMatch(
      /^ {2}note {8}Velocities as measured in the input\.\n {2}note {8}Another\.\n {2}wrote {7}a, b\n$/m,
    );
  });
});

test("formatPercent keeps the digits that a small gap needs", () => {
  expect([0, 0.012345, 1, 99.994, null, Number.NaN].map(formatPercent)).toEqual([
    "0 %",
    "0.012 %",
    "1.00 %",
    "99.99 %",
    "–",
    "–",
  ]);
});
