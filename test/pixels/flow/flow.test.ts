import { describe, expect, it } from "vitest";
import type { FlowField } from "../../../src/core/flow-field.js";
import { computeFlow, computeFlows } from "../../../src/pixels/flow/flow.js";
import { iterate } from "../../../src/pixels/flow/iterate.js";
import { FLOW_PRESETS, type FlowOptions } from "../../../src/pixels/flow/options.js";
import type { GreyImage } from "../../../src/pixels/image.js";
import { cpu, madePair } from "./images.js";

const paper: FlowOptions = { ...FLOW_PRESETS.paper, iterations: 20 };
const zeros = (n: number) => new Float32Array(n);
const longest = ({ u, v }: FlowField) => u.reduce((most, x, i) => Math.max(most, Math.hypot(x, v[i])), 0);

describe("what must hold of any pair", () => {
  it.each(["paper", "quality"] as const)("identical images do not move, %s preset", async (preset) => {
    const { first } = madePair("turn", 3, 96, 80);
    expect(longest(await computeFlow(first, first, { ...FLOW_PRESETS[preset], iterations: 10 }, cpu()))).toBeLessThan(
      1e-6,
    );
  });

  it("swapped axes swap the components", async () => {
    const { first, second } = madePair("turn", 2, 90, 70);
    const swapped = ({ width, height, pixels }: GreyImage): GreyImage => ({
      width: height,
      height: width,
      pixels: pixels.map((_, i) => pixels[(i % height) * width + Math.floor(i / height)]),
    });
    const flow = await computeFlow(first, second, paper, cpu());
    const other = await computeFlow(swapped(first), swapped(second), paper, cpu());
    const u = swapped({ ...flow, pixels: flow.u }).pixels;
    const v = swapped({ ...flow, pixels: flow.v }).pixels;
    expect(Math.max(...other.u.map((x, i) => Math.abs(x - v[i])))).toBeLessThan(1e-3);
    expect(Math.max(...other.v.map((x, i) => Math.abs(x - u[i])))).toBeLessThan(1e-3);
  });

  it("brightness and contrast common to both images do not matter", async () => {
    const { first, second } = madePair("turn", 2, 64, 64);
    const other = (image: GreyImage) => ({ ...image, pixels: image.pixels.map((grey) => 1000 + 32 * grey) });
    const flow = await computeFlow(first, second, paper, cpu());
    const scaled = await computeFlow(other(first), other(second), paper, cpu());
    expect(Math.max(...scaled.u.map((x, i) => Math.abs(x - flow.u[i])))).toBeLessThan(1e-3);
  });

  it.each([3.4e38, 1e-37])("grey levels from −%s to it are refused: f32 cannot scale them", async (most) => {
    const { first, second } = madePair("turn", 2, 8, 8);
    const ends = ({ pixels, ...size }: GreyImage) => ({ ...size, pixels: pixels.map((x) => (x > 128 ? most : -most)) });
    await expect(computeFlow(ends(first), ends(second), paper, cpu())).rejects.toThrow(/f32 cannot scale/);
  });

  it.each([
    [1, 1],
    [17, 9],
    [1, 40],
    [131, 67],
  ])("%i × %i pixels work, and flat ones", async (width, height) => {
    const { first, second } = madePair("shift", 1, width, height);
    for (const options of [paper, { ...FLOW_PRESETS.quality, warps: 2, iterations: 5 }]) {
      const flow = await computeFlow(first, second, options, cpu());
      expect(flow.u.every(Number.isFinite) && flow.v.every(Number.isFinite)).toBe(true);
      const flat = { width, height, pixels: zeros(width * height).fill(77) };
      expect(longest(await computeFlow(flat, flat, options, cpu()))).toBe(0);
    }
  });

  it("uses fewer levels where a side would fall below 16 px, and says so", async () => {
    const { first, second } = madePair("shift", 1, 100, 40);
    const { levels, iterations } = await computeFlow(first, second, { ...FLOW_PRESETS.quality, iterations: 1 }, cpu());
    expect(levels.map(({ width, height }) => [width, height])).toEqual([
      [100, 40],
      [50, 20],
    ]);
    expect(iterations).toEqual([
      [1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1],
    ]);
  });

  it("a batch gives what its pairs give alone", async () => {
    const pairs = [madePair("turn", 1, 40, 32), madePair("shift", 2, 40, 32)];
    const together = await computeFlows(pairs, paper, cpu());
    const alone = await computeFlow(pairs[1].first, pairs[1].second, paper, cpu());
    expect(together[1].u).toEqual(alone.u);
  });

  it("epsilon stops a warp early, at a multiple of ten", async () => {
    const { first, second } = madePair("shift", 1, 64, 64);
    const { iterations } = await computeFlow(first, second, { ...paper, iterations: 1000, epsilon: 0.01 }, cpu());
    for (const count of iterations.flat()) expect([count % 10, count < 1000]).toEqual([0, true]);
  });

  it("refuses sizes that differ and options out of range", async () => {
    const { first } = madePair("shift", 1, 20, 20);
    const { second } = madePair("shift", 1, 21, 20);
    await expect(computeFlow(first, second, paper, cpu())).rejects.toThrow(/21 × 20 pixels, another 20 × 20/);
    await expect(computeFlow(first, first, { ...paper, tau: 0.3 }, cpu())).rejects.toThrow(/tau: 0.3/);
    await expect(computeFlow(first, first, { ...paper, median: 4 }, cpu())).rejects.toThrow(/median: 4/);
    await expect(computeFlow(first, first, { ...paper, levels: 1.5 }, cpu())).rejects.toThrow(/levels: 1.5/);
  });
});

