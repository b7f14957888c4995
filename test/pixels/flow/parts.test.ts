import { describe, expect, it } from "vitest";
import { resample, sampleBicubic } from "../../../src/pixels/bicubic.js";
import { sampleFlow } from "../../../src/pixels/flow/at-detections.js";
import { median } from "../../../src/pixels/flow/cpu-flow.js";
import { linearize } from "../../../src/pixels/flow/warp.js";
import { gaussianWeights, smooth } from "../../../src/pixels/gaussian.js";
import { toHalf, toSnorm16 } from "../../../src/pixels/half.js";
import { buildPyramid, pyramidSizes } from "../../../src/pixels/pyramid.js";

const plane = (width: number, height: number, f: (x: number, y: number) => number) => ({
  width,
  height,
  pixels: Float32Array.from({ length: width * height }, (_, i) => f(i % width, Math.floor(i / width))),
});

describe("16-bit numbers", () => {
  /** The value of a binary16 pattern by the standard. */
  const halfOf = (bits: number) => {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    return bits >> 15 ? -size : size;
  };

  it("rounds to the nearest half, ties to even, over all of them", () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const [low, high] = [halfOf(bits), halfOf(bits + 1)];
      const middle = (low + high) / 2;
      if (toHalf(low) !== low || toHalf(-low) !== -low) throw new Error(`${low} is a half`);
      if (toHalf(middle) !== (bits % 2 === 0 ? low : high)) throw new Error(`tie at ${middle}`);
      if (toHalf(low + 0.49 * (high - low)) !== low || toHalf(low + 0.51 * (high - low)) !== high)
        throw new Error(`${low}`);
    }
    expect([toHalf(65519), toHalf(65520), toHalf(-1e9)]).toEqual([65504, Infinity, -Infinity]);
  });

  it("snorm keeps −1, 0 and 1, and clamps", () => {
    expect([-2, -1, 0, 1, 2].map(toSnorm16)).toEqual([-1, -1, 0, 1, 1]);
    for (const x of [0.3, -0.7, 1e-5]) expect(Math.abs(toSnorm16(x) - x)).toBeLessThan(0.5001 / 32767);
  });
});

