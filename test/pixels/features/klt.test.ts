import { describe, expect, test } from "vitest";
import { detectCorners, KLT_SELECTION_DEFAULTS } from "../../../src/pixels/features/corners.js";
import { AFFINE_DEFAULTS, checkAffine, fitAffine, UNDEFORMED } from "../../../src/pixels/features/klt-affine.js";
import { KLT_DEFAULTS, KLT_LEVELS, KLT_STATUS } from "../../../src/pixels/features/klt-options.js";
import { kltPyramid, trackKltBothWays, trackKltOnCpu } from "../../../src/pixels/features/klt-track.js";
import type { GreyImage } from "../../../src/pixels/image.js";
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

describe("light that changes by a factor and an offset", () => {
  const lit = ({ pixels, ...size }: typeof first) => ({ ...size, pixels: pixels.map((value) => 1.3 * value - 20) });

  test("moves no point, and is no residual, where it is allowed for; it misleads most points where it is not", async () => {
    const points = await pointsInside(3.3, -2.7);
    const moved = blobImage(...SIZE, blobs, 3.3, -2.7);
    const [a, b, c] = [first, moved, lit(moved)].map((image) => kltPyramid(image, KLT_LEVELS));
    for (const symmetric of [false, true]) {
      const options = { ...KLT_DEFAULTS, light: true, symmetric };
      const found = trackKltBothWays(a, c, points, options);
      const same = trackKltBothWays(a, b, points, options);
      for (const k of points.x.keys()) {
        expect(found.status[k]).toBe(KLT_STATUS.tracked);
        expect(Math.hypot(found.x[k] - points.x[k] - 3.3, found.y[k] - points.y[k] + 2.7)).toBeLessThan(0.08);
        expect(Math.hypot(found.x[k] - same.x[k], found.y[k] - same.y[k])).toBeLessThan(0.04);
        expect(found.residual[k]).toBeLessThan(2);
      }
    }
    const misled = trackKltBothWays(a, c, points, KLT_DEFAULTS);
    const wrong = [...points.x.keys()].filter(
      (k) => Math.hypot(misled.x[k] - points.x[k] - 3.3, misled.y[k] - points.y[k] + 2.7) > 0.5,
    );
    expect(wrong.length).toBeGreaterThan(points.x.length / 2);
  });

  test("makes no point dissimilar", async () => {
    const points = await pointsInside(0, 0);
    const tracks = trackKltOnCpu(
      ...([first, first].map((image) => kltPyramid(image, 1)) as [GreyImage[], GreyImage[]]),
      points,
      KLT_DEFAULTS,
    );
    const dissimilar = async (light: boolean) => {
      const { status } = await checkAffine(points, tracks, 5, (starts) =>
        starts.map((start) => fitAffine(first, lit(first), start, { ...AFFINE_DEFAULTS, light })),
      );
      return status.filter((one) => one !== 0).length;
    };
    expect(await dissimilar(true)).toBe(0);
    expect(await dissimilar(false)).toBeGreaterThan(points.x.length / 2);
  });
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

describe("the affine check", () => {
  const [cos, sin] = [1.06 * Math.cos(0.1), 1.06 * Math.sin(0.1)];
  /** The first image turned and grown about (100, 80), with a flat patch over what was there at (60, 60). */
  const turned = drawn(...SIZE, (x, y) => {
    if (Math.hypot(x - 60, y - 60) < 9) return 128 + 60 * Math.sign(Math.sin(x) * Math.sin(1.3 * y));
    const [dx, dy] = [x - 100, y - 80];
    const [u, v] = [100 + (cos * dx + sin * dy) / 1.06 ** 2, 80 + (-sin * dx + cos * dy) / 1.06 ** 2];
    return blobs.reduce(
      (sum, b) => sum + b.height * Math.exp(-((u - b.x) ** 2 + (v - b.y) ** 2) / (2 * b.sigma ** 2)),
      128,
    );
  });
  const moved = (x: number, y: number) =>
    [100 + cos * (x - 100) - sin * (y - 80), 80 + sin * (x - 100) + cos * (y - 80)] as const;

  test("the fit finds the turn and the growth, and the place", () => {
    for (const [x, y] of [
      [110, 90],
      [92, 71],
      [120, 60],
    ] as const) {
      const [u, v] = moved(x, y);
      const fit = fitAffine(first, turned, { from: [x, y], to: [u + 0.8, v - 0.6], a: UNDEFORMED }, AFFINE_DEFAULTS);
      expect(Math.hypot((fit?.x ?? 0) - u, (fit?.y ?? 0) - v)).toBeLessThan(0.05);
      for (const [k, value] of [cos, -sin, sin, cos].entries()) expect(fit?.a[k]).toBeCloseTo(value, 1.5);
      expect(fit?.residual).toBeLessThan(1);
    }
  });

  test("a point that something else covers is dissimilar, and the others stay", async () => {
    const points = { x: Float32Array.of(110, 92, 61), y: Float32Array.of(90, 71, 61) };
    const places = [moved(110, 90), moved(92, 71), [60, 60] as const];
    const tracks = {
      x: Float32Array.from(places, ([x]) => x),
      y: Float32Array.from(places, ([, y]) => y),
      status: new Uint8Array(3),
      residual: new Float32Array(3),
      lastStep: new Float32Array(3),
      iterations: new Uint32Array(3),
    };
    const { status } = await checkAffine(points, tracks, 5, (starts) =>
      starts.map((start) => fitAffine(first, turned, start, AFFINE_DEFAULTS)),
    );
    expect([...status]).toEqual([KLT_STATUS.tracked, KLT_STATUS.tracked, KLT_STATUS.dissimilar]);
  });
});
