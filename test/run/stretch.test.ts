import { describe, expect, test } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { randomStreams } from "../../src/core/random.js";
import { type Odds, oddsAround } from "../../src/costs/motion/odds.js";
import { middleStretch } from "../../src/costs/places/stretch.js";
import { recordingOf } from "../../src/formats/detections.js";
import type { ProblemOverrides } from "../../src/run/overrides.js";
import { makeProblem } from "../../src/run/problem.js";
import { now, run } from "./support.js";

const FRAMES = 1300;
const LANES = 20;

/** Targets in lanes of their own, which drift along them, each at a speed of its own that changes a little. */
function lanes(frames = FRAMES): Detections {
  const random = randomStreams(11).next().value;
  const speed = Float64Array.from({ length: LANES }, () => random.uniform(0.5, 1.5));
  const at = new Float64Array(LANES);
  const detections = frames * LANES;
  const [x, y] = [new Float64Array(detections), new Float64Array(detections)];
  for (let d = 0; d < detections; d++) {
    const n = d % LANES;
    speed[n] += 0.05 * random.normal();
    at[n] += speed[n];
    x[d] = at[n];
    y[d] = 2000 * n + 0.1 * random.normal();
  }
  return {
    frames,
    frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * LANES),
    x,
    y,
    vx: null,
    vy: null,
    target: Int32Array.from(x, (_, d) => d % LANES),
    timeStep: 1,
  };
}

const problemOf = (detections: Detections, overrides: ProblemOverrides = {}) =>
  makeProblem(
    { kind: "detections", recording: { ...recordingOf("lanes", detections), numbers: { first: 7, step: 1 } } },
    overrides,
    {
      threads: 1,
      now,
    },
  );

