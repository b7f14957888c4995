import { expect, test, vi } from "vitest";
import { detectCorners, HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "../../../src/pixels/features/corners.js";
import { createGpuAffine, createGpuKlt } from "../../../src/pixels/features/klt.js";
import { AFFINE_DEFAULTS, fitAffine, UNDEFORMED } from "../../../src/pixels/features/klt-affine.js";
import { KLT_DEFAULTS } from "../../../src/pixels/features/klt-options.js";
import { kltPyramid, trackKltBothWays } from "../../../src/pixels/features/klt-track.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, drawn, scatteredBlobs, testImage } from "./images.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();

test.each([
  ["Harris's, Gaussian window", { ...HARRIS_DEFAULTS, quality: 1e-4 }],
  ["Harris's, box", { ...HARRIS_DEFAULTS, quality: 1e-4, window: "box3" as const, distance: 4 }],
  ["KLT's", { ...KLT_SELECTION_DEFAULTS, distance: 5 }],
])("corners on the device are the twin's: %s", async (_, options) => {
  const image = testImage();
  const [twin, found] = await Promise.all(
    [null, session()].map((device) => detectCorners(image, options, { device, response: true })),
  );
  expect(twin.corners.x.length).toBeGreaterThan(10);
  const [ours, theirs] = [found.response as Float32Array, twin.response as Float32Array];
  const most = theirs.reduce((a, b) => Math.max(a, b), 0);
  expect(ours.every((value, p) => Math.abs(value - theirs[p]) < 1e-5 * most)).toBe(true);
  const key = ({ corners: { x, y } }: typeof twin) =>
    Array.from(x, (px, k) => [Math.round(px), Math.round(y[k])].join());
  expect(new Set(key(found))).toEqual(new Set(key(twin)));
});

test.each([
  [false, false],
  [true, false],
  [false, true],
  [true, true],
])(
  "tracks on the device are the twin's within 0.01 px, lost points too; light: %s, symmetric: %s",
  async (light, symmetric) => {
    const size = { width: 90, height: 70 };
    const blobs = scatteredBlobs(60, 90, 70, 1.2, 6);
    const [first, moved] = [blobImage(90, 70, blobs), blobImage(90, 70, blobs, 2.3, -1.6)];
    const second = light ? { ...moved, pixels: moved.pixels.map((value) => 1.2 * value - 10) } : moved;
    const { corners } = await detectCorners(first, { ...KLT_SELECTION_DEFAULTS, most: 25 }, { device: null });
    // One far outside, and one where the border cuts the window.
    const points = { x: Float32Array.of(...corners.x, 300, 2), y: Float32Array.of(...corners.y, 300, 3) };
    const options = { ...KLT_DEFAULTS, window: 11, light, symmetric };
    const twin = trackKltBothWays(kltPyramid(first, 3), kltPyramid(second, 3), points, options);
    const klt = await createGpuKlt(session(), size, options, 3);
    const found = await klt.trackBothWays(first, second, points);
    const again = await klt.trackBothWays(first, second, points);
    klt.destroy();
    expect(found.status).toEqual(twin.status);
    expect(again).toEqual(found);
    expect(found.status.filter((status) => status === 0).length).toBeGreaterThan(15);
    // Most take as many steps, which tells the variants apart: their steps differ, their ends hardly.
    const alike = twin.iterations.filter((count, k) => twin.status[k] === 0 && found.iterations[k] === count).length;
    expect(alike).toBeGreaterThan(10);
    for (const [k, status] of twin.status.entries()) {
      if (status !== 0) continue;
      expect(Math.hypot(found.x[k] - twin.x[k], found.y[k] - twin.y[k])).toBeLessThan(0.01);
      expect(Math.abs(found.residual[k] - twin.residual[k])).toBeLessThan(0.01 * Math.max(1, twin.residual[k]));
    }
  },
);

test.each([false, true])("affine fits on the device are the twin's; light: %s", async (light) => {
  const size = { width: 120, height: 90 };
  const blobs = scatteredBlobs(90, 120, 90, 1.5, 5);
  const first = blobImage(120, 90, blobs);
  const [cos, sin] = [1.06 * Math.cos(0.1), 1.06 * Math.sin(0.1)];
  /** Where a place of the first image is in the second, and the other way round. */
  const moved = (x: number, y: number) => [62 + cos * (x - 60) - sin * (y - 45), 44 + sin * (x - 60) + cos * (y - 45)];
  const second = drawn(120, 90, (u, v) => {
    const [dx, dy] = [(u - 62) / 1.06 ** 2, (v - 44) / 1.06 ** 2];
    const [x, y] = [60 + cos * dx + sin * dy, 45 - sin * dx + cos * dy];
    const seen = blobs.reduce(
      (sum, b) => sum + b.height * Math.exp(-((x - b.x) ** 2 + (y - b.y) ** 2) / (2 * b.sigma ** 2)),
      128,
    );
    return light ? 1.2 * seen - 10 : seen;
  });
  const { corners } = await detectCorners(first, { ...KLT_SELECTION_DEFAULTS, most: 30 }, { device: null });
  const starts = Array.from(corners.x, (x, k) => {
    const [u, v] = moved(x, corners.y[k]);
    return { from: [x, corners.y[k]] as const, to: [u + 0.4, v - 0.3] as const, a: UNDEFORMED };
  });
  // One of even ground has no fit.
  const even = drawn(120, 90, () => 9);
  const options = { ...AFFINE_DEFAULTS, window: 15, light };
  const device = await createGpuAffine(session(), size, options);
  const found = await device.fit(first, second, starts);
  expect(await device.fit(even, second, starts.slice(0, 1))).toEqual([null]);
  // A round spot looks the same however it is turned.
  const spot = (x: number, y: number) => blobImage(120, 90, [{ x, y, sigma: 3, height: 60 }]);
  const [round] = await device.fit(spot(60, 45), spot(61.3, 44.2), [{ from: [60, 45], to: [61, 44], a: UNDEFORMED }]);
  expect(Math.hypot((round?.x ?? 0) - 61.3, (round?.y ?? 0) - 44.2)).toBeLessThan(0.02);
  device.destroy();
  const twin = starts.map((start) => fitAffine(first, second, start, options));
  let right = 0;
  for (const [k, fit] of twin.entries()) {
    const other = found[k];
    expect(other === null).toBe(fit === null);
    if (fit === null || other === null) continue;
    expect(Math.hypot(other.x - fit.x, other.y - fit.y)).toBeLessThan(0.01);
    for (const [n, value] of fit.a.entries()) expect(Math.abs(other.a[n] - value)).toBeLessThan(0.003);
    expect(Math.abs(other.residual - fit.residual)).toBeLessThan(0.01 * Math.max(1, fit.residual));
    if (Math.abs(fit.a[0] - cos) < 0.02 && Math.abs(fit.a[2] - sin) < 0.02) right++;
  }
  expect(right).toBeGreaterThan(15);
});
