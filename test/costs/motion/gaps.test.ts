import { describe, expect, test } from "vitest";
import type { Detections } from "../../../src/core/detections.js";
import { randomStreams } from "../../../src/core/random.js";
import { evenly } from "../../../src/costs/density/student.js";
import { countEnds, follow } from "../../../src/costs/motion/follow.js";
import { estimateGaps } from "../../../src/costs/motion/gaps.js";
import type { MotionModel } from "../../../src/costs/motion/model.js";

const model: MotionModel = {
  drift: [0, 0],
  velocityWeight: 0,
  prior: [{ tail: 2, xx: 1, xy: 0, yy: 1 }],
  step: [[{ tail: 2, xx: 0.1, xy: 0, yy: 0.1 }]],
  // Targets go on as they moved.
  persistence: [[evenly(1)]],
  births: 0.01,
  ends: 0.04,
  missed: 0,
  clutter: 0.001,
};

type Row = readonly [frame: number, track: number, x: number, y: number];

/** Detections frame by frame, within a frame in the order given. */
function recording(frames: number, given: readonly Row[]) {
  const rows = given.toSorted((a, b) => a[0] - b[0]);
  const frameStart = Uint32Array.from({ length: frames + 1 }, (_, p) => rows.filter(([frame]) => frame < p).length);
  const [track, x, y] = [1, 2, 3].map((column) => rows.map((row) => row[column]));
  const detections = {
    ...{ frames, frameStart, x: Float64Array.from(x), y: Float64Array.from(y), vx: null, vy: null },
    ...{ timeStep: 1, target: null, attributes: new Map() },
  };
  const at = (frame: number, name: number) => rows.findIndex((row) => row[0] === frame && row[1] === name);
  return { detections: detections as Detections, track: Int32Array.from(track), at };
}

describe("gaps", () => {
  test("a start that two tracks could go on with is taken by the nearer one alone", () => {
    const [A, B, C] = [0, 1, 2];
    const rows: Row[] = [];
    for (const p of [1, 2, 3]) rows.push([p, A, p, 0], [p, B, p, 1]);
    for (const p of [5, 6]) rows.push([p, C, p + 0.1, 0]);
    // Others whose steps alternate between 0 and 2, so that two steps ahead they are 2 away from where they would be.
    for (let t = 3; t < 6; t++) for (let p = 0; p < 8; p++) rows.push([p, t, p + (p % 2), 100 * t]);
    const { detections, track, at } = recording(8, rows);
    const { gaps, track: joined } = estimateGaps(detections, track, model, 1);
    expect(gaps.spans).toBe(2);
    expect([5, 6].map((p) => joined[at(p, C)])).toEqual([A, A]);
    expect(joined[at(3, B)]).toBe(B);
  });

  test("no gap is closed of which not one is to be expected, though some such came back", () => {
    const [random] = randomStreams(4);
    const noise = () => 0.05 * random.normal();
    const spansOf = (broken: number, missed: number) => {
      const rows: Row[] = [];
      for (let t = 0; t < 100; t++) {
        for (let p = 0; p < 12; p++) {
          const out = t < broken && p > 5 && p <= 5 + missed;
          if (!out) rows.push([p, t < broken && p > 5 ? 100 + t : t, p + noise(), 50 * t + noise()]);
        }
      }
      const { detections, track } = recording(12, rows);
      return estimateGaps(detections, track, model, null).gaps;
    };
    // Ten targets of a hundred come back after two missed frames: of 1,100 links 0.02 are missed, and twice in a row in 0.4 of them.
    const few = spansOf(10, 2);
    expect(few.missed).toBeGreaterThan(0.01);
    expect(1100 * few.missed ** 2).toBeLessThan(1);
    expect(few.spans).toBe(2);
    // Of many that do, more than one is.
    const many = spansOf(40, 2);
    expect(1000 * many.missed ** 2).toBeGreaterThan(1);
    expect(many.spans).toBe(3);
  });

  test("targets that report every third frame are seen to come back, though each of their tracks is one detection", () => {
    const rows: Row[] = [];
    const [random] = randomStreams(5);
    let tracks = 10;
    for (let t = 0; t < 30; t++) {
      const phase = t % 3;
      for (let p = phase; p < 12; p += 3) rows.push([p, tracks++, 100 * t + 0.05 * random.normal(), 0]);
    }
    // Others that are seen in every frame tell how far a target gets.
    for (let t = 0; t < 10; t++) {
      for (let p = 0; p < 12; p++) rows.push([p, t, 100 * t + 0.05 * random.normal(), 500]);
    }
    const { detections, track } = recording(12, rows);
    const { gaps, track: joined } = estimateGaps(detections, track, model, null);
    expect(gaps.seen).toBe(true);
    // Of three frames a target misses two: 30 targets 60 times or more beside 110 links of the others and 90 returns.
    expect(gaps.returns?.[1]).toBeGreaterThan(60);
    expect(gaps.spans).toBeGreaterThanOrEqual(3);
    // Most of the 90 returns are joined, and none to another target.
    expect(new Set(joined).size).toBeLessThan(65);
    const targets = new Map(Array.from(joined, (name, d) => [name, detections.x[d]]));
    joined.forEach((name, d) => {
      expect(Math.abs(detections.x[d] - (targets.get(name) ?? 0))).toBeLessThan(1);
    });
  });

  test("two that are there at once are no reason to think that one comes back as the other", () => {
    // A start 3 to the right of where A ends, two frames later; and such starts beside A at every other frame while A is there.
    const rows: Row[] = [];
    let tracks = 1;
    for (let p = 0; p < 9; p++) rows.push([p, 0, 0, 0]);
    for (let p = 1; p < 13; p += 2) rows.push([p, tracks++, 0.02, 0]);
    for (let t = 0; t < 20; t++) for (let p = 0; p < 13; p++) rows.push([p, 100 + t, 0.1 * (p % 2), 50 + 9 * t]);
    const { detections, track } = recording(13, rows);
    const { gaps } = estimateGaps(detections, track, model, null);
    expect(gaps).toMatchObject({ seen: false, spans: 2 });
  });
});

describe("ends and starts near those of the recording", () => {
  test("are not counted where the target may have been missed", () => {
    // A target is seen from the second frame on, and until the last but one; another one from the fourth, until the fourth last.
    const rows: Row[] = [];
    for (let p = 1; p < 9; p++) rows.push([p, 0, 0, 0]);
    for (let p = 3; p < 7; p++) rows.push([p, 1, 9, 0]);
    const { detections, track } = recording(10, rows);
    const counts = (spans: number) => countEnds(detections, follow(detections, track), spans);
    expect(counts(1)).toMatchObject({ starts: 2, ends: 2, mayEnd: 7 + 3 + 2 });
    expect(counts(2)).toMatchObject({ starts: 1, ends: 1, mayEnd: 7 + 3 + 1 });
    expect(counts(4)).toMatchObject({ starts: 0, ends: 0, mayEnd: 7 + 3 });
  });
});
