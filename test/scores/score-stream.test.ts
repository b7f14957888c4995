import fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels } from "../../src/scores/comparison.js";
import { METRIC_NAMES, scoreTracks } from "../../src/scores/metrics.js";
import { ScoreStream } from "../../src/scores/score-stream.js";

/** Frames of detections with a target (−1: none) and a track each; none of either twice in a frame. */
const frames = fc.array(
  fc
    .array(fc.record({ target: fc.integer({ min: -1, max: 3 }), track: fc.nat(4) }), { maxLength: 5 })
    .map((rows) =>
      rows.filter(
        ({ target, track }, n) =>
          !rows.slice(0, n).some((other) => other.track === track || (target >= 0 && other.target === target)),
      ),
    ),
  { minLength: 2, maxLength: 9 },
);

test("frame by frame every metric is what it is over the whole", () => {
  let scored = 0;
  fc.assert(
    fc.property(frames, (rows) => {
      const all = rows.flat();
      const frameStart = Uint32Array.from({ length: rows.length + 1 }, (_, p) => rows.slice(0, p).flat().length);
      const whole = scoreTracks(
        compareLabels(
          frameStart,
          Int32Array.from(all, ({ target }) => target),
          Int32Array.from(all, ({ track }) => track),
        ),
      );
      const stream = new ScoreStream();
      for (const row of rows) {
        stream.add(
          row.map(({ target }) => (target < 0 ? null : `t${target}`)),
          row.map(({ track }) => track),
          row.map(({ track }) => all.filter((other) => other.track === track).length === 1),
        );
      }
      const scores = stream.scores();
      if (whole === null || scores === null) {
        expect(scores).toBe(whole);
        return;
      }
      scored++;
      for (const name of METRIC_NAMES) {
        const [value, expected] = [scores[name] ?? null, whole[name]];
        if (expected === null || value === null) expect([name, value]).toEqual([name, expected]);
        else expect(Math.abs(value - expected), name).toBeLessThan(1e-9);
      }
    }),
    { numRuns: 600 },
  );
  expect(scored).toBeGreaterThan(400);
});
