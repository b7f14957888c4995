import { expect, test } from "vitest";
import { scoreDetections } from "../../src/scores/found-targets.js";

const truth = (frame: number, x: number, target: number, snr = 1) => ({ frame, x, y: 0, vx: 1, vy: 0, target, snr });
const found = (x: number, vx = 1) => ({ x, y: 0, vx, vy: 0, score: 5 });

test("pairs the nearest first, each once, and counts the rest as misses and false alarms", () => {
  const frames = [
    { frame: 10, detections: [found(1.5), found(0.4, 2), found(50)] },
    { frame: 20, detections: [] },
  ];
  const scores = scoreDetections(frames, [truth(10, 0, 7), truth(10, 2, 8, 2), truth(20, 3, 7), truth(11, 9, 7)], 2);
  expect(scores).toMatchObject({
    frames: 2,
    targets: 3,
    hits: 2,
    falseAlarms: 1,
    falseAlarmsPerFrame: 0.5,
    rightVelocity: 0.5,
  });
  expect(scores.target).toEqual([[8, 7, -1], []]);
  expect(scores.positionError).toBeCloseTo(Math.sqrt((0.4 ** 2 + 0.5 ** 2) / 2), 12);
  expect(scores.velocityError).toBeCloseTo(Math.sqrt(1 / 2), 12);
  expect(scores.bySnr).toEqual([
    { snr: 1, targets: 2, hits: 1, detected: 0.5 },
    { snr: 2, targets: 1, hits: 1, detected: 1 },
  ]);
});

test("a detection serves one target only", () => {
  const scores = scoreDetections([{ frame: 1, detections: [found(1)] }], [truth(1, 0, 0), truth(1, 2, 1)], 2);
  expect(scores).toMatchObject({ targets: 2, hits: 1, falseAlarms: 0 });
});

test("without targets or hits shares are not defined", () => {
  expect(scoreDetections([{ frame: 1, detections: [] }], [], 2)).toMatchObject({ detected: null, rightVelocity: null });
});
