import { expect, test, vi } from "vitest";
import { HARRIS_DEFAULTS, KLT_SELECTION_DEFAULTS } from "../../../src/pixels/features/corners.js";
import { detectCorners } from "../../../src/pixels/features/detect-corners.js";
import { createGpuKlt } from "../../../src/pixels/features/gpu-klt.js";
import { KLT_DEFAULTS } from "../../../src/pixels/features/klt-options.js";
import { kltPyramid } from "../../../src/pixels/features/klt-pyramid.js";
import { trackKltBothWays } from "../../../src/pixels/features/klt-track.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, scatteredBlobs, testImage } from "./images.js";

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
