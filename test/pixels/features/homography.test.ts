import { describe, expect, test, vi } from "vitest";
import { randomStreams } from "../../../src/core/random.js";
import { project } from "../../../src/pixels/features/homography/model.js";
import {
  createGpuRansac,
  findHomography,
  findHomographyOnCpu,
  HomographySearch,
  RANSAC_DEFAULTS,
} from "../../../src/pixels/features/homography/ransac.js";
import { useSoftwareSession } from "../../gpu/software-session.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();

describe("a homography", () => {
  const truth = Float64Array.of(0.9, -0.2, 30, 0.15, 1.1, -20, 3e-4, -2e-4, 1);

  function pairs(n: number, wrong: number, noise: number, seed: number) {
    const stream = randomStreams(seed).next().value;
    const rows = Array.from({ length: n }, (_, k) => {
      const [x, y] = [stream.uniform(0, 500), stream.uniform(0, 400)];
      const right = project(truth, x, y);
      const [u, v] = k < wrong ? [stream.uniform(0, 500), stream.uniform(0, 400)] : right;
      return [x, y, u + noise * stream.normal(), v + noise * stream.normal()];
    });
    const column = (c: number) => rows.map((row) => row[c]);
    return { x: column(0), y: column(1), u: column(2), v: column(3) };
  }

  const corners = [
    [0, 0],
    [500, 0],
    [0, 400],
    [500, 400],
  ];
  const error = (h: Float64Array) =>
    Math.max(...corners.map(([x, y]) => Math.hypot(...project(h, x, y).map((c, k) => c - project(truth, x, y)[k]))));

  test("is found exactly from exact pairs", () => {
    const found = findHomographyOnCpu(pairs(20, 0, 0, 1), RANSAC_DEFAULTS);
    expect(found?.inliers).toBe(20);
    expect(error(found?.h as Float64Array)).toBeLessThan(1e-6);
  });

  test.each([1, 2, 3, 4, 5])("is found where half of the pairs are wrong, with seed %d", (seed) => {
    const found = findHomographyOnCpu(pairs(200, 100, 0.5, 9), { ...RANSAC_DEFAULTS, seed });
    expect(error(found?.h as Float64Array)).toBeLessThan(1.5);
    expect(found?.inlier.subarray(100).every((one) => one === 1)).toBe(true);
    expect(found?.inlier.subarray(0, 100).reduce((sum, one) => sum + one, 0)).toBeLessThan(10);
  });

  test("is not made up where there is none", () => {
    expect(findHomographyOnCpu(pairs(4, 0, 0, 1), RANSAC_DEFAULTS)).toBeNull();
    const line = { x: [0, 1, 2, 3, 4, 5], y: [0, 1, 2, 3, 4, 5], u: [5, 6, 7, 8, 9, 10], v: [0, 1, 2, 3, 4, 5] };
    expect(findHomographyOnCpu(line, RANSAC_DEFAULTS)).toBeNull();
  });

  test("a device's sums are those of the exact homography of each four", async () => {
    const all = pairs(90, 30, 0.5, 4);
    const exact = { ...all, u: all.u.slice(), v: all.v.slice() };
    const search = new HomographySearch(all, RANSAC_DEFAULTS);
    const samples = [
      [30, 31, 32, 33],
      [40, 50, 60, 70],
      [30, 45, 77, 89],
      ...Array.from({ length: 40 }, () => search.draw()),
    ];
    const gpu = await createGpuRansac(session(), exact);
    const scores = await gpu.score(Uint32Array.from(samples.flat()), search.limit);
    gpu.destroy();
    let compared = 0;
    for (const [k, four] of samples.entries()) {
      const alone = new HomographySearch(all, { ...RANSAC_DEFAULTS, samples: 1 });
      alone.consider(four);
      if (alone.score === Number.POSITIVE_INFINITY) {
        expect(scores[k]).toBeGreaterThan(1e38);
        continue;
      }
      compared++;
      expect(Math.abs(scores[k] - alone.score)).toBeLessThan(1e-3 * search.limit * 90);
    }
    expect(compared).toBeGreaterThan(10);
  });

  test.each([
    [300, 150, 0.5, 1],
    [300, 240, 0.5, 2],
    [120, 20, 0, 3],
    [64, 64, 1, 4],
    [6, 1, 0.2, 5],
  ])(
    "a device finds what the CPU finds, bit by bit: %d pairs, %d of them wrong, σ = %d",
    async (n, wrong, noise, seed) => {
      const given = pairs(n, wrong, noise, seed);
      const options = { ...RANSAC_DEFAULTS, seed, samples: 3000 };
      const found = await findHomography(given, options, { device: session() });
      expect(found).toEqual(findHomographyOnCpu(given, options));
      if (wrong < n / 2) expect(found?.inliers).toBeGreaterThanOrEqual(n - wrong - 3);
    },
  );
});
