import { expect, it } from "vitest";
import type { FlowField } from "../../src/core/flow-field.js";
import { scoreFlow } from "../../src/scores/flow.js";

const field = (width: number, u: readonly number[], v: readonly number[]): FlowField => ({
  width,
  height: u.length / width,
  u: Float32Array.from(u),
  v: Float32Array.from(v),
});

it("end points, angles and shares by hand; unknown truth is left out", () => {
  const truth = field(2, [0, 1, 1e10, 0], [0, 0, 0, 2]);
  const flow = field(2, [0, 0, 5, 0], [0, 1, 5, 2]);
  const scores = scoreFlow(flow, truth);
  expect(scores.epe).toBeCloseTo(Math.SQRT2 / 3, 10);
  // (0, 1, 1) against (1, 0, 1): cosine ½.
  expect(scores.aae).toBeCloseTo(60 / 3, 8);
  expect([scores.valid, scores.r1]).toEqual([0.75, 1 / 3]);
  expect(scores.quantiles.p50).toBe(0);
  expect(scores.quantiles.p90).toBeCloseTo(Math.SQRT2, 10);
});

it("leaves the border out, and refuses what cannot be scored", () => {
  const truth = field(3, Array(9).fill(1), Array(9).fill(0));
  const flow = field(3, [9, 9, 9, 9, 1, 9, 9, 9, 9], Array(9).fill(0));
  expect(scoreFlow(flow, truth, 1)).toMatchObject({ epe: 0, valid: 1 / 9 });
  expect(() => scoreFlow(flow, truth, 2)).toThrow(/no pixel has a known true flow/);
  expect(() => scoreFlow(field(9, Array(9).fill(0), Array(9).fill(0)), truth)).toThrow(
    /9 × 1 pixels against a truth of 3 × 3/,
  );
  expect(() => scoreFlow(field(3, Array(9).fill(1e10), Array(9).fill(0)), truth)).toThrow(
    /is not known, but the truth is/,
  );
});
