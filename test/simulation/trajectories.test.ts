import { createHash } from "node:crypto";
import { corr, mean } from "mathjs";
import { describe, expect, test } from "vitest";
import type { Detections } from "../../src/core/detections.js";
import { InputError } from "../../src/core/errors.js";
import { randomStreams } from "../../src/core/random.js";
import type { SimulationParameters } from "../../src/simulation/parameters.js";
import { pathAt, polynomialPath } from "../../src/simulation/path.js";
import { simulate, simulateOnThreads, trajectory, walk } from "../../src/simulation/trajectories.js";

const silent = { position: 0, velocity: 0 };

/** Detections of each target in order of time. */
function tracksOf({ target }: { target: Int32Array | null }, targets: number): number[][] {
  const tracks: number[][] = Array.from({ length: targets }, () => []);
  target?.forEach((n, detection) => {
    tracks[n].push(detection);
  });
  return tracks;
}

describe("one target", () => {
  test("walks on its path in equal steps, with tangents of its speed", () => {
    for (let seed = 0; seed < 50; seed++) {
      const path = polynomialPath(3 + (seed % 2), 4, randomStreams(seed).next().value);
      const { x, y, vx, vy } = walk(path, 1.7, 0.9, 60);
      for (let p = 0; p < 60; p++) {
        const at = pathAt(path, x[p]);
        expect(y[p]).toBe(at.y);
        expect(Math.hypot(vx[p], vy[p])).toBeCloseTo(1.7, 12);
        expect(vy[p] / vx[p]).toBeCloseTo(at.slope, 8);
        if (p > 0) expect(Math.hypot(x[p] - x[p - 1], y[p] - y[p - 1])).toBeCloseTo(1.7 * 0.9, 9);
      }
    }
  });

  test("heads anywhere: the angle is uniform", () => {
    const bins = new Array<number>(8).fill(0);
    const level = { targets: 1, frames: 2, amplitude: 0, spread: 0 };
    const streams = randomStreams(5);
    for (let n = 0; n < 4000; n++) {
      const { vx, vy } = trajectory(level, streams.next().value);
      bins[Math.floor(((Math.atan2(vy[0], vx[0]) + Math.PI) / (2 * Math.PI)) * 8) % 8]++;
    }
    // Chi-square with 7 degrees of freedom: 24.3 is its 99.9 % point.
    expect(bins.reduce((s, b) => s + (b - 500) ** 2 / 500, 0)).toBeLessThan(24.3);
  });

  test("starts in the square [0, spread]² when its path starts at 0", () => {
    const streams = randomStreams(6);
    const starts = Array.from({ length: 2000 }, () =>
      trajectory({ targets: 1, frames: 2, amplitude: 0, spread: 2.5 }, streams.next().value),
    );
    for (const axis of ["x", "y"] as const) {
      const values = starts.map((track) => track[axis][0]);
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...values)).toBeLessThan(2.5);
      expect(values.reduce((s, v) => s + v, 0) / 2000).toBeCloseTo(1.25, 1);
    }
  });
});

