import { describe, expect, test } from "vitest";
import { strongestPlaces } from "../../../src/core/keypoints.js";
import { detectSift } from "../../../src/pixels/features/sift/gpu-sift.js";
import { SIFT_DEFAULTS } from "../../../src/pixels/features/sift/sift.js";
import { blur } from "../../../src/pixels/gaussian.js";
import type { GreyImage } from "../../../src/pixels/image.js";
import { type Blob, blobImage, drawn, scatteredBlobs } from "./images.js";

const cpu = { device: null };
const texture = blobImage(96, 80, scatteredBlobs(120, 96, 80, 1.2, 6));

describe("isolated blobs", () => {
  const blobs: Blob[] = Array.from({ length: 9 }, (_, k) => ({
    x: 50 + 100 * (k % 3) + [0.31, -0.42, 0.17][k % 3],
    y: 50 + 100 * Math.floor(k / 3) + [-0.23, 0.08, 0.44][Math.floor(k / 3)],
    sigma: 1.5 * 6 ** (k / 8),
    height: k % 2 === 0 ? 60 : -60,
  }));

  test("are found where they are, at 2^(-1/6) of their σ", async () => {
    const { keypoints } = await detectSift(blobImage(300, 300, blobs), SIFT_DEFAULTS, cpu);
    const found = blobs.map((blob) => {
      const errors = Array.from(keypoints.x, (x, k) => Math.hypot(x - blob.x, keypoints.y[k] - blob.y));
      const nearest = errors.indexOf(Math.min(...errors));
      return { error: errors[nearest], ratio: keypoints.sigma[nearest] / blob.sigma };
    });
    for (const { error, ratio } of found) {
      expect(error).toBeLessThan(0.15);
      expect(Math.abs(ratio - 2 ** (-1 / 6))).toBeLessThan(0.05);
    }
    expect(found.reduce((sum, { ratio }) => sum + ratio, 0) / found.length).toBeCloseTo(2 ** (-1 / 6) - 0.01, 2);
  });

  test("without a parabola their places are the pixels'", async () => {
    const { keypoints } = await detectSift(blobImage(300, 300, blobs), { ...SIFT_DEFAULTS, subpixel: false }, cpu);
    expect(keypoints.x.length).toBeGreaterThan(8);
    expect(keypoints.x.every((x) => Number.isInteger(2 * x))).toBe(true);
  });
});

/** Keypoints of `a` that have one in `b` where `map` takes them, with the descriptors' distance. */
function common(a: GreyImage, b: GreyImage, map: (x: number, y: number, angle: number) => [number, number, number]) {
  return Promise.all([a, b].map((image) => detectSift(image, SIFT_DEFAULTS, cpu))).then(([one, two]) => {
    const [p, q] = [one.keypoints, two.keypoints];
    const distances: number[] = [];
    for (let k = 0; k < p.x.length; k++) {
      const [x, y, angle] = map(p.x[k], p.y[k], p.angle[k]);
      for (let l = 0; l < q.x.length; l++) {
        const turn = Math.abs(Math.sin((angle - q.angle[l]) / 2));
        const near = Math.hypot(x - q.x[l], y - q.y[l]) < 0.05 && turn < 0.02;
        if (!near || Math.abs(p.sigma[k] / q.sigma[l] - 1) > 0.01) continue;
        const difference = p.descriptors
          .subarray(128 * k, 128 * k + 128)
          .map((d, n) => Math.abs(d - q.descriptors[128 * l + n]));
        distances.push(Math.hypot(...difference));
        break;
      }
    }
    return { of: p.x.length, distances };
  });
}

