import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { damaged, firstFrames } from "../../../src/experiments/baselines/damage.js";
import {
  assignmentTracks,
  driftTracks,
  gateOf,
  greedyTracks,
  nearestPairs,
} from "../../../src/experiments/baselines/frame-pairs.js";
import { kalmanTracks, studentKalmanTracks } from "../../../src/experiments/baselines/kalman-tracks.js";
import { baselineTable } from "../../../src/experiments/baselines/table.js";
import type { BaselineRow } from "../../../src/rows/baselines.js";
import { compareLabels } from "../../../src/scores/comparison.js";
import { scoreTracks } from "../../../src/scores/metrics.js";
import { Filters } from "../../../src/track/kalman.js";

/** Targets that start anywhere in a square, all moving by `step` a frame, with noise. */
function lanes(targets: number, frames: number, step: readonly [number, number], side: number, noise: number) {
  const random = randomStreams(4).next().value;
  const count = targets * frames;
  const starts = [0, 1].map(() => Float64Array.from({ length: targets }, () => random.uniform(0, side)));
  const value = (axis: 0 | 1) =>
    Float64Array.from({ length: count }, (_, d) => {
      const [n, p] = [d % targets, Math.floor(d / targets)];
      return starts[axis][n] + step[axis] * p + noise * random.normal();
    });
  return {
    frames,
    frameStart: Uint32Array.from({ length: frames + 1 }, (_, p) => p * targets),
    x: value(0),
    y: value(1),
    vx: null,
    vy: null,
    target: Int32Array.from({ length: count }, (_, d) => d % targets),
    timeStep: 1,
  };
}

const errors = (detections: ReturnType<typeof lanes>, track: Int32Array) =>
  scoreTracks(compareLabels(detections.frameStart, detections.target, track))?.linkErrors;

describe("simple methods", () => {
  const easy = lanes(12, 15, [0.3, 0.05], 50, 0.02);

  test("are all right where targets are far apart, and the gate takes in the steps", () => {
    expect(gateOf(nearestPairs(easy, [0, 0]))).toBeGreaterThan(0.3);
    for (const method of [greedyTracks, assignmentTracks, kalmanTracks, studentKalmanTracks, driftTracks]) {
      const { track } = method(easy);
      expect(errors(easy, track)).toBeLessThan(3);
    }
  });

  test("the gate is the same share of every unit of length, and follows no truth", () => {
    const scaled = { ...easy, x: easy.x.map((x) => 1000 * x), y: easy.y.map((y) => 1000 * y), target: null };
    const [a, b] = [assignmentTracks(easy), assignmentTracks(scaled as unknown as typeof easy)];
    expect(b.gate / a.gate).toBeCloseTo(1000, 6);
    expect(b.track).toEqual(a.track);
  });

  test("a step as long as the spacing defeats the assignment, not the drift", () => {
    const belt = lanes(60, 20, [0, 3], 25, 0.02);
    expect(errors(belt, assignmentTracks(belt).track)).toBeGreaterThan(50);
    expect(errors(belt, driftTracks(belt).track)).toBeLessThan(5);
  });

  test("filters bridge missed detections, which frame by frame ends a track", () => {
    const missed = damaged(easy, { fault: "missed", level: 0.15 }, 2) as typeof easy;
    const found = kalmanTracks(missed);
    const paired = assignmentTracks(missed);
    expect(errors(missed, found.track) as number).toBeLessThan(errors(missed, paired.track) as number);
    expect(new Set(paired.track).size).toBeGreaterThan(new Set(found.track).size);
  });
});

test("a measured velocity updates position and velocity as the joint normal law has it", () => {
  const filters = new Filters();
  filters.grow(1);
  filters.begin(0, 1, 2, [3, 4], 2, 0.5);
  filters.predict(1, 0.7);
  const { positionVariance: a, covariance: b, velocityVariance: c } = filters;
  const [[a0], [b0], [c0], x0, v0] = [a.slice(), b.slice(), c.slice(), filters.x[0], filters.vx[0]];
  filters.updateVelocity(0, 10, 4, 1.5);
  // Information form: the inverse covariance gains 1/s² on velocity.
  const determinant = a0 * c0 - b0 * b0;
  const [i11, i12, i22] = [c0 / determinant, -b0 / determinant, a0 / determinant + 1 / 1.5 ** 2];
  const inverse = i11 * i22 - i12 * i12;
  expect([a[0], b[0], c[0]]).toEqual([i22 / inverse, -i12 / inverse, i11 / inverse].map((v) => expect.closeTo(v, 12)));
  const gain = c[0] / 1.5 ** 2;
  expect(filters.vx[0]).toBeCloseTo(v0 + gain * (10 - v0), 12);
  expect(filters.x[0]).toBeCloseTo(x0 + (b[0] / 1.5 ** 2) * (10 - v0), 12);
  expect(filters.vy[0]).toBeCloseTo(4, 12);
});

describe("damage", () => {
  const base = lanes(40, 50, [1, 0], 100, 0);
  test("drops, adds and moves as much as it says, and keeps the frames", () => {
    const missed = damaged(base, { fault: "missed", level: 0.15 }, 1);
    expect(Math.abs(missed.x.length / 2000 - 0.85)).toBeLessThan(5 * Math.sqrt((0.85 * 0.15) / 2000));
    const clutter = damaged(base, { fault: "clutter", level: 0.05 }, 1);
    expect(clutter.x.length).toBe(2100);
    expect(clutter.target?.filter((n) => n === -1)).toHaveLength(100);
    const jitter = damaged(base, { fault: "jitter", level: 0.1 }, 1);
    const variance = jitter.x.reduce((sum, x, d) => sum + (x - base.x[d]) ** 2, 0) / 2000;
    expect(Math.abs(variance / 0.01 - 1)).toBeLessThan(5 * Math.sqrt(2 / 2000));
    for (const one of [missed, clutter, jitter]) expect(one.frames).toBe(50);
    expect(damaged(base, { fault: "none", level: 0 }, 1)).toBe(base);
  });

  test("the first frames are whole", () => {
    const short = firstFrames(base, 130);
    expect(short.frames).toBe(3);
    expect(short.x).toEqual(base.x.slice(0, 120));
  });
});

test("the table has the mean over seeds, marks the best, and its ratios are geometric means", () => {
  const row = (method: BaselineRow["method"], seed: number, linkErrors: number, idf1: number) =>
    ({
      benchmark: "baselines",
      method,
      input: "a",
      digest: `${seed}`,
      frames: 2,
      detections: 4,
      velocities: "none",
      fault: "none",
      level: 0,
      seed,
      scores: { linkErrors, idf1 },
      gate: null,
      gapPercent: null,
      status: null,
      cpuSeconds: 0,
    }) as BaselineRow;
  const table = baselineTable([
    row("lap", 1, 10, 80),
    row("lap", 2, 29.9, 90),
    row("default", 1, 4.9, 96),
    row("default", 2, 4.9, 98),
  ]);
  expect(table.rows).toEqual([["a", "none", "–", "19.9 / 85.0", "**4.9** / **97.0**"]]);
  expect(table.ratios).toEqual([{ method: "lap", ratio: expect.closeTo((19.95 + 0.1) / 5, 9), lines: 1 }]);
  expect(table.header).toEqual(["input", "velocities", "fault", "lap", "default"]);
});
