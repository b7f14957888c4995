import { expect, test, vi } from "vitest";
import { detectCanny } from "../../../src/pixels/features/canny.js";
import { type EdgeImage, makeEdgeImage } from "../../../src/pixels/features/edge-images.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { blobImage, drawn, scatteredBlobs, testImage } from "./images.js";

vi.setConfig({ testTimeout: 240_000 });
const session = useSoftwareSession();

const blobs = () => {
  const image = blobImage(61, 47, scatteredBlobs(60, 61, 47, 1.1, 6));
  return { ...image, pixels: image.pixels.map((value) => Math.min(Math.max(Math.round(value), 0), 255)) };
};
/** A dark spiral one stroke wide whose contrast falls from its strong outer end to weak: its edges cross every tile, one chain. */
const spiral = () =>
  drawn(80, 80, (x, y) => {
    const [dx, dy] = [x - 39.5, y - 39.5];
    const radius = Math.hypot(dx, dy);
    const phase = radius / 8 - Math.atan2(dy, dx) / (2 * Math.PI);
    const inside = radius > 4 && radius < 38 && phase - Math.floor(phase) < 0.5;
    return inside ? Math.round(100 + 20 + radius) : 100;
  });

test.each([
  ["waves and rectangles, 50 and 100", testImage, 50, 100],
  ["blobs, low thresholds that are no integers", blobs, 10.5, 31.7],
  ["a spiral, strong at its outer end only", spiral, 60, 205],
  ["one row", () => drawn(40, 1, (x) => (x % 7) * 30), 5, 50],
  ["one pixel", () => drawn(1, 1, () => 9), 0, 0],
])("Canny's edges on the device are the twin's, bit by bit: %s", async (_, make, low, high) => {
  const image = make();
  const [twin, found] = await Promise.all([null, session()].map((device) => detectCanny(image, low, high, { device })));
  expect(found).toEqual(twin);
});

test("the spiral's weak edges are kept for its strong end alone", async () => {
  const image = spiral();
  const count = async (high: number) =>
    (await detectCanny(image, 60, high, { device: session() })).reduce((sum, edge) => sum + edge, 0);
  const [all, none] = [await count(205), await count(2000)];
  expect(all).toBeGreaterThan(800);
  expect(none).toBe(0);
});

test("grey levels that are no integers are refused", async () => {
  const half = drawn(3, 3, () => 0.5);
  await expect(detectCanny(half, 1, 2, { device: session() })).rejects.toThrow("pixel 0 has 0.5");
});

test.each<[string, EdgeImage]>([
  ["Sobel", { filter: "sobel" }],
  ["LoG", { filter: "log", sigma: 1.4 }],
  ["DoG, wider than the image is high", { filter: "dog", narrow: 1.4, wide: 13 }],
])("%s on the device is the twin's", async (_, what) => {
  const image = blobs();
  const [twin, found] = await Promise.all([null, session()].map((device) => makeEdgeImage(image, what, { device })));
  expect([found.width, found.height]).toEqual([61, 47]);
  const most = twin.pixels.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const worst = twin.pixels.reduce((a, b, p) => Math.max(a, Math.abs(b - found.pixels[p])), 0);
  expect(most).toBeGreaterThan(5);
  expect(worst).toBeLessThan(1e-4 * Math.max(most, 10));
});