describe("the iterations", () => {
  const one = (g: readonly [number, number], r: number) => ({
    linear: { residual: Float32Array.of(r), gradientX: Float32Array.of(g[0]), gradientY: Float32Array.of(g[1]) },
    unknowns: {
      width: 1,
      height: 1,
      baseU: zeros(1),
      baseV: zeros(1),
      du: zeros(1),
      dv: zeros(1),
      dual: [zeros(1), zeros(1), zeros(1), zeros(1)] as const,
    },
  });

  it("walk to where the residual is 0, and not away from it as the printed sign would", () => {
    const { linear, unknowns } = one([2, 1], 3);
    iterate(unknowns, linear, paper, "f32", 200);
    expect(unknowns.du[0]).toBeCloseTo(-6 / 5, 5);
    expect(unknowns.dv[0]).toBeCloseTo(-3 / 5, 5);
  });

  it("step by λθ ∇I where that is too far", () => {
    const { linear, unknowns } = one([2, 0], 100);
    iterate(unknowns, linear, paper, "f32", 1);
    expect(unknowns.du[0]).toBeCloseTo(-0.15 * 0.3 * 2, 6);
  });

  it("agree with the equations written out with all their borders", () => {
    const [width, height] = [5, 4];
    const n = width * height;
    const noise = (seed: number, size: number) =>
      Float32Array.from({ length: n }, (_, i) => size * Math.sin(seed + 12.9898 * (i + 1) * seed));
    const linear = { residual: noise(1, 5), gradientX: noise(2, 3), gradientY: noise(3, 3) };
    linear.gradientX[7] = 0;
    linear.gradientY[7] = 0;
    const [baseU, baseV] = [noise(4, 2), noise(5, 2)];
    const dual = [noise(6, 0.5), noise(7, 0.5), noise(8, 0.5), noise(9, 0.5)] as const;
    const unknowns = { width, height, baseU, baseV, du: noise(10, 0.3), dv: noise(11, 0.3), dual };
    const expected = written({
      ...unknowns,
      du: unknowns.du.slice(),
      dv: unknowns.dv.slice(),
      dual: dual.map((p) => p.slice()),
    });
    iterate(unknowns, linear, paper, "f32", 1);
    for (let i = 0; i < n; i++) {
      expect(unknowns.du[i]).toBeCloseTo(expected.u[i] - baseU[i], 5);
      expect(unknowns.dv[i]).toBeCloseTo(expected.v[i] - baseV[i], 5);
      for (let c = 0; c < 4; c++) expect(dual[c][i]).toBeCloseTo(expected.p[c][i], 5);
    }

    function written(s: { du: Float32Array; dv: Float32Array; dual: Float32Array[] }) {
      const { lambda, theta, tau } = paper;
      const at = (a: ArrayLike<number>, x: number, y: number) =>
        x < 0 || y < 0 || x >= width || y >= height ? 0 : a[y * width + x];
      const u = new Float64Array(n);
      const v = new Float64Array(n);
      const p = s.dual.map(() => new Float64Array(n));
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const i = y * width + x;
          const [gx, gy] = [linear.gradientX[i], linear.gradientY[i]];
          const square = gx ** 2 + gy ** 2;
          const rho = linear.residual[i] + gx * s.du[i] + gy * s.dv[i];
          let step: [number, number] = [0, 0];
          if (rho < -lambda * theta * square) step = [lambda * theta * gx, lambda * theta * gy];
          else if (rho > lambda * theta * square) step = [-lambda * theta * gx, -lambda * theta * gy];
          else if (square > 0) step = [(-rho * gx) / square, (-rho * gy) / square];
          // p counts as 0 in the last column along x and in the last row along y only if it starts so: the adjoint is exact then.
          const div = (c: number) =>
            at(s.dual[c], x, y) - at(s.dual[c], x - 1, y) + at(s.dual[c + 1], x, y) - at(s.dual[c + 1], x, y - 1);
          u[i] = baseU[i] + s.du[i] + step[0] + theta * div(0);
          v[i] = baseV[i] + s.dv[i] + step[1] + theta * div(2);
        }
      }
      [u, v].forEach((field, c) => {
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const i = y * width + x;
            const ax = x + 1 < width ? field[i + 1] - field[i] : 0;
            const ay = y + 1 < height ? field[i + width] - field[i] : 0;
            const divisor = 1 + (tau / theta) * Math.hypot(ax, ay);
            p[2 * c][i] = (s.dual[2 * c][i] + (tau / theta) * ax) / divisor;
            p[2 * c + 1][i] = (s.dual[2 * c + 1][i] + (tau / theta) * ay) / divisor;
          }
        }
      });
      return { u, v, p };
    }
  });
});