describe("the same keypoints", () => {
  test("with the same descriptors after a shift by whole pixels, a multiple of the last octave's", async () => {
    const wide = (dx: number) => blobImage(160, 80, scatteredBlobs(120, 96, 80, 1.2, 6), dx);
    const { of, distances } = await common(wide(16), wide(48), (x, y, angle) => [x + 32, y, angle]);
    expect(of).toBeGreaterThan(40);
    expect(distances.length).toBeGreaterThan(0.95 * of);
    // Windows that reach over the border differ.
    expect([...distances].sort((a, b) => a - b)[Math.floor(0.8 * distances.length)]).toBeLessThan(5);
  });

  test("with half the contrast, at half the threshold", async () => {
    const { pixels, width, height } = texture;
    const half = { width, height, pixels: pixels.map((value) => 64 + value / 2) };
    const [all, same] = await Promise.all([
      detectSift(texture, SIFT_DEFAULTS, cpu),
      detectSift(half, { ...SIFT_DEFAULTS, peak: 0.02 }, cpu),
    ]);
    expect(same.keypoints.x.length).toBe(all.keypoints.x.length);
    const differing = same.keypoints.descriptors.filter((d, k) => Math.abs(d - all.keypoints.descriptors[k]) > 1);
    expect(differing.length).toBe(0);
  });

  test("of the negative image, up to half a turn", async () => {
    const negative = { ...texture, pixels: texture.pixels.map((value) => 256 - value) };
    const { of, distances } = await common(texture, negative, (x, y, angle) => [x, y, angle + Math.PI]);
    expect(distances.length).toBeGreaterThan(0.9 * of);
  });
});

test("descriptors have norm 512 but for rounding, angles lie in 0…2π, places lie in the image", async () => {
  const { keypoints, counts } = await detectSift(texture, SIFT_DEFAULTS, { device: null, stages: true });
  const { x, y, angle, sigma, place, descriptors } = keypoints;
  expect(counts.keypoints).toBe(x.length);
  const order = [counts.extrema, counts.softThreshold, counts.interpolated, counts.threshold, counts.edge];
  expect([...order].sort((a, b) => b - a)).toEqual(order);
  expect(new Set(place).size).toBeLessThanOrEqual(counts.edge);
  for (let k = 0; k < x.length; k++) {
    const norm = Math.hypot(...descriptors.subarray(128 * k, 128 * k + 128));
    expect(norm).toBeGreaterThan(500);
    expect(norm).toBeLessThanOrEqual(512);
    expect(angle[k] >= 0 && angle[k] <= 2 * Math.PI && sigma[k] > 0.5).toBe(true);
    expect(x[k] >= 0 && x[k] <= 95 && y[k] >= 0 && y[k] <= 79).toBe(true);
  }
});

test("the strongest places keep all their directions", async () => {
  const { keypoints } = await detectSift(texture, SIFT_DEFAULTS, cpu);
  const some = strongestPlaces(keypoints, 10);
  expect(new Set(some.place).size).toBe(10);
  const weakest = Math.min(...some.response.map(Math.abs));
  const stronger = new Set([...keypoints.place].filter((_, k) => Math.abs(keypoints.response[k]) > weakest));
  expect(stronger.size).toBe(9);
});

test("even images of any size have no keypoints", async () => {
  for (const [width, height] of [
    [1, 1],
    [2, 3],
    [5, 40],
    [33, 17],
  ]) {
    const { keypoints } = await detectSift(
      drawn(width, height, () => 9),
      SIFT_DEFAULTS,
      cpu,
    );
    expect(keypoints.x.length).toBe(0);
  }
});

test("a blur is the convolution with a sampled Gaussian, the border repeated", () => {
  const image = drawn(13, 9, (x, y) => (x * 31 + y * 17) % 23);
  const sigma = 1.3;
  const smooth = blur(image, sigma);
  const radius = Math.ceil(4 * sigma);
  for (const [x, y] of [
    [0, 0],
    [6, 4],
    [12, 8],
  ]) {
    let [sum, weights] = [0, 0];
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const weight = Math.exp(-(dx * dx + dy * dy) / (2 * sigma ** 2));
        const [cx, cy] = [Math.min(Math.max(x + dx, 0), 12), Math.min(Math.max(y + dy, 0), 8)];
        sum += weight * image.pixels[cy * 13 + cx];
        weights += weight;
      }
    }
    expect(smooth.pixels[y * 13 + x]).toBeCloseTo(sum / weights, 3);
  }
});
