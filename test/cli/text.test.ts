import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeRun, describeUnsure } from "../../src/cli/run-text.js";
import { formatBound, formatPercent } from "../../src/cli/text.js";
import { provenance } from "../../src/rows/provenance.js";
import { type ResultRow, resultRow } from "../../src/rows/results.js";
import { randomProblem } from "../map/problems.js";
import { bare, run } from "../run/support.js";

describe("the summary of a run", () => {
  async function rowOf(gapPercent: number, status: ResultRow["status"]): Promise<ResultRow> {
    const { result } = await run(bare(randomProblem({ seed: 2, counts: [3, 3, 3] })));
    return resultRow.parse({ ...result, ...provenance(new Date()), gapPercent, status });
  }
  const told = { written: [], doubts: null, verbose: false };
  const lineOf = (text: string, label: string) => new RegExp(`^ {2}${label} +(.*)$`, "m").exec(text)?.[1];

  test("says how the run ended, and both bounds and their gap, also where rounding leaves some of a proved one", async () => {
    const proof = async (gapPercent: number, status: string) => {
      const row = { ...(await rowOf(gapPercent, status)), upperBound: 25.5, lowerBound: 25 };
      return lineOf(describeRun(row, told), "proof");
    };
    const bounds = "the tracks cost 25.5, no others cost less than 25; gap";
    expect(await proof(9.4e-11, "optimal")).toBe(`optimal (proved): ${bounds} 9.4e-11 %`);
    expect(await proof(0.00314159, "gap")).toBe(
      `gap (as close as was asked for or rounding lets it come, not proved optimal): ${bounds} 0.0031 %`,
    );
    expect(await proof(12.3456, "stopped")).toBe(`stopped (before the gap asked for was reached): ${bounds} 12.35 %`);
    const row = { ...(await rowOf(0, "unsolved")), upperBound: null, lowerBound: 25, tracks: null };
    expect(describeRun(row, told)).toMatch(
      /: \d+ detections in 3 frames\n {2}tracks {6}none were found\n {2}proof {7}unsolved \(no allowed set of tracks was found\); no tracks cost less than 25\n/,
    );
  });

  test("a bound that is not the tracks' cost is rounded down", async () => {
    const row = { ...(await rowOf(1e-6, "gap")), upperBound: 1.00000019, lowerBound: 1.00000018 };
    expect(lineOf(describeRun(row, told), "proof")).toContain("cost 1.0000002, no others cost less than 1.0000001;");
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e300, max: 1e300 }), (value) => {
        const shown = Number(formatBound(value));
        expect(shown).toBeLessThanOrEqual(value);
        expect(value - shown).toBeLessThanOrEqual(1.0001e-7 * Math.abs(value) + Number.MIN_VALUE);
      }),
    );
  });

  test("begins with tracks, single detections and the links to look at first", async () => {
    const row = { ...(await rowOf(0, "optimal")), tracks: { count: 5, singles: 2, medianLength: 2, medianLinked: 3 } };
    const link = (track: number, margin: number) => ({ margin, track, frame: 7 + track, detection: 0, next: 1 });
    const doubts = [link(1, -0.5), link(3, 0.1), link(0, 0.2), link(2, 0.9)];
    const head = (links: ResultRow["links"], more = told as Parameters<typeof describeRun>[1]) => {
      const text = describeRun({ ...row, links }, more);
      return [text.split("\n")[1], lineOf(text, "doubtful")];
    };
    const tracks = "  tracks      5; 2 of them are single detections, the others have a median length of 3";
    expect(head({ total: 9, sure: 8, weak: 4 }, { ...told, doubts })).toEqual([
      tracks,
      "4 of 9 links have a margin below 1, and 1 of these may be missing from an optimal set: first track 1 after frame 8, track 3 after frame 10, track 0 after frame 7 (--unsure 1 lists them)",
    ]);
    expect(head({ total: 9, sure: 9, weak: 1 }, { ...told, doubts: doubts.slice(3) })).toEqual([
      tracks,
      "1 of 9 links has a margin below 1: track 2 after frame 9 (--unsure 1 lists it)",
    ]);
    expect(head({ total: 9, sure: 9, weak: 0 }, { ...told, doubts: [] })).toEqual([
      tracks,
      "none of 9 links has a margin below 1",
    ]);
    expect(head(null)).toEqual([tracks, "not known: no margins were computed"]);
    expect(describeUnsure(null, 1)).toBe("not known: no margins were computed\n");
  });

  test("tells nats, triplets and reasons when asked", async () => {
    const row = {
      ...(await rowOf(0, "optimal")),
      ...{ upperBound: 25.5, lowerBound: 25, edges: 8, triplets: 9, links: { total: 4, sure: 3, weak: 2 } },
      ...{ motion: { passes: 3 }, choices: { motion: "pass 3" }, estimates: ["From 8 links."] },
    };
    const short = describeRun(row, told);
    const long = describeRun(row, { ...told, verbose: true });
    const reasons = [
      "  problem     8 edges, 9 triplets, csr",
      "  gap         0.5 nats",
      "  links       3 of 4 are proved to be in every optimal set of tracks",
      "  motion      pass 3",
      "  estimate    From 8 links.",
    ];
    expect(long.split("\n").filter((line) => !short.split("\n").includes(line))).toEqual(reasons);
    expect(short).not.toMatch(/nats|triplets, csr|pass 3/);
  });

  test("of windows says how long a frame waited for its tracks, those among the learned ones for all of these", async () => {
    const row = await rowOf(0, "gap");
    const windows = { count: 2, frames: 10, overlap: 5, learned: 30, delay: 0 };
    const line = (frames: number, delay: number) =>
      /^ {2}windows +(.*)$/m.exec(describeRun({ ...row, frames, windows: { ...windows, delay } }, told))?.[1];
    const text = describeRun({ ...row, windows, tracks: { count: 1, singles: 0, medianLength: 9 } }, told);
    expect(lineOf(text, "doubtful")).toBe("not known: margins are not computed in windows");
    expect(line(30, 0)).toMatch(/costs from the first 30 frames, which were read before any tracks were written$/);
    expect(line(31, 1)).toMatch(/; the tracks of a later frame were written when at most 1 frame more had been read$/);
  });

  test("carries every note, warnings before the proof, and ends with the files and the next command", async () => {
    const notes = ["Velocities as measured in the input.", "Warning: mind this.", "Another."];
    const text = describeRun(
      { ...(await rowOf(0, "optimal")), notes },
      { ...told, written: ["a", "b"], next: "go on" },
    );
    expect(text).toMatch(/\n {2}warning {5}mind this\.\n {2}proof /);
    expect(text).toMatch(
      /\n {2}note {8}Velocities as measured in the input\.\n {2}note {8}Another\.\n {2}wrote {7}a, b\n {2}next {8}go on\n$/,
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