describe("pieces that others share", () => {
  it("a Gaussian is cut at 5σ, sums to 1, and leaves planes as they are inside", () => {
    expect([gaussianWeights(0.8).length, gaussianWeights(0.6 * Math.sqrt(3)).length]).toEqual([9, 11]);
    const weights = gaussianWeights(1.3);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    expect(weights[weights.length >> 1] / weights[(weights.length >> 1) + 1]).toBeCloseTo(Math.exp(0.5 / 1.3 ** 2), 10);
    const image = plane(30, 20, (x, y) => 3 * x - 2 * y);
    const smoothed = smooth(image, 0.8);
    expect(smoothed.pixels[10 * 30 + 12]).toBeCloseTo(3 * 12 - 2 * 10, 4);
    expect(
      smooth(
        plane(3, 2, () => 7),
        2,
      ).pixels.every((value) => Math.abs(value - 7) < 1e-5),
    ).toBe(true);
  });

  it("bicubic samples pass through pixels, and follow quadratics between them", () => {
    const image = plane(9, 8, (x, y) => 0.5 * x * x - x * y + 2 * y);
    for (const [x, y] of [
      [3, 4],
      [3.25, 4],
      [4.5, 3.75],
    ]) {
      expect(sampleBicubic(image, x, y)).toBeCloseTo(0.5 * x * x - x * y + 2 * y, 4);
    }
    expect(sampleBicubic(image, 0, 0)).toBe(0);
  });

  const noise = (width: number, height: number) =>
    plane(width, height, (x, y) => 100 * Math.sin(91.7 * x + 47.3 * y * y + 0.5));
  const clamp = (k: number, size: number) => Math.min(Math.max(k, 0), size - 1);

  it.each([
    [1, 1],
    [3, 14],
    [9, 2],
    [22, 13],
  ])("smoothing %i × %i pixels is the sum over their neighbours, the border repeated", (width, height) => {
    const { pixels } = noise(width, height);
    const weights = gaussianWeights(1.1);
    const radius = weights.length >> 1;
    const smoothed = smooth({ width, height, pixels }, 1.1);
    smoothed.pixels.forEach((value, i) => {
      let sum = 0;
      weights.forEach((along, k) => {
        weights.forEach((across, m) => {
          const x = clamp((i % width) + k - radius, width);
          sum += along * across * pixels[clamp(Math.floor(i / width) + m - radius, height) * width + x];
        });
      });
      expect(Math.abs(value - sum)).toBeLessThan(1e-4);
    });
  });

  it("an image of another size has the bits of single samples", () => {
    const image = noise(17, 12);
    const [stepX, stepY] = [17 / 29, 12 / 7].map(Math.fround);
    const { pixels } = resample(image, 29, 7, [stepX, stepY], 1.5);
    pixels.forEach((value, i) => {
      const sample = sampleBicubic(image, Math.fround((i % 29) * stepX), Math.fround(Math.floor(i / 29) * stepY));
      expect(value).toBe(Math.fround(1.5 * sample));
    });
  });

  it("linearizes noise as samples of the image and of its slopes, up to the border", () => {
    const [width, height] = [23, 11];
    const [first, second] = [plane(width, height, (x, y) => Math.cos(x * y)), noise(width, height)];
    const at = (x: number, y: number) => second.pixels[clamp(y, height) * width + clamp(x, width)];
    const slopeX = plane(width, height, (x, y) => 0.5 * (at(x + 1, y) - at(x - 1, y)));
    const slopeY = plane(width, height, (x, y) => 0.5 * (at(x, y + 1) - at(x, y - 1)));
    const u = plane(width, height, (x, y) => 3 * Math.sin(5 * x + y)).pixels;
    const v = plane(width, height, (x, y) => 3 * Math.cos(x - 7 * y)).pixels;
    const linear = linearize(first, second, u, v);
    let inside = 0;
    u.forEach((_, i) => {
      const [x, y] = [Math.fround((i % width) + u[i]), Math.fround(Math.floor(i / width) + v[i])];
      const isInside = x >= 0 && x <= width - 1 && y >= 0 && y <= height - 1;
      inside += Number(isInside);
      const expected = [slopeX, slopeY, second].map((image) => (isInside ? sampleBicubic(image, x, y) : 0));
      if (isInside) expected[2] -= first.pixels[i];
      expect(Math.abs(linear.gradientX[i] - expected[0])).toBeLessThan(1e-4);
      expect(Math.abs(linear.gradientY[i] - expected[1])).toBeLessThan(1e-4);
      expect(Math.abs(linear.residual[i] - expected[2])).toBeLessThan(1e-4);
    });
    expect(inside).toBeGreaterThan(150);
  });

  it("sizes of levels", () => {
    const sizes = (width: number, height: number, levels: number) =>
      pyramidSizes({ width, height }, levels, 0.5).map((size) => [size.width, size.height]);
    expect(sizes(641, 479, 3)).toEqual([
      [641, 479],
      [321, 240],
      [161, 120],
    ]);
    expect(sizes(64, 31, 5)).toEqual([
      [64, 31],
      [32, 16],
    ]);
    expect(sizes(3, 2, 5)).toEqual([[3, 2]]);
  });

  it("a level of a plane is the plane at 1/zoom", () => {
    const image = plane(80, 60, (x, y) => 2 * x + y);
    const [, coarse] = buildPyramid(image, pyramidSizes(image, 2, 0.5), 0.5, 0.8);
    expect(coarse.pixels[12 * 40 + 15]).toBeCloseTo(2 * 30 + 24, 3);
  });

  it("linearizes a shifted plane: slope and residual; nothing outside", () => {
    const first = plane(20, 10, (x, y) => 2 * x + 3 * y);
    const n = 200;
    const { residual, gradientX, gradientY } = linearize(
      first,
      first,
      new Float32Array(n).fill(0.5),
      new Float32Array(n),
    );
    const i = 5 * 20 + 10;
    expect([gradientX[i], gradientY[i], residual[i]].map((x) => Math.round(1e4 * x) / 1e4)).toEqual([2, 3, 1]);
    expect([gradientX[19], residual[19]]).toEqual([0, 0]);
  });

  it.each([3, 5])("medians over %i × %i are those of sorting", (side) => {
    const image = plane(11, 7, (x, y) => Math.sin(37 * x + 11 * y * y));
    const out = median(image.pixels, 11, 7, side);
    const clamp = (k: number, most: number) => Math.min(Math.max(k, 0), most);
    const radius = side >> 1;
    for (let y = 0; y < 7; y++) {
      for (let x = 0; x < 11; x++) {
        const values: number[] = [];
        for (let dy = -radius; dy <= radius; dy++) {
          for (let dx = -radius; dx <= radius; dx++)
            values.push(image.pixels[clamp(y + dy, 6) * 11 + clamp(x + dx, 10)]);
        }
        values.sort((a, b) => a - b);
        expect(out[y * 11 + x]).toBe(values[values.length >> 1]);
      }
    }
  });

  it("samples flow at detections: bicubic or median, none outside or without texture", () => {
    const flow = { width: 20, height: 10, u: plane(20, 10, (x) => x).pixels, v: plane(20, 10, () => 2).pixels };
    flow.u[5 * 20 + 4] = 1000;
    const image = plane(20, 10, (x) => (x < 10 ? 5 * x : 45));
    const at = (radius: number) => sampleFlow(flow, image, [8.5, 4, 17, -0.6, 3], [3, 5, 5, 2, 9.5], radius);
    expect(at(0).u[0]).toBeCloseTo(8.5, 5);
    expect(at(0).u[1]).toBe(1000);
    expect(at(1).u[1]).toBe(4);
    expect(at(1).v[1]).toBe(2);
    expect([...at(0).u.slice(2), ...at(3).u.slice(3)]).toEqual(Array(5).fill(Number.NaN));
  });
});
