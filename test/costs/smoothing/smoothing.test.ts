import { lusolve } from "mathjs";
import { describe, expect, test } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { fitVelocityLaw, type Path, type VelocityLaw } from "../../../src/costs/smoothing/law.js";
import { smoothPath } from "../../../src/costs/smoothing/smooth.js";

const law: VelocityLaw = { drift: [0.3, -0.1, 0.2], variance: 4, memory: 5, noise: 0.25 };

/** A target that moves by the law in steps of a hundredth of a frame, seen in the frames that `isSeen` says. */
function drawn(
  seed: number,
  frames: number,
  { drift, variance, memory, noise }: VelocityLaw,
  isSeen: (frame: number) => boolean,
): Path {
  const [stream] = randomStreams(seed);
  const PARTS = 100;
  const axis = (of: number) => {
    const keep = Math.exp(-1 / (PARTS * memory));
    let [place, velocity] = [7, Math.sqrt(variance) * stream.normal()];
    return Array.from({ length: frames }, (_, n) => {
      for (let part = 0; n > 0 && part < PARTS; part++) {
        const before = velocity;
        velocity = keep * velocity + Math.sqrt(variance * (1 - keep * keep)) * stream.normal();
        place += (of + (before + velocity) / 2) / PARTS;
      }
      return place + Math.sqrt(noise) * stream.normal();
    });
  };
  const axes = drift.map(axis);
  const frame = [...axes[0].keys()].filter(isSeen);
  return { frame, axes: axes.map((values) => frame.map((n) => values[n])) };
}

/** Mean and standard deviation of one axis at a time, given all detections: the Gaussian vector of all positions about a level that may be anything, by one linear system. */
function conditioned(
  { variance, memory, noise }: VelocityLaw,
  drift: number,
  times: readonly number[],
  values: readonly number[],
  at: number,
) {
  const integral = (s: number, t: number) =>
    variance *
    memory ** 2 *
    ((2 * Math.min(s, t)) / memory -
      1 +
      Math.exp(-s / memory) +
      Math.exp(-t / memory) -
      Math.exp(-Math.abs(t - s) / memory));
  const rows = times.map((s, i) => [...times.map((t, j) => integral(s, t) + (i === j ? noise : 0)), 1]);
  const right = [...times.map((t) => integral(at, t)), 1];
  const weights = (lusolve([...rows, [...times.map(() => 1), 0]], right) as number[][]).flat();
  const mean = times.reduce((sum, t, i) => sum + weights[i] * (values[i] - drift * t), drift * at);
  return {
    mean,
    deviation: Math.sqrt(integral(at, at) - right.reduce((sum, value, i) => sum + value * weights[i], 0)),
  };
}

describe("the smoothed track is the mean of the law given all detections", () => {
  test.each([
    ["as drawn", law],
    ["nearly straight", { ...law, memory: 200 }],
    ["nearly free diffusion", { ...law, memory: 0.1 }],
    ["coarse positions", { ...law, noise: 100 }],
    ["exact positions", { ...law, noise: 1e-6 }],
  ])("%s", (_, one) => {
    const path = drawn(3, 30, one, (frame) => frame % 4 !== 2 && !(frame > 10 && frame < 17));
    const smooth = smoothPath(one, path);
    const frames = [...smooth.measured.keys()];
    expect([...smooth.measured]).toEqual(frames.map((n) => Number([...(path.frame as number[])].includes(n))));
    for (const [axis, values] of path.axes.entries()) {
      const exact = frames.map((n) => conditioned(one, one.drift[axis], path.frame as number[], values as number[], n));
      frames.forEach((n) => {
        expect(smooth.axes[axis][n]).toBeCloseTo(exact[n].mean, 6);
        expect(smooth.deviation[n]).toBeCloseTo(exact[n].deviation, 6);
      });
    }
  });
});

test("the fit finds the law that tracks were drawn by, also where frames are missed", () => {
  const paths = Array.from({ length: 60 }, (_, n) => drawn(n, 50, law, (frame) => (frame * 7 + n) % 5 !== 0));
  const found = fitVelocityLaw(paths) as VelocityLaw;
  expect(found.memory / law.memory).toBeCloseTo(1, 0);
  expect(Math.sqrt(found.variance / law.variance)).toBeCloseTo(1, 1);
  expect(Math.sqrt(found.noise / law.noise)).toBeCloseTo(1, 1);
  // No drift is known better than velocities that are forgotten after 5 frames let it be.
  expect(Math.abs(found.drift[0] - law.drift[0])).toBeLessThan(0.4);
  expect(found).not.toEqual(fitVelocityLaw(paths.slice(1)));
});

test("targets that stand stay where they are, exact straight lines too, and two detections are too few", () => {
  const frame = [0, 1, 2, 5];
  const still = {
    frame,
    axes: [
      [1, 1, 1, 1],
      [2, 2, 2, 2],
    ],
  };
  const line = {
    frame,
    axes: [
      [1, 2, 3, 6],
      [0, 0, 0, 0],
    ],
  };
  for (const path of [still, line]) {
    const smooth = smoothPath(fitVelocityLaw([path]) as VelocityLaw, path);
    expect([...smooth.axes[0]]).toEqual([0, 1, 2, 3, 4, 5].map((n) => expect.closeTo(path === still ? 1 : 1 + n, 9)));
    expect([...smooth.measured]).toEqual([1, 1, 1, 0, 0, 1]);
  }
  expect(
    fitVelocityLaw([
      {
        frame: [0, 1],
        axes: [
          [1, 2],
          [3, 4],
        ],
      },
    ]),
  ).toBeNull();
});
