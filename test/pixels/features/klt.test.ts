import { describe, expect, test } from "vitest";
import { KLT_SELECTION_DEFAULTS } from "../../../src/pixels/features/corners.js";
import { detectCorners } from "../../../src/pixels/features/detect-corners.js";
import { kltPyramid } from "../../../src/pixels/features/klt-pyramid.js";
import {
  KLT_DEFAULTS,
  KLT_LEVELS,
  KLT_STATUS,
  trackKltBothWays,
  trackKltOnCpu,
} from "../../../src/pixels/features/klt-track.js";
import { blobImage, drawn, scatteredBlobs } from "./images.js";

const SIZE = [200, 160] as const;
const blobs = scatteredBlobs(150, ...SIZE, 1.2, 8);
const first = blobImage(...SIZE, blobs);

async function pointsInside(dx: number, dy: number) {
  const { corners } = await detectCorners(first, { ...KLT_SELECTION_DEFAULTS, most: 100 }, { device: null });
  const kept = [...corners.x.keys()].filter((k) => {
    const inside = (x: number, y: number) => x > 20 && y > 20 && x < SIZE[0] - 20 && y < SIZE[1] - 20;
    return inside(corners.x[k], corners.y[k]) && inside(corners.x[k] + dx, corners.y[k] + dy);
  });
  return { x: Float32Array.from(kept, (k) => corners.x[k]), y: Float32Array.from(kept, (k) => corners.y[k]) };
}

describe("a known shift", () => {
  test.each([
    [0.25, 0, false],
    [3.3, -2.7, false],
    [12.6, 7.4, false],
    [3.3, -2.7, true],
  ])("of (%d, %d), symmetric: %s", async (dx, dy, symmetric) => {
    const points = await pointsInside(dx, dy);
    const [a, b] = [first, blobImage(...SIZE, blobs, dx, dy)].map((image) => kltPyramid(image, KLT_LEVELS));
    const found = trackKltBothWays(a, b, points, { ...KLT_DEFAULTS, symmetric });
    expect(points.x.length).toBeGreaterThan(30);
    let squares = 0;
    for (let k = 0; k < points.x.length; k++) {
      expect(found.status[k]).toBe(KLT_STATUS.tracked);
      expect(found.iterations[k]).toBeLessThanOrEqual(KLT_LEVELS * KLT_DEFAULTS.iterations);
      squares += (found.x[k] - points.x[k] - dx) ** 2 + (found.y[k] - points.y[k] - dy) ** 2;
    }
    expect(Math.sqrt(squares / points.x.length)).toBeLessThan(0.02);
  });
});

test("without a shift nothing moves and nothing is left over", async () => {
  const points = await pointsInside(0, 0);
  const pyramid = kltPyramid(first, KLT_LEVELS);
  const found = trackKltOnCpu(pyramid, pyramid, points, KLT_DEFAULTS);
  expect(found.x).toEqual(points.x);
  expect(found.residual.every((residual) => residual === 0)).toBe(true);
});

test("points on even ground are lost and say why; so are those outside", () => {
  const even = kltPyramid(
    drawn(64, 64, () => 100),
    3,
  );
  const points = { x: Float32Array.of(32, 500), y: Float32Array.of(32, 500) };
  const found = trackKltOnCpu(even, even, points, KLT_DEFAULTS);
  expect([...found.status]).toEqual([KLT_STATUS.flat, KLT_STATUS.outside]);
});

test("the check both ways refuses points whose place is covered", async () => {
  const points = await pointsInside(2, 1);
  const moved = blobImage(...SIZE, blobs, 2, 1);
  // Half of the image shows something else.
  const noise = (x: number, y: number) =>
    255 * ((x * 0.7548776662466927 + y * 0.5698402909980532 + ((x * y) % 7) / 7) % 1);
  const covered = drawn(...SIZE, (x, y) => (x < 100 ? moved.pixels[y * SIZE[0] + x] : noise(x, y)));
  const [a, b] = [kltPyramid(first, KLT_LEVELS), kltPyramid(covered, KLT_LEVELS)];
  const error = (x: Float32Array, y: Float32Array, k: number) =>
    Math.hypot(x[k] - points.x[k] - 2, y[k] - points.y[k] - 1);
  const wrong = (status: Uint8Array, x: Float32Array, y: Float32Array) =>
    [...status.keys()].filter((k) => status[k] === KLT_STATUS.tracked && error(x, y, k) > 1).length;
  const oneWay = trackKltOnCpu(a, b, points, KLT_DEFAULTS);
  const bothWays = trackKltBothWays(a, b, points, KLT_DEFAULTS);
  expect(wrong(bothWays.status, bothWays.x, bothWays.y)).toBeLessThan(wrong(oneWay.status, oneWay.x, oneWay.y) / 2);
});