describe("the stretch that a long recording's costs are estimated from", () => {
  const recording = lanes();

  test("is frames around the middle: 10,000 detections and 20 frames, and at most two fifths of all", () => {
    const stretch = middleStretch(recording);
    if (stretch === null) throw new Error("none");
    const { detections, first, firstFrame } = stretch;
    expect(detections.frames).toBeGreaterThanOrEqual(10_000 / LANES);
    expect(detections.frames).toBeLessThanOrEqual(10_000 / LANES + 2);
    expect(Math.abs(firstFrame + detections.frames / 2 - FRAMES / 2)).toBeLessThanOrEqual(1);
    expect(first).toBe(firstFrame * LANES);
    expect(detections.frameStart[0]).toBe(0);
    expect(detections.x).toEqual(recording.x.subarray(first, first + detections.x.length));
    expect(detections.target?.[1]).toBe(recording.target?.[first + 1]);
    expect(middleStretch(lanes(1200))).toBeNull();
    // Few frames of many: 20 of 50 are two fifths, 20 of 49 more.
    const dense = (frames: number) => ({
      ...recording,
      frames,
      frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => Math.round((p * recording.x.length) / frames)),
    });
    expect(middleStretch(dense(50))?.detections.frames).toBe(20);
    expect(middleStretch(dense(49))).toBeNull();
  });

  test("has its own odds; the frames around take those of their places", () => {
    const stretch = middleStretch(recording);
    if (stretch === null) throw new Error("none");
    const { detections, first } = stretch;
    // Four squares: starts and ends differ by column and row, and no density does.
    const area = { x: 0, y: 0, width: 2 * recording.x[0] + 1000, height: 2000 * LANES };
    const shares = (...share: number[]) => ({
      everywhere: 0.5,
      strength: 1e-9,
      counts: [
        { side: 2, events: Float64Array.from(share, (s) => 1000 * s), detections: Float64Array.of(1e3, 1e3, 1e3, 1e3) },
      ],
    });
    const elsewhere = {
      ...{
        area,
        starts: shares(0.1, 0.2, 0.3, 0.4),
        ends: shares(0.5, 0.6, 0.7, 0.8),
        clutter: shares(0.2, 0.1, 0.4, 0.3),
      },
      density: { total: 6, exposure: 3, parts: 4, counts: [] },
    };
    const [birth, ends, clutter] = [0, 0.5, 0.25].map((more) => detections.x.map((_, d) => d + more));
    const odds: Odds = { birth, ends, clutter, elsewhere };
    const all = oddsAround(recording, first, odds);
    const after = first + detections.x.length;
    expect(all.birth[first]).toBe(0);
    expect(all.birth[after - 1]).toBe(detections.x.length - 1);
    expect(all.ends[first]).toBe(0.5);
    expect(all.clutter?.[first + 1]).toBe(1.25);
    // One part in twenty is that of the whole area.
    const mixed = (share: number) => 0.95 * share + 0.05 * 0.5;
    for (const d of [0, LANES - 1, first - 1, after, recording.x.length - 1]) {
      const square = (recording.x[d] < area.width / 2 ? 0 : 2) + (recording.y[d] < area.height / 2 ? 0 : 1);
      expect(all.birth[d]).toBeCloseTo(-Math.log(mixed([0.1, 0.2, 0.3, 0.4][square]) * 2), 9);
      expect(all.ends[d]).toBeCloseTo(mixed([0.5, 0.6, 0.7, 0.8][square]), 9);
      expect(all.clutter?.[d]).toBeCloseTo(-Math.log(mixed([0.2, 0.1, 0.4, 0.3][square]) * 2), 9);
    }
  });

  test("serves the first passes, and the result says so; the last two have every detection", async () => {
    const { result, track } = await run(await problemOf(recording));
    expect(result.estimates?.at(-1)).toMatch(
      /^Gaps, and the costs of the first passes, estimated from 10\d\d0 detections of the 50\d frames in the middle\.$/,
    );
    expect(result.motion?.passes).toBe(5);
    expect(result.detections).toBe(FRAMES * LANES);
    expect(track?.length).toBe(FRAMES * LANES);
    expect(result.scores?.idf1).toBe(100);
    expect(result.status).toBe("optimal");
  });

  test("leaves a rough pass over the whole in which tracks that miss a frame are no ends, though it links none over it", async () => {
    const whole = lanes(1500);
    const random = randomStreams(12).next().value;
    const kept = Uint32Array.from(whole.x.keys()).filter(() => random.uniform(0, 1) > 0.05);
    const frameStart = whole.frameStart.map((start) => kept.findIndex((d) => d >= start));
    frameStart[whole.frames] = kept.length;
    const of = (values: Float64Array) => Float64Array.from(kept, (d) => values[d]);
    const target = Int32Array.from(kept, (d) => d % LANES);
    const { result } = await run(await problemOf({ ...whole, frameStart, x: of(whole.x), y: of(whole.y), target }));
    expect(result.motion?.passes).toBe(5);
    // Four fifths of them are joined.
    expect(result.motion?.ends).toBeLessThan(0.015);
    expect(result.scores?.idf1).toBeGreaterThan(99.9);
  });

  test("is not used for a single pass, nor where links are fixed", async () => {
    const { result } = await run(await problemOf(recording, { passes: 1 }));
    expect(result.motion?.passes).toBe(1);
    expect(result.estimates?.join()).toMatch(/^First estimate[^.]*\.$/);
    expect(result.scores?.idf1).toBe(100);
  });

  test("leaves no detection out where a run is interrupted during it", async () => {
    const { result, track } = await run(await problemOf(recording), { interrupted: () => true });
    expect(result.motion?.passes).toBe(1);
    expect(track?.length).toBe(FRAMES * LANES);
    expect(result.detections).toBe(FRAMES * LANES);
    expect(result.status).not.toBe("unsolved");
  });

  test("names frames of the recording where no complete assignment exists in it", async () => {
    // Frame 600 of the recording, which begins with frame 7, has a detection less.
    const frameStart = recording.frameStart.map((start, p) => (p > 600 ? start - 1 : start));
    const fewer = (values: Float64Array) => values.filter((_, d) => d !== 600 * LANES);
    const short = { ...recording, frameStart, x: fewer(recording.x), y: fewer(recording.y), target: null };
    await expect(problemOf(short, { births: "none" }).then((problem) => run(problem))).rejects.toThrow(
      /^frame 607: 19 detections, but frame \d+ has 20/,
    );
  });
});
