import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { randomStreams } from "../../src/core/random.js";
import { type Faults, poisson, tailFactor } from "../../src/simulation/faults.js";
import type { SimulationParameters } from "../../src/simulation/parameters.js";
import { simulate } from "../../src/simulation/trajectories.js";

const still = { position: 0, velocity: 0 };
const scene = (faults: Faults, more: Partial<SimulationParameters> = {}, seed = 3) =>
  simulate({ targets: 200, frames: 50, spread: 100, noise: still, faults, ...more }, seed);

/** Detections of each target in order of time, with their frames. */
function tracksOf({ target, frameStart, frames }: ReturnType<typeof simulate>): Map<number, [number, number][]> {
  const tracks = new Map<number, [number, number][]>();
  for (let p = 0; p < frames; p++) {
    for (let d = frameStart[p]; d < frameStart[p + 1]; d++) {
      const n = (target as Int32Array)[d];
      tracks.set(n, [...(tracks.get(n) ?? []), [p, d]]);
    }
  }
  return tracks;
}

/** Within five standard deviations of a mean. */
const near = (seen: number, mean: number, variance: number) =>
  expect(Math.abs(seen - mean)).toBeLessThan(5 * Math.sqrt(variance));

describe("faults of a simulation", () => {
  test("with all at 0 the targets and their measurements are those of a simulation without", () => {
    const noise = { position: 0.1, velocity: 0.2 };
    const [plain, faulty] = [undefined, {}].map((faults) => simulate({ targets: 7, frames: 9, noise, faults }, 5));
    expect(faulty).toEqual(plain);
  });

  test("misses: as many as the probability says, independent from frame to frame, and nested as it grows", () => {
    const seen = scene({ missed: 0.2 });
    near(seen.x.length, 0.8 * 10_000, 0.16 * 10_000);
    // Runs of misses between detections are geometric: pairs of misses in a row are 0.2² of all.
    const gaps = [...tracksOf(seen).values()].flatMap((own) => own.slice(1).map(([p], n) => p - own[n][0]));
    near(gaps.filter((gap) => gap === 2).length / gaps.length, 0.2 * 0.8, (0.16 * (1 - 0.16)) / gaps.length);
    const more = new Set(Array.from(scene({ missed: 0.3 }).x));
    const less = new Set(Array.from(seen.x));
    expect([...more].every((x) => less.has(x))).toBe(true);
  });

  test("clutter: Poisson a frame, uniform in the box of the targets, and no target", () => {
    const seen = scene({ clutter: 30 });
    const clutter = Array.from(seen.x.keys()).filter((d) => (seen.target as Int32Array)[d] === -1);
    near(clutter.length, 1500, 1500);
    const perFrame = Array.from(
      { length: 50 },
      (_, p) => clutter.filter((d) => d >= seen.frameStart[p] && d < seen.frameStart[p + 1]).length,
    );
    const variance = perFrame.reduce((sum, n) => sum + (n - 30) ** 2, 0) / 50;
    expect(variance).toBeGreaterThan(15);
    expect(variance).toBeLessThan(55);
    const real = Array.from(seen.x).filter((_, d) => (seen.target as Int32Array)[d] >= 0);
    const [left, right] = [Math.min(...real), Math.max(...real)];
    const shares = clutter.map((d) => (seen.x[d] - left) / (right - left));
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    near(shares.reduce((sum, s) => sum + s, 0) / shares.length, 0.5, 1 / 12 / shares.length);
  });

  test("births and deaths: the mean number there is N (1 − p)^k + b (1 − (1 − p)^k)/p", () => {
    const [b, p] = [4, 0.1];
    const counts = new Float64Array(50);
    const runs = 20;
    for (let seed = 0; seed < runs; seed++) {
      const { frameStart } = scene({ births: b, deaths: p }, { targets: 60 }, seed);
      for (let k = 0; k < 50; k++) counts[k] += frameStart[k + 1] - frameStart[k];
    }
    for (const k of [0, 1, 5, 20, 49]) {
      const alive = (1 - p) ** k;
      const mean = 60 * alive + (b * (1 - alive)) / p;
      near(counts[k] / runs, mean, mean / runs + 1e-9);
    }
  });

  test("occlusion: none is seen behind a target of a lower number, and all others are", () => {
    const faults = { occlusion: 5 };
    const [all, seen] = [scene({}), scene(faults)];
    expect(seen.x.length).toBeLessThan(all.x.length - 100);
    for (let p = 0; p < 50; p++) {
      const visible = new Set(seen.x.subarray(seen.frameStart[p], seen.frameStart[p + 1]));
      for (let d = all.frameStart[p]; d < all.frameStart[p + 1]; d++) {
        let behind = false;
        for (let e = all.frameStart[p]; e < all.frameStart[p + 1]; e++) {
          const before = (all.target as Int32Array)[e] < (all.target as Int32Array)[d];
          behind ||= before && Math.hypot(all.x[e] - all.x[d], all.y[e] - all.y[d]) < 5;
        }
        expect(visible.has(all.x[d])).toBe(!behind);
      }
    }
  });

  test("tails: the share of deviations beyond R is (1 + R²/νσ²)^(−ν/2)", () => {
    const random = randomStreams(9).next().value;
    for (const tails of [1, 3, 8]) {
      const radii = Array.from({ length: 20_000 }, () => {
        const factor = tailFactor(tails, random);
        return factor * Math.hypot(random.normal(), random.normal());
      });
      for (const radius of [0.5, 2, 6]) {
        const share = (1 + radius ** 2 / tails) ** (-tails / 2);
        near(radii.filter((r) => r > radius).length, 20_000 * share, 20_000 * share * (1 - share));
      }
    }
    // The simulation has them: a deviation of 40 σ is hopeless for a normal law.
    const [clean, heavy] = [scene({}), scene({ tails: 1 }, { noise: { position: 1, velocity: 0 } })];
    const [a, b] = [clean, heavy].map((one) => tracksOf(one));
    const far = [...a].flatMap(([n, own]) =>
      own.filter(
        ([, d], k) =>
          Math.hypot(clean.x[d] - heavy.x[b.get(n)?.[k][1] ?? 0], clean.y[d] - heavy.y[b.get(n)?.[k][1] ?? 0]) > 40,
      ),
    );
    near(far.length, 10_000 * (1 + 1600) ** -0.5, 250);
  });

  test("turns: steps keep their length, and directions k frames apart correlate by (1 − p + p sin(A)/A)^k", () => {
    const [turns, turnAngle] = [0.3, 120];
    const seen = scene({ turns, turnAngle }, { targets: 2000, frames: 8, amplitude: 0, speed: [2, 2] });
    const tracks = [...tracksOf(seen).values()];
    const step = (own: [number, number][], k: number) => [
      seen.x[own[k + 1][1]] - seen.x[own[k][1]],
      seen.y[own[k + 1][1]] - seen.y[own[k][1]],
    ];
    const angle = (turnAngle * Math.PI) / 180;
    for (const k of [1, 3, 6]) {
      const cosines = tracks.map((own) => {
        const [[ax, ay], [bx, by]] = [step(own, 0), step(own, k)];
        expect(Math.hypot(bx, by)).toBeCloseTo(2, 9);
        return (ax * bx + ay * by) / 4;
      });
      near(
        cosines.reduce((sum, c) => sum + c, 0) / 2000,
        (1 - turns + (turns * Math.sin(angle)) / angle) ** k,
        1 / 2000,
      );
    }
    for (const own of tracks.slice(0, 50)) {
      // Velocities point along the next step, as on a straight path without turns.
      const [sx, sy] = step(own, 3);
      expect((seen.vx as Float64Array)[own[3][1]]).toBeCloseTo(sx, 9);
      expect((seen.vy as Float64Array)[own[3][1]]).toBeCloseTo(sy, 9);
    }
  });

  test("the same seed gives the same; without velocities there are none", () => {
    const faults = { missed: 0.1, clutter: 5, births: 2, deaths: 0.05, occlusion: 2, tails: 2, turns: 0.1 };
    expect(scene(faults)).toEqual(scene(faults));
    expect(scene(faults, { velocities: "none" })).toEqual({ ...scene(faults), vx: null, vy: null });
  });

  test("what is out of range is refused by name", () => {
    for (const faults of [
      { missed: 1 },
      { clutter: -1 },
      { tails: 1.5 },
      { turnAngle: 181 },
      { occlusion: Number.NaN },
    ]) {
      expect(() => scene(faults)).toThrow(InputError);
      expect(() => scene(faults)).toThrow(new RegExp(`faults\\.${Object.keys(faults)[0]} is `));
    }
  });
});

test("poisson has the mean and variance of its law", () => {
  const random = randomStreams(2).next().value;
  for (const mean of [0, 0.5, 20]) {
    const drawn = Array.from({ length: 5000 }, () => poisson(mean, random));
    const average = drawn.reduce((sum, n) => sum + n, 0) / 5000;
    expect(Math.abs(average - mean)).toBeLessThanOrEqual(5 * Math.sqrt(mean / 5000));
    const variance = drawn.reduce((sum, n) => sum + (n - average) ** 2, 0) / 5000;
    expect(Math.abs(variance - mean)).toBeLessThanOrEqual(0.15 * mean);
  }
});
