import { expect, test } from "vitest";
import { axesOf, distanceBetween } from "../../src/core/detections.js";
import { randomStreams } from "../../src/core/random.js";
import type { SimulationParameters } from "../../src/simulation/parameters.js";
import { simulate, trajectory } from "../../src/simulation/trajectories.js";

const still = { position: 0, velocity: 0 };

/** Detections of each target in order of time. */
function tracksOf({ target }: ReturnType<typeof simulate>): number[][] {
  const tracks = new Map<number, number[]>();
  target?.forEach((n, d) => {
    if (n >= 0) tracks.set(n, [...(tracks.get(n) ?? []), d]);
  });
  return [...tracks.values()];
}

test.each([undefined, { turns: 0.3 }])("targets walk in space at constant speed, with faults %o", (faults) => {
  const parameters: SimulationParameters = {
    targets: 9,
    frames: 30,
    dimensions: 3,
    timeStep: 0.5,
    noise: still,
    faults,
  };
  const drawn = simulate(parameters, 3);
  const { vx, vy, z, vz = new Float64Array(0) } = drawn;
  const distance = distanceBetween(drawn, drawn);
  for (const track of tracksOf(drawn)) {
    const speeds = track.map((d) => Math.hypot(vx?.[d] ?? 0, vy?.[d] ?? 0, vz[d]));
    expect(Math.max(...speeds)).toBeCloseTo(Math.min(...speeds), 9);
    track.slice(1).forEach((d, n) => {
      expect(distance(track[n], d)).toBeCloseTo(0.5 * speeds[0], 9);
    });
  }
  expect(z?.length).toBe(270);
});

test("a target heads in any direction of space", () => {
  const streams = randomStreams(5);
  const bins = [0, 1, 2].map(() => new Array<number>(8).fill(0));
  for (let n = 0; n < 4000; n++) {
    const {
      vx,
      vy,
      vz = vx,
    } = trajectory({ targets: 1, frames: 2, dimensions: 3, amplitude: 0, speed: [1, 1] }, streams.next().value);
    // Of a point on the sphere each coordinate is uniform.
    for (const [axis, along] of [vx, vy, vz].entries()) bins[axis][Math.floor(4 * (along[0] + 1))]++;
  }
  // Chi-square with 7 degrees of freedom: 24.3 is its 99.9 % point.
  for (const counts of bins) expect(counts.reduce((sum, b) => sum + (b - 500) ** 2 / 500, 0)).toBeLessThan(24.3);
});

test("noise is the same on each axis, and false detections fill the box", () => {
  const base: SimulationParameters = { targets: 100, frames: 40, dimensions: 3, spread: 50, noise: still };
  const [quiet, noisy] = [still, { position: 0.2, velocity: 0 }].map((noise) => simulate({ ...base, noise }, 7));
  axesOf(noisy).forEach((axis, n) => {
    const deviations = axis.map((value, d) => value - axesOf(quiet)[n][d]);
    const variance = deviations.reduce((sum, off) => sum + off * off, 0) / deviations.length;
    expect(Math.sqrt(variance)).toBeCloseTo(0.2, 2);
  });
  const cluttered = simulate({ ...base, faults: { clutter: 40, missed: 0.1 } }, 7);
  const { target } = cluttered;
  for (const axis of axesOf(cluttered)) {
    const [real, wrong] = [true, false].map((is) => [...axis].filter((_, d) => (target?.[d] ?? -1) >= 0 === is));
    const [low, high] = [Math.min(...real), Math.max(...real)];
    const shares = wrong.map((value) => (value - low) / (high - low));
    expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeCloseTo(0.5, 1);
    expect(Math.max(...shares)).toBeGreaterThan(0.98);
  }
});

test("a target is hidden behind one that is near in space, not behind one that is near in x and y alone", () => {
  const crowd = (spread: number) =>
    simulate(
      { targets: 60, frames: 5, dimensions: 3, amplitude: 0, spread, noise: still, faults: { occlusion: 2 } },
      1,
    );
  const hidden = (spread: number) => 300 - crowd(spread).x.length;
  expect(hidden(2.5)).toBeGreaterThan(150);
  expect(hidden(30)).toBeLessThan(30);
});
