import { describe, expect, test } from "vitest";
import { evenly, roundStudentT } from "../../../src/costs/density/student.js";
import { trackCosts } from "../../../src/costs/motion/track-costs.js";
import { scattered } from "./scattered.js";

const t = roundStudentT(4, 1);
const spans = 3;
const model = {
  drift: [0, 0],
  velocityWeight: 0,
  prior: Array.from({ length: spans }, () => t),
  step: Array.from({ length: spans }, () => Array.from({ length: spans }, () => t)),
  persistence: Array.from({ length: spans }, () => new Array(spans).fill(evenly(1))),
  births: 1e-3,
  ends: 0.03,
  missed: 0.1,
  // So rare that no track of one is taken for a false detection.
  clutter: 1e-9,
} as const;
const [frames, each] = [7, 2];
const detections = scattered(frames, each, 1);
const all = (value: number) => new Float64Array(frames * each).fill(value);
const state = { model, odds: { birth: all(-Math.log(model.births)), ends: all(model.ends), clutter: null } };

describe("a target either is seen again in a frame of the recording, or its track ends", () => {
  test.each([
    ["at the recording's end", { begins: true, ends: true }, frames],
    ["in frames from its middle, which others follow", { begins: false, ends: false }, Number.POSITIVE_INFINITY],
  ])("%s", (_, extent, end) => {
    const { ends, goOn } = trackCosts(detections, "auto", state, extent);
    for (let d = 0; d < frames * each; d++) {
      const p = Math.floor(d / each);
      let again = 0;
      for (let span = 1; span <= spans && p + span < end; span++) again += Math.exp(-goOn[span - 1][d]);
      expect(again + Math.exp(-(ends?.death[d] ?? 0))).toBeCloseTo(1, 12);
    }
  });

  test("or it is false: a track of one costs what that costs at its place", () => {
    const clutter = all(0).map((_, d) => 3 + d / 8);
    const { ends, single } = trackCosts(detections, "auto", { model, odds: { ...state.odds, clutter } });
    const { birth, death } = ends as NonNullable<typeof ends>;
    const last = each * (frames - 1);
    for (let d = each; d < last; d++) {
      expect(birth[d] + death[d]).toBeCloseTo(clutter[d], 12);
      expect(single[d]).toBeGreaterThan(0);
    }
    for (let d = last; d < last + each; d++) expect(birth[d]).toBe(clutter[d]);
  });

  test("what an end costs in the last frame but one, by hand", () => {
    const { ends } = trackCosts(detections, "auto", state);
    expect(ends?.death[each * (frames - 2)]).toBeCloseTo(-Math.log(1 - 0.97 * 0.9), 12);
  });
});