describe("the scene", () => {
  for (const path of ["polynomial", "spline"] as const) {
    test(`${path}: every target is seen once a frame, steps V δt apart with V in range`, () => {
      const detections = simulate({ targets: 20, frames: 30, path, timeStep: 0.5, noise: silent }, 7);
      const { x, y, vx, vy } = detections;
      const speeds = tracksOf(detections, 20).map((track) => {
        expect(track.map((d) => Math.floor(d / 20))).toEqual(Array.from({ length: 30 }, (_, p) => p));
        const speed = Math.hypot(vx?.[track[0]] ?? 0, vy?.[track[0]] ?? 0);
        for (let p = 1; p < 30; p++) {
          const [a, b] = [track[p - 1], track[p]];
          expect(Math.hypot(x[b] - x[a], y[b] - y[a])).toBeCloseTo(speed * 0.5, 9);
          expect(Math.hypot(vx?.[b] ?? 0, vy?.[b] ?? 0)).toBeCloseTo(speed, 9);
        }
        return speed;
      });
      expect(Math.min(...speeds)).toBeGreaterThanOrEqual(1);
      expect(Math.max(...speeds)).toBeLessThan(2);
      expect(Math.max(...speeds) - Math.min(...speeds)).toBeGreaterThan(0.5);
    });
  }

  test("noise has the stated spread, on positions and on velocities apart", () => {
    const scene = { targets: 40, frames: 50 };
    const truth = simulate({ ...scene, noise: silent }, 8);
    const seen = simulate({ ...scene, noise: { position: 0.3, velocity: 0.05 } }, 8);
    expect(seen.target).toEqual(truth.target);
    const rms = (a: Float64Array | null, b: Float64Array | null) => {
      const differences = Array.from(a ?? [], (v, i) => v - (b?.[i] ?? 0));
      return Math.sqrt(differences.reduce((s, v) => s + v * v, 0) / 2000);
    };
    expect(rms(seen.x, truth.x) / 0.3).toBeCloseTo(1, 1);
    expect(rms(seen.y, truth.y) / 0.3).toBeCloseTo(1, 1);
    expect(rms(seen.vx, truth.vx) / 0.05).toBeCloseTo(1, 1);
    expect(rms(seen.vy, truth.vy) / 0.05).toBeCloseTo(1, 1);
  });

  test("a target's track depends on neither the number of targets nor that of frames", () => {
    const positions = (targets: number, frames: number) => {
      const detections = simulate({ targets, frames }, 9);
      return tracksOf(detections, targets).map((track) => track.slice(0, 10).map((d) => detections.x[d]));
    };
    expect(positions(25, 12).slice(0, 10)).toEqual(positions(10, 20));
  });

  test("each frame is shuffled on its own", () => {
    const { target } = simulate({ targets: 30, frames: 10 }, 10);
    const orders = Array.from({ length: 10 }, (_, p) => target?.slice(30 * p, 30 * p + 30).join());
    expect(new Set(orders).size).toBe(10);
  });
});

describe("the seed", () => {
  const hash = (parameters: SimulationParameters, seed: number) => {
    const { x, y, vx, vy, target } = simulate(parameters, seed);
    const sha = createHash("sha256");
    for (const values of [x, y, vx, vy, target]) sha.update(new Uint8Array(values?.buffer ?? new ArrayBuffer(0)));
    return sha.digest("hex").slice(0, 16);
  };

  test("gives the same bytes on every machine", () => {
    expect(hash({ targets: 50, frames: 50 }, 1)).toMatchInlineSnapshot(`"444a88575e01161f"`);
    expect(
      hash({ targets: 20, frames: 30, degree: 4, noise: { position: 0.2, velocity: 0.1 } }, 2),
    ).toMatchInlineSnapshot(`"0562060c35a3c64f"`);
    expect(hash({ targets: 20, frames: 30, path: "spline" }, 4294967295)).toMatchInlineSnapshot(`"f0336ee1d6108422"`);
  });

  test("matters, and neighbouring seeds are unlike", () => {
    const speeds = Array.from({ length: 500 }, (_, seed) => {
      const { vx, vy } = simulate({ targets: 1, frames: 2, noise: silent }, seed);
      return Math.hypot(vx?.[0] ?? 0, vy?.[0] ?? 0);
    });
    expect(mean(speeds)).toBeCloseTo(1.5, 1);
    expect(Math.abs(Number(corr(speeds.slice(1), speeds.slice(0, -1))))).toBeLessThan(0.15);
  });

  test("must be a 32-bit integer, and parameters in range", () => {
    expect(() => simulate({ targets: 2, frames: 2 }, 1.5)).toThrow(InputError);
    expect(() => simulate({ targets: 2, frames: 2 }, -1)).toThrow(/seed -1/);
    expect(() => simulate({ targets: 0, frames: 2 }, 1)).toThrow(/targets is 0/);
    expect(() => simulate({ targets: 2, frames: 1 }, 1)).toThrow(/frames is 1/);
    expect(() => simulate({ targets: 2, frames: 2, speed: [2, 1] }, 1)).toThrow(/greatest speed is 1/);
    expect(() => simulate({ targets: 2, frames: 2, noise: { position: Number.NaN, velocity: 0 } }, 1)).toThrow(/NaN/);
  });
});

test("the detections are the same on any number of threads", async () => {
  const parameters = { targets: 1001, frames: 100 };
  const bytes = ({ x, y, vx, vy, target }: Detections) =>
    [x, y, vx, vy, target].map((values) => Buffer.from((values as Float64Array).buffer));
  const alone = bytes(simulate(parameters, 3));
  for (const threads of [2, 5]) {
    const together = bytes(await simulateOnThreads(parameters, 3, threads));
    expect(together.map((values, n) => values.equals(alone[n]))).toEqual([true, true, true, true, true]);
  }
});
