import { expect, test, vi } from "vitest";
import {
  cpuEngine,
  FOLLOW_DEFAULTS,
  type FollowedImage,
  type FollowOptions,
  follow,
  gpuEngine,
} from "../../../src/pixels/features/follow/follow.js";
import type { GreyImage, Plane } from "../../../src/pixels/image.js";
import { useSoftwareSession } from "../../gpu/software-session.js";
import { drawn, scatteredBlobs } from "./images.js";

vi.setConfig({ testTimeout: 120_000 });
const session = useSoftwareSession();

const [WIDTH, HEIGHT] = [120, 90];
const blobs = scatteredBlobs(140, 2 * WIDTH, 2 * HEIGHT, 1.5, 4).map(({ x, y, ...rest }) => ({
  ...rest,
  x: x - WIDTH / 2,
  y: y - HEIGHT / 2,
}));

/** Where a place of the first image is in image k: shifted, turned and grown about the middle. */
function moved(x: number, y: number, k: number): [number, number] {
  const [cos, sin] = [(1 + 0.01 * k) * Math.cos(0.01 * k), (1 + 0.01 * k) * Math.sin(0.01 * k)];
  const [u, v] = [x - 60, y - 45];
  return [60 + 0.8 * k + cos * u - sin * v, 45 - 0.5 * k + sin * u + cos * v];
}
const unmoved = (x: number, y: number, k: number): [number, number] => {
  const [cos, sin] = [Math.cos(0.01 * k) / (1 + 0.01 * k), Math.sin(0.01 * k) / (1 + 0.01 * k)];
  const [u, v] = [x - 60 - 0.8 * k, y - 45 + 0.5 * k];
  return [60 + cos * u + sin * v, 45 - sin * u + cos * v];
};
/** Covers the left of the images from this one on. */
const COVERED_FROM = 8;
const isCovered = (x: number, k: number) => k >= COVERED_FROM && x < 40;

/** Light that changes from image to image. */
function video(count: number): GreyImage[] {
  return Array.from({ length: count }, (_, k) =>
    drawn(WIDTH, HEIGHT, (px, py) => {
      const [x, y] = unmoved(px, py, k);
      const seen = isCovered(px, k)
        ? 128 + 50 * Math.sin(0.7 * px) * Math.sin(0.9 * py)
        : blobs.reduce((sum, b) => {
            const square = ((x - b.x) ** 2 + (y - b.y) ** 2) / (2 * b.sigma ** 2);
            return square > 12 ? sum : sum + b.height * Math.exp(-square);
          }, 128);
      return (1 + 0.1 * Math.sin(k)) * seen + 5 * Math.cos(2 * k);
    }),
  );
}

const options: FollowOptions = {
  ...FOLLOW_DEFAULTS,
  window: 15,
  levels: 2,
  selection: { ...FOLLOW_DEFAULTS.selection, most: 40 },
};
const onCpu = () => cpuEngine(options.selection, options, options.levels);

async function all(images: readonly Plane[], begin = onCpu as Parameters<typeof follow>[2]): Promise<FollowedImage[]> {
  const followed: FollowedImage[] = [];
  for await (const image of follow(images, options, begin)) followed.push(image);
  return followed;
}

test("corners keep to their places through turn, growth and light; covered ones end, and new ones begin every five images apart from the others", async () => {
  const followed = await all(video(16));
  const births = new Map<number, { x: number; y: number; k: number }>();
  const off: number[] = [];
  for (const [k, { points }] of followed.entries()) {
    for (const { track, x, y } of points) {
      const birth = births.get(track) ?? { x, y, k };
      births.set(track, birth);
      expect(birth.k % options.every).toBe(0);
      const [u, v] = moved(...unmoved(birth.x, birth.y, birth.k), k);
      // What is covered stands still under the moving ground.
      if (isCovered(birth.x, birth.k) || Math.abs(birth.x - 40) < 10) continue;
      off.push(Math.hypot(x - u, y - v));
      expect(isCovered(u + 4, k)).toBe(false);
    }
    if (k % options.every === 0) {
      expect(points.length).toBeLessThanOrEqual(40);
      const begun = points.filter(({ track }) => births.get(track)?.k === k);
      for (const one of begun)
        for (const other of points)
          if (other !== one) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThanOrEqual(7 - 1e-3);
    }
  }
  off.sort((a, b) => a - b);
  expect(off[Math.floor(0.95 * off.length)]).toBeLessThan(0.3);
  expect(off.at(-1)).toBeLessThan(1.5);
  const [first, last] = [followed[0].points.length, followed[15].points];
  expect(first).toBeGreaterThan(25);
  const old = last.filter(({ track }) => track < first);
  expect(old.length).toBeGreaterThan(10);
  const errors = old.map(({ track, x, y }) => {
    const birth = births.get(track) ?? { x: 0, y: 0 };
    const [u, v] = moved(birth.x, birth.y, 15);
    return Math.hypot(x - u, y - v);
  });
  expect(errors.sort((a, b) => a - b)[errors.length >> 1]).toBeLessThan(0.05);
  const lost = followed.flatMap(({ lost }) => Object.values(lost)).reduce((sum, one) => sum + one, 0);
  expect(lost + last.length).toBe(births.size);
});

test("on a device the same tracks are followed", async () => {
  const images = video(7);
  const twin = await all(images);
  const found = await all(images, (image) => gpuEngine(session(), image, options.selection, options, options.levels));
  for (const [k, { points, lost }] of twin.entries()) {
    expect(found[k].lost).toEqual(lost);
    expect(found[k].points.map(({ track }) => track)).toEqual(points.map(({ track }) => track));
    for (const [n, { x, y }] of points.entries())
      expect(Math.hypot(found[k].points[n].x - x, found[k].points[n].y - y)).toBeLessThan(0.02);
  }
});

test("images of several sizes are refused", async () => {
  const [first] = video(1);
  await expect(all([first, drawn(64, 48, (x) => x)])).rejects.toThrow(
    /image 1 is 64 × 48 pixels, those before 120 × 90/,
  );
});
